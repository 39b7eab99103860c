//! New objects: their name and place, and what the server fills in.
//!
//! Source: `k8s.io/apiserver/pkg/registry/rest/create.go`.

use super::catalogue::Kind;
use super::write::{has_generation, refused};
use super::{By, Key, Status, Txn, meta, owners, rules, validate};
use crate::admission::{self, Operation};
use crate::clock::rfc3339;
use serde_json::{Value, json};
use std::sync::Arc;

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
                rules::complete(kind, &mut object);
                let mut faults = rules::faults(kind, None, &object);
                faults.extend(validate::faults(kind, &object));
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
        if self.state.has(kind.id, &key) {
            return Err(Status::already_exists(kind, &key.name));
        }
        if by.is_dry_run {
            return Ok(Arc::new(object));
        }
        let stored = self.state.put(kind.id, kind.resource, key, object);
        if by.is_outside {
            self.collect_unowned(kind, &stored);
        }
        Ok(stored)
    }

    /// A new object as it is: see [`World::seed_finished`](super::World::seed_finished).
    pub(super) fn seed_finished(&mut self, kind: &Kind, mut object: Value) -> Result<Key, Status> {
        self.name_and_place(kind, "", &mut object, &By::seed())?;
        self.fill_in_seed(&mut object);
        let key = Key::of(&object);
        if self.state.has(kind.id, &key) {
            return Err(Status::already_exists(kind, &key.name));
        }
        self.state.put_finished(kind.id, key.clone(), object);
        Ok(key)
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
            Some(found) if meta::is_terminating(&found) => {
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
}
