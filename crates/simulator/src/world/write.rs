//! The one way in which objects change: create, change, delete, as the generic registry of a kube-apiserver does it.
//!
//! Order of a write: identity and preconditions → what the caller may not set → schema → admission → store → garbage
//! collection. Everything happens under the lock, so a patch never needs a retry. Source:
//! `k8s.io/apiserver/pkg/registry/generic/registry/store.go`, `registry/rest/{create,update,delete}.go`.

use super::catalogue::Kind;
use super::{Key, Status, Txn, World, meta, owners, validate};
use crate::admission::{self, Caller, Operation};
use crate::behave::Resource;
use crate::clock::rfc3339;
use serde_json::{Value, json};
use std::sync::Arc;

/// Who writes and how.
#[derive(Debug, Clone)]
pub struct By {
    /// User name.
    pub user: String,
    /// One of KubeVirt's own service accounts.
    pub is_kubevirt: bool,
    /// Field manager.
    pub manager: String,
    /// `dryRun=All`: everything but the storing.
    pub is_dry_run: bool,
    /// Comes from outside: schema is enforced and fields get owners. Behaviours skip both to be quick.
    pub is_outside: bool,
    /// Puts objects there as they are, with status, without admission: for scenarios.
    pub is_seed: bool,
    /// A server-side apply, which has said already who owns what.
    pub is_applied: bool,
}

impl By {
    /// A user who came over HTTP.
    pub fn user(user: &str, manager: &str) -> Self {
        Self {
            user: user.into(),
            is_kubevirt: user.starts_with("system:serviceaccount:harvester-system:kubevirt-"),
            manager: manager.into(),
            is_dry_run: false,
            is_outside: true,
            is_seed: false,
            is_applied: false,
        }
    }

    /// One of upstream's own programs, played by a behaviour.
    pub fn program(name: &str) -> Self {
        let user = format!("system:serviceaccount:harvester-system:{name}");
        Self { is_outside: false, is_kubevirt: name.starts_with("virt-"), ..Self::user(&user, name) }
    }

    /// A scenario that puts a finished world there.
    pub fn seed() -> Self {
        Self { is_outside: false, is_seed: true, is_kubevirt: true, ..Self::user("system:admin", "seed") }
    }

    fn caller(&self) -> Caller {
        Caller { user: self.user.clone(), is_kubevirt: self.is_kubevirt }
    }
}

/// Which part of an object a write is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All but status.
    Main,
    /// Status only.
    Status,
}

/// What becomes of dependents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Propagation {
    /// They go after the owner.
    #[default]
    Background,
    /// They go before the owner.
    Foreground,
    /// They stay.
    Orphan,
}

/// `metav1.DeleteOptions`.
#[derive(Debug, Clone, Default)]
pub struct Deletion {
    /// `gracePeriodSeconds`; matters for pods only.
    pub grace_secs: Option<i64>,
    /// `propagationPolicy`.
    pub propagation: Propagation,
    /// `preconditions.uid`.
    pub uid: Option<String>,
    /// `preconditions.resourceVersion`.
    pub version: Option<String>,
}

/// What a deletion led to.
#[derive(Debug, Clone)]
pub enum Deleted {
    /// Gone; the last state.
    Gone(Arc<Value>),
    /// Held by finalizers, a grace period or dependents; as it stands.
    Held(Arc<Value>),
}

impl World {
    /// Creates an object in `namespace` (empty for cluster-scoped kinds).
    pub fn create(&self, resource: Resource, namespace: &str, object: Value, by: &By) -> Result<Arc<Value>, Status> {
        let kind = self.kind(resource)?;
        self.write(|txn| txn.create(kind, namespace, object, by))
    }

