//! Does effects at a real API server, each as the identity that upstream's program has.
//!
//! A merge carries the version of the object that the step looked at, so that nobody's work is overwritten: conditions
//! are a list that several programs write. Status goes through `/status` where the kind has that. What an answer holds
//! goes back to whoever asked, so that the next step sees it.
//!
//! Two things are so because KubeVirt gives its virt-handler no more rights: it updates instances whole (it may not patch
//! them), and it touches a node only as the virt-handler of that node, which the agent becomes by impersonation.
//!
//! Source: `k8s.io/client-go/tools/record/events_cache.go` for events; K `pkg/virt-operator/resource/generate/rbac/`
//! `handler.go`, `components/validatingadmissionpolicy.go`.

use super::client::{Client, ClientError, Disguise};
use super::kinds::{Kinds, api_version, path};
use super::watch::named;
use crate::behave::resources::{EVENT, NODE, VMI};
use crate::behave::{Effect, Resource, Role, View, object};
use crate::clock::rfc3339;
use crate::world::effect::event_of;
use crate::world::patch::merge as merge_into;
use http::Method;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

const MERGE: &str = "application/merge-patch+json";
const JSON: &str = "application/json";

/// A client a role.
#[derive(Debug, Clone)]
pub(crate) struct Hands {
    clients: HashMap<Role, Client>,
    /// Whoever may take on virt-handler's name, and that name.
    main: Client,
    handler: Option<String>,
    kinds: Kinds,
}

/// An object as the server has it now.
pub(crate) type Written = (Resource, Value);

/// The objects that effects are about, as they were at the time of the step and after each write.
#[derive(Debug, Default)]
pub(crate) struct Bases(HashMap<(Resource, String, String), Arc<Value>>);

impl Bases {
    /// What a view has of everything that the effects are about.
    pub(crate) fn of(effects: &[Effect], view: &dyn View) -> Self {
        let mut all = Self::default();
        for effect in effects {
            if let Effect::Merge { resource, namespace, name, .. } = effect
                && let Some(held) = view.get(*resource, namespace, name)
            {
                all.note(*resource, held);
            }
        }
        all
    }

    fn note(&mut self, resource: Resource, held: Arc<Value>) {
        let (namespace, name) = object::key(&held);
        self.0.insert((resource, namespace, name), held);
    }

    fn get(&self, resource: Resource, namespace: &str, name: &str) -> Option<&Arc<Value>> {
        self.0.get(&(resource, namespace.to_owned(), name.to_owned()))
    }
}

/// Whether a role may not patch this kind, only update it.
fn updates(role: Role, resource: Resource) -> bool {
    resource == VMI && matches!(role, Role::VirtHandler | Role::Guest)
}

impl Hands {
    pub(crate) fn new(main: Client, clients: HashMap<Role, Client>, handler: Option<String>, kinds: Kinds) -> Self {
        Self { clients, main, handler, kinds }
    }

