//! The mutating webhooks: Harvester's for VMs and images, KubeVirt's for instances and migrations.
//!
//! Invariant: mutating what was mutated before changes nothing.
//!
//! Source: H `pkg/webhook/resources/virtualmachine/mutator.go`; K `pkg/virt-api/webhooks/mutating-webhook/mutators/`;
//! `harvester-api.md` §1.5, §3.1.

use super::{Caller, Refusal};
use crate::behave::quantity::{bytes_of, bytes_text, cpu_text, millicores_of};
use crate::behave::resources::{IMAGE, NAD, PVC, VM, VMI, VMIM};
use crate::behave::{Now, Resource, View, effective_setting, object};
use serde_json::{Value, json};

const MIB: u64 = 1 << 20;
const NETWORK_KEY: &str = "network.harvesterhci.io/";
const PIN_KEY: &str = "cpumanager";

/// Runs the mutators of a kind.
pub(super) fn mutate(
    resource: Resource,
    old: Option<&Value>,
    mut new: Value,
    view: &dyn View,
    caller: &Caller,
) -> Result<Value, Refusal> {
    match resource {
        VM if !object::is_deleting(&new) => {
            vm(old, &mut new, view)?;
            machine(old, &mut new);
        }
        VMI if old.is_none() && !caller.is_kubevirt => {
            let born = object::text(&new, "/metadata/creationTimestamp").parse::<jiff::Timestamp>();
            let unix_ms = born.map_or(0, |born| born.as_millisecond());
            crate::behave::complete_instance(&mut new, Now { unix_ms, random: 0 });
        }
        VMI => instance(old, &mut new, caller),
        VMIM if old.is_none() => migration(&mut new),
        IMAGE if old.is_none() => image(&mut new),
        NAD => network(&mut new),
        PVC if old.is_none() => protect(&mut new),
        _ => {}
    }
    Ok(new)
}

/// Harvester's VM mutator.
pub(crate) fn vm(old: Option<&Value>, vm: &mut Value, view: &dyn View) -> Result<(), Refusal> {
    run_strategy(old, vm);
    if !vm["spec"]["template"]["spec"].is_object() {
        return Ok(());
    }
    cpu(vm);
    let touched = old.is_none_or(|old| {
        ["/spec/template/spec/domain", "/metadata/annotations/harvesterhci.io~1reservedMemory"]
            .into_iter()
            .any(|pointer| old.pointer(pointer) != vm.pointer(pointer))
    });
    if touched {
        guest_memory(vm, view)?;
        requests(vm, view);
    }
    network_affinity(vm, view)?;
    let spec = &mut vm["spec"]["template"]["spec"];
    if spec["terminationGracePeriodSeconds"].is_null() {
        let grace = effective_setting(view, "default-vm-termination-grace-period-seconds");
        let grace: i64 = grace.and_then(|text| text.parse().ok()).unwrap_or(120);
        spec["terminationGracePeriodSeconds"] = json!(grace);
    }
    addresses(vm, view);
    Ok(())
}

/// KubeVirt's VM mutator: architecture, machine type, and who the machine is.
///
/// Source: K `pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go`, `pkg/defaults/defaults.go`.
fn machine(old: Option<&Value>, vm: &mut Value) {
    let seed = format!("{}{}/{}", object::uid(vm), object::namespace(vm), object::name(vm));
    let spec = &mut vm["spec"]["template"]["spec"];
    if !spec.is_object() {
        return;
    }
    if spec["architecture"].as_str().is_none_or(str::is_empty) {
        spec["architecture"] = json!("amd64");
    }
    let domain = &mut spec["domain"];
    if domain["machine"]["type"].as_str().is_none_or(str::is_empty) {
        domain["machine"]["type"] = json!("q35");
    }
    if old.is_some() {
        return;
    }
    for (field, salt) in [("uuid", "u"), ("serial", "s")] {
        if domain["firmware"][field].as_str().is_none_or(str::is_empty) {
            domain["firmware"][field] = json!(crate::behave::machine_uuid(&format!("{seed}{salt}")));
        }
    }
}

/// Halted to anything gives the strategy that Harvester remembers (`harvester-api.md` §1.2).
fn run_strategy(old: Option<&Value>, vm: &mut Value) {
    let Some(old) = old else { return };
    let before = object::text(old, "/spec/runStrategy");
    let after = object::text(vm, "/spec/runStrategy");
    if before == "Halted" && after != "Halted" && !after.is_empty() {
        let kept = object::annotation(vm, "harvesterhci.io/vmRunStrategy").filter(|kept| *kept != "Halted");
        let kept = kept.unwrap_or("RerunOnFailure").to_owned();
        vm["spec"]["runStrategy"] = json!(kept);
    }
}

fn domain(vm: &Value, pointer: &str) -> Value {
    object::part(vm, &format!("/spec/template/spec/domain{pointer}"))
}

