//! kube-scheduler: chooses a node for each pod that has none, or says why there is none.
//!
//! Invariant: a pod is bound once, to a node that passes every filter. Room is what the node's annotation
//! `management.cattle.io/pod-requests` leaves of `allocatable`; [`super::node`] keeps that annotation exact.
//!
//! Source: kubernetes `pkg/scheduler/framework/plugins/*`, `pkg/scheduler/framework/types.go` (`FitError`).

use super::object;
use super::pod::has_ended;
use super::quantity::{bytes_of, bytes_text, cpu_text, millicores_of};
use super::resources::{NODE, POD, PVC, STORAGECLASS};
use super::selector::{matches_labels, matches_terms};
use super::{Behaviour, Effect, Now, Outcome, Role, View};
use crate::scenario::fault::Fault;
use crate::world::facts::ON_NODE;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The scheduler.
pub(crate) const SCHEDULER: Behaviour =
    Behaviour { name: "scheduler", role: Role::Scheduler, on: POD, wakes: &[], step };

/// Annotation that Rancher keeps on nodes: the sum of its pods' requests.
pub(crate) const POD_REQUESTS: &str = "management.cattle.io/pod-requests";
/// Annotation of a claim that waits for its first consumer: where that will run.
pub(crate) const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
const SOURCE: &str = "default-scheduler";
const RETRY: Duration = Duration::from_secs(10);
const RETRY_CLAIMS: Duration = Duration::from_secs(1);

/// CPU in millicores and memory in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) cpu: u64,
    pub(crate) memory: u64,
    pub(crate) pods: u64,
}

impl Room {
    /// The sum of a pod's container requests.
    pub(crate) fn of_pod(pod: &Value) -> Self {
        let containers = object::items(pod, "/spec/containers").iter();
        containers.fold(Self { pods: 1, ..Self::default() }, |sum, container| Self {
            cpu: sum.cpu + container.pointer("/resources/requests/cpu").and_then(millicores_of).unwrap_or(0),
            memory: sum.memory + container.pointer("/resources/requests/memory").and_then(bytes_of).unwrap_or(0),
            pods: sum.pods,
        })
    }

    /// What a node offers to pods.
    pub(crate) fn allocatable(node: &Value) -> Self {
        Self {
            cpu: node.pointer("/status/allocatable/cpu").and_then(millicores_of).unwrap_or(0),
            memory: node.pointer("/status/allocatable/memory").and_then(bytes_of).unwrap_or(0),
            pods: node.pointer("/status/allocatable/pods").and_then(bytes_of).unwrap_or(110),
        }
    }

