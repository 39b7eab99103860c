//! The kubelet's part of a launcher pod: volumes attached, sandbox made, container running.
//!
//! Source: kubernetes `pkg/kubelet/`, attach-detach controller; multus-cni events.

use super::object;
use super::resources::{LONGHORN_NAMESPACE, LONGHORN_VOLUME, NODE, POD, PVC};
use super::{Behaviour, Effect, Now, Outcome, Role, View};
use crate::scenario::fault::Fault;
use serde_json::{Value, json};
use std::time::Duration;

/// The kubelet's pod worker.
pub(crate) const KUBELET: Behaviour = Behaviour { name: "pod", role: Role::Kubelet, on: POD, wakes: &[], step };

/// From binding to a running container, when nothing is in the way.
const START: Duration = Duration::from_secs(3);
/// How often a stuck attachment or pull is tried again.
const RETRY: Duration = Duration::from_secs(10);

fn step(pod: &Value, view: &dyn View, now: Now) -> Outcome {
    let node = object::text(pod, "/spec/nodeName");
    if object::is_deleting(pod) {
        // The containers have ended by now: virt-handler shut the guest down before anyone deletes its pod.
        return Outcome::of([object::delete(POD, pod)]);
    }
    if node.is_empty() || object::text(pod, "/status/phase") != "Pending" {
        return Outcome::rest();
    }
    let started = object::text(pod, "/status/startTime");
    if started.is_empty() {
        let status = waiting(pod, "ContainerCreating", "", now);
        return Outcome::of(object::merge_status(POD, pod, status)).again(START);
    }
    if let Some(left) = now.until(started, START) {
        return Outcome::rest().again(left);
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
    let mut conditions = object::items(pod, "/status/conditions").to_vec();
    for kind in ["Initialized", "kubevirt.io/virtual-machine-unpaused", "ContainersReady", "Ready"] {
        object::set_condition(&mut conditions, kind, true, "", "", now);
    }
    let containers: Vec<Value> = object::items(pod, "/spec/containers")
        .iter()
        .map(|container| {
            json!({
                "name": container["name"], "image": container["image"], "ready": true, "started": true,
                "imageID": format!("{}@sha256:{:064x}", object::text(container, "/image"), 0x5afe_u64),
                "containerID": format!("containerd://{:016x}", now.draw(7, u64::MAX)),
                "restartCount": 0, "lastState": {}, "state": {"running": {"startedAt": now.stamp()}},
            })
        })
        .collect();
    let status = json!({
        "phase": "Running", "conditions": conditions, "containerStatuses": containers,
        "podIP": address, "podIPs": [{"ip": address}], "hostIP": host_address, "hostIPs": [{"ip": host_address}],
    });
    let image = object::text(pod, "/spec/containers/0/image");
    let attached = object::items(pod, "/spec/volumes").iter().filter_map(|volume| {
        let claim = object::text(volume, "/persistentVolumeClaim/claimName");
        let claim = view.get(PVC, object::namespace(pod), claim)?;
        let message =
            format!("AttachVolume.Attach succeeded for volume \"{}\"", object::text(&claim, "/spec/volumeName"));
        Some(object::event(pod, "Normal", "SuccessfulAttachVolume", message, "attachdetach-controller"))
    });
    let mut effects: Vec<Effect> = object::merge_status(POD, pod, status).into_iter().chain(attached).collect();
    for (reason, message) in [
        ("Pulled", format!("Container image \"{image}\" already present on machine")),
        ("Created", "Created container: compute".to_owned()),
        ("Started", "Started container compute".to_owned()),
    ] {
        effects.push(object::event(pod, "Normal", reason, message, "kubelet"));
    }
    Outcome::of(effects)
}

/// An address out of the pod network 10.52.0.0/16, made from the pod's uid.
pub(crate) fn pod_address(pod: &Value) -> String {
    let mut hash: u32 = 0x811c_9dc5;
    for byte in object::uid(pod).bytes().chain(object::name(pod).bytes()) {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    format!("10.52.{}.{}", (hash >> 8) & 0xff, 2 + (hash & 0xff) % 252)
}

/// The `InternalIP` of a node.
pub(crate) fn internal_address(node: &Value) -> &str {
    object::items(node, "/status/addresses")
        .iter()
        .find(|address| address["type"] == "InternalIP")
        .map(|address| object::text(address, "/address"))
        .unwrap_or_default()
}