    /// Changes an object to what `change` makes of it, under the lock. Fails with 404 when there is none.
    pub fn modify(
        &self,
        resource: Resource,
        (namespace, name): (&str, &str),
        part: Part,
        by: &By,
        change: impl FnOnce(&Value) -> Result<Value, Status>,
    ) -> Result<Arc<Value>, Status> {
        let kind = self.kind(resource)?;
        self.write(|txn| {
            let key = Key::new(namespace, name);
            let old = txn.state.get(kind.id, &key).cloned().ok_or_else(|| Status::not_found(kind, name))?;
            let new = change(&old)?;
            txn.update(kind, &key, &old, new, part, by)
        })
    }

    /// Deletes an object.
    pub fn delete(
        &self,
        resource: Resource,
        (namespace, name): (&str, &str),
        options: &Deletion,
        by: &By,
    ) -> Result<Deleted, Status> {
        let kind = self.kind(resource)?;
        self.write(|txn| txn.delete(kind, &Key::new(namespace, name), options, by))
    }
}

impl Txn<'_> {
    pub(super) fn create(
        &mut self,
        kind: &Kind,
        namespace: &str,
        mut object: Value,
        by: &By,
    ) -> Result<Arc<Value>, Status> {
        self.name_and_place(kind, namespace, &mut object, by)?;
        let key = Key::of(&object);
        if !by.is_seed {
            let version = meta::text(&object, "resourceVersion");
            if !version.is_empty() && version != "0" {
                return Err(Status::new(500, "", "resourceVersion should not be set on objects to be created"));
            }
            self.fill_in_new(kind, &mut object, by);
            if by.is_outside {
                validate::default_and_prune(kind, &mut object);
                let faults = validate::faults(kind, &object);
                if !faults.is_empty() {
                    return Err(Status::invalid(kind, &key.name, &faults));
                }
            }
            let asked = by.is_applied.then(|| object.clone());
            object = admission::admit(kind.resource, Operation::Create, None, object, &self.as_view(), &by.caller())
                .map_err(refused)?;
            if by.is_outside {
                // After an apply only what webhooks changed is noted here.
                owners::record(kind, &mut object, asked.as_ref(), &by.manager, "", self.now_ms);
            }
        } else {
            self.fill_in_seed(&mut object);
        }
        if self.state.get(kind.id, &key).is_some() {
            return Err(Status::already_exists(kind, &key.name));
        }
        if by.is_dry_run {
            return Ok(Arc::new(object));
        }
        Ok(self.state.put(kind.id, kind.resource, key, object))
    }

    fn name_and_place(&mut self, kind: &Kind, namespace: &str, object: &mut Value, by: &By) -> Result<(), Status> {
        let map = meta::map(object);
        map.insert("apiVersion".into(), kind.api_version().into());
        map.insert("kind".into(), kind.kind.into());
        let given = meta::namespace(object);
        if kind.namespaced {
            if !given.is_empty() && !namespace.is_empty() && given != namespace {
                return Err(Status::bad_request(
                    "the namespace of the provided object does not match the namespace sent on the request",
                ));
            }
            let namespace = if namespace.is_empty() { given.to_owned() } else { namespace.to_owned() };
            if namespace.is_empty() {
                return Err(Status::bad_request("an empty namespace may not be set during creation"));
            }
            if !by.is_seed {
                self.check_namespace(kind, &namespace, meta::name(object))?;
            }
            meta::set(object, "namespace", namespace);
        } else {
            meta::set(object, "namespace", Value::Null);
        }
        let prefix = meta::text(object, "generateName").to_owned();
        if meta::name(object).is_empty() {
            if prefix.is_empty() {
                let fault = ("metadata.name".to_owned(), "Required value: name or generateName is required".to_owned());
                return Err(Status::invalid(kind, "", &[fault]));
            }
            let name = format!("{}{}", &prefix[..prefix.len().min(58)], self.state.random.suffix());
            meta::set(object, "name", name);
        }
        if by.is_outside
            && let Some(fault) = validate::name_fault(meta::name(object))
        {
            return Err(Status::invalid(kind, meta::name(object), &[("metadata.name".into(), fault)]));
        }
        Ok(())
    }

    /// Source: `k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle`.
    fn check_namespace(&self, kind: &Kind, namespace: &str, name: &str) -> Result<(), Status> {
        let Some(namespaces) = self.catalogue.find("", "namespaces") else { return Ok(()) };
        match self.state.get(namespaces.id, &Key::new("", namespace)) {
            None => Err(Status::not_found(namespaces, namespace)),
            Some(found) if meta::is_terminating(found) => {
                let why =
                    format!("unable to create new content in namespace {namespace} because it is being terminated");
                let mut status = Status::forbidden(kind.resource.group, kind.resource.plural, name, &why);
                status.details["causes"] = json!([{
                    "reason": "NamespaceTerminating", "field": "metadata.namespace",
                    "message": format!("namespace {namespace} is being terminated"),
                }]);
                Err(status)
            }
            Some(_) => Ok(()),
        }
    }

    /// What the server sets and what the caller may not set. Source: `registry/rest/create.go`.
    fn fill_in_new(&mut self, kind: &Kind, object: &mut Value, by: &By) {
        for field in ["resourceVersion", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"] {
            meta::set(object, field, Value::Null);
        }
        if !by.is_applied {
            meta::set(object, "managedFields", Value::Null);
        }
        meta::set(object, "uid", self.state.random.uid());
        meta::set(object, "creationTimestamp", rfc3339(self.now_ms));
        meta::set(object, "generation", if has_generation(kind) { json!(1) } else { Value::Null });
        if by.is_outside && kind.has_status() && kind.resource.plural != "nodes" {
            meta::map(object).remove("status");
        }
        match kind.resource.plural {
            "namespaces" => {
                object["status"] = json!({ "phase": "Active" });
                object["spec"] = json!({ "finalizers": ["kubernetes"] });
                let name = meta::name(object).to_owned();
                let labels = meta::metadata(object).entry("labels").or_insert_with(|| json!({}));
                meta::map(labels).insert("kubernetes.io/metadata.name".into(), name.into());
            }
            "persistentvolumeclaims" | "pods" if object.get("status").is_none() => {
                object["status"] = json!({ "phase": "Pending" });
            }
            "secrets" => validate::fold_string_data(object),
            _ => {}
        }
    }

    fn fill_in_seed(&mut self, object: &mut Value) {
        if meta::text(object, "uid").is_empty() {
            meta::set(object, "uid", self.state.random.uid());
        }
        if meta::text(object, "creationTimestamp").is_empty() {
            meta::set(object, "creationTimestamp", rfc3339(self.now_ms));
        }
        if object["metadata"].get("generation").is_none() {
            meta::set(object, "generation", 1);
        }
    }

    pub(super) fn update(
        &mut self,
        kind: &Kind,
        key: &Key,
        old: &Arc<Value>,
        mut new: Value,
        part: Part,
        by: &By,
    ) -> Result<Arc<Value>, Status> {
        self.check_identity(kind, old, &new)?;
        let part = if kind.has_status() { part } else { Part::Main };
        let both = by.is_seed || !kind.has_status();
        let managed = new["metadata"].get("managedFields").cloned();
        match part {
            _ if both => {}
            Part::Main => {
                let status = old.get("status").cloned();
                let map = meta::map(&mut new);
                match status {
                    Some(status) => map.insert("status".into(), status),
                    None => map.remove("status"),
                };
            }
            Part::Status => {
                let status = new.get("status").cloned().unwrap_or(Value::Null);
                new = (**old).clone();
                meta::map(&mut new).insert("status".into(), status);
                if let (Some(managed), true) = (managed, by.is_applied) {
                    meta::set(&mut new, "managedFields", managed);
                }
            }
        }
        for field in [
            "uid",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "generation",
            "name",
            "namespace",
            "generateName",
        ] {
            meta::keep(&mut new, field, old);
        }
        let map = meta::map(&mut new);
        map.insert("apiVersion".into(), kind.api_version().into());
        map.insert("kind".into(), kind.kind.into());
        if kind.resource.plural == "secrets" {
            validate::fold_string_data(&mut new);
        }
        if by.is_outside {
            validate::default_and_prune(kind, &mut new);
            let mut faults = validate::faults(kind, &new);
            faults.extend(validate::finalizer_fault(old, &new));
            if !faults.is_empty() {
                return Err(Status::invalid(kind, &key.name, &faults));
            }
        }
        if !by.is_applied {
            meta::keep(&mut new, "managedFields", old);
        }
        let asked = by.is_applied.then(|| new.clone());
        if part == Part::Main && !by.is_seed {
            new = admission::admit(kind.resource, Operation::Update, Some(old), new, &self.as_view(), &by.caller())
                .map_err(refused)?;
        }
        if has_generation(kind) && part == Part::Main && is_spec_changed(kind, old, &new) {
            let generation = old["metadata"]["generation"].as_i64().unwrap_or_default() + 1;
            meta::set(&mut new, "generation", generation);
        }
        meta::keep(&mut new, "resourceVersion", old);
        if new == **old {
            return Ok(old.clone());
        }
        if by.is_outside || old["metadata"].get("managedFields").is_some() {
            let subresource = if part == Part::Status { "status" } else { "" };
            let before = asked.as_ref().unwrap_or(old);
            owners::record(kind, &mut new, Some(before), &by.manager, subresource, self.now_ms);
        }
        if by.is_dry_run {
            return Ok(Arc::new(new));
        }
        let is_done = meta::is_terminating(&new)
            && meta::finalizers(&new).is_empty()
            && new["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or_default() == 0
            && kind.resource.plural != "namespaces";
        let stored = self.state.put(kind.id, kind.resource, key.clone(), new);
        if is_done {
            self.state.remove(kind.id, kind.resource, key);
            self.collect_after(&stored);
        }
        Ok(stored)
    }

    /// Optimistic locking. Source: `registry/generic/registry/store.go` (`Update`).
    fn check_identity(&self, kind: &Kind, old: &Value, new: &Value) -> Result<(), Status> {
        let name = meta::name(old);
        let uid = meta::text(new, "uid");
        if !uid.is_empty() && uid != meta::text(old, "uid") {
            let why = format!(
                "Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
                meta::text(old, "uid")
            );
            return Err(Status::conflict(kind, name, &why));
        }
        let version = meta::text(new, "resourceVersion");
        if !version.is_empty() && version != "0" && version != meta::text(old, "resourceVersion") {
            return Err(Status::modified(kind, name));
        }
        Ok(())
    }

    pub(super) fn delete(&mut self, kind: &Kind, key: &Key, options: &Deletion, by: &By) -> Result<Deleted, Status> {
        let old = self.state.get(kind.id, key).cloned().ok_or_else(|| Status::not_found(kind, &key.name))?;
        check_preconditions(kind, &old, options)?;
        if !by.is_seed {
            admission::admit(
                kind.resource,
                Operation::Delete,
                Some(&old),
                (*old).clone(),
                &self.as_view(),
                &by.caller(),
            )
            .map_err(refused)?;
        }
        if by.is_dry_run {
            return Ok(Deleted::Gone(old));
        }
        self.delete_now(kind, key, &old, options)
    }

    /// The deletion itself, after admission.
    pub(super) fn delete_now(
        &mut self,
        kind: &Kind,
        key: &Key,
        old: &Arc<Value>,
        options: &Deletion,
    ) -> Result<Deleted, Status> {
        if kind.resource.plural == "namespaces" && kind.resource.group.is_empty() {
            return Ok(self.delete_namespace(kind, key, old));
        }
        let mut new = (**old).clone();
        let mut finalizers: Vec<String> = meta::finalizers(old).into_iter().map(str::to_owned).collect();
        let wanted = match options.propagation {
            Propagation::Background => None,
            Propagation::Foreground => Some("foregroundDeletion"),
            Propagation::Orphan => Some("orphan"),
        };
        if let Some(wanted) = wanted
            && !finalizers.iter().any(|finalizer| finalizer == wanted)
        {
            finalizers.push(wanted.into());
            meta::set(&mut new, "finalizers", json!(finalizers));
        }
        let grace_secs = grace_secs(kind, old, options);
        if finalizers.is_empty() && grace_secs == 0 {
            let gone = self.state.remove(kind.id, kind.resource, key).unwrap_or_else(|| old.clone());
            self.collect_after(&gone);
            return Ok(Deleted::Gone(gone));
        }
        if !meta::is_terminating(old) {
            meta::set(&mut new, "deletionTimestamp", rfc3339(self.now_ms + grace_secs * 1000));
            meta::set(&mut new, "deletionGracePeriodSeconds", grace_secs);
            if has_generation(kind) {
                let generation = old["metadata"]["generation"].as_i64().unwrap_or_default() + 1;
                meta::set(&mut new, "generation", generation);
            }
        } else if old["metadata"]["deletionGracePeriodSeconds"].as_i64().is_some_and(|old| grace_secs < old) {
            meta::set(&mut new, "deletionTimestamp", rfc3339(self.now_ms + grace_secs * 1000));
            meta::set(&mut new, "deletionGracePeriodSeconds", grace_secs);
        }
        if new == **old {
            return Ok(Deleted::Held(old.clone()));
        }
        let held = self.state.put(kind.id, kind.resource, key.clone(), new);
        if wanted.is_some() {
            self.run_collector_finalizers(kind, key);
        }
        Ok(match self.state.get(kind.id, key) {
            Some(held) => Deleted::Held(held.clone()),
            None => Deleted::Gone(held),
        })
    }
}