    /// What a node's pods ask for, by its annotation.
    pub(crate) fn requested(node: &Value) -> Self {
        let held = object::annotation(node, POD_REQUESTS).and_then(|text| serde_json::from_str::<Value>(text).ok());
        let Some(held) = held else { return Self::default() };
        Self {
            cpu: held.get("cpu").and_then(millicores_of).unwrap_or(0),
            memory: held.get("memory").and_then(bytes_of).unwrap_or(0),
            pods: held.get("pods").and_then(bytes_of).unwrap_or(0),
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self { cpu: self.cpu + other.cpu, memory: self.memory + other.memory, pods: self.pods + other.pods }
    }

    /// As the annotation's JSON text.
    pub(crate) fn annotation(self) -> String {
        json!({"cpu": cpu_text(self.cpu), "memory": bytes_text(self.memory), "pods": self.pods.to_string()}).to_string()
    }
}

fn step(pod: &Value, view: &dyn View, now: Now) -> Outcome {
    let waits = object::text(pod, "/spec/nodeName").is_empty()
        && !object::is_deleting(pod)
        && object::text(pod, "/spec/schedulerName") == SOURCE;
    if !waits {
        return Outcome::rest();
    }
    let nodes = view.list(NODE, None);
    let waiting = late_claims(pod, view);
    if !waiting.is_empty()
        && let Ok(node) = choose(pod, &nodes, view)
    {
        return told_claims(&waiting, node);
    }
    if has_unbound_claim(pod, view) {
        let gist = "pod has unbound immediate PersistentVolumeClaims";
        return refused(pod, &unanimous(&nodes, gist), now, RETRY_CLAIMS);
    }
    match choose(pod, &nodes, view) {
        Ok(node) => bound(pod, node, now),
        Err(message) => refused(pod, &message, now, RETRY),
    }
}

fn has_unbound_claim(pod: &Value, view: &dyn View) -> bool {
    object::items(pod, "/spec/volumes").iter().any(|volume| {
        let claim = object::text(volume, "/persistentVolumeClaim/claimName");
        !claim.is_empty()
            && view
                .get(PVC, object::namespace(pod), claim)
                .is_none_or(|held| object::text(&held, "/status/phase") != "Bound")
    })
}

/// Unbound claims of a class that waits for its first consumer.
fn late_claims(pod: &Value, view: &dyn View) -> Vec<Arc<Value>> {
    let claims = object::items(pod, "/spec/volumes").iter().filter_map(|volume| {
        view.get(PVC, object::namespace(pod), object::text(volume, "/persistentVolumeClaim/claimName"))
    });
    let waits = |claim: &Arc<Value>| {
        let class = view.get(STORAGECLASS, "", object::text(claim, "/spec/storageClassName"));
        object::text(claim, "/status/phase") != "Bound"
            && class.is_some_and(|class| object::text(&class, "/volumeBindingMode") == "WaitForFirstConsumer")
    };
    claims.filter(waits).collect()
}

/// Tells the provisioner on which node claims are wanted; the pod is bound when they are. Source: kubernetes
/// `pkg/scheduler/framework/plugins/volumebinding`.
fn told_claims(claims: &[Arc<Value>], node: &Value) -> Outcome {
    let told = json!({"metadata": {"annotations": {SELECTED_NODE: object::name(node)}}});
    let effects = claims.iter().filter_map(|claim| object::merge(PVC, claim, told.clone()));
    Outcome::of(effects).again(RETRY_CLAIMS)
}

fn unanimous(nodes: &[Arc<Value>], gist: &str) -> String {
    let all = nodes.len();
    format!(
        "0/{all} nodes are available: {gist}. preemption: 0/{all} nodes are available: {all} Preemption is not helpful for scheduling."
    )
}

fn choose<'a>(pod: &Value, nodes: &'a [Arc<Value>], view: &dyn View) -> Result<&'a Arc<Value>, String> {
    let wanted = Room::of_pod(pod);
    let doomed = Fault::Unschedulable.is_in(object::name(pod));
    let mut refusals: BTreeMap<String, usize> = BTreeMap::new();
    let mut short_of_room = 0;
    let mut best: Option<(u64, &Arc<Value>)> = None;
    for node in nodes {
        let why = match filter(pod, node, view) {
            Some(why) => vec![why],
            None if doomed => vec!["Insufficient memory".to_owned()],
            None => shortage(wanted, node),
        };
        if why.is_empty() {
            let after = Room::requested(node).plus(wanted);
            let share = after.memory.saturating_mul(10_000) / Room::allocatable(node).memory.max(1);
            if best.is_none_or(|(least, held)| (share, object::name(node)) < (least, object::name(held))) {
                best = Some((share, node));
            }
        }
        if why.iter().any(|reason| reason.starts_with("Insufficient") || reason == "Too many pods") {
            short_of_room += 1;
        }
        for reason in why {
            *refusals.entry(reason).or_default() += 1;
        }
    }
    best.map(|(_, node)| node).ok_or_else(|| fit_error(nodes.len(), &refusals, short_of_room))
}

/// Why a node can never take this pod, room aside: the first filter that refuses, as each node counts once.
pub(crate) fn filter(pod: &Value, node: &Value, view: &dyn View) -> Option<String> {
    if object::flag(node, "/spec/unschedulable") {
        return Some("node(s) were unschedulable".to_owned());
    }
    let tolerations = object::items(pod, "/spec/tolerations");
    let taint = object::items(node, "/spec/taints").iter().find(|taint| {
        matches!(object::text(taint, "/effect"), "NoSchedule" | "NoExecute")
            && !tolerations.iter().any(|toleration| tolerates(toleration, taint))
    });
    if let Some(taint) = taint {
        let (key, value) = (object::text(taint, "/key"), object::text(taint, "/value"));
        return Some(format!("node(s) had untolerated taint {{{key}: {value}}}"));
    }
    let selected = object::map(pod, "/spec/nodeSelector").all(|(key, value)| object::label(node, key) == Some(value));
    let terms = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
    let affine = pod.pointer(terms).is_none() || matches_terms(node, object::items(pod, terms));
    if !selected || !affine {
        return Some("node(s) didn't match Pod's node affinity/selector".to_owned());
    }
    meets_rivals(pod, node, view).then(|| "node(s) didn't match pod anti-affinity rules".to_owned())
}

