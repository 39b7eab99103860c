//! The kubelet's part of a pod's life: volumes attached, sandbox made, containers running, ready, ended.
//!
//! Invariant: a launcher outlives its guest. Whoever deletes a launcher pod asks for it only: the containers end when the
//! guest has gone down or the grace period is over, and the pod is taken away then. `Ready` is what the containers and
//! the readiness gates say; the gates' conditions belong to others.
//!
//! Source: kubernetes `pkg/kubelet/`, attach-detach controller; multus-cni events and `network-status`.

mod ending;
mod network;

use super::node::{self, Health};
use super::object;
use super::resources::{LONGHORN_NAMESPACE, LONGHORN_VOLUME, NODE, POD, PVC, SECRET, VMI};
use super::{Behaviour, Effect, Now, Outcome, Role, View};
use crate::scenario::fault::Fault;
pub(crate) use ending::{has_ended, is_going};
pub(crate) use network::{
    ADDRESS, STATUS as NETWORK_STATUS, address as pod_address, annotation as network_status,
    interfaces as network_interfaces,
};
use serde_json::{Value, json};
use std::time::Duration;

/// The kubelet's pod worker.
pub(crate) const KUBELET: Behaviour = Behaviour { name: "pod", role: Role::Kubelet, on: POD, wakes: &[], step };
/// Launchers that exit because their guest is gone.
pub(crate) const EXITS: Behaviour = Behaviour {
    name: "launcher-exit",
    role: Role::Kubelet,
    on: VMI,
    wakes: &[(POD, super::vmi::vmi_of_pod)],
    step: ending::exits,
};

/// From binding to a running container, when nothing is in the way.
const START: Duration = Duration::from_secs(3);
/// How often a stuck attachment or pull is tried again.
const RETRY: Duration = Duration::from_secs(10);

fn step(pod: &Value, view: &dyn View, now: Now) -> Outcome {
    let node = object::text(pod, "/spec/nodeName");
    if node.is_empty() {
        return Outcome::rest();
    }
    let health = node::health(node, view);
    if health == Health::Down {
        return Outcome::rest().again(node::LOOK);
    }
    if object::is_deleting(pod) {
        return ending::terminate(pod, view, now);
    }
    match object::text(pod, "/status/phase") {
        "" | "Pending" => start(pod, (node, health), view, now),
        "Running" => Outcome::of(object::merge_status(POD, pod, json!({"conditions": conditions(pod, now)}))),
        _ => Outcome::rest(),
    }
}

fn start(pod: &Value, (node, health): (&str, Health), view: &dyn View, now: Now) -> Outcome {
    let takes = START * health.slowness();
    let started = object::text(pod, "/status/startTime");
    if started.is_empty() {
        let status = waiting(pod, "ContainerCreating", "", now);
        return Outcome::of(object::merge_status(POD, pod, status)).again(takes);
    }
    if let Some(left) = now.until(started, takes) {
        return Outcome::rest().again(left);
    }
    if let Some((volume, secret)) = missing_secret(pod, view) {
        let message = format!("MountVolume.SetUp failed for volume \"{volume}\" : secret \"{secret}\" not found");
        return Outcome::of([object::event(pod, "Warning", "FailedMount", message, "kubelet")]).again(RETRY);
    }
    if let Some(volume) = unready_volume(pod, view) {
        return stuck_attachment(pod, &volume);
    }
    if Fault::ImagePull.is_in(object::name(pod)) {
        return failed_pull(pod, now);
    }
    running(pod, node, view, now)
}

fn waiting(pod: &Value, reason: &str, message: &str, now: Now) -> Value {
    let started = match object::text(pod, "/status/startTime") {
        "" => now.stamp(),
        stamp => stamp.to_owned(),
    };
    let containers: Vec<Value> = object::items(pod, "/spec/containers")
        .iter()
        .map(|container| {
            let mut state = json!({"reason": reason});
            if !message.is_empty() {
                state["message"] = json!(message);
            }
            json!({
                "name": container["name"], "image": container["image"], "imageID": "", "ready": false,
                "started": false, "restartCount": 0, "lastState": {}, "state": {"waiting": state},
            })
        })
        .collect();
    json!({"startTime": started, "containerStatuses": containers})
}

