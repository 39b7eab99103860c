//! virt-controller's VMI controller: the launcher pod of an instance and the phases up to `Scheduled`.
//!
//! From `Scheduled` on the instance belongs to the node ([`super::domain`]); this controller then carries facts between
//! pod and instance ([`reflect`]), notices that its pod is gone, and at the end takes the pods away and lets the
//! instance go.
//!
//! Source: K `pkg/virt-controller/watch/vmi/vmi.go`, `lifecycle.go`; `harvester-api.md` §1.8.

mod reflect;

use super::object::{self, key};
use super::pod::is_going;
use super::resources::{POD, PVC, VMI};
use super::vm::VMI_FINALIZER;
use super::{Behaviour, Effect, Key, Now, Outcome, Role, View, launcher};
pub(crate) use reflect::{MULTUS, interfaces, ready_condition, volume_status, with_source};
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

/// The pod that the instance lives in: the newest on its node, before that the newest that no migration made.
///
/// Source: K `pkg/controller/controller.go` (`CurrentVMIPod`).
pub(crate) fn active_pod<'a>(vmi: &Value, pods: &'a [Arc<Value>]) -> Option<&'a Arc<Value>> {
    let node = object::text(vmi, "/status/nodeName");
    let here = pods.iter().filter(|pod| match node {
        "" => object::label(pod, MIGRATION_JOB).is_none(),
        node => object::text(pod, "/spec/nodeName") == node,
    });
    here.max_by_key(|pod| (object::text(pod, "/metadata/creationTimestamp"), !object::is_deleting(pod)))
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
    let pod = active_pod(vmi, &pods).map(|pod| &**pod);
    let mut outcome = if object::is_deleting(vmi) { removal(vmi, &pods) } else { Outcome::rest() };
    let mut status = json!({"activePods": reflect::active_pods(vmi, &pods)});
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    ready_condition(vmi, pod, &mut conditions, now);
    reflect::eviction_condition(vmi, &mut conditions, now);
    if let Some(pod) = pod {
        status["launcherContainerImageVersion"] = reflect::image(pod);
        outcome.effects.extend(reflect::to_pod(vmi, pod, now));
    }
    let mut labels = Value::Null;
    let (phase, rest) = match object::text(vmi, "/status/phase") {
        "" | "Pending" => pending(vmi, pod, &mut conditions, view),
        "Scheduling" => scheduling(vmi, pod, &mut status, &mut labels, &mut conditions, view),
        "Scheduled" | "Running" => watched(vmi, pod, &mut status, view),
        phase => {
            outcome.effects.extend(let_go(vmi, &pods));
            (phase, Outcome::rest())
        }
    };
    outcome.effects.extend(rest.effects);
    if phase != object::text(vmi, "/status/phase") {
        merge_into(&mut status, enter(vmi, phase, now));
    }
    status["conditions"] = json!(conditions);
    let mut patch = json!({"status": status});
    if labels.is_object() {
        patch["metadata"] = json!({"labels": labels});
    }
    outcome.effects.extend(object::merge(VMI, vmi, patch));
    outcome.again(rest.again_after)
}

pub(crate) fn merge_into(status: &mut Value, more: Value) {
    if let (Some(held), Value::Object(more)) = (status.as_object_mut(), more) {
        held.extend(more);
    }
}

/// The phase that comes next, and what is to be done about it.
type Next<'a> = (&'a str, Outcome);

