//! The `VirtualMachineInstance` that a VM's template describes.
//!
//! Source: K `pkg/virt-controller/watch/vm/vm.go` (`setupVMIFromVM`), `pkg/virt-api/webhooks/mutating-webhook/mutators/vmi-mutator.go`.

use super::{VM_FINALIZER, VMI_FINALIZER};
use crate::behave::Now;
use crate::behave::object::{self, controlled_by};
use serde_json::{Map, Value, json};

/// Builds the instance; Harvester's copy of the VM's labels is included (`harvester-api.md` §1.5).
pub(crate) fn build(vm: &Value, paused: bool, now: Now) -> Value {
    let template = &vm["spec"]["template"];
    let mut labels = strings(vm, "/metadata/labels");
    labels.extend(strings(template, "/metadata/labels"));
    let mut annotations = strings(template, "/metadata/annotations");
    for (key, value) in [
        ("kubevirt.io/latest-observed-api-version", "v1".to_owned()),
        ("kubevirt.io/storage-observed-api-version", "v1".to_owned()),
        ("kubevirt.io/vm-generation", object::number(vm, "/metadata/generation").unwrap_or(1).to_string()),
    ] {
        annotations.insert(key.to_owned(), json!(value));
    }
    let mut spec = template["spec"].clone();
    complete(&mut spec, object::uid(vm));
    if paused {
        spec["startStrategy"] = json!("Paused");
    }
    let boot = memory_at_boot(&spec);
    let count = |field: &str| spec["domain"]["cpu"][field].as_i64().unwrap_or(1);
    let topology = json!({"cores": count("cores"), "sockets": count("sockets"), "threads": count("threads")});
    json!({
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstance",
        "metadata": {
            "name": object::name(vm),
            "namespace": object::namespace(vm),
            "labels": labels,
            "annotations": annotations,
            "ownerReferences": [controlled_by(vm)],
            "finalizers": [VM_FINALIZER, VMI_FINALIZER],
        },
        "spec": spec,
        "status": {
            "phase": "Pending",
            "phaseTransitionTimestamps": [{"phase": "Pending", "phaseTransitionTimestamp": now.stamp()}],
            "conditions": [{
                "type": "Ready", "status": "False", "reason": "GuestNotRunning",
                "message": "Guest VM is not reported as running",
                "lastProbeTime": now.stamp(), "lastTransitionTime": now.stamp(),
            }],
            "guestOSInfo": {},
            "runtimeUser": 107,
            "memory": boot,
            "currentCPUTopology": topology,
            "virtualMachineRevisionName": format!("revision-start-vm-{}-{}", object::uid(vm), object::number(vm, "/metadata/generation").unwrap_or(1)),
        },
    })
}

/// What virt-api notes of the memory when an instance is created. Source: K `pkg/defaults/defaults.go`.
fn memory_at_boot(spec: &Value) -> Value {
    let guest = spec["domain"]["memory"]["guest"].clone();
    if guest.is_null() { Value::Null } else { json!({"guestAtBoot": guest, "guestRequested": guest}) }
}

fn strings(object: &Value, pointer: &str) -> Map<String, Value> {
    object.pointer(pointer).and_then(Value::as_object).cloned().unwrap_or_default()
}

/// What KubeVirt fills in when the template leaves it out.
fn complete(spec: &mut Value, seed: &str) {
    fill(spec, "architecture", json!("amd64"));
    fill(&mut spec["domain"], "firmware", json!({}));
    fill(&mut spec["domain"]["firmware"], "uuid", json!(uuid_of(seed)));
    fill(&mut spec["domain"], "machine", json!({}));
    let machine = &mut spec["domain"]["machine"];
    if machine["type"].as_str().is_none_or(str::is_empty) {
        machine["type"] = json!("q35");
    }
    fill(&mut spec["domain"], "cpu", json!({"cores": 1, "sockets": 1, "threads": 1}));
    fill(&mut spec["domain"]["cpu"], "model", json!("host-model"));
    fill(spec, "terminationGracePeriodSeconds", json!(120));
}

fn fill(object: &mut Value, field: &str, value: Value) {
    if object[field].is_null() {
        object[field] = value;
    }
}

/// A stable firmware UUID for a VM, made from its uid.
fn uuid_of(seed: &str) -> String {
    let mut high: u64 = 0xcbf2_9ce4_8422_2325;
    let mut low: u64 = 0x8422_2325_cbf2_9ce4;
    for byte in seed.bytes() {
        high = (high ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        low = (low ^ high.rotate_left(17)).wrapping_mul(0x0100_0000_01b3);
    }
    uuid::Builder::from_custom_bytes((u128::from(high) << 64 | u128::from(low)).to_be_bytes()).into_uuid().to_string()
}
