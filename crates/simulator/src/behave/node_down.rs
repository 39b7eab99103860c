//! Harvester's answer to a node that went silent: guests are to leave it, and later it is given up.
//!
//! Invariant: nothing happens to a node in maintenance, and what was put on a node here goes when the node is back.
//!
//! Source: H `pkg/settings/settings_helper.go`, `pkg/controller/master/node/`; `harvester-api.md` §4.6.

use super::evacuation::DRAIN_TAINT;
use super::lifecycle::OUT_OF_SERVICE;
use super::object;
use super::resources::NODE;
use super::{Behaviour, Now, Outcome, Role, View, effective_setting};
use serde_json::{Value, json};
use std::time::Duration;

/// The force-reset controller.
pub(crate) const NODE_DOWN: Behaviour =
    Behaviour { name: "node-down", role: Role::Harvester, on: NODE, wakes: &[], step };

/// Value of the drain taint that was put there here; one that an administrator put there stays.
const MARK: &str = "node-down";

fn step(node: &Value, view: &dyn View, now: Now) -> Outcome {
    let policy = effective_setting(view, "vm-force-reset-policy").and_then(|text| serde_json::from_str(&text).ok());
    let policy: Value = policy.unwrap_or_default();
    if object::is_true(node, "Ready") {
        return with(node, &[]);
    }
    let since = object::condition(node, "Ready").map(|held| object::text(held, "/lastTransitionTime"));
    let (Some(since), true) = (since, object::flag(&policy, "/enable")) else { return Outcome::rest() };
    if object::annotation(node, "harvesterhci.io/maintain-status").is_some() {
        return Outcome::rest();
    }
    let secs = |field: &str| Duration::from_secs(policy.get(field).and_then(Value::as_u64).unwrap_or(0));
    let (period, migration) = (secs("period"), secs("vmMigrationTimeout"));
    if let Some(left) = now.until(since, period) {
        return Outcome::rest().again(left);
    }
    match now.until(since, period + migration) {
        Some(left) => with(node, &[(DRAIN_TAINT, MARK, "NoSchedule")]).again(left),
        None => with(node, &[(DRAIN_TAINT, MARK, "NoSchedule"), (OUT_OF_SERVICE, MARK, "NoExecute")]),
    }
}

/// The node with these taints of ours and no others of ours.
fn with(node: &Value, ours: &[(&str, &str, &str)]) -> Outcome {
    let held = object::items(node, "/spec/taints");
    let is_wanted = |taint: &Value| ours.iter().any(|(key, _, _)| taint["key"] == *key);
    let mut taints: Vec<Value> =
        held.iter().filter(|taint| taint["value"] != MARK || is_wanted(taint)).cloned().collect();
    for (key, value, effect) in ours {
        if !taints.iter().any(|taint| taint["key"] == *key) {
            taints.push(json!({"key": key, "value": value, "effect": effect}));
        }
    }
    let taints = if taints.is_empty() { Value::Null } else { json!(taints) };
    Outcome::of(object::merge(NODE, node, json!({"spec": {"taints": taints}})))
}
