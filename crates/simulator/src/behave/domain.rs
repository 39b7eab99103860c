//! virt-handler: the domain of an instance on its node, from `Scheduled` to the end.
//!
//! Owns what only the node knows: interfaces and disks as the hypervisor sees them, whether the guest can be migrated,
//! and how long it takes to go down. What the guest says about itself is [`super::guest`]'s.
//!
//! Source: K `pkg/virt-handler/vm.go`, `pkg/network/setup/netstat.go`; `harvester-api.md` §1.8.

use super::object;
use super::quantity::{bytes_of, bytes_text};
use super::resources::{POD, PVC, VMI};
use super::vm::claim_name;
use super::vmi::{self, active_pod, enter, entered, pods_of, vmi_of_pod};
use super::{Behaviour, Effect, Now, Outcome, Role, View};
use crate::scenario::fault::Fault;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The node agent's view of instances.
pub(crate) const DOMAIN: Behaviour =
    Behaviour { name: "domain", role: Role::VirtHandler, on: VMI, wakes: &[(POD, vmi_of_pod)], step };

const SOURCE: &str = "virt-handler";
/// From `Scheduled` to a defined and started domain.
const DEFINE: Duration = Duration::from_secs(2);
/// How long a guest takes to go down when asked.
const SHUTDOWN: Duration = Duration::from_secs(4);

fn step(vmi: &Value, view: &dyn View, now: Now) -> Outcome {
    match object::text(vmi, "/status/phase") {
        "Scheduled" if object::is_deleting(vmi) => ended(vmi, "Failed", view, now),
        "Scheduled" => starting(vmi, view, now),
        "Running" if object::is_deleting(vmi) => stopping(vmi, view, now),
        "Running" => refresh(vmi, view, now),
        _ => Outcome::rest(),
    }
}

fn starting(vmi: &Value, view: &dyn View, now: Now) -> Outcome {
    if let Some(left) = entered(vmi, "Scheduled").and_then(|since| now.until(since, DEFINE)) {
        return Outcome::rest().again(left);
    }
    if Fault::CrashLoop.is_in(object::name(vmi)) {
        let message = "server error. command SyncVMI failed: \"LibvirtError(Code=1, Domain=10, Message='internal error: process exited while connecting to monitor')\"";
        let told = object::event(vmi, "Warning", "SyncFailed", message, SOURCE);
        let mut outcome = ended(vmi, "Failed", view, now);
        outcome.effects.push(told);
        return outcome;
    }
    let mut status = enter(vmi, "Running", now);
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    object::set_condition(&mut conditions, "Ready", true, "", "", now);
    object::drop_condition(&mut conditions, "Synchronized");
    if object::text(vmi, "/spec/startStrategy") == "Paused" {
        object::set_condition(&mut conditions, "Paused", true, "PausedByUser", "VMI was paused by user", now);
    }
    set_migratable(vmi, &mut conditions, view, now);
    status["conditions"] = json!(conditions);
    merge_into(&mut status, hardware(vmi, view));
    let effects = [
        object::merge(VMI, vmi, json!({"status": status})),
        Some(object::event(vmi, "Normal", "Created", "VirtualMachineInstance defined.", SOURCE)),
        Some(object::event(vmi, "Normal", "Started", "VirtualMachineInstance started.", SOURCE)),
    ];
    Outcome::of(effects.into_iter().flatten())
}

fn merge_into(status: &mut Value, more: Value) {
    if let (Some(held), Value::Object(more)) = (status.as_object_mut(), more) {
        held.extend(more);
    }
}

/// What a running domain shows of its hardware.
pub(crate) fn hardware(vmi: &Value, view: &dyn View) -> Value {
    let guest = object::at(vmi, "/spec/domain/memory/guest").and_then(bytes_of).unwrap_or(0);
    let cpu = |field: &str| object::number(vmi, &format!("/spec/domain/cpu/{field}")).unwrap_or(1);
    let memory = json!(bytes_text(guest));
    let boot = object::at(vmi, "/status/memory/guestAtBoot").cloned().unwrap_or_else(|| memory.clone());
    json!({
        "interfaces": interfaces(vmi, view),
        "volumeStatus": volumes(vmi, view),
        "memory": {"guestAtBoot": boot, "guestCurrent": memory, "guestRequested": memory},
        "currentCPUTopology": {"cores": cpu("cores"), "sockets": cpu("sockets"), "threads": cpu("threads")},
        "machine": {"type": "pc-q35-rhel9.6.0"},
        "migrationMethod": "LiveMigration",
        "migrationTransport": "Unix",
        "virtualMachineRevisionName": format!("revision-start-vm-{}-{}", object::uid(vmi), object::annotation(vmi, "kubevirt.io/vm-generation").unwrap_or("1")),
        "selinuxContext": "none",
    })
}

