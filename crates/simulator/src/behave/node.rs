//! Nodes as their agents keep them: leases, heartbeats, the status that a kubelet posts, and the sum of requests.
//!
//! Invariant: a node that is down says nothing; others notice by its silence. `management.cattle.io/pod-requests` is what
//! the pods on the node ask for; the built-in scheduler relies on it. The word `fault-node-down` or `fault-node-slow` in a
//! node's name or in its annotation [`FAULT`] breaks it.
//!
//! Source: kubernetes `pkg/kubelet/nodelease`, `pkg/kubelet/kubelet_node_status.go`; K `pkg/virt-handler/heartbeat`;
//! Rancher's annotation (`harvester-api.md` §8.4).

use super::object;
use super::pod::has_ended;
use super::resources::{LEASE, NODE, POD};
use super::scheduler::{POD_REQUESTS, Room};
use super::{Behaviour, Key, Now, Outcome, Role, View};
use crate::scenario::fault::Fault;
use crate::world::facts::ON_NODE;
use serde_json::{Value, json};
use std::time::Duration;

/// Keeps the sum of requests, as Rancher does.
pub(crate) const NODES: Behaviour =
    Behaviour { name: "node-requests", role: Role::Harvester, on: NODE, wakes: &[(POD, node_of_pod)], step: sum };
/// Renews leases.
pub(crate) const LEASES: Behaviour =
    Behaviour { name: "lease", role: Role::Kubelet, on: LEASE, wakes: &[(NODE, lease_of_node)], step: renew };
/// Posts the node's status.
pub(crate) const STATUS: Behaviour =
    Behaviour { name: "node-status", role: Role::Kubelet, on: NODE, wakes: &[], step: post };
/// Says that virt-handler lives.
pub(crate) const HEARTBEAT: Behaviour =
    Behaviour { name: "heartbeat", role: Role::VirtHandler, on: NODE, wakes: &[], step: beat };

/// Annotation of the simulator's own on a node: a sentinel word, so that a node can be broken while it runs.
pub(crate) const FAULT: &str = "simulator.harvester-admin/fault";
/// How often an agent of a node that is down is looked at.
pub(crate) const LOOK: Duration = Duration::from_secs(5);
/// virt-handler's sign of life.
pub(crate) const BEAT: &str = "kubevirt.io/heartbeat";
const RENEWAL: Duration = Duration::from_secs(10);
/// A kubelet posts an unchanged status so often.
const REPORT: Duration = Duration::from_secs(300);
const BEAT_INTERVAL: Duration = Duration::from_secs(60);
const CONDITIONS: [(&str, bool, &str, &str); 4] = [
    ("MemoryPressure", false, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", false, "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", true, "KubeletReady", "kubelet is posting ready status"),
];

/// How a node does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Health {
    /// As it should.
    Up,
    /// Everything takes ten times as long.
    Slow,
    /// Nothing on it answers.
    Down,
}

impl Health {
    /// How many times as long things take.
    pub(crate) fn slowness(self) -> u32 {
        if self == Self::Slow { 10 } else { 1 }
    }
}

/// How a node does, by sentinel.
pub(crate) fn health(name: &str, view: &dyn View) -> Health {
    let node = view.get(NODE, "", name);
    health_of(name, node.as_deref())
}

fn health_of(name: &str, node: Option<&Value>) -> Health {
    let noted = node.and_then(|node| object::annotation(node, FAULT)).unwrap_or_default();
    let has = |fault: Fault| fault.is_in(name) || fault.is_in(noted);
    match (has(Fault::NodeDown), has(Fault::NodeSlow)) {
        (true, _) => Health::Down,
        (_, true) => Health::Slow,
        _ => Health::Up,
    }
}

fn node_of_pod(pod: &Value) -> Vec<Key> {
    match object::text(pod, "/spec/nodeName") {
        "" => Vec::new(),
        node => vec![(String::new(), node.to_owned())],
    }
}

fn lease_of_node(node: &Value) -> Vec<Key> {
    vec![("kube-node-lease".to_owned(), object::name(node).to_owned())]
}

fn sum(node: &Value, view: &dyn View, _now: Now) -> Outcome {
    let pods = view.labelled(POD, None, ON_NODE, object::name(node));
    let alive = pods.iter().filter(|pod| !has_ended(pod));
    let base = Room { cpu: 1200, memory: 3 << 30, pods: 30 };
    let total = alive.fold(base, |sum, pod| sum.plus(Room::of_pod(pod))).annotation();
    Outcome::of(object::merge(NODE, node, json!({"metadata": {"annotations": {POD_REQUESTS: total}}})))
}

fn renew(lease: &Value, view: &dyn View, now: Now) -> Outcome {
    let name = object::text(lease, "/spec/holderIdentity");
    if object::namespace(lease) != "kube-node-lease" {
        return Outcome::rest();
    }
    let Some(node) = view.get(NODE, "", name) else { return Outcome::rest() };
    if health_of(name, Some(&node)) == Health::Down {
        return Outcome::rest();
    }
    let seconds = now.unix_ms.div_euclid(1000) / 10 * 10;
    let renewed = object::stamp_of(seconds * 1000).replace('Z', ".000000Z");
    Outcome::of(object::merge(LEASE, lease, json!({"spec": {"renewTime": renewed}}))).again(RENEWAL)
}

fn post(node: &Value, _view: &dyn View, now: Now) -> Outcome {
    if health_of(object::name(node), Some(node)) == Health::Down {
        return Outcome::rest();
    }
    let mut conditions = object::items(node, "/status/conditions").to_vec();
    let last = object::condition(node, "Ready").map(|held| object::text(held, "/lastHeartbeatTime"));
    let is_well = CONDITIONS.iter().all(|(kind, is_true, ..)| {
        object::condition(node, kind).is_some_and(|held| held["status"] == if *is_true { "True" } else { "False" })
    });
    if let (true, Some(left)) = (is_well, last.and_then(|last| now.until(last, REPORT))) {
        return Outcome::rest().again(left);
    }
    for (kind, is_true, reason, message) in CONDITIONS {
        object::set_condition(&mut conditions, kind, is_true, reason, message, now);
        if let Some(held) = conditions.iter_mut().find(|held| held["type"] == kind) {
            held["lastHeartbeatTime"] = json!(now.stamp());
            held.as_object_mut().map(|held| held.remove("lastProbeTime"));
        }
    }
    Outcome::of(object::merge_status(NODE, node, json!({"conditions": conditions}))).again(REPORT)
}

fn beat(node: &Value, _view: &dyn View, now: Now) -> Outcome {
    if health_of(object::name(node), Some(node)) == Health::Down {
        return Outcome::rest();
    }
    let last = object::annotation(node, BEAT).unwrap_or_default();
    if let Some(left) = now.until(last, BEAT_INTERVAL) {
        return Outcome::rest().again(left);
    }
    let said = json!({"metadata": {
        "labels": {"kubevirt.io/schedulable": "true"}, "annotations": {BEAT: now.stamp()},
    }});
    Outcome::of(object::merge(NODE, node, said)).again(BEAT_INTERVAL)
}
