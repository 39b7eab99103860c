//! Harvester's maintenance mode: a node is asked to be emptied, is cordoned and drained, and is in maintenance.
//!
//! Invariant: the request annotations stay until no instance is left on the node, or go at once when a drain is not
//! possible; `maintain-status` is `running`, then `completed`. Leaving maintenance is the client's work, as it is the
//! Steve action's upstream. Of the reasons why a VM cannot move only KubeVirt's `LiveMigratable` is looked at.
//!
//! Source: H `pkg/controller/master/nodedrain/nodedrain_controller.go`, `pkg/controller/master/node/`
//! `maintain_controller.go`, `pkg/util/drainhelper/drain.go`; `harvester-api.md` §4.1–§4.4.

use super::evacuation::{self, DRAIN_TAINT, Verdict};
use super::resources::{NODE, POD, VM, VMI};
use super::vmi::{NODE_NAME, active_pod, is_final, pods_of};
use super::{Behaviour, Effect, Now, Outcome, Role, View, object, run_strategy};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The drain controller.
pub(crate) const DRAINS: Behaviour =
    Behaviour { name: "node-drain", role: Role::Harvester, on: NODE, wakes: &[], step: drain };
/// The maintenance controller.
pub(crate) const MAINTENANCE: Behaviour =
    Behaviour { name: "node-maintenance", role: Role::Harvester, on: NODE, wakes: &[], step: maintain };

const REQUESTED: &str = "harvesterhci.io/drain-requested";
const FORCED: &str = "harvesterhci.io/drain-forced";
const STATUS: &str = "harvesterhci.io/maintain-status";
const STRATEGY: &str = "harvesterhci.io/maintain-mode-strategy";
/// Annotation of a VM that is to start again: the node that it was shut down for.
const FOR_NODE: &str = "harvesterhci.io/maintain-mode-strategy-node-name";
const CONTROL_PLANE: &str = "node-role.kubernetes.io/control-plane";
/// kubectl's drain helper tries a refused eviction again after this time.
const RETRY: Duration = Duration::from_secs(5);

fn drain(node: &Value, view: &dyn View, _now: Now) -> Outcome {
    if object::annotation(node, REQUESTED).is_none() || object::is_deleting(node) {
        return Outcome::rest();
    }
    if !is_possible(node, view) {
        let notes = json!({"metadata": {"annotations": {REQUESTED: null, FORCED: null, STATUS: null}}});
        return Outcome::of(object::merge(NODE, node, notes));
    }
    // Only its presence counts: `"false"` is a yes.
    let is_forced = object::annotation(node, FORCED).is_some();
    let here = instances(node, view);
    let stays =
        |vmi: &&Arc<Value>| object::condition(vmi, "LiveMigratable").is_some_and(|held| held["status"] == "False");
    let is_stopped = |vmi: &&Arc<Value>| strategy(vmi).starts_with("Shutdown");
    if !is_forced && here.iter().any(|vmi| stays(&vmi) && !is_stopped(&vmi)) {
        return Outcome::rest().again(RETRY);
    }
    let mut effects: Vec<Effect> = Vec::new();
    for vmi in here.iter().filter(|vmi| if is_forced { stays(vmi) } else { is_stopped(vmi) }) {
        let restarts = !is_forced && strategy(vmi) != "Shutdown";
        effects.extend(stop(vmi, restarts.then(|| object::name(node)), view));
    }
    effects.extend(cordon(node));
    let leaving = here.iter().filter(|vmi| if is_forced { !stays(vmi) } else { !is_stopped(vmi) });
    effects.extend(leaving.filter_map(|vmi| evict(vmi, view)));
    if here.is_empty() {
        let notes = json!({"metadata": {"annotations": {REQUESTED: null, FORCED: null, STATUS: "running"}}});
        effects.extend(object::merge(NODE, node, notes));
        return Outcome::of(effects);
    }
    Outcome::of(effects).again(RETRY)
}

/// One control-plane node of three at a time, and never the only one. Source: `drainhelper.DrainPossible`.
fn is_possible(node: &Value, view: &dyn View) -> bool {
    if object::label(node, CONTROL_PLANE).is_none() {
        return true;
    }
    let available = view.list(NODE, None).into_iter().filter(|other| {
        let is_control = object::label(other, CONTROL_PLANE).is_some()
            || object::label(other, "node-role.kubernetes.io/etcd").is_some();
        is_control && object::annotation(other, STATUS).is_none()
    });
    available.count() == 3
}

fn instances(node: &Value, view: &dyn View) -> Vec<Arc<Value>> {
    let mut here = view.labelled(VMI, None, NODE_NAME, object::name(node));
    here.retain(|vmi| !is_final(vmi));
    here
}

/// The strategy of a VM, which Harvester copies to its instance.
fn strategy(vmi: &Value) -> &str {
    object::label(vmi, STRATEGY).unwrap_or("Migrate")
}

fn stop(vmi: &Value, restarts_for: Option<&str>, view: &dyn View) -> Vec<Effect> {
    let Some(vm) = view.get(VM, object::namespace(vmi), object::name(vmi)) else { return Vec::new() };
    let note =
        restarts_for.and_then(|node| object::merge(VM, &vm, json!({"metadata": {"annotations": {FOR_NODE: node}}})));
    let halt = object::merge(VM, &vm, json!({"spec": {"runStrategy": "Halted"}}));
    note.into_iter().chain(halt).collect()
}

fn cordon(node: &Value) -> Option<Effect> {
    let mut taints = object::items(node, "/spec/taints").to_vec();
    if !taints.iter().any(|taint| taint["key"] == DRAIN_TAINT) {
        taints.push(json!({"key": DRAIN_TAINT, "value": "draining", "effect": "NoSchedule"}));
    }
    object::merge(NODE, node, json!({"spec": {"unschedulable": true, "taints": taints}}))
}

/// What an eviction of the instance's pod does at once; those that move are moved because of the taint.
fn evict(vmi: &Value, view: &dyn View) -> Option<Effect> {
    let pods = pods_of(vmi, view);
    let pod = active_pod(vmi, &pods)?;
    match evacuation::judge(pod, vmi) {
        Verdict::Allow => Some(object::delete(POD, pod)),
        Verdict::Deny(_) | Verdict::Evacuate => None,
    }
}

fn maintain(node: &Value, view: &dyn View, _now: Now) -> Outcome {
    if object::annotation(node, STATUS) != Some("running") {
        return Outcome::rest();
    }
    let name = object::name(node);
    if !view.labelled(VMI, None, NODE_NAME, name).is_empty() {
        return Outcome::rest().again(RETRY);
    }
    let machines = view.list(VM, None);
    let waiting = machines.iter().filter(|vm| {
        object::annotation(vm, FOR_NODE) == Some(name)
            && object::label(vm, STRATEGY) == Some("ShutdownAndRestartAfterEnable")
    });
    let mut effects: Vec<Effect> = waiting.filter_map(|vm| start(vm)).collect();
    effects.extend(object::merge(NODE, node, json!({"metadata": {"annotations": {STATUS: "completed"}}})));
    Outcome::of(effects)
}

fn start(vm: &Value) -> Option<Effect> {
    let kept = object::annotation(vm, "harvesterhci.io/vmRunStrategy").filter(|kept| *kept != "Halted");
    let strategy = if run_strategy(vm) == "Halted" { kept.unwrap_or("RerunOnFailure") } else { run_strategy(vm) };
    let patch = json!({"metadata": {"annotations": {FOR_NODE: null}}, "spec": {"runStrategy": strategy}});
    object::merge(VM, vm, patch)
}
