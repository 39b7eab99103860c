//! The `VirtualMachineInstance` that a VM's template describes.
//!
//! Source: K `pkg/virt-controller/watch/vm/vm.go` (`setupVMIFromVM`), `pkg/virt-api/webhooks/mutating-webhook/mutators/vmi-mutator.go`.

use super::{VM_FINALIZER, VMI_FINALIZER};
use crate::behave::Now;
use crate::behave::object::{self, controlled_by};
use crate::behave::quantity::{bytes_of, bytes_text, millicores_of};
use serde_json::{Map, Value, json};

/// Sockets and memory may be plugged in up to so many times what there is. Source: K `virt-config.go`.
const PLUG_RATIO: i64 = 4;
/// The most virtual processors that sockets may grow to by themselves.
const MOST_CPUS: i64 = 512;

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
    if spec["domain"]["firmware"]["uuid"].as_str().is_none_or(str::is_empty) {
        spec["domain"]["firmware"]["uuid"] = json!(uuid_of(object::name(vm)));
    }
    if super::dump::is_over(vm)
        && let Some(volumes) = spec["volumes"].as_array_mut()
    {
        volumes.retain(|volume| volume.get("memoryDump").is_none());
    }
    if paused {
        spec["startStrategy"] = json!("Paused");
    }
    let mut vmi = json!({
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstance",
        "metadata": {
            "name": object::name(vm),
            "namespace": object::namespace(vm),
            "labels": labels,
            "annotations": annotations,
            "ownerReferences": [controlled_by(vm)],
            "finalizers": [VM_FINALIZER],
        },
        "spec": spec,
        "status": {
            "conditions": [{
                "type": "Ready", "status": "False", "reason": "GuestNotRunning",
                "message": "Guest VM is not reported as running",
                "lastProbeTime": now.stamp(), "lastTransitionTime": now.stamp(),
            }],
            "guestOSInfo": {},
            "virtualMachineRevisionName": format!("revision-start-vm-{}-{}", object::uid(vm), object::number(vm, "/metadata/generation").unwrap_or(1)),
        },
    });
    complete_instance(&mut vmi, now);
    vmi
}

fn strings(object: &Value, pointer: &str) -> Map<String, Value> {
    object.pointer(pointer).and_then(Value::as_object).cloned().unwrap_or_default()
}

/// What KubeVirt fills into a VM's template before it judges it, and again when the instance is created.
///
/// Source: K `pkg/defaults/defaults.go` (`SetDefaultVirtualMachineInstanceSpec`), with Harvester's configuration.
pub(crate) fn complete_template(spec: &mut Value) {
    if !spec.is_object() {
        return;
    }
    fill(spec, "architecture", json!("amd64"));
    let domain = &mut spec["domain"];
    fill(domain, "machine", json!({}));
    if domain["machine"]["type"].as_str().is_none_or(str::is_empty) {
        domain["machine"]["type"] = json!("q35");
    }
    let of = |kind: &str, part: &str, domain: &Value| object::part(domain, &format!("/resources/{kind}/{part}"));
    let (cpu_limit, cpu_request) = (of("limits", "cpu", domain), of("requests", "cpu", domain));
    if !cpu_limit.is_null() && cpu_request.is_null() {
        domain["resources"]["requests"]["cpu"] = cpu_limit.clone();
    }
    if domain.pointer("/memory/guest").is_none_or(Value::is_null) {
        let pages = object::part(domain, "/memory/hugepages/pageSize");
        let known = [of("requests", "memory", domain), of("limits", "memory", domain), pages];
        fill(domain, "memory", json!({}));
        if let Some(memory) = known.into_iter().find(|held| !held.is_null()) {
            domain["memory"]["guest"] = memory;
        }
    }
    let is_shaped = ["cores", "sockets", "threads"]
        .iter()
        .any(|part| object::number(domain, &format!("/cpu/{part}")).is_some_and(|count| count > 0));
    if !is_shaped {
        let asked = if cpu_limit.is_null() { cpu_request } else { cpu_limit };
        fill(domain, "cpu", json!({}));
        let sockets = millicores_of(&asked).map_or(1, |cpu| cpu.div_ceil(1000));
        for (part, count) in [("sockets", sockets), ("cores", 1), ("threads", 1)] {
            domain["cpu"][part] = json!(count);
        }
    }
    let attaches = domain.pointer("/devices/autoattachPodInterface") != Some(&Value::Bool(false));
    let has_network =
        !object::items(domain, "/devices/interfaces").is_empty() || !object::items(spec, "/networks").is_empty();
    if attaches && !has_network {
        spec["domain"]["devices"]["interfaces"] = json!([{"name": "default", "bridge": {}}]);
        spec["networks"] = json!([{"name": "default", "pod": {}}]);
    }
    let is_device = |name: &Value, spec: &Value| {
        ["disks", "filesystems"].iter().any(|kind| {
            object::items(spec, &format!("/domain/devices/{kind}")).iter().any(|device| device["name"] == *name)
        })
    };
    let bare: Vec<Value> = object::items(spec, "/volumes")
        .iter()
        .filter(|volume| !is_device(&volume["name"], spec))
        .map(|volume| json!({"name": volume["name"]}))
        .collect();
    if !bare.is_empty() {
        let disks = object::items(spec, "/domain/devices/disks").iter().cloned().chain(bare).collect::<Vec<_>>();
        spec["domain"]["devices"]["disks"] = json!(disks);
    }
}