/// The MAC of an interface: the spec's, else one that follows from the instance.
pub(crate) fn interface_mac(vmi: &Value, name: &str) -> String {
    let stated = object::items(vmi, "/spec/domain/devices/interfaces")
        .iter()
        .find(|interface| interface["name"] == name)
        .map(|interface| object::text(interface, "/macAddress"))
        .unwrap_or_default();
    if !stated.is_empty() {
        return stated.to_ascii_lowercase().replace('-', ":");
    }
    let mut hash: u32 = 0x811c_9dc5;
    for byte in object::uid(vmi).bytes().chain(name.bytes()) {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    let [_, a, b, c] = hash.to_be_bytes();
    format!("52:54:00:{a:02x}:{b:02x}:{c:02x}")
}

/// Interfaces as domain and Multus know them; what an agent added before is kept.
fn interfaces(vmi: &Value, view: &dyn View) -> Vec<Value> {
    let pods = pods_of(vmi, view);
    let pod = active_pod(vmi, &pods);
    let seen = object::items(vmi, "/status/interfaces");
    let wanted = object::items(vmi, "/spec/domain/devices/interfaces").iter().enumerate();
    let mut all: Vec<Value> = wanted
        .filter(|(_, interface)| object::text(interface, "/state") != "absent")
        .map(|(at, interface)| {
            let name = object::text(interface, "/name");
            let mac = interface_mac(vmi, name);
            let network = object::items(vmi, "/spec/networks").iter().find(|network| network["name"] == name);
            let is_pod_network = network.is_some_and(|network| network.get("pod").is_some());
            let mut made = Map::new();
            made.insert("name".to_owned(), json!(name));
            made.insert("mac".to_owned(), json!(mac));
            made.insert("queueCount".to_owned(), json!(1));
            made.insert("linkState".to_owned(), json!(if interface["state"] == "down" { "down" } else { "up" }));
            let source = if is_pod_network { "domain" } else { "domain, multus-status" };
            made.insert("infoSource".to_owned(), json!(source));
            let pod_interface =
                if is_pod_network { "eth0".to_owned() } else { super::launcher::pod_interface(name, at) };
            made.insert("podInterfaceName".to_owned(), json!(pod_interface));
            if let (true, Some(pod)) = (is_pod_network, pod) {
                let address = pod["status"]["podIP"].clone();
                made.insert("ipAddress".to_owned(), address.clone());
                made.insert("ipAddresses".to_owned(), json!([address]));
            }
            if let Some(Value::Object(held)) =
                seen.iter().find(|held| held["mac"] == mac.as_str() && held["name"] == name)
            {
                let agent_said = object::text(&seen_value(held), "/infoSource").contains("guest-agent");
                if agent_said && !is_pod_network {
                    for field in ["ipAddress", "ipAddresses", "interfaceName", "infoSource"] {
                        if let Some(value) = held.get(field) {
                            made.insert(field.to_owned(), value.clone());
                        }
                    }
                } else if agent_said {
                    made.insert("interfaceName".to_owned(), held.get("interfaceName").cloned().unwrap_or_default());
                    made.insert("infoSource".to_owned(), json!("domain, guest-agent"));
                }
            }
            Value::Object(made)
        })
        .collect();
    // What exists only inside the guest has no name; it stays as the agent reported it.
    all.extend(seen.iter().filter(|held| held["name"].is_null()).cloned());
    all
}

fn seen_value(held: &Map<String, Value>) -> Value {
    json!({"infoSource": held.get("infoSource")})
}

/// Disks with their device names; hot-plugged ones with their attachment.
fn volumes(vmi: &Value, view: &dyn View) -> Vec<Value> {
    let mut letters: std::collections::BTreeMap<&str, u8> = std::collections::BTreeMap::new();
    let disks = object::items(vmi, "/spec/domain/devices/disks");
    let volumes = object::items(vmi, "/spec/volumes");
    let mut made: Vec<Value> = Vec::new();
    for disk in disks {
        let bus = ["disk", "cdrom", "lun"]
            .iter()
            .find_map(|kind| disk.pointer(&format!("/{kind}/bus")))
            .and_then(Value::as_str);
        let prefix = if matches!(bus, Some("sata" | "scsi" | "usb")) { "sd" } else { "vd" };
        let letter = letters.entry(prefix).or_insert(b'a');
        let target = format!("{prefix}{}", char::from(*letter));
        *letter = (*letter + 1).min(b'z');
        let Some(volume) = volumes.iter().find(|volume| volume["name"] == disk["name"]) else { continue };
        made.push(volume_status(vmi, volume, &target, view));
    }
    made
}

fn volume_status(vmi: &Value, volume: &Value, target: &str, view: &dyn View) -> Value {
    let mut status = json!({"name": volume["name"], "target": target});
    let claim = claim_name(volume);
    if claim.is_empty() {
        status["size"] = json!(1_048_576);
        return status;
    }
    if let Some(held) = view.get(PVC, object::namespace(vmi), claim) {
        status["persistentVolumeClaimInfo"] = json!({
            "claimName": claim,
            "accessModes": held["spec"]["accessModes"],
            "volumeMode": held["spec"]["volumeMode"],
            "capacity": held["status"]["capacity"],
            "requests": held["spec"]["resources"]["requests"],
            "filesystemOverhead": "0",
        });
    }
    if is_hotplugged(volume) {
        status["phase"] = json!("Ready");
        status["reason"] = json!("VolumeReady");
        status["message"] =
            json!(format!("Successfully attach hotplugged volume {} to VM", object::text(volume, "/name")));
        status["hotplugVolume"] = json!({"attachPodName": format!("hp-volume-{}", object::text(volume, "/name")), "attachPodUID": object::uid(vmi)});
    }
    status
}

/// Whether a volume was plugged into a running guest.
pub(crate) fn is_hotplugged(volume: &Value) -> bool {
    object::flag(volume, "/persistentVolumeClaim/hotpluggable") || object::flag(volume, "/dataVolume/hotpluggable")
}

/// Writes `LiveMigratable` and `StorageLiveMigratable`.
///
/// Source: K `pkg/virt-handler/vm.go` (`calculateLiveMigrationCondition`); `harvester-api.md` §1.8, §8.8.
pub(crate) fn set_migratable(vmi: &Value, conditions: &mut Vec<Value>, view: &dyn View, now: Now) {
    match migration_obstacle(vmi, view) {
        Some((reason, message)) => {
            object::set_condition(conditions, "LiveMigratable", false, reason, &message, now);
            let storage_can = reason == "DisksNotLiveMigratable";
            object::set_condition(
                conditions,
                "StorageLiveMigratable",
                storage_can,
                if storage_can { "" } else { reason },
                "",
                now,
            );
        }
        None => {
            object::set_condition(conditions, "LiveMigratable", true, "", "", now);
            object::set_condition(conditions, "StorageLiveMigratable", true, "", "", now);
        }
    }
}

fn migration_obstacle(vmi: &Value, view: &dyn View) -> Option<(&'static str, String)> {
    let not_shared =
        object::items(vmi, "/spec/volumes").iter().map(claim_name).filter(|claim| !claim.is_empty()).find(|claim| {
            view.get(PVC, object::namespace(vmi), claim).is_some_and(|held| {
                !object::items(&held, "/spec/accessModes").iter().any(|mode| mode == "ReadWriteMany")
            })
        });
    if let Some(claim) = not_shared {
        return Some((
            "DisksNotLiveMigratable",
            format!(
                "cannot migrate VMI: PVC {claim} is not shared, live migration requires that all PVCs must be shared (using ReadWriteMany access mode)"
            ),
        ));
    }
    let pod_network = object::items(vmi, "/spec/networks").iter().find(|network| network.get("pod").is_some());
    let is_bridge = |name: &Value| {
        object::items(vmi, "/spec/domain/devices/interfaces")
            .iter()
            .any(|interface| interface["name"] == *name && interface.get("bridge").is_some())
    };
    let allowed = object::annotation(vmi, "kubevirt.io/allow-pod-bridge-network-live-migration").is_some();
    if pod_network.is_some_and(|network| is_bridge(&network["name"])) && !allowed {
        let message = "cannot migrate VMI which does not use masquerade, bridge with kubevirt.io/allow-pod-bridge-network-live-migration VM annotation or a migratable plugin to connect to the pod network";
        return Some(("InterfaceNotLiveMigratable", message.to_owned()));
    }
    let has_device = !object::items(vmi, "/spec/domain/devices/hostDevices").is_empty();
    has_device.then(|| ("HostDeviceNotLiveMigratable", "VMI uses a PCI host devices".to_owned()))
}

fn refresh(vmi: &Value, view: &dyn View, now: Now) -> Outcome {
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    set_migratable(vmi, &mut conditions, view, now);
    let mut status = hardware(vmi, view);
    status["conditions"] = json!(conditions);
    Outcome::of(object::merge(VMI, vmi, json!({"status": status})))
}

fn stopping(vmi: &Value, view: &dyn View, now: Now) -> Outcome {
    let grace = object::number(vmi, "/spec/terminationGracePeriodSeconds").unwrap_or(30);
    let grace = Duration::from_secs(u64::try_from(grace).unwrap_or(0));
    let deaf = Fault::SlowStop.is_in(object::name(vmi)) || object::is_true(vmi, "Paused");
    let takes = if deaf { grace } else { SHUTDOWN.min(grace) };
    let left = now.until(object::text(vmi, "/metadata/deletionTimestamp"), takes);
    let Some(left) = left else {
        let mut outcome = ended(vmi, "Succeeded", view, now);
        let (reason, message) = match deaf || grace.is_zero() {
            true => ("Killing", "Signaled Deletion"),
            false => ("Stopped", "The VirtualMachineInstance was shut down."),
        };
        outcome.effects.push(object::event(vmi, "Normal", reason, message, SOURCE));
        return outcome;
    };
    if object::condition(vmi, "Ready").is_some_and(|held| held["reason"] == "PodTerminating") {
        return Outcome::rest().again(left);
    }
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    object::set_condition(&mut conditions, "Ready", false, "PodTerminating", "virt-launcher pod is terminating", now);
    let patch = object::merge(VMI, vmi, json!({"status": {"conditions": conditions}}));
    let told = object::event(vmi, "Normal", "ShuttingDown", "Signaled Graceful Shutdown", SOURCE);
    Outcome::of(patch.into_iter().chain([told])).again(left)
}

/// The domain is gone: the instance is final and its launcher has exited.
pub(crate) fn ended(vmi: &Value, phase: &str, view: &dyn View, now: Now) -> Outcome {
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    object::set_condition(
        &mut conditions,
        "Ready",
        false,
        "GuestNotRunning",
        "Guest VM is not reported as running",
        now,
    );
    for gone in ["AgentConnected", "Paused", "LiveMigratable", "StorageLiveMigratable"] {
        object::drop_condition(&mut conditions, gone);
    }
    let mut status = enter(vmi, phase, now);
    status["conditions"] = json!(conditions);
    status["activePods"] = Value::Null;
    let pods = pods_of(vmi, view);
    let exit = if phase == "Failed" { 1 } else { 0 };
    let exits = pods.iter().filter(|pod| object::text(pod, "/status/phase") == "Running").filter_map(|pod| {
        let mut pod_conditions = object::items(pod, "/status/conditions").to_vec();
        for kind in ["ContainersReady", "Ready"] {
            object::set_condition(&mut pod_conditions, kind, false, "PodCompleted", "", now);
        }
        let mut containers = object::items(pod, "/status/containerStatuses").to_vec();
        for container in &mut containers {
            container["ready"] = json!(false);
            container["started"] = json!(false);
            container["state"] = json!({"terminated": {"exitCode": exit, "reason": if exit == 0 { "Completed" } else { "Error" }, "finishedAt": now.stamp()}});
        }
        let phase = if exit == 0 { "Succeeded" } else { "Failed" };
        object::merge_status(POD, pod, json!({"phase": phase, "conditions": pod_conditions, "containerStatuses": containers}))
    });
    let effects: Vec<Effect> = object::merge(VMI, vmi, json!({"status": status})).into_iter().chain(exits).collect();
    debug_assert!(vmi::is_final(&json!({"status": {"phase": phase}})), "an ended domain leaves a final phase");
    Outcome::of(effects)
}