fn tolerates(toleration: &Value, taint: &Value) -> bool {
    let effect = object::text(toleration, "/effect");
    let key = object::text(toleration, "/key");
    let exists = object::text(toleration, "/operator") == "Exists";
    (effect.is_empty() || taint["effect"] == effect)
        && ((key.is_empty() && exists)
            || (taint["key"] == key && (exists || object::text(toleration, "/value") == object::text(taint, "/value"))))
}

fn meets_rivals(pod: &Value, node: &Value, view: &dyn View) -> bool {
    let terms = object::items(pod, "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution");
    terms.iter().filter(|term| object::text(term, "/topologyKey") == "kubernetes.io/hostname").any(|term| {
        let here = view.labelled(POD, Some(object::namespace(pod)), ON_NODE, object::name(node));
        here.iter().any(|other| {
            object::uid(other) != object::uid(pod) && !has_ended(other) && matches_labels(other, &term["labelSelector"])
        })
    })
}

fn shortage(wanted: Room, node: &Value) -> Vec<String> {
    let (held, most) = (Room::requested(node), Room::allocatable(node));
    let mut why = Vec::new();
    if held.pods + 1 > most.pods {
        why.push("Too many pods".to_owned());
    }
    if held.cpu + wanted.cpu > most.cpu {
        why.push("Insufficient cpu".to_owned());
    }
    if held.memory + wanted.memory > most.memory {
        why.push("Insufficient memory".to_owned());
    }
    why
}

/// The sentence of kube-scheduler's `FitError`.
fn fit_error(all: usize, refusals: &BTreeMap<String, usize>, short_of_room: usize) -> String {
    let mut reasons: Vec<String> = refusals.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    reasons.sort();
    let mut preemption = Vec::new();
    if short_of_room > 0 {
        preemption.push(format!("{short_of_room} No preemption victims found for incoming pod"));
    }
    if all > short_of_room {
        preemption.push(format!("{} Preemption is not helpful for scheduling", all - short_of_room));
    }
    if all == 0 {
        return "no nodes available to schedule pods".to_owned();
    }
    format!(
        "0/{all} nodes are available: {}. preemption: 0/{all} nodes are available: {}.",
        reasons.join(", "),
        preemption.join(", ")
    )
}

fn bound(pod: &Value, node: &Value, now: Now) -> Outcome {
    let node_name = object::name(node);
    let mut conditions = object::items(pod, "/status/conditions").to_vec();
    object::set_condition(&mut conditions, "PodScheduled", true, "", "", now);
    let requested = Room::requested(node).plus(Room::of_pod(pod)).annotation();
    let message = format!("Successfully assigned {}/{} to {node_name}", object::namespace(pod), object::name(pod));
    let effects = [
        object::merge(POD, pod, json!({"spec": {"nodeName": node_name}})),
        object::merge_status(POD, pod, json!({"conditions": conditions})),
        object::merge(NODE, node, json!({"metadata": {"annotations": {POD_REQUESTS: requested}}})),
        Some(object::event(pod, "Normal", "Scheduled", message, SOURCE)),
    ];
    Outcome::of(effects.into_iter().flatten())
}

fn refused(pod: &Value, message: &str, now: Now, retry: Duration) -> Outcome {
    let mut conditions = object::items(pod, "/status/conditions").to_vec();
    object::set_condition(&mut conditions, "PodScheduled", false, "Unschedulable", message, now);
    let news = object::condition(pod, "PodScheduled").is_none_or(|held| object::text(held, "/message") != message);
    let told: Option<Effect> = news.then(|| object::event(pod, "Warning", "FailedScheduling", message, SOURCE));
    let patch = object::merge_status(POD, pod, json!({"phase": "Pending", "conditions": conditions}));
    Outcome::of(patch.into_iter().chain(told)).again(retry)
}