/// What KubeVirt fills into an instance when it is created, whoever does it.
///
/// Source: K `pkg/virt-api/webhooks/mutating-webhook/mutators/vmi-mutator.go`, `pkg/defaults/{defaults,amd64}.go`.
pub(crate) fn complete_instance(vmi: &mut Value, now: Now) {
    let seed = format!("{}{}/{}", object::uid(vmi), object::namespace(vmi), object::name(vmi));
    let spec = &mut vmi["spec"];
    complete_template(spec);
    let domain = &mut spec["domain"];
    fill(domain, "features", json!({}));
    fill(domain, "firmware", json!({}));
    fill(&mut domain["firmware"], "uuid", json!(uuid_of(&seed)));
    fill(&mut domain["cpu"], "model", json!("host-model"));
    for part in ["cores", "sockets", "threads"] {
        fill(&mut domain["cpu"], part, json!(1));
    }
    let disks = domain.pointer_mut("/devices/disks").and_then(Value::as_array_mut);
    for disk in disks.into_iter().flatten() {
        let kind = ["disk", "cdrom", "lun"].into_iter().find(|kind| disk[*kind].is_object()).unwrap_or("disk");
        fill(disk, kind, json!({}));
        fill(&mut disk[kind], "bus", json!("sata"));
    }
    let count = |field: &str, domain: &Value| object::number(domain, &format!("/cpu/{field}")).unwrap_or(1).max(1);
    if object::number(domain, "/cpu/maxSockets").unwrap_or(0) == 0 {
        let each = count("cores", domain) * count("threads", domain);
        let sockets = count("sockets", domain);
        let most = if sockets * PLUG_RATIO * each > MOST_CPUS {
            (MOST_CPUS / each).max(sockets)
        } else {
            sockets * PLUG_RATIO
        };
        domain["cpu"]["maxSockets"] = json!(most);
    }
    let guest = domain["memory"]["guest"].clone();
    if domain["memory"]["maxGuest"].is_null()
        && let Some(bytes) = bytes_of(&guest)
    {
        let most = bytes * PLUG_RATIO.unsigned_abs();
        if crate::admission::growth_fault(spec, most as f64).is_none() {
            spec["domain"]["memory"]["maxGuest"] = json!(bytes_text(most));
        }
    }
    let domain = &vmi["spec"]["domain"];
    let topology = json!({
        "cores": count("cores", domain), "sockets": count("sockets", domain), "threads": count("threads", domain),
    });
    let memory = json!({"guestAtBoot": guest, "guestCurrent": guest, "guestRequested": guest});
    let mut finalizers = object::items(vmi, "/metadata/finalizers").to_vec();
    if !finalizers.iter().any(|held| held == VMI_FINALIZER) {
        finalizers.push(json!(VMI_FINALIZER));
    }
    vmi["metadata"]["finalizers"] = json!(finalizers);
    let status = &mut vmi["status"];
    status["phase"] = json!("Pending");
    status["phaseTransitionTimestamps"] = json!([{"phase": "Pending", "phaseTransitionTimestamp": now.stamp()}]);
    status["currentCPUTopology"] = topology;
    status["runtimeUser"] = json!(107);
    if !guest.is_null() {
        status["memory"] = memory;
    }
}

fn fill(object: &mut Value, field: &str, value: Value) {
    if object[field].is_null() {
        object[field] = value;
    }
}

/// A UUID that follows from a text.
pub(crate) fn uuid_of(seed: &str) -> String {
    let mut high: u64 = 0xcbf2_9ce4_8422_2325;
    let mut low: u64 = 0x8422_2325_cbf2_9ce4;
    for byte in seed.bytes() {
        high = (high ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        low = (low ^ high.rotate_left(17)).wrapping_mul(0x0100_0000_01b3);
    }
    uuid::Builder::from_custom_bytes((u128::from(high) << 64 | u128::from(low)).to_be_bytes()).into_uuid().to_string()
}
