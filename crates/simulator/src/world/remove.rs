//! Deletion: preconditions, finalizers, grace periods, propagation.
//!
//! Source: `k8s.io/apiserver/pkg/registry/generic/registry/store.go` (`Delete`), `pkg/registry/rest/delete.go`.

use super::catalogue::Kind;
use super::write::{has_generation, refused};
use super::{By, Key, Status, Txn, World, meta};
use crate::admission::{self, Operation};
use crate::behave::Resource;
use crate::clock::rfc3339;
use serde_json::{Value, json};
use std::sync::Arc;

/// Namespaces that stay. Source: `k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle`.
const IMMORTAL: [&str; 3] = ["default", "kube-system", "kube-public"];

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
    pub(super) fn delete(&mut self, kind: &Kind, key: &Key, options: &Deletion, by: &By) -> Result<Deleted, Status> {
        let old = self.state.get(kind.id, key).ok_or_else(|| Status::not_found(kind, &key.name))?;
        if kind.resource.plural == "namespaces" && kind.resource.group.is_empty() && IMMORTAL.contains(&&*key.name) {
            return Err(Status::forbidden("", "namespaces", &key.name, "this namespace may not be deleted"));
        }
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
            Some(held) => Deleted::Held(held),
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
            let hint = if field == "uid" { "deleted and then recreated" } else { "modified" };
            let why = format!(
                "the {word} in the precondition ({wanted}) does not match the {word} in record ({found}). The object might have been {hint}"
            );
            let name = meta::name(old);
            let mut status = Status::conflict(kind, name, &why);
            // Source: `registry/rest/delete.go`, which knows the kind only.
            status.message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", kind.qualified_kind());
            status.details["kind"] = kind.kind.into();
            return Err(status);
        }
    }
    Ok(())
}