/// The first volume of a Secret that does not exist, and that Secret.
fn missing_secret<'a>(pod: &'a Value, view: &dyn View) -> Option<(&'a str, &'a str)> {
    object::items(pod, "/spec/volumes").iter().find_map(|volume| {
        let secret = object::text(volume, "/secret/secretName");
        let is_missing = !secret.is_empty()
            && !object::flag(volume, "/secret/optional")
            && view.get(SECRET, object::namespace(pod), secret).is_none();
        is_missing.then(|| (object::text(volume, "/name"), secret))
    })
}

/// The volume of the first claim that Longhorn cannot bring up.
fn unready_volume(pod: &Value, view: &dyn View) -> Option<String> {
    object::items(pod, "/spec/volumes").iter().find_map(|volume| {
        let claim = object::text(volume, "/persistentVolumeClaim/claimName");
        let claim = view.get(PVC, object::namespace(pod), claim)?;
        let name = object::text(&claim, "/spec/volumeName");
        let volume = view.get(LONGHORN_VOLUME, LONGHORN_NAMESPACE, name)?;
        let unplaced = object::condition(&volume, "Scheduled").is_some_and(|held| held["status"] == "False");
        (unplaced || object::text(&volume, "/status/robustness") == "faulted").then(|| name.to_owned())
    })
}

fn stuck_attachment(pod: &Value, volume: &str) -> Outcome {
    let message = format!(
        "AttachVolume.Attach failed for volume \"{volume}\" : rpc error: code = Aborted desc = volume {volume} is not ready for workloads"
    );
    Outcome::of([object::event(pod, "Warning", "FailedAttachVolume", message, "attachdetach-controller")]).again(RETRY)
}

fn failed_pull(pod: &Value, now: Now) -> Outcome {
    let image = object::text(pod, "/spec/containers/0/image");
    let held = object::text(pod, "/status/containerStatuses/0/state/waiting/reason");
    // By the clock, not by what stands there: the patch itself wakes this step again.
    let since: i64 =
        object::text(pod, "/status/startTime").parse::<jiff::Timestamp>().map_or(0, |at| at.as_millisecond());
    let retry_ms = i64::try_from(RETRY.as_millis()).unwrap_or(i64::MAX);
    let backs_off = (now.unix_ms - since) / retry_ms % 2 == 1;
    let left = RETRY.saturating_sub(Duration::from_millis(((now.unix_ms - since) % retry_ms).unsigned_abs()));
    if (held == "ImagePullBackOff") == backs_off && held != "ContainerCreating" {
        return Outcome::rest().again(left);
    }
    let (reason, message) = match backs_off {
        true => ("ImagePullBackOff", format!("Back-off pulling image \"{image}\"")),
        _ => ("ErrImagePull", format!("failed to pull and unpack image \"{image}\": not found")),
    };
    let told = match reason {
        "ErrImagePull" => object::event(
            pod,
            "Warning",
            "Failed",
            format!("Failed to pull image \"{image}\": rpc error: code = NotFound desc = {message}"),
            "kubelet",
        ),
        _ => object::event(pod, "Normal", "BackOff", message.clone(), "kubelet"),
    };
    let status = waiting(pod, reason, &message, now);
    Outcome::of(object::merge_status(POD, pod, status).into_iter().chain([told])).again(left)
}

