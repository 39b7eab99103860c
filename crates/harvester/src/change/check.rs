//! Desired → Checked: the API server rehearses the change (`dryRun=All`), webhooks and quota included, and keeps nothing.

use super::diff::{self, Difference};
use super::{Base, Call, Checked, Desired, What};
use crate::api::Kind;
use crate::cluster::FIELD_MANAGER;
use crate::{Cluster, ClusterError};
use http::Method;
use model::ownership;
use serde_json::{Value, json};

/// The content type of a merge patch (RFC 7386).
pub(super) const MERGE: &str = "application/merge-patch+json";
pub(super) const JSON: &str = "application/json";

impl Desired {
    /// Asks the API server what the change would do.
    ///
    /// Everything that would refuse it does so here: [`ClusterError::Refused`] with the webhook's words,
    /// [`ClusterError::Forbidden`], [`ClusterError::NotFound`], [`ClusterError::Exists`].
    pub async fn check(self, cluster: &Cluster) -> Result<Checked, ClusterError> {
        match &self.what {
            What::Create(_) => self.check_create(cluster).await,
            What::Patch(_) => self.check_patch(cluster).await,
            What::Call(call) => {
                let call = *call;
                self.check_call(call, cluster).await
            }
            What::Delete => self.check_delete(cluster).await,
        }
    }

    async fn check_create(self, cluster: &Cluster) -> Result<Checked, ClusterError> {
        let outcome = cluster.write(Method::POST, &self.create_path(true), JSON, &self.created()).await?;
        let outcome = diff::masked(self.target.kind, outcome);
        let difference = vec![Difference { path: String::new(), before: None, after: Some(outcome.clone()) }];
        Ok(Checked { desired: self, base: Base::default(), difference, outcome: Some(outcome) })
    }

    async fn check_patch(self, cluster: &Cluster) -> Result<Checked, ClusterError> {
        let live: Value = cluster.read(&self.target.path()).await?;
        let base = base(&live)?;
        let outcome = cluster.write(Method::PATCH, &self.path(true), MERGE, &self.patched(&base)).await?;
        let outcome = diff::masked(self.target.kind, outcome);
        let difference =
            diff::between(&without_note(diff::masked(self.target.kind, live)), &without_note(outcome.clone()));
        let outcome = Some(outcome);
        Ok(Checked { desired: self, base, difference, outcome })
    }

    /// The note on the VM is rehearsed too: it is the half of the change that may meet a conflict. What differs is told as
    /// `/power`, from the cluster's word to the call's.
    async fn check_call(self, call: Call, cluster: &Cluster) -> Result<Checked, ClusterError> {
        let live: Value = cluster.read(&self.target.path()).await?;
        let mut base = base(&live)?;
        if call == Call::Restart {
            base.instance = instance(cluster, &self).await?;
        }
        cluster.write(Method::PATCH, &self.path(true), MERGE, &self.patched(&base)).await?;
        if let Some(body) = call.rehearsal() {
            cluster.write(Method::PUT, &call.path(&self.target), JSON, &body).await?;
        }
        let before = live.pointer("/status/printableStatus").cloned();
        let difference = vec![Difference { path: "/power".into(), before, after: Some(call.word().into()) }];
        Ok(Checked { desired: self, base, difference, outcome: None })
    }

    async fn check_delete(self, cluster: &Cluster) -> Result<Checked, ClusterError> {
        let live: Value = cluster.read(&self.target.path()).await?;
        let base = base(&live)?;
        cluster.write(Method::DELETE, &self.path(true), JSON, &deletion(&base)).await?;
        let before = Some(diff::masked(self.target.kind, live));
        let difference = vec![Difference { path: String::new(), before, after: None }];
        Ok(Checked { desired: self, base, difference, outcome: None })
    }

    pub(super) fn create_path(&self, is_rehearsal: bool) -> String {
        let namespace = Some(self.target.namespace.as_str()).filter(|n| !n.is_empty());
        format!("{}?{}", self.target.kind.collection(namespace), query(is_rehearsal))
    }