/// Seconds that a pod has to end itself. Source: `pkg/registry/core/pod/strategy.go` (`CheckGracefulDelete`).
fn grace_secs(kind: &Kind, old: &Value, options: &Deletion) -> i64 {
    if kind.resource.plural != "pods" {
        return 0;
    }
    let phase = old["status"]["phase"].as_str().unwrap_or_default();
    if old["spec"]["nodeName"].as_str().unwrap_or_default().is_empty() || matches!(phase, "Succeeded" | "Failed") {
        return 0;
    }
    options.grace_secs.or_else(|| old["spec"]["terminationGracePeriodSeconds"].as_i64()).unwrap_or(30).max(0)
}

fn check_preconditions(kind: &Kind, old: &Value, options: &Deletion) -> Result<(), Status> {
    let checks = [("UID", &options.uid, "uid"), ("ResourceVersion", &options.version, "resourceVersion")];
    for (word, wanted, field) in checks {
        if let Some(wanted) = wanted
            && wanted != meta::text(old, field)
        {
            let found = meta::text(old, field);
            let why = format!("Precondition failed: {word} in precondition: {wanted}, {word} in object meta: {found}");
            return Err(Status::conflict(kind, meta::name(old), &why));
        }
    }
    Ok(())
}

/// Custom resources count generations; of the built-in kinds here only workloads do.
fn has_generation(kind: &Kind) -> bool {
    kind.is_custom || kind.resource.group == "apps"
}

/// Source: `apiextensions-apiserver/pkg/registry/customresource/strategy.go` (`PrepareForUpdate`).
fn is_spec_changed(kind: &Kind, old: &Value, new: &Value) -> bool {
    let differs = |field: &String| old.get(field) != new.get(field);
    let fields =
        |value: &Value| value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let ignored = |field: &String| field == "metadata" || (field == "status" && kind.has_status());
    fields(old).iter().chain(&fields(new)).any(|field| !ignored(field) && differs(field))
}

/// A webhook's refusal as the API server words it. Source: `k8s.io/apiserver/pkg/admission/plugin/webhook/errors`.
fn refused(refusal: admission::Refusal) -> Status {
    let message = format!("admission webhook \"{}\" denied the request: {}", refusal.webhook, refusal.message);
    Status::new(refusal.code, refusal.reason, message)
}
