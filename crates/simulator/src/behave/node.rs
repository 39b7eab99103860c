//! Nodes: the sum of their pods' requests, and their heartbeat.
//!
//! Invariant: `management.cattle.io/pod-requests` is what the pods on the node ask for; the scheduler relies on it.
//!
//! Source: Rancher's annotation (`harvester-api.md` §8.4); kubernetes `pkg/kubelet/nodelease`.

use super::object;
use super::resources::{LEASE, NODE, POD};
use super::scheduler::{POD_REQUESTS, Room};
use super::vmi::NODE_NAME;
use super::{Behaviour, Key, Now, Outcome, Role, View};
use serde_json::{Value, json};
use std::time::Duration;

/// Keeps the sum of requests.
pub(crate) const NODES: Behaviour =
    Behaviour { name: "node", role: Role::Kubelet, on: NODE, wakes: &[(POD, node_of_pod)], step: sum };
/// Renews leases.
pub(crate) const LEASES: Behaviour =
    Behaviour { name: "lease", role: Role::Kubelet, on: LEASE, wakes: &[], step: renew };

const RENEWAL: Duration = Duration::from_secs(10);

fn node_of_pod(pod: &Value) -> Vec<Key> {
    match object::text(pod, "/spec/nodeName") {
        "" => Vec::new(),
        node => vec![(String::new(), node.to_owned())],
    }
}

fn sum(node: &Value, view: &dyn View, _now: Now) -> Outcome {
    let pods = view.labelled(POD, None, NODE_NAME, object::name(node));
    let alive = pods.iter().filter(|pod| !matches!(object::text(pod, "/status/phase"), "Succeeded" | "Failed"));
    let base = Room { cpu: 1200, memory: 3 << 30, pods: 30 };
    let total = alive.fold(base, |sum, pod| sum.plus(Room::of_pod(pod))).annotation();
    Outcome::of(object::merge(NODE, node, json!({"metadata": {"annotations": {POD_REQUESTS: total}}})))
}

fn renew(lease: &Value, view: &dyn View, now: Now) -> Outcome {
    let node = object::text(lease, "/spec/holderIdentity");
    let beats = object::namespace(lease) == "kube-node-lease"
        && view.get(NODE, "", node).is_some_and(|node| object::is_true(&node, "Ready"));
    if !beats {
        return Outcome::rest();
    }
    let seconds = now.unix_ms.div_euclid(1000) / 10 * 10;
    let renewed = object::stamp_of(seconds * 1000).replace('Z', ".000000Z");
    Outcome::of(object::merge(LEASE, lease, json!({"spec": {"renewTime": renewed}}))).again(RENEWAL)
}
