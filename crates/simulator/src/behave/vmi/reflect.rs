//! What virt-controller carries between an instance and its launcher pod, whoever else writes there.
//!
//! Invariant: nothing here that the node reports (MACs, addresses, device names, phases from `Scheduled` on).
//!
//! Source: K `pkg/virt-controller/watch/vmi/lifecycle.go` (`syncReadyConditionFromPod`, `syncPausedConditionToPod`,
//! `setActivePods`), `storage.go` (`updateVolumeStatus`), `pkg/network/controllers/vmi.go`.

use super::NODE_NAME;
use crate::behave::pod::{is_going, network_interfaces};
use crate::behave::resources::{POD, PVC};
use crate::behave::vm::claim_name;
use crate::behave::{Effect, Now, View, hardware, launcher, object};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Gate of a launcher pod: `True` while its guest is not paused.
const UNPAUSED: &str = "kubevirt.io/virtual-machine-unpaused";

/// `Ready` of an instance: what its pod says, once the guest is reported as running.
pub(crate) fn ready_condition(vmi: &Value, pod: Option<&Value>, conditions: &mut Vec<Value>, now: Now) {
    let mut no = |reason: &str, message: &str| object::set_condition(conditions, "Ready", false, reason, message, now);
    match pod {
        None => no("PodNotExists", "virt-launcher pod has not yet been scheduled"),
        Some(pod) if is_going(pod) => no("PodTerminating", "virt-launcher pod is terminating"),
        Some(_) if object::text(vmi, "/status/phase") != "Running" => {
            no("GuestNotRunning", "Guest VM is not reported as running");
        }
        Some(pod) => match object::condition(pod, "Ready") {
            Some(held) => copy_condition(conditions, held),
            None => no("PodConditionMissing", "virt-launcher pod is missing the Ready condition"),
        },
    }
}

/// `EvictionRequested`, while the instance is to leave its node.
pub(super) fn eviction_condition(vmi: &Value, conditions: &mut Vec<Value>, now: Now) {
    if object::text(vmi, "/status/evacuationNodeName").is_empty() {
        object::drop_condition(conditions, "EvictionRequested");
    } else if !object::is_true(vmi, "EvictionRequested") {
        object::set_condition(
            conditions,
            "EvictionRequested",
            true,
            "EvictionRequested",
            "VMI is marked for eviction",
            now,
        );
    }
}

/// Takes a pod's condition over as it is.
pub(super) fn copy_condition(conditions: &mut Vec<Value>, held: &Value) {
    let mut made = json!({
        "type": held["type"], "status": held["status"], "lastProbeTime": held["lastProbeTime"],
        "lastTransitionTime": held["lastTransitionTime"],
    });
    for field in ["reason", "message"] {
        if held[field].as_str().is_some_and(|text| !text.is_empty()) {
            made[field] = held[field].clone();
        }
    }
    match conditions.iter_mut().find(|old| old["type"] == held["type"]) {
        // Times alone are no news.
        Some(old) if ["status", "reason", "message"].iter().all(|field| old[field] == made[field]) => {}
        Some(old) => *old = made,
        None => conditions.push(made),
    }
}

/// Why the launcher's container does not start, as the kubelet puts it.
pub(super) fn waiting_condition(pod: &Value, conditions: &mut Vec<Value>) {
    let waiting =
        object::items(pod, "/status/containerStatuses").iter().find_map(|held| held.pointer("/state/waiting"));
    let waiting = waiting.filter(|held| matches!(object::text(held, "/reason"), "ErrImagePull" | "ImagePullBackOff"));
    match waiting {
        Some(held) => copy_condition(
            conditions,
            &json!({
                "type": "Synchronized", "status": "False", "reason": held["reason"], "message": held["message"],
                "lastProbeTime": null, "lastTransitionTime": pod["status"]["startTime"],
            }),
        ),
        None => object::drop_condition(conditions, "Synchronized"),
    }
}

/// Uid and node of every pod of an instance, ended ones too; those that are gone become null.
pub(super) fn active_pods(vmi: &Value, pods: &[Arc<Value>]) -> Value {
    let mut all: Map<String, Value> =
        object::map(vmi, "/status/activePods").map(|(uid, _)| (uid.to_owned(), Value::Null)).collect();
    for pod in pods {
        all.insert(object::uid(pod).to_owned(), json!(object::text(pod, "/spec/nodeName")));
    }
    if all.is_empty() { Value::Null } else { Value::Object(all) }
}

/// The launcher image that an instance runs in.
pub(super) fn image(pod: &Value) -> Value {
    let compute = object::items(pod, "/spec/containers").iter().find(|container| container["name"] == "compute");
    compute.map(|container| container["image"].clone()).unwrap_or_default()
}