fn running(pod: &Value, node: &str, view: &dyn View, now: Now) -> Outcome {
    let address = pod_address(pod);
    let host = view.get(NODE, "", node);
    let host_address = host.as_deref().map(internal_address).unwrap_or_default().to_owned();
    let status = json!({
        "phase": "Running", "conditions": conditions(pod, now),
        "initContainerStatuses": containers(pod, "/spec/initContainers", now),
        "containerStatuses": containers(pod, "/spec/containers", now),
        "podIP": address, "podIPs": [{"ip": address}], "hostIP": host_address, "hostIPs": [{"ip": host_address}],
    });
    let image = object::text(pod, "/spec/containers/0/image");
    let name = object::text(pod, "/spec/containers/0/name");
    let attached = object::items(pod, "/spec/volumes").iter().filter_map(|volume| {
        let claim = object::text(volume, "/persistentVolumeClaim/claimName");
        let claim = view.get(PVC, object::namespace(pod), claim)?;
        let message =
            format!("AttachVolume.Attach succeeded for volume \"{}\"", object::text(&claim, "/spec/volumeName"));
        Some(object::event(pod, "Normal", "SuccessfulAttachVolume", message, "attachdetach-controller"))
    });
    // The sandbox and its network are there before any container is.
    let wired = network_status(pod).map(|text| json!({"metadata": {"annotations": {NETWORK_STATUS: text}}}));
    let mut effects: Vec<Effect> = wired.and_then(|patch| object::merge(POD, pod, patch)).into_iter().collect();
    effects.extend(object::merge_status(POD, pod, status));
    effects.extend(attached);
    for (reason, message) in [
        ("Pulled", format!("Container image \"{image}\" already present on machine")),
        ("Created", format!("Created container: {name}")),
        ("Started", format!("Started container {name}")),
    ] {
        effects.push(object::event(pod, "Normal", reason, message, "kubelet"));
    }
    Outcome::of(effects)
}

/// The status of started containers; an init container has ended unless it restarts always (a sidecar).
fn containers(pod: &Value, at: &str, now: Now) -> Value {
    let all = object::items(pod, at);
    if all.is_empty() {
        return Value::Null;
    }
    let is_init = at.ends_with("initContainers");
    let status = |container: &Value| {
        let is_done = is_init && object::text(container, "/restartPolicy") != "Always";
        let state = match is_done {
            true => {
                json!({"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": now.stamp(), "finishedAt": now.stamp()}})
            }
            false => json!({"running": {"startedAt": now.stamp()}}),
        };
        json!({
            "name": container["name"], "image": container["image"], "ready": true, "started": !is_done,
            // Without a digest the migration controller does not make a target pod.
            "imageID": format!("{}@sha256:{:064x}", object::text(container, "/image"), 0x5afe_u64),
            "containerID": format!("containerd://{:016x}", now.draw(7, u64::MAX)),
            "restartCount": 0, "lastState": {}, "state": state,
        })
    };
    all.iter().map(status).collect()
}

/// The kubelet's conditions of a pod whose containers run; those of others are kept.
///
/// Source: kubernetes `pkg/kubelet/status/generate.go` (`GeneratePodReadyCondition`).
fn conditions(pod: &Value, now: Now) -> Vec<Value> {
    let mut conditions = object::items(pod, "/status/conditions").to_vec();
    for kind in ["PodReadyToStartContainers", "Initialized", "ContainersReady"] {
        object::set_condition(&mut conditions, kind, true, "", "", now);
    }
    let closed: Vec<String> = object::items(pod, "/spec/readinessGates")
        .iter()
        .map(|gate| object::text(gate, "/conditionType"))
        .filter_map(|gate| match object::condition(pod, gate) {
            Some(held) if held["status"] == "True" => None,
            Some(held) => Some(format!(
                "the status of pod readiness gate \"{gate}\" is not \"True\", but {}",
                object::text(held, "/status")
            )),
            None => Some(format!("corresponding condition of pod readiness gate \"{gate}\" does not exist.")),
        })
        .collect();
    let reason = if closed.is_empty() { "" } else { "ReadinessGatesNotReady" };
    object::set_condition(&mut conditions, "Ready", closed.is_empty(), reason, &closed.join(", "), now);
    conditions
}

/// The `InternalIP` of a node.
pub(crate) fn internal_address(node: &Value) -> &str {
    object::items(node, "/status/addresses")
        .iter()
        .find(|address| address["type"] == "InternalIP")
        .map(|address| object::text(address, "/address"))
        .unwrap_or_default()
}
