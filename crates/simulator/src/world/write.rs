//! The one way in which objects change: create, change, delete, as the generic registry of a kube-apiserver does it.
//!
//! Order of a write: identity and preconditions → what the caller may not set → schema → admission → store → garbage
//! collection. Everything happens under the lock, so a patch never needs a retry. Source:
//! `k8s.io/apiserver/pkg/registry/generic/registry/store.go`, `registry/rest/{create,update,delete}.go`.

use super::catalogue::Kind;
use super::{Key, Status, Txn, World, meta, owners, rules, validate};
use crate::admission::{self, Caller, Operation};
use crate::behave::Resource;
use serde_json::Value;
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

    pub(super) fn caller(&self) -> Caller {
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

impl World {
    /// Creates an object in `namespace` (empty for cluster-scoped kinds).
    pub fn create(&self, resource: Resource, namespace: &str, object: Value, by: &By) -> Result<Arc<Value>, Status> {
        let kind = self.kind(resource)?;
        self.write(|txn| txn.create(kind, namespace, object, by))
    }

    /// Puts an object there as it is, one that no behaviour would change. Who watched its kind before must list again.
    pub(crate) fn seed_finished(&self, resource: Resource, object: Value) -> Result<Key, Status> {
        let kind = self.kind(resource)?;
        self.write(|txn| txn.seed_finished(kind, object))
    }

    /// Keeps seeded objects as text until somebody changes them.
    pub(crate) fn lay_to_rest(&self, objects: &[(Resource, Key)]) {
        self.write(|txn| {
            for (resource, key) in objects {
                if let Some(kind) = txn.catalogue.find(resource.group, resource.plural) {
                    txn.state.lay_to_rest(kind.id, key);
                }
            }
        });
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
            let old = txn.state.get(kind.id, &key).ok_or_else(|| Status::not_found(kind, name))?;
            let new = change(&old)?;
            txn.update(kind, &key, &old, new, part, by)
        })
    }
}

impl Txn<'_> {
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
        if by.is_outside {
            let (was, is) = (meta::text(old, "deletionTimestamp"), meta::text(&new, "deletionTimestamp"));
            if !is.is_empty() && is != was {
                let fault = format!("Invalid value: \"{is}\": field is immutable");
                return Err(Status::invalid(kind, &key.name, &[("metadata.deletionTimestamp".into(), fault)]));
            }
        }
        let managed = new["metadata"].get("managedFields").cloned();
        let managed_before = managed.clone();
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
            // What a program of ours made has no defaults yet, and they are no change.
            let mut was = (**old).clone();
            if !kind.is_custom {
                validate::default_and_prune(kind, &mut was);
            }
            let mut faults = rules::faults(kind, Some(&was), &new);
            faults.extend(validate::faults(kind, &new));
            faults.extend(validate::finalizer_fault(old, &new));
            if !faults.is_empty() {
                return Err(Status::invalid(kind, &key.name, &faults));
            }
        }
        let forgets_owners = managed_before.as_ref().is_some_and(owners::is_reset) && !by.is_applied;
        if forgets_owners {
            meta::set(&mut new, "managedFields", Value::Null);
        } else if !by.is_applied {
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
        if is_done {
            // The last state is never stored: watchers see the deletion alone. Source: `store.go` (`deleteWithoutFinalizers`).
            let gone = self.state.remove_as(kind.id, kind.resource, key, new);
            self.collect_after(&gone);
            return Ok(gone);
        }
        Ok(self.state.put(kind.id, kind.resource, key.clone(), new))
    }

    /// Optimistic locking. Source: `registry/generic/registry/store.go` (`Update`).
    fn check_identity(&self, kind: &Kind, old: &Value, new: &Value) -> Result<(), Status> {
        let name = meta::name(old);
        let uid = meta::text(new, "uid");
        if !uid.is_empty() && uid != meta::text(old, "uid") {
            // etcd's own words. Source: `k8s.io/apiserver/pkg/storage/errors.go`.
            let key = [kind.resource.group, kind.resource.plural, meta::namespace(old), name];
            let key: Vec<_> = key.into_iter().filter(|step| !step.is_empty()).collect();
            let why = format!(
                "StorageError: invalid object, Code: 4, Key: /registry/{}, ResourceVersion: 0, AdditionalErrorMsg: \
                 Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
                key.join("/"),
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
}

/// Custom resources count generations; of the built-in kinds here only workloads do.
pub(super) fn has_generation(kind: &Kind) -> bool {
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
pub(super) fn refused(refusal: admission::Refusal) -> Status {
    let message = format!("admission webhook \"{}\" denied the request: {}", refusal.webhook, refusal.message);
    let mut status = Status::new(refusal.code, refusal.reason, message);
    let causes = refusal.causes.iter().map(|told| {
        let mut made = super::status::cause(told.reason, &told.message, &told.field);
        if let (true, Some(fields)) = (told.field.is_empty(), made.as_object_mut()) {
            fields.remove("field");
        }
        made
    });
    let causes: Vec<Value> = causes.collect();
    if !causes.is_empty() {
        status.details = serde_json::json!({ "causes": causes });
    }
    status
}
