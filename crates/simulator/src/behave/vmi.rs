//! virt-controller's VMI controller: the launcher pod of an instance and the phases up to `Scheduled`.
//!
//! From `Scheduled` on the instance belongs to the node ([`super::domain`]); this controller then only notices that its
//! pod is gone, and at the end takes the pods away and lets the instance go.
//!
//! Source: K `pkg/virt-controller/watch/vmi/vmi.go`, `lifecycle.go`; `harvester-api.md` §1.8.

use super::object::{self, key};
use super::resources::{POD, PVC, VMI};
use super::vm::VMI_FINALIZER;
use super::{Behaviour, Effect, Key, Now, Outcome, Role, View, launcher};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The VMI controller.
pub(crate) const VMI_CONTROLLER: Behaviour =
    Behaviour { name: "vmi", role: Role::VirtController, on: VMI, wakes: &[(POD, vmi_of_pod)], step };

/// Label of a launcher pod: the uid of its VMI.
pub(crate) const CREATED_BY: &str = "kubevirt.io/created-by";
/// Label of a VMI and its pod: the node that it runs on.
pub(crate) const NODE_NAME: &str = "kubevirt.io/nodeName";
/// Label of a migration's target pod: the uid of its VMIM.
pub(crate) const MIGRATION_JOB: &str = "kubevirt.io/migrationJobUID";
const SOURCE: &str = "virtualmachine-controller";
const LOOK_AT_CLAIMS: Duration = Duration::from_secs(1);

pub(crate) fn vmi_of_pod(pod: &Value) -> Vec<Key> {
    match object::label(pod, "kubevirt.io") {
        Some("virt-launcher") => object::items(pod, "/metadata/ownerReferences")
            .iter()
            .map(|owner| (object::namespace(pod).to_owned(), object::text(owner, "/name").to_owned()))
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether an instance has ended.
pub(crate) fn is_final(vmi: &Value) -> bool {
    matches!(object::text(vmi, "/status/phase"), "Succeeded" | "Failed")
}

/// The launcher pods of an instance, migration targets included.
pub(crate) fn pods_of(vmi: &Value, view: &dyn View) -> Vec<Arc<Value>> {
    view.labelled(POD, Some(object::namespace(vmi)), CREATED_BY, object::uid(vmi))
}

/// The pod that the instance lives in: the one on its node, before that the one that no migration made.
pub(crate) fn active_pod<'a>(vmi: &Value, pods: &'a [Arc<Value>]) -> Option<&'a Arc<Value>> {
    let node = object::text(vmi, "/status/nodeName");
    let alive = || pods.iter().filter(|pod| !object::is_deleting(pod));
    let here = alive().find(|pod| !node.is_empty() && object::text(pod, "/spec/nodeName") == node);
    here.or_else(|| alive().find(|pod| node.is_empty() && object::label(pod, MIGRATION_JOB).is_none()))
}

/// The status patch that moves an instance into `phase`.
pub(crate) fn enter(vmi: &Value, phase: &str, now: Now) -> Value {
    let mut steps = object::items(vmi, "/status/phaseTransitionTimestamps").to_vec();
    steps.retain(|step| step["phase"] != phase);
    steps.push(json!({"phase": phase, "phaseTransitionTimestamp": now.stamp()}));
    json!({"phase": phase, "phaseTransitionTimestamps": steps})
}

/// When an instance entered `phase`.
pub(crate) fn entered<'a>(vmi: &'a Value, phase: &str) -> Option<&'a str> {
    object::items(vmi, "/status/phaseTransitionTimestamps")
        .iter()
        .find(|step| step["phase"] == phase)
        .map(|step| object::text(step, "/phaseTransitionTimestamp"))
}

fn step(vmi: &Value, view: &dyn View, now: Now) -> Outcome {
    let pods = pods_of(vmi, view);
    if object::is_deleting(vmi) {
        return removal(vmi, &pods, now);
    }
    match object::text(vmi, "/status/phase") {
        "" | "Pending" => pending(vmi, &pods, view, now),
        "Scheduling" => scheduling(vmi, &pods, now),
        "Scheduled" | "Running" => watched(vmi, &pods, now),
        _ => Outcome::rest(),
    }
}