fn cpu(vm: &mut Value) {
    let hotplug = object::annotation(vm, "harvesterhci.io/enableCPUAndMemoryHotplug") == Some("true");
    let cpu = &mut vm["spec"]["template"]["spec"]["domain"]["cpu"];
    if !cpu.is_object() {
        *cpu = json!({"cores": 1, "sockets": 1, "threads": 1});
    }
    for part in ["cores", "sockets", "threads"] {
        if cpu[part].as_u64().unwrap_or(0) == 0 {
            cpu[part] = json!(1);
        }
    }
    if !hotplug {
        cpu["maxSockets"] = cpu["sockets"].clone();
    }
}

fn guest_memory(vm: &mut Value, view: &dyn View) -> Result<(), Refusal> {
    let Some(limit) = bytes_of(&domain(vm, "/resources/limits/memory")) else { return Ok(()) };
    if object::annotation(vm, "harvesterhci.io/enableCPUAndMemoryHotplug") == Some("true")
        && !domain(vm, "/memory/guest").is_null()
    {
        return Ok(());
    }
    let reserved = object::annotation(vm, "harvesterhci.io/reservedMemory").and_then(crate::behave::quantity::bytes);
    let ratio = effective_setting(view, "additional-guest-memory-overhead-ratio").unwrap_or_default();
    let ratio: f64 = ratio.parse().unwrap_or(0.0);
    let guest = match reserved {
        Some(reserved) if reserved < limit => limit - reserved,
        Some(_) => return Ok(()),
        None if ratio > 0.0 => limit,
        None => limit.saturating_sub(100 * MIB),
    };
    if guest < 10 * MIB {
        return Err(Refusal {
            webhook: "mutator.harvesterhci.io",
            ..Refusal::invalid("guest memory is under the minimum requirement of 10Mi")
        });
    }
    vm["spec"]["template"]["spec"]["domain"]["memory"]["guest"] = json!(bytes_text(guest));
    Ok(())
}

fn requests(vm: &mut Value, view: &dyn View) {
    let overcommit = effective_setting(view, "overcommit-config");
    let overcommit: Value = overcommit.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let share =
        |field: &str| overcommit.get(field).and_then(Value::as_u64).filter(|percent| *percent > 0).unwrap_or(100);
    let pinned = domain(vm, "/cpu/dedicatedCpuPlacement") == true;
    let devices = ["hostDevices", "gpus"]
        .iter()
        .any(|kind| domain(vm, &format!("/devices/{kind}")).as_array().is_some_and(|devices| !devices.is_empty()));
    let cpu_limit = millicores_of(&domain(vm, "/resources/limits/cpu"));
    let memory_limit = bytes_of(&domain(vm, "/resources/limits/memory"));
    let guest = domain(vm, "/memory/guest");
    let wanted = &mut vm["spec"]["template"]["spec"]["domain"]["resources"];
    if let Some(limit) = cpu_limit {
        let cpu = if pinned { limit } else { limit * 100 / share("cpu") };
        wanted["requests"]["cpu"] = json!(cpu_text(cpu));
    }
    if let Some(limit) = memory_limit {
        wanted["requests"]["memory"] = match (pinned, devices) {
            (true, _) => json!(bytes_text(limit)),
            (false, true) if !guest.is_null() => guest,
            _ => json!(format!("{}Mi", limit * 100 / share("memory") / MIB)),
        };
    }
}