/// What the pod is told: whether its guest is paused, and the node's label.
pub(super) fn to_pod(vmi: &Value, pod: &Value, now: Now) -> Vec<Effect> {
    let mut effects = Vec::new();
    if let Some(node) = object::label(vmi, NODE_NAME) {
        effects.extend(object::merge(POD, pod, json!({"metadata": {"labels": {NODE_NAME: node}}})));
    }
    let is_paused = object::is_true(vmi, "Paused");
    let is_open = object::is_true(pod, UNPAUSED);
    if is_paused == is_open {
        let mut conditions = object::items(pod, "/status/conditions").to_vec();
        let (reason, message) = match is_paused {
            true => ("Paused", "the virtual machine is paused"),
            false => ("NotPaused", "the virtual machine is not paused"),
        };
        object::set_condition(&mut conditions, UNPAUSED, !is_paused, reason, message, now);
        effects.extend(object::merge_status(POD, pod, json!({"conditions": conditions})));
    }
    effects
}

/// The volumes as the controller knows them: claims, and what is being plugged in; what the node said is kept.
pub(crate) fn volume_status(vmi: &Value, view: &dyn View) -> Vec<Value> {
    let held = object::items(vmi, "/status/volumeStatus");
    let mut all: Vec<Value> = object::items(vmi, "/spec/volumes")
        .iter()
        .map(|volume| {
            let old = held.iter().find(|old| old["name"] == volume["name"]);
            let mut status = old.cloned().unwrap_or_else(|| json!({"name": volume["name"], "target": ""}));
            let claim = view.get(PVC, object::namespace(vmi), claim_name(volume));
            if let Some(claim) = claim.filter(|_| !claim_name(volume).is_empty()) {
                let info = json!({
                    "claimName": object::name(&claim), "accessModes": claim["spec"]["accessModes"],
                    "volumeMode": claim["spec"]["volumeMode"], "capacity": claim["status"]["capacity"],
                    "requests": claim["spec"]["resources"]["requests"], "filesystemOverhead": "0",
                });
                status["persistentVolumeClaimInfo"] = info;
            }
            let is_new = status.get("hotplugVolume").is_none();
            if let Some(dump) = volume.get("memoryDump").filter(|_| is_new) {
                status["memoryDumpVolume"] = json!({"claimName": dump["claimName"]});
            }
            if (hardware::is_hotplugged(volume) || volume.get("memoryDump").is_some()) && is_new {
                let name = object::text(volume, "/name");
                status["hotplugVolume"] =
                    json!({"attachPodName": format!("hp-volume-{name}"), "attachPodUID": object::uid(vmi)});
                status["phase"] = json!("AttachedToNode");
                status["reason"] = json!("SuccessfulCreate");
                status["message"] =
                    json!(format!("Created hotplug attachment pod hp-volume-{name}, for volume {name}"));
            }
            status
        })
        .collect();
    all.sort_by(|a, b| object::text(a, "/name").cmp(object::text(b, "/name")));
    all
}

/// The interfaces as the controller knows them: what Multus made in the pod; what the node said is kept.
pub(crate) fn interfaces(vmi: &Value, pod: &Value) -> Vec<Value> {
    let held = object::items(vmi, "/status/interfaces");
    let made = network_interfaces(pod);
    let networks = object::items(vmi, "/spec/networks");
    let mut all: Vec<Value> = Vec::new();
    for (at, network) in networks.iter().enumerate() {
        let old = held.iter().find(|old| old["name"] == network["name"]).cloned();
        if network.get("pod").is_some() {
            let mut status = old.unwrap_or_else(|| json!({"name": network["name"]}));
            status["podInterfaceName"] = json!("eth0");
            all.insert(0, status);
            continue;
        }
        let name = launcher::pod_interface_of(pod, network, at);
        let is_there = made.contains(&name);
        let Some(mut status) = old.or_else(|| is_there.then(|| json!({"name": network["name"]}))) else { continue };
        status["infoSource"] = json!(with_source(object::text(&status, "/infoSource"), MULTUS, is_there));
        status["podInterfaceName"] = json!(name);
        all.push(status);
    }
    let unknown = held.iter().filter(|old| !networks.iter().any(|network| network["name"] == old["name"]));
    all.extend(unknown.cloned());
    all
}

/// Where a fact about an interface comes from.
pub(crate) const MULTUS: &str = "multus-status";

/// A list of sources with or without one of them.
pub(crate) fn with_source(list: &str, source: &str, is_in: bool) -> String {
    let mut all: Vec<&str> = list.split(", ").filter(|held| !held.is_empty() && *held != source).collect();
    if is_in {
        all.push(source);
    }
    all.join(", ")
}