fn pending<'a>(vmi: &'a Value, pod: Option<&Value>, conditions: &mut Vec<Value>, view: &dyn View) -> Next<'a> {
    if pod.is_some() {
        object::drop_condition(conditions, "Synchronized");
        return ("Scheduling", Outcome::rest());
    }
    if object::is_deleting(vmi) {
        return ("Failed", Outcome::rest());
    }
    let namespace = object::namespace(vmi);
    if let Some(claim) = launcher::claims(vmi).find(|claim| view.get(PVC, namespace, claim).is_none()) {
        let message = format!("PVC {namespace}/{claim} does not exist, waiting for it to appear");
        let known = object::condition(vmi, "Synchronized").is_some();
        let told = (!known).then(|| object::event(vmi, "Warning", "FailedPvcNotFound", message.clone(), SOURCE));
        if !known {
            conditions.push(json!({
                "type": "Synchronized", "status": "False", "reason": "FailedPvcNotFound", "message": message,
                "lastProbeTime": null, "lastTransitionTime": null,
            }));
        }
        return ("Pending", Outcome::of(told).again(LOOK_AT_CLAIMS));
    }
    object::drop_condition(conditions, "Synchronized");
    let create = Effect::Create { resource: POD, object: launcher::pod(vmi, view) };
    let told = object::event(vmi, "Normal", "SuccessfulCreate", launcher::created(vmi), SOURCE);
    ("Scheduling", Outcome::of([create, told]))
}

fn scheduling<'a>(
    vmi: &'a Value,
    pod: Option<&Value>,
    status: &mut Value,
    labels: &mut Value,
    conditions: &mut Vec<Value>,
    view: &dyn View,
) -> Next<'a> {
    // Somebody deleted the pod before the guest began: the instance fails, and the VM starts another.
    let Some(pod) = pod else { return ("Failed", Outcome::rest()) };
    match object::condition(pod, "PodScheduled").filter(|held| held["status"] == "False") {
        Some(held) => reflect::copy_condition(conditions, held),
        None => object::drop_condition(conditions, "PodScheduled"),
    }
    reflect::waiting_condition(pod, conditions);
    if is_going(pod) {
        return ("Failed", Outcome::rest());
    }
    if object::is_deleting(vmi) || !runs(pod) {
        return ("Scheduling", Outcome::rest());
    }
    let node = object::text(pod, "/spec/nodeName");
    status["nodeName"] = json!(node);
    status["qosClass"] = pod["status"]["qosClass"].clone();
    status["migrationTransport"] = json!("Unix");
    status["volumeStatus"] = object::listed(volume_status(vmi, view));
    status["interfaces"] = object::listed(interfaces(vmi, pod));
    *labels = json!({NODE_NAME: node});
    ("Scheduled", Outcome::rest())
}

/// Whether all containers of a pod run. Source: K `pkg/controller/controller.go` (`IsPodReady`).
pub(crate) fn runs(pod: &Value) -> bool {
    let containers = object::items(pod, "/status/containerStatuses");
    object::text(pod, "/status/phase") == "Running"
        && !is_going(pod)
        && containers.iter().all(|held| match object::text(held, "/name") {
            "compute" => held.pointer("/state/running").is_some(),
            _ => held["ready"] == true,
        })
}

fn watched<'a>(vmi: &'a Value, pod: Option<&Value>, status: &mut Value, view: &dyn View) -> Next<'a> {
    let Some(pod) = pod else { return ("Failed", Outcome::rest()) };
    status["volumeStatus"] = object::listed(volume_status(vmi, view));
    status["interfaces"] = object::listed(interfaces(vmi, pod));
    (object::text(vmi, "/status/phase"), Outcome::rest())
}

/// The pods go as soon as the instance is to go; the guest is shut down meanwhile.
fn removal(vmi: &Value, pods: &[Arc<Value>]) -> Outcome {
    let doomed = pods.iter().filter(|pod| !object::is_deleting(pod) || super::pod::has_ended(pod));
    Outcome::of(doomed.flat_map(|pod| {
        let (_, pod_name) = key(pod);
        let message = format!("Deleted virtual machine pod {pod_name}");
        [object::delete(POD, pod), object::event(vmi, "Normal", "SuccessfulDelete", message, SOURCE)]
    }))
}

fn let_go(vmi: &Value, pods: &[Arc<Value>]) -> Option<Effect> {
    let is_held = object::has_finalizer(vmi, VMI_FINALIZER);
    (pods.is_empty() && is_held)
        .then(|| object::merge(VMI, vmi, object::without_finalizer(vmi, VMI_FINALIZER)))
        .flatten()
}