fn pending(vmi: &Value, pods: &[Arc<Value>], view: &dyn View, now: Now) -> Outcome {
    let namespace = object::namespace(vmi);
    let claims = || launcher::claims(vmi);
    let missing = claims().find(|claim| view.get(PVC, namespace, claim).is_none());
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    if let Some(claim) = missing {
        let message = format!("PVC {namespace}/{claim} does not exist, waiting for it to appear");
        object::set_condition(&mut conditions, "Synchronized", false, "FailedPvcNotFound", &message, now);
        let news = object::condition(vmi, "Synchronized").is_none();
        let told = news.then(|| object::event(vmi, "Warning", "FailedPvcNotFound", message, SOURCE));
        let status = json!({"phase": "Pending", "conditions": conditions});
        return Outcome::of(object::merge(VMI, vmi, json!({"status": status})).into_iter().chain(told))
            .again(LOOK_AT_CLAIMS);
    }
    object::drop_condition(&mut conditions, "Synchronized");
    let mut effects = Vec::new();
    if active_pod(vmi, pods).is_none() {
        let object = launcher::pod(vmi, view);
        effects.push(Effect::Create { resource: POD, object });
        effects.push(object::event(vmi, "Normal", "SuccessfulCreate", launcher::created(vmi), SOURCE));
    }
    let mut status = enter(vmi, "Scheduling", now);
    status["conditions"] = json!(conditions);
    effects.extend(object::merge(VMI, vmi, json!({"status": status})));
    Outcome::of(effects)
}

fn scheduling(vmi: &Value, pods: &[Arc<Value>], now: Now) -> Outcome {
    let Some(pod) = active_pod(vmi, pods) else {
        // Somebody deleted the pod before the guest began: upstream fails the instance, and the VM starts another.
        return ended(vmi, "Failed", now);
    };
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    match object::condition(pod, "PodScheduled").filter(|held| held["status"] == "False") {
        Some(held) => {
            let (reason, message) = (object::text(held, "/reason"), object::text(held, "/message"));
            object::set_condition(&mut conditions, "PodScheduled", false, reason, message, now);
        }
        None => object::drop_condition(&mut conditions, "PodScheduled"),
    }
    match waiting_reason(pod) {
        Some((reason, message)) => object::set_condition(&mut conditions, "Synchronized", false, reason, message, now),
        None => object::drop_condition(&mut conditions, "Synchronized"),
    }
    let node = object::text(pod, "/spec/nodeName");
    if object::text(pod, "/status/phase") != "Running" || !object::is_true(pod, "Ready") {
        return Outcome::of(object::merge(VMI, vmi, json!({"status": {"conditions": conditions}})));
    }
    let mut status = enter(vmi, "Scheduled", now);
    status["conditions"] = json!(conditions);
    status["nodeName"] = json!(node);
    status["activePods"] = json!({object::uid(pod): node});
    status["qosClass"] = pod["status"]["qosClass"].clone();
    status["launcherContainerImageVersion"] = pod["spec"]["containers"][0]["image"].clone();
    let patch = json!({"metadata": {"labels": {NODE_NAME: node}}, "status": status});
    Outcome::of(object::merge(VMI, vmi, patch))
}

/// Why the launcher's container does not start, as the kubelet puts it.
fn waiting_reason(pod: &Value) -> Option<(&str, &str)> {
    let waiting =
        object::items(pod, "/status/containerStatuses").iter().find_map(|held| held.pointer("/state/waiting"))?;
    let reason = object::text(waiting, "/reason");
    matches!(reason, "ErrImagePull" | "ImagePullBackOff").then(|| (reason, object::text(waiting, "/message")))
}

fn watched(vmi: &Value, pods: &[Arc<Value>], now: Now) -> Outcome {
    if active_pod(vmi, pods).is_none() {
        return ended(vmi, "Failed", now);
    }
    Outcome::rest()
}

fn ended(vmi: &Value, phase: &str, now: Now) -> Outcome {
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    let message = "virt-launcher pod has not yet been scheduled or does not exist";
    object::set_condition(&mut conditions, "Ready", false, "PodNotExists", message, now);
    object::drop_condition(&mut conditions, "AgentConnected");
    let mut status = enter(vmi, phase, now);
    status["conditions"] = json!(conditions);
    status["activePods"] = Value::Null;
    Outcome::of(object::merge(VMI, vmi, json!({"status": status})))
}

fn removal(vmi: &Value, pods: &[Arc<Value>], now: Now) -> Outcome {
    let phase = object::text(vmi, "/status/phase");
    if !is_final(vmi) {
        let on_node = matches!(phase, "Scheduled" | "Running") && active_pod(vmi, pods).is_some();
        // While there is a domain, virt-handler shuts it down first.
        return if on_node { Outcome::rest() } else { ended(vmi, "Succeeded", now) };
    }
    if pods.is_empty() {
        let held = object::has_finalizer(vmi, VMI_FINALIZER);
        let patch = held.then(|| object::without_finalizer(vmi, VMI_FINALIZER));
        return Outcome::of(patch.and_then(|patch| object::merge(VMI, vmi, patch)));
    }
    let doomed = pods.iter().filter(|pod| !object::is_deleting(pod));
    let effects = doomed.flat_map(|pod| {
        let (_, pod_name) = key(pod);
        let message = format!("Deleted virtual machine pod {pod_name}");
        [object::delete(POD, pod), object::event(vmi, "Normal", "SuccessfulDelete", message, SOURCE)]
    });
    Outcome::of(effects)
}
