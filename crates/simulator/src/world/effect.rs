//! Doing what behaviours decided.
//!
//! The built-in driver and the subresources hand their [`Effect`]s in here; each is one ordinary write.

use super::{By, Deletion, Part, Status, World, meta, patch};
use crate::behave::{Effect, Resource, Role, View};
use crate::clock::rfc3339;
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};

const EVENTS: Resource = Resource { group: "", version: "v1", plural: "events" };

impl By {
    /// The program that plays a role.
    pub fn role(role: Role) -> Self {
        Self::program(role.program())
    }
}

impl World {
    /// Does one effect as `by`. A merge or a deletion of what is not there is a 404, as it is upstream.
    pub fn perform(&self, effect: &Effect, by: &By) -> Result<(), Status> {
        match effect {
            Effect::Create { resource, object } => {
                self.create(*resource, meta::namespace(object), object.clone(), by).map(drop)
            }
            Effect::Merge { resource, namespace, name, patch, status } => {
                let part = if *status { Part::Status } else { Part::Main };
                self.modify(*resource, (namespace, name), part, by, |old| {
                    let mut new = old.clone();
                    patch::merge(&mut new, patch);
                    Ok(new)
                })
                .map(drop)
            }
            Effect::Delete { resource, namespace, name } => {
                let mut options = Deletion::default();
                // A pod that is ending already is finished off by the kubelet.
                if self.get(*resource, namespace, name).is_some_and(|old| meta::is_terminating(&old)) {
                    options.grace_secs = Some(0);
                }
                self.delete(*resource, (namespace, name), &options, by).map(drop)
            }
            Effect::Event { about, level, reason, message, source } => {
                self.record_event(about, level, reason, message, source)
            }
        }
    }

    /// Counts an event up, or makes it. Source: `k8s.io/client-go/tools/record/events_cache.go`.
    fn record_event(
        &self,
        about: &Value,
        level: &str,
        reason: &str,
        message: &str,
        source: &str,
    ) -> Result<(), Status> {
        let event = event_of(about, level, reason, message, source, &rfc3339(self.clock().unix_ms()));
        let (namespace, name) = (meta::namespace(&event).to_owned(), meta::name(&event).to_owned());
        let now = event["lastTimestamp"].clone();
        let by = By::program(source);
        let counted = self.modify(EVENTS, (&namespace, &name), Part::Main, &by, |old| {
            let mut new = old.clone();
            new["count"] = json!(old["count"].as_i64().unwrap_or_default() + 1);
            new["lastTimestamp"] = now.clone();
            Ok(new)
        });
        match counted {
            Err(status) if status.code == 404 => {}
            other => return other.map(drop),
        }
        self.create(EVENTS, &namespace, event, &by).map(drop)
    }
}

/// A new event; its name follows from what it says, so that the same one is counted and not made again.
pub(crate) fn event_of(about: &Value, level: &str, reason: &str, message: &str, source: &str, now: &str) -> Value {
    let mut hasher = DefaultHasher::new();
    (meta::text(about, "uid"), reason, message, source).hash(&mut hasher);
    let name = format!("{}.{:016x}", meta::name(about), hasher.finish());
    let namespace = Some(meta::namespace(about)).filter(|found| !found.is_empty()).unwrap_or("default");
    json!({
        "metadata": { "name": name, "namespace": namespace },
        "involvedObject": {
            "apiVersion": about["apiVersion"], "kind": about["kind"], "name": meta::name(about),
            "namespace": meta::namespace(about), "uid": meta::text(about, "uid"),
            "resourceVersion": meta::text(about, "resourceVersion"),
        },
        "type": level, "reason": reason, "message": message, "source": { "component": source },
        "reportingComponent": source, "reportingInstance": "",
        "firstTimestamp": now, "lastTimestamp": now, "count": 1, "eventTime": null,
    })
}