/// One requirement for each cluster network, in every term; the old ones go first.
fn network_affinity(vm: &mut Value, view: &dyn View) -> Result<(), Refusal> {
    let mut keys: Vec<String> = Vec::new();
    for network in object::items(vm, "/spec/template/spec/networks") {
        let full = object::text(network, "/multus/networkName");
        if full.is_empty() {
            continue;
        }
        let (namespace, name) = full.split_once('/').unwrap_or((object::namespace(vm), full));
        let Some(nad) = view.get(NAD, namespace, name) else {
            return Err(Refusal {
                webhook: "mutator.harvesterhci.io",
                ..Refusal::bad_request(format!(
                    "network-attachment-definitions.k8s.cni.cncf.io \"{namespace}/{name}\" not found"
                ))
            });
        };
        if let Some(cluster_network) = object::label(&nad, "network.harvesterhci.io/clusternetwork") {
            let key = format!("{NETWORK_KEY}{cluster_network}");
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    if domain(vm, "/cpu/dedicatedCpuPlacement") == true {
        keys.push(PIN_KEY.to_owned());
    }
    let path =
        "/spec/template/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
    let mut terms = object::items(vm, path).to_vec();
    if keys.is_empty() && terms.is_empty() {
        return Ok(());
    }
    if terms.is_empty() {
        terms.push(json!({"matchExpressions": []}));
    }
    for term in &mut terms {
        let mut rules = object::items(term, "/matchExpressions").to_vec();
        rules.retain(|rule| {
            let key = object::text(rule, "/key");
            !key.starts_with(NETWORK_KEY) && key != PIN_KEY
        });
        rules.extend(keys.iter().map(|key| json!({"key": key, "operator": "In", "values": ["true"]})));
        term["matchExpressions"] = json!(rules);
    }
    terms.retain(|term| {
        !object::items(term, "/matchExpressions").is_empty() || !object::items(term, "/matchFields").is_empty()
    });
    let affinity = &mut vm["spec"]["template"]["spec"]["affinity"];
    if terms.is_empty() {
        if let Some(node) = affinity.get_mut("nodeAffinity").and_then(Value::as_object_mut) {
            node.remove("requiredDuringSchedulingIgnoredDuringExecution");
        }
        return Ok(());
    }
    affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] = json!(terms);
    Ok(())
}

/// MACs for interfaces that have none, from Harvester 1.7 on.
fn addresses(vm: &mut Value, view: &dyn View) {
    let version = effective_setting(view, "server-version").unwrap_or_default();
    if ["v1.4", "v1.5", "v1.6"].iter().any(|older| version.starts_with(older)) {
        return;
    }
    let kept: Value = object::annotation(vm, "harvesterhci.io/mac-address")
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    let seed = format!("{}{}/{}", object::uid(vm), object::namespace(vm), object::name(vm));
    let interfaces = vm.pointer_mut("/spec/template/spec/domain/devices/interfaces").and_then(Value::as_array_mut);
    for interface in interfaces.into_iter().flatten() {
        let name = object::text(interface, "/name").to_owned();
        if object::text(interface, "/macAddress").is_empty() && kept.get(&name).is_none() {
            interface["macAddress"] = json!(generated_mac(&seed, &name));
        }
    }
}

/// A locally administered unicast address.
fn generated_mac(seed: &str, interface: &str) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in seed.bytes().chain(interface.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let [a, b, c, d, e, f, ..] = hash.to_be_bytes();
    format!("{:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}", (a & 0xfe) | 0x02)
}

/// A status that others wrote into an instance is put back without a word.
fn instance(old: Option<&Value>, vmi: &mut Value, caller: &Caller) {
    if let (Some(old), false) = (old, caller.is_kubevirt)
        && old.get("status") != vmi.get("status")
    {
        vmi["status"] = object::part(old, "/status");
    }
}

fn migration(vmim: &mut Value) {
    let name = object::text(vmim, "/spec/vmiName").to_owned();
    let finalizer = crate::behave::migration_finalizer();
    vmim["metadata"]["labels"]["kubevirt.io/vmi-name"] = json!(name);
    if !object::has_finalizer(vmim, finalizer) {
        let mut all = object::items(vmim, "/metadata/finalizers").to_vec();
        all.push(json!(finalizer));
        vmim["metadata"]["finalizers"] = json!(all);
    }
}

/// Source: kubernetes `plugin/pkg/admission/storage/storageobjectinuseprotection`.
fn protect(claim: &mut Value) {
    if !object::has_finalizer(claim, crate::behave::CLAIM_PROTECTION) {
        let mut all = object::items(claim, "/metadata/finalizers").to_vec();
        all.push(json!(crate::behave::CLAIM_PROTECTION));
        claim["metadata"]["finalizers"] = json!(all);
    }
}

fn image(image: &mut Value) {
    if image["spec"]["backend"].as_str().unwrap_or_default().is_empty() {
        image["spec"]["backend"] = json!("backingimage");
    }
    if image["spec"]["retry"].is_null() {
        image["spec"]["retry"] = json!(3);
    }
    let display = image["spec"]["displayName"].clone();
    if display.is_string() {
        image["metadata"]["labels"]["harvesterhci.io/imageDisplayName"] = display;
    }
}

/// Labels of a NAD follow from its configuration.
///
/// Source: N `pkg/webhook/nad/mutator.go`; `harvester-api.md` §7.1.
fn network(nad: &mut Value) {
    let config: Value = serde_json::from_str(object::text(nad, "/spec/config")).unwrap_or_default();
    let Some(cluster_network) = object::text(&config, "/bridge").strip_suffix("-br").map(str::to_owned) else { return };
    let vlan = config.get("vlan").and_then(Value::as_u64).filter(|vlan| *vlan > 0);
    let trunk = config.get("vlanTrunk").and_then(Value::as_array).is_some_and(|trunk| !trunk.is_empty());
    let kind = match (vlan, trunk) {
        (Some(_), _) => "L2VlanNetwork",
        (None, true) => "L2VlanTrunkNetwork",
        (None, false) => "UntaggedNetwork",
    };
    let labels = &mut nad["metadata"]["labels"];
    for (key, value) in
        [("network.harvesterhci.io/clusternetwork", cluster_network), ("network.harvesterhci.io/type", kind.to_owned())]
    {
        if labels[key].is_null() {
            labels[key] = json!(value);
        }
    }
    if let (Some(vlan), true) = (vlan, labels["network.harvesterhci.io/vlan-id"].is_null()) {
        labels["network.harvesterhci.io/vlan-id"] = json!(vlan.to_string());
    }
}