    /// Does effects in order, stopping at the first refusal; `written` gets what the server answered.
    ///
    /// # Errors
    /// The refusal, unless it says that nothing had to be done.
    pub(crate) async fn perform(
        &self,
        role: Role,
        effects: &[Effect],
        mut bases: Bases,
        now_ms: i64,
        written: &mut Vec<Written>,
    ) -> Result<(), ClientError> {
        for effect in effects {
            match self.one(role, effect, &bases, now_ms).await {
                Ok(answers) => {
                    for (resource, answer) in &answers {
                        bases.note(*resource, Arc::new(answer.clone()));
                    }
                    written.extend(answers);
                }
                // What is gone needs no change and what is there needs no creation; an event is told or not.
                Err(error)
                    if matches!(
                        (effect, error.code()),
                        (Effect::Delete { .. } | Effect::Merge { .. }, 404) | (Effect::Create { .. }, 409)
                    ) => {}
                Err(error) if matches!(effect, Effect::Event { .. }) => {
                    tracing::debug!(role = role.name(), %error, "an event was refused");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn one(&self, role: Role, effect: &Effect, bases: &Bases, now_ms: i64) -> Result<Vec<Written>, ClientError> {
        match effect {
            Effect::Create { resource, object } => self.create(role, *resource, object).await,
            Effect::Merge { resource, namespace, name, patch, .. } => {
                let base = bases.get(*resource, namespace, name).map(|base| &**base);
                self.merge(role, *resource, (namespace, name), patch, base).await
            }
            Effect::Delete { resource, namespace, name } => {
                self.delete(role, *resource, (namespace, name)).await.map(|()| Vec::new())
            }
            Effect::Event { about, level, reason, message, source } => {
                let event = event_of(about, level, reason, message, source, &rfc3339(now_ms));
                self.tell(role, event).await.map(|()| Vec::new())
            }
        }
    }

    async fn send(
        &self,
        role: Role,
        method: Method,
        place: &str,
        media: &str,
        body: &Value,
    ) -> Result<Value, ClientError> {
        let sign = if place.contains('?') { '&' } else { '?' };
        let path = format!("{place}{sign}fieldManager={}", role.program());
        let node = place.strip_prefix(&format!("{}/", path_of_nodes()));
        if let (Role::VirtHandler, Some(node), Some(user)) = (role, node, &self.handler) {
            return self.main.send_as(method, &path, media, Some(body), Some(Disguise { user, node })).await;
        }
        self.client(role).send(method, &path, media, Some(body)).await
    }

    fn client(&self, role: Role) -> &Client {
        self.clients.get(&role).unwrap_or(&self.main)
    }

    /// Creates an object, with its status.
    ///
    /// # Errors
    /// The server's refusal; 409 when there is one of this name.
    pub(crate) async fn create(
        &self,
        role: Role,
        resource: Resource,
        object: &Value,
    ) -> Result<Vec<Written>, ClientError> {
        let Some(kind) = self.kinds.get(resource) else { return Ok(Vec::new()) };
        let mut body = object.clone();
        body["apiVersion"] = json!(api_version(resource));
        body["kind"] = json!(kind.kind);
        let place = path(resource, object::namespace(object));
        let made = self.send(role, Method::POST, &place, JSON, &body).await?;
        let name = object::name(&made).to_owned();
        let wanted = json!({"status": object["status"]});
        if object["status"].is_object() && kind.has_status && object::would_change(&made, &wanted) {
            let place = format!("{place}/{name}/status");
            let made = self.send(role, Method::PATCH, &place, MERGE, &wanted).await?;
            return Ok(vec![(resource, named(&self.kinds, resource, made))]);
        }
        Ok(vec![(resource, named(&self.kinds, resource, made))])
    }

    async fn merge(
        &self,
        role: Role,
        resource: Resource,
        (namespace, name): (&str, &str),
        patch: &Value,
        base: Option<&Value>,
    ) -> Result<Vec<Written>, ClientError> {
        let Some(kind) = self.kinds.get(resource) else { return Ok(Vec::new()) };
        let place = format!("{}/{name}", path(resource, namespace));
        if let (true, Some(base)) = (updates(role, resource), base) {
            let mut whole = base.clone();
            merge_into(&mut whole, patch);
            let answer = self.send(role, Method::PUT, &place, JSON, &whole).await?;
            return Ok(vec![self.kept(role, resource, patch, answer)]);
        }
        let mut main = patch.clone();
        let status = match (kind.has_status, main.as_object_mut()) {
            (true, Some(fields)) => fields.remove("status"),
            _ => None,
        };
        let mut version = base.map(|base| object::text(base, "/metadata/resourceVersion").to_owned());
        let mut answers = Vec::new();
        let parts = [
            (main, place.clone()),
            (status.map(|status| json!({"status": status})).unwrap_or_default(), format!("{place}/status")),
        ];
        for (mut part, place) in parts {
            if part.as_object().is_none_or(serde_json::Map::is_empty) {
                continue;
            }
            if let Some(version) = &version {
                part["metadata"]["resourceVersion"] = json!(version);
            }
            let answer = self.send(role, Method::PATCH, &place, MERGE, &part).await?;
            if let Some(metadata) = part.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.remove("resourceVersion");
            }
            version = Some(object::text(&answer, "/metadata/resourceVersion").to_owned());
            answers.push(self.kept(role, resource, &part, answer));
        }
        Ok(answers)
    }

    /// An answer; says when the server did not keep what was written, which is how a wrong field shows.
    fn kept(&self, role: Role, resource: Resource, patch: &Value, answer: Value) -> Written {
        let answer = named(&self.kinds, resource, answer);
        if object::would_change(&answer, patch) {
            let name = object::name(&answer);
            tracing::warn!(role = role.name(), kind = resource.plural, name, %patch, "the server did not keep this");
        }
        (resource, answer)
    }

    /// Deletes; what is ending already is ended now, as a kubelet does with its pods.
    async fn delete(&self, role: Role, resource: Resource, (namespace, name): (&str, &str)) -> Result<(), ClientError> {
        if self.kinds.get(resource).is_none() {
            return Ok(());
        }
        let place = format!("{}/{name}", path(resource, namespace));
        let mut options = json!({"apiVersion": "v1", "kind": "DeleteOptions"});
        if resource.plural == "pods" {
            let held = self.client(role).get(&place).await?;
            if object::is_deleting(&held) {
                options["gracePeriodSeconds"] = json!(0);
                options["preconditions"] = json!({"uid": object::uid(&held)});
            }
        }
        self.send(role, Method::DELETE, &place, JSON, &options).await.map(drop)
    }

    /// Makes an event, or counts it up.
    async fn tell(&self, role: Role, mut event: Value) -> Result<(), ClientError> {
        event["apiVersion"] = json!("v1");
        event["kind"] = json!("Event");
        let place = path(EVENT, object::namespace(&event));
        match self.send(role, Method::POST, &place, JSON, &event).await {
            Err(error) if error.code() == 409 => {
                let place = format!("{place}/{}", object::name(&event));
                let held = self.main.get(&place).await?;
                let count = object::number(&held, "/count").unwrap_or(1);
                let counted = json!({"count": count + 1, "lastTimestamp": event["lastTimestamp"]});
                self.send(role, Method::PATCH, &place, MERGE, &counted).await.map(drop)
            }
            other => other.map(drop),
        }
    }
}

fn path_of_nodes() -> String {
    path(NODE, "")
}
