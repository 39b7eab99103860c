//! Objects as a walked life would leave them, for scenarios: built by the same functions as the behaviours'.

use super::object::{self, stamp_of};
use super::resources::LONGHORN_NAMESPACE;
use super::vm::{VM_FINALIZER, VMI_FINALIZER};
use super::{Now, View, guest, hardware, launcher, pod as kubelet, vm, vmi as instance, volume};
use serde_json::{Value, json};

/// Finalizers of a VM.
pub(crate) const VM_FINALIZERS: &[&str] = &[super::claims::FINALIZER, VM_FINALIZER];

/// A bound claim.
pub(crate) fn claim(template: &Value, namespace: &str, uid: &str, volume: &str, now: Now) -> Value {
    let mut claim = super::claims::plain_claim(template, namespace);
    claim["metadata"]["uid"] = json!(uid);
    claim["metadata"]["creationTimestamp"] = json!(stamp_of(now.unix_ms));
    claim["metadata"]["finalizers"] = json!([volume::PROTECTION]);
    for (key, value) in volume::bound_annotations() {
        claim["metadata"]["annotations"][key] = json!(value);
    }
    claim["spec"]["volumeName"] = json!(volume);
    claim["status"] = json!({
        "phase": "Bound", "accessModes": claim["spec"]["accessModes"], "capacity": claim["spec"]["resources"]["requests"],
    });
    claim
}

/// Its PV.
pub(crate) fn persistent_volume(claim: &Value, class: &Value, name: &str) -> Value {
    volume::persistent_volume(claim, class, name, true)
}

/// Its Longhorn volume, attached when `running` names a node and an instance.
pub(crate) fn longhorn_volume(
    claim: &Value,
    class: &Value,
    name: &str,
    running: Option<(&str, &str)>,
    now: Now,
) -> Value {
    let mut made = volume::longhorn_volume(claim, class, name, true, now);
    if let Some((node, vmi)) = running {
        let status = volume::attached(&made, &json!({"metadata": {"name": vmi}}), node, "", now);
        crate::world::patch::merge(&mut made["status"], &status);
    }
    made["metadata"]["namespace"] = json!(LONGHORN_NAMESPACE);
    made
}

pub(crate) use volume::replica;

/// A running instance, its status still to be filled by [`vmi_status`].
pub(crate) fn vmi(vm: &Value, node: &str, _view: &dyn View, now: Now) -> Value {
    let mut vmi = vm::build(vm, false, now);
    vmi["metadata"]["creationTimestamp"] = json!(stamp_of(now.unix_ms));
    vmi["metadata"]["labels"][instance::NODE_NAME] = json!(node);
    vmi["metadata"]["finalizers"] = json!([VM_FINALIZER, VMI_FINALIZER]);
    let at = |seconds: i64| stamp_of(now.unix_ms + seconds * 1000);
    let steps: Vec<Value> = [("Pending", 0), ("Scheduling", 1), ("Scheduled", 6), ("Running", 8)]
        .into_iter()
        .map(|(phase, seconds)| json!({"phase": phase, "phaseTransitionTimestamp": at(seconds)}))
        .collect();
    vmi["status"]["phase"] = json!("Running");
    vmi["status"]["phaseTransitionTimestamps"] = json!(steps);
    vmi["status"]["nodeName"] = json!(node);
    vmi["status"]["qosClass"] = json!("Burstable");
    vmi
}

/// Its launcher pod, running.
pub(crate) fn pod(vmi: &Value, node: &str, uid: &str, view: &dyn View, now: Now) -> Value {
    let mut pod = launcher::pod(vmi, view);
    pod["metadata"]["uid"] = json!(uid);
    pod["metadata"]["creationTimestamp"] = json!(stamp_of(now.unix_ms));
    pod["metadata"]["labels"][instance::NODE_NAME] = json!(node);
    pod["spec"]["nodeName"] = json!(node);
    let mut conditions = Vec::new();
    for kind in ["PodScheduled", "PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready"] {
        object::set_condition(&mut conditions, kind, true, "", "", now);
    }
    let (gate, told) = ("kubevirt.io/virtual-machine-unpaused", "the virtual machine is not paused");
    object::set_condition(&mut conditions, gate, true, "NotPaused", told, now);
    if let Some(text) = kubelet::network_status(&pod) {
        pod["metadata"]["annotations"][kubelet::NETWORK_STATUS] = json!(text);
    }
    let address = kubelet::pod_address(&pod);
    let image = pod["spec"]["containers"][0]["image"].clone();
    pod["status"] = json!({
        "phase": "Running", "qosClass": "Burstable", "startTime": now.stamp(), "conditions": conditions,
        "podIP": address, "podIPs": [{"ip": address}],
        "containerStatuses": [{
            "name": "compute", "image": image, "imageID": "", "ready": true, "started": true, "restartCount": 0,
            "lastState": {}, "state": {"running": {"startedAt": now.stamp()}},
        }],
    });
    pod
}

/// The status of a running instance, agent included where it has one; `pod` is its launcher. Disks must be there.
pub(crate) fn vmi_status(vmi: &Value, pod: &Value, view: &dyn View, now: Now) -> Value {
    let mut made = vmi.clone();
    let mut conditions = Vec::new();
    instance::ready_condition(vmi, Some(pod), &mut conditions, now);
    hardware::set_migratable(vmi, &mut conditions, view, now);
    if object::condition(pod, "kubevirt.io/virtual-machine-unpaused").is_some_and(|held| held["status"] == "False") {
        object::set_condition(&mut conditions, "Paused", true, "PausedByUser", "VMI was paused by user", now);
    }
    made["status"]["conditions"] = json!(conditions);
    made["status"]["migrationTransport"] = json!("Unix");
    made["status"]["launcherContainerImageVersion"] = pod["spec"]["containers"][0]["image"].clone();
    made["status"]["volumeStatus"] = object::listed(instance::volume_status(vmi, view));
    made["status"]["interfaces"] = object::listed(instance::interfaces(vmi, pod));
    let seen = made.clone();
    crate::world::patch::merge(&mut made["status"], &hardware::shown(&seen, view, now));
    let system = guest::System::of(vmi, view);
    if guest::has_agent(vmi, &system, view) {
        let report = guest::report(&made, &system, view, now);
        crate::world::patch::merge(&mut made["status"], &report);
    }
    made["status"].take()
}

/// A launcher pod whose guest is paused.
pub(crate) fn pause(pod: &mut Value, now: Now) {
    let mut conditions = object::items(pod, "/status/conditions").to_vec();
    let gate = "kubevirt.io/virtual-machine-unpaused";
    object::set_condition(&mut conditions, gate, false, "Paused", "the virtual machine is paused", now);
    let message = format!("the status of pod readiness gate \"{gate}\" is not \"True\", but False");
    object::set_condition(&mut conditions, "Ready", false, "ReadinessGatesNotReady", &message, now);
    pod["status"]["conditions"] = json!(conditions);
}

/// The status of a VM.
pub(crate) fn vm_status(vm: &Value, vmi: Option<&Value>, view: &dyn View, now: Now) -> Value {
    let mut made = json!({});
    crate::world::patch::merge(&mut made, &vm::resting_status(vm, vmi, view, now));
    made
}
