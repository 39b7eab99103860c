//! How pods end: launchers with their guest, others at once.
//!
//! Source: kubernetes `pkg/kubelet/kubelet_pods.go`, `pkg/kubelet/status`; K `cmd/virt-launcher` (the launcher exits
//! when its domain is gone, moved away, or when a failed migration's target is told to clean up).

use crate::behave::node::{self, Health};
use crate::behave::resources::{POD, VMI};
use crate::behave::vmi::{MIGRATION_JOB, is_final, pods_of};
use crate::behave::{Now, Outcome, View, object};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Whether a pod carries an instance.
pub(crate) fn is_launcher(pod: &Value) -> bool {
    object::label(pod, "kubevirt.io") == Some("virt-launcher")
}

/// Whether a pod's containers have ended for good.
pub(crate) fn has_ended(pod: &Value) -> bool {
    matches!(object::text(pod, "/status/phase"), "Succeeded" | "Failed")
}

/// Whether a pod is down or asked to go down. Source: K `pkg/controller/controller.go` (`IsPodDownOrGoingDown`).
pub(crate) fn is_going(pod: &Value) -> bool {
    let compute = object::items(pod, "/status/containerStatuses").iter().find(|held| held["name"] == "compute");
    has_ended(pod)
        || object::is_deleting(pod)
        || compute.is_some_and(|held| held.pointer("/state/terminated").is_some())
}

/// A pod that somebody deleted: ends its containers when its guest is gone or its time is up, then lets it go.
pub(super) fn terminate(pod: &Value, view: &dyn View, now: Now) -> Outcome {
    if has_ended(pod) || object::text(pod, "/status/phase") != "Running" {
        return Outcome::of([object::delete(POD, pod)]);
    }
    let left = now.until(object::text(pod, "/metadata/deletionTimestamp"), Duration::ZERO);
    if let (Some(left), true) = (left, carries_guest(pod, view)) {
        return Outcome::rest().again(left);
    }
    let status = object::merge_status(POD, pod, exited(pod, 0, now));
    Outcome::of(status.into_iter().chain([object::delete(POD, pod)]))
}

/// Whether a guest still runs in it.
fn carries_guest(pod: &Value, view: &dyn View) -> bool {
    let owner =
        object::items(pod, "/metadata/ownerReferences").iter().find(|owner| owner["kind"] == "VirtualMachineInstance");
    let vmi = owner.and_then(|owner| view.get(VMI, object::namespace(pod), object::text(owner, "/name")));
    is_launcher(pod)
        && vmi.is_some_and(|vmi| {
            object::is_owned_by(pod, object::uid(&vmi))
                && object::text(&vmi, "/status/phase") == "Running"
                && is_at(&vmi, pod)
        })
}

fn is_at(vmi: &Value, pod: &Value) -> bool {
    vmi["status"]["nodeName"] == pod["spec"]["nodeName"]
}

/// Launchers whose guest is gone.
pub(super) fn exits(vmi: &Value, view: &dyn View, now: Now) -> Outcome {
    let failed = object::text(vmi, "/status/phase") == "Failed";
    let pods = pods_of(vmi, view);
    let runs = |pod: &&Arc<Value>| object::text(pod, "/status/phase") == "Running";
    let lives = |pod: &&Arc<Value>| node::health(object::text(pod, "/spec/nodeName"), view) != Health::Down;
    let over = pods.iter().filter(runs).filter(|pod| is_final(vmi) || is_left(vmi, pod)).filter(lives);
    let code = i64::from(failed);
    Outcome::of(over.filter_map(|pod| object::merge_status(POD, pod, exited(pod, code, now))))
}

/// Whether a migration has left this pod without a guest: the source of one that ended, the target of one that failed.
fn is_left(vmi: &Value, pod: &Value) -> bool {
    let state = object::part(vmi, "/status/migrationState");
    let is_over = !object::text(&state, "/endTimestamp").is_empty();
    let has_failed = object::flag(&state, "/failed");
    // The target of a later migration may be where an earlier one came from.
    let is_older = object::text(pod, "/metadata/creationTimestamp") <= object::text(&state, "/startTimestamp");
    let is_source = state["sourceNode"] == pod["spec"]["nodeName"] && is_older;
    let is_target = object::label(pod, MIGRATION_JOB).is_some_and(|job| state["migrationUid"] == job);
    is_over && !is_at(vmi, pod) && ((is_source && !has_failed) || (is_target && has_failed))
}

/// The status of a pod whose containers have exited.
fn exited(pod: &Value, code: i64, now: Now) -> Value {
    let mut conditions = object::items(pod, "/status/conditions").to_vec();
    for kind in ["ContainersReady", "Ready"] {
        object::set_condition(&mut conditions, kind, false, "PodCompleted", "", now);
    }
    let reason = if code == 0 { "Completed" } else { "Error" };
    let ended = |at: &str| {
        let mut all = object::items(pod, at).to_vec();
        for container in all.iter_mut().filter(|held| held.pointer("/state/running").is_some()) {
            let since = object::part(container, "/state/running/startedAt");
            container["ready"] = json!(false);
            container["started"] = json!(false);
            container["state"] = json!({"terminated": {
                "exitCode": code, "reason": reason, "startedAt": since, "finishedAt": now.stamp(),
            }});
        }
        if all.is_empty() { Value::Null } else { json!(all) }
    };
    json!({
        "phase": if code == 0 { "Succeeded" } else { "Failed" }, "conditions": conditions,
        "initContainerStatuses": ended("/status/initContainerStatuses"),
        "containerStatuses": ended("/status/containerStatuses"),
    })
}
