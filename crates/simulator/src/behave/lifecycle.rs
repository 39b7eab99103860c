//! kube-controller-manager's node controllers: a node that says nothing is marked, tainted, and its pods are taken away.
//!
//! Invariant: the taints `not-ready`, `unreachable` and `unschedulable` of a node follow from its condition and its spec;
//! all others are somebody else's.
//!
//! Source: kubernetes `pkg/controller/nodelifecycle/node_lifecycle_controller.go`, `pkg/controller/tainteviction`,
//! `pkg/controller/podgc`; K `pkg/virt-controller/watch/node/node.go`.

use super::node::BEAT;
use super::object;
use super::resources::{LEASE, NODE, POD};
use super::{Behaviour, Effect, Key, Now, Outcome, Role, View};
use crate::world::facts::ON_NODE;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Marks and taints nodes.
pub(crate) const NODE_LIFECYCLE: Behaviour = Behaviour {
    name: "node-lifecycle",
    role: Role::ControllerManager,
    on: NODE,
    wakes: &[(LEASE, node_of_lease)],
    step: follow,
};
/// Takes the pods of dead nodes away.
pub(crate) const TAINT_EVICTION: Behaviour =
    Behaviour { name: "taint-eviction", role: Role::ControllerManager, on: NODE, wakes: &[], step: evict };
/// virt-controller's own look at virt-handler's heartbeat.
pub(crate) const UNRESPONSIVE: Behaviour =
    Behaviour { name: "unresponsive", role: Role::VirtController, on: NODE, wakes: &[], step: doubt };

/// A lease that was not renewed for so long means that the node is gone.
const GRACE: Duration = Duration::from_secs(50);
/// How long a pod stays on a node that is gone, unless it says otherwise.
const TOLERATION: Duration = Duration::from_secs(300);
/// virt-handler's heartbeat may be so old.
const HEARTBEAT_LIMIT: Duration = Duration::from_secs(300);
const SOURCE: &str = "node-controller";
const NOT_READY: &str = "node.kubernetes.io/not-ready";
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";
/// Taint that says that a node will not come back with what ran on it.
pub(crate) const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

fn node_of_lease(lease: &Value) -> Vec<Key> {
    match object::namespace(lease) {
        "kube-node-lease" => vec![(String::new(), object::name(lease).to_owned())],
        _ => Vec::new(),
    }
}

fn pods_on(node: &Value, view: &dyn View) -> Vec<Arc<Value>> {
    view.labelled(POD, None, ON_NODE, object::name(node))
}

fn readiness(node: &Value) -> &str {
    object::condition(node, "Ready").map_or("Unknown", |held| object::text(held, "/status"))
}

fn follow(node: &Value, view: &dyn View, now: Now) -> Outcome {
    let lease = view.get(LEASE, "kube-node-lease", object::name(node));
    let Some(lease) = lease else { return Outcome::of(taint(node, readiness(node), now)) };
    if let Some(left) = now.until(object::text(&lease, "/spec/renewTime"), GRACE) {
        return Outcome::of(taint(node, readiness(node), now)).again(left);
    }
    let mut effects = Vec::new();
    if readiness(node) != "Unknown" {
        let message = format!("Node {} status is now: NodeNotReady", object::name(node));
        effects.push(object::event(node, "Normal", "NodeNotReady", message, SOURCE));
        effects.extend(object::merge_status(NODE, node, json!({"conditions": unknown(node, now)})));
    }
    effects.extend(taint(node, "Unknown", now));
    let pods = pods_on(node, view);
    effects.extend(pods.iter().filter(|pod| object::is_true(pod, "Ready")).filter_map(|pod| {
        let mut conditions = object::items(pod, "/status/conditions").to_vec();
        object::set_condition(&mut conditions, "Ready", false, "", "", now);
        object::merge_status(POD, pod, json!({"conditions": conditions}))
    }));
    Outcome::of(effects)
}

fn unknown(node: &Value, now: Now) -> Vec<Value> {
    let mut conditions = object::items(node, "/status/conditions").to_vec();
    for held in &mut conditions {
        held["status"] = json!("Unknown");
        held["reason"] = json!("NodeStatusUnknown");
        held["message"] = json!("Kubelet stopped posting node status.");
        held["lastTransitionTime"] = json!(now.stamp());
    }
    conditions
}