    pub(super) fn path(&self, is_rehearsal: bool) -> String {
        format!("{}?{}", self.target.path(), query(is_rehearsal))
    }

    /// The object to create, with our notes on it.
    pub(super) fn created(&self) -> Value {
        let What::Create(object) = &self.what else { return Value::Null };
        let mut object = object.clone();
        self.note(&mut object);
        if let Some(operation) = &self.operation {
            annotate(&mut object, ownership::OPERATION, operation.as_str());
        }
        object
    }

    /// The patch with our note and the version that it is meant for.
    pub(super) fn patched(&self, base: &Base) -> Value {
        let mut patch = match &self.what {
            What::Patch(patch) => patch.clone(),
            _ => json!({}),
        };
        self.note(&mut patch);
        patch["metadata"]["resourceVersion"] = base.version.clone().into();
        patch
    }

    fn note(&self, object: &mut Value) {
        annotate(object, ownership::CHANGE, self.id.as_str());
    }
}

/// Our own note is no difference that anybody has to look at.
fn without_note(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        let is_bare = metadata.get_mut("annotations").and_then(Value::as_object_mut).is_some_and(|annotations| {
            annotations.remove(ownership::CHANGE);
            annotations.is_empty()
        });
        if is_bare {
            metadata.remove("annotations");
        }
    }
    object
}

/// Strict: a cluster that does not know a field says so, and does not drop it without a word.
fn query(is_rehearsal: bool) -> String {
    let rehearsal = if is_rehearsal { "&dryRun=All" } else { "" };
    format!("fieldManager={FIELD_MANAGER}&fieldValidation=Strict{rehearsal}")
}

fn annotate(object: &mut Value, key: &str, value: &str) {
    for part in ["metadata", "annotations"].iter().scan(String::new(), |path, part| {
        *path = format!("{path}/{part}");
        Some(path.clone())
    }) {
        let (parent, leaf) = part.rsplit_once('/').unwrap_or_default();
        if let Some(Value::Object(map)) = object.pointer_mut(parent) {
            let held = map.entry(leaf).or_insert_with(|| json!({}));
            if !held.is_object() {
                *held = json!({});
            }
        }
    }
    if let Some(Value::Object(annotations)) = object.pointer_mut("/metadata/annotations") {
        annotations.insert(key.to_owned(), value.into());
    }
}

/// Only the object that was looked at is deleted.
pub(super) fn deletion(base: &Base) -> Value {
    json!({ "apiVersion": "v1", "kind": "DeleteOptions", "preconditions": { "uid": base.uid, "resourceVersion": base.version } })
}

pub(super) fn base(live: &Value) -> Result<Base, ClusterError> {
    let text = |path| live.pointer(path).and_then(Value::as_str).map(str::to_owned);
    match (text("/metadata/uid"), text("/metadata/resourceVersion")) {
        (Some(uid), Some(version)) => Ok(Base { uid, version, instance: None }),
        _ => Err(ClusterError::garbled("an object without uid or resourceVersion")),
    }
}

/// uid of the VM's instance.
pub(super) async fn instance(cluster: &Cluster, desired: &Desired) -> Result<Option<String>, ClusterError> {
    let path = Kind::VirtualMachineInstance.path(&desired.target.namespace, &desired.target.name);
    let vmi: Option<Value> = cluster.read_opt(&path).await?;
    Ok(vmi.as_ref().and_then(|v| v.pointer("/metadata/uid")).and_then(Value::as_str).map(str::to_owned))
}

impl Cluster {
    /// One write; the object in the answer, or null where there is none.
    pub(super) async fn write(
        &self,
        method: Method,
        path: &str,
        content_type: &str,
        body: &Value,
    ) -> Result<Value, ClusterError> {
        let answer = self.call(method, path, content_type, body.to_string().into_bytes()).await?;
        // KubeVirt's calls answer with nothing.
        if answer.trim_ascii().is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&answer).map_err(|e| ClusterError::garbled(format!("answer to a write: {e}")))
    }
}
