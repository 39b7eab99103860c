//! Faults by sentinel name that only a client meets: an answer that never comes, a quota, somebody who was quicker.
//!
//! The words are [`scenario::fault`](crate::scenario::fault)'s. Dry runs meet none of them, which is the point of two.

use super::Asked;
use super::path::Query;
use crate::scenario::fault;
use crate::world::{By, Part, Status, World, meta};
use serde_json::{Value, json};
use std::time::Duration;

/// A request's time at a kube-apiserver (`--request-timeout`); a client may ask for less by `timeout`.
const REQUEST_LIMIT: Duration = Duration::from_secs(60);
/// Annotation by which somebody was quicker.
const QUICKER: &str = "simulator/quicker-writer";

/// Refuses a real creation by quota; one that is wrong in itself is left to be refused for that, as quota is the last
/// admission plugin to look.
pub(super) fn before_creation(world: &World, asked: &Asked<'_>, object: &Value, by: &By) -> Result<(), Status> {
    let named = if meta::name(object).is_empty() { meta::text(object, "generateName") } else { meta::name(object) };
    let Some(why) = fault::refuses_for_real(named).filter(|_| !by.is_dry_run) else { return Ok(()) };
    let resource = asked.kind.resource;
    let rehearsal = By { is_dry_run: true, ..by.clone() };
    let namespace = asked.target.namespace.as_deref().unwrap_or_default();
    let rehearsed = world.create(resource, namespace, object.clone(), &rehearsal)?;
    Err(Status::forbidden(resource.group, resource.plural, meta::name(&rehearsed), &why))
}

/// Lets the request run into its time limit although the object is stored.
///
/// Source: `k8s.io/apiserver/pkg/endpoints/handlers/finisher/finisher.go`.
pub(super) async fn after_creation(query: &Query, stored: &Value, by: &By) -> Result<(), Status> {
    if by.is_dry_run || !fault::swallows_answer(meta::name(stored)) {
        return Ok(());
    }
    tokio::time::sleep(limit(query)).await;
    let message = "Timeout: request did not complete within requested timeout - context deadline exceeded";
    Err(Status::new(504, "Timeout", message))
}

/// `timeout` in whole seconds, such as `10s`, within the server's own limit.
fn limit(query: &Query) -> Duration {
    let asked = query.text("timeout").strip_suffix('s').and_then(|seconds| seconds.parse().ok());
    asked.map_or(REQUEST_LIMIT, Duration::from_secs).min(REQUEST_LIMIT)
}

/// Lets somebody else change the object just before its first update from outside, which then meets 409.
pub(super) fn before_update(world: &World, asked: &Asked<'_>, by: &By) -> Result<(), Status> {
    let name = asked.target.name.as_deref().unwrap_or_default();
    if by.is_dry_run || !fault::meets_conflict(name) {
        return Ok(());
    }
    let place = (asked.target.namespace.as_deref().unwrap_or_default(), name);
    let mut is_first = false;
    let somebody = By::program("somebody-quicker");
    world.modify(asked.kind.resource, place, Part::Main, &somebody, |old| {
        let mut new = old.clone();
        is_first = new["metadata"]["annotations"].get(QUICKER).is_none();
        if is_first {
            new["metadata"]["annotations"][QUICKER] = json!("true");
        }
        Ok(new)
    })?;
    if is_first { Err(Status::modified(asked.kind, name)) } else { Ok(()) }
}