/// The taints that follow from a node's readiness and its spec.
fn taint(node: &Value, readiness: &str, now: Now) -> Option<Effect> {
    let own = |taint: &Value| [NOT_READY, UNREACHABLE, UNSCHEDULABLE].iter().any(|key| taint["key"] == *key);
    let held = object::items(node, "/spec/taints");
    let mut wanted: Vec<(&str, &str)> = match readiness {
        "True" => Vec::new(),
        "False" => vec![(NOT_READY, "NoSchedule"), (NOT_READY, "NoExecute")],
        _ => vec![(UNREACHABLE, "NoSchedule"), (UNREACHABLE, "NoExecute")],
    };
    if object::flag(node, "/spec/unschedulable") {
        wanted.push((UNSCHEDULABLE, "NoSchedule"));
    }
    let mut taints: Vec<Value> = held.iter().filter(|taint| !own(taint)).cloned().collect();
    for (key, effect) in wanted {
        let old = held.iter().find(|taint| taint["key"] == key && taint["effect"] == effect);
        taints.push(old.cloned().unwrap_or_else(|| json!({"key": key, "effect": effect, "timeAdded": now.stamp()})));
    }
    let taints = if taints.is_empty() { Value::Null } else { json!(taints) };
    object::merge(NODE, node, json!({"spec": {"taints": taints}}))
}

fn evict(node: &Value, view: &dyn View, now: Now) -> Outcome {
    let taints = object::items(node, "/spec/taints");
    let given_up = taints.iter().any(|taint| taint["key"] == OUT_OF_SERVICE) && readiness(node) != "True";
    let since = taints
        .iter()
        .find(|taint| taint["effect"] == "NoExecute" && (taint["key"] == NOT_READY || taint["key"] == UNREACHABLE));
    if since.is_none() && !given_up {
        return Outcome::rest();
    }
    let pods = pods_on(node, view);
    if given_up {
        // First it is asked to go, then it is taken away, since nobody there can end it.
        return Outcome::of(pods.iter().map(|pod| object::delete(POD, pod)))
            .again((!pods.is_empty()).then_some(Duration::from_secs(1)));
    }
    let since = since.map(|taint| object::text(taint, "/timeAdded")).unwrap_or_default();
    let mut outcome = Outcome::rest();
    for pod in pods.iter().filter(|pod| !object::is_deleting(pod)) {
        let Some(stays) = toleration(pod) else { continue };
        match now.until(since, stays) {
            Some(left) => outcome = outcome.again(left),
            None => {
                let message = format!("Marking for deletion Pod {}/{}", object::namespace(pod), object::name(pod));
                outcome.effects.push(object::event(
                    pod,
                    "Normal",
                    "TaintManagerEviction",
                    message,
                    "taint-eviction-controller",
                ));
                outcome.effects.push(object::delete(POD, pod));
            }
        }
    }
    outcome
}

/// How long a pod stays on an unreachable node; `None` for ever.
fn toleration(pod: &Value) -> Option<Duration> {
    let tolerations = object::items(pod, "/spec/tolerations");
    let ours = tolerations.iter().find(|held| {
        let key = object::text(held, "/key");
        (key.is_empty() || key == UNREACHABLE) && matches!(object::text(held, "/effect"), "" | "NoExecute")
    });
    match ours {
        None => Some(TOLERATION),
        Some(held) => {
            object::number(held, "/tolerationSeconds").map(|secs| Duration::from_secs(u64::try_from(secs).unwrap_or(0)))
        }
    }
}

fn doubt(node: &Value, _view: &dyn View, now: Now) -> Outcome {
    let Some(last) = object::annotation(node, BEAT) else { return Outcome::rest() };
    if let Some(left) = now.until(last, HEARTBEAT_LIMIT) {
        return Outcome::rest().again(left);
    }
    if object::label(node, "kubevirt.io/schedulable") != Some("true") {
        return Outcome::rest();
    }
    let message = "virt-handler is not responsive, marking node as unresponsive";
    let told = object::event(node, "Normal", "NodeUnresponsive", message, "node-controller");
    let patch = object::merge(NODE, node, json!({"metadata": {"labels": {"kubevirt.io/schedulable": "false"}}}));
    Outcome::of(patch.into_iter().chain([told]))
}
