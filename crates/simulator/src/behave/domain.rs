//! virt-handler: the domain of an instance on its node, from `Scheduled` to the end.
//!
//! Owns what only the node knows: interfaces and disks as the hypervisor sees them, whether the guest can be migrated,
//! and how long it takes to go down. `Ready`, claims and pods are virt-controller's ([`super::vmi`]); what the guest says
//! about itself is [`super::guest`]'s. Invariant: a node that is down does nothing.
//!
//! Source: K `pkg/virt-handler/vm.go`, `pkg/network/setup/netstat.go`; `harvester-api.md` §1.8.

use super::node::{self, Health};
use super::object;
use super::quantity::{bytes_of, bytes_text};
use super::resources::{PVC, VMI};
use super::vm::claim_name;
use super::vmi::{MULTUS, active_pod, enter, entered, merge_into, pods_of, vmi_of_pod, with_source};
use super::{Behaviour, Now, Outcome, Role, View};
use crate::behave::resources::POD;
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
/// A guest is told once that it is to go down; later steps of the same deletion are quiet.
const TOLD: Duration = Duration::from_secs(1);

fn step(vmi: &Value, view: &dyn View, now: Now) -> Outcome {
    let phase = object::text(vmi, "/status/phase");
    if !matches!(phase, "Scheduled" | "Running") {
        return Outcome::rest();
    }
    let health = node::health(object::text(vmi, "/status/nodeName"), view);
    if health == Health::Down {
        return Outcome::rest().again(node::LOOK);
    }
    let end = goes_down(vmi, view);
    match (phase, end) {
        ("Scheduled", Some(_)) => ended(vmi, "Failed", now),
        ("Scheduled", None) => starting(vmi, health, view, now),
        (_, Some(since)) => stopping(vmi, &since, now),
        (_, None) => refresh(vmi, view, now),
    }
}

/// Since when the guest is to go down: its instance was deleted, or its launcher was told to end (which deletes, evicts
/// and drains do). A launcher passes the signal on.
fn goes_down(vmi: &Value, view: &dyn View) -> Option<String> {
    if object::is_deleting(vmi) {
        return Some(object::text(vmi, "/metadata/deletionTimestamp").to_owned());
    }
    let pods = pods_of(vmi, view);
    let pod = active_pod(vmi, &pods).filter(|pod| object::is_deleting(pod))?;
    let deadline: jiff::Timestamp = object::text(pod, "/metadata/deletionTimestamp").parse().ok()?;
    let grace = object::number(pod, "/metadata/deletionGracePeriodSeconds").unwrap_or(0);
    Some(object::stamp_of(deadline.as_millisecond().saturating_sub(grace.saturating_mul(1000))))
}

fn starting(vmi: &Value, health: Health, view: &dyn View, now: Now) -> Outcome {
    if let Some(left) = entered(vmi, "Scheduled").and_then(|since| now.until(since, DEFINE * health.slowness())) {
        return Outcome::rest().again(left);
    }
    if Fault::CrashLoop.is_in(object::name(vmi)) {
        let message = "server error. command SyncVMI failed: \"LibvirtError(Code=1, Domain=10, Message='internal error: process exited while connecting to monitor')\"";
        let told = object::event(vmi, "Warning", "SyncFailed", message, SOURCE);
        let mut outcome = ended(vmi, "Failed", now);
        outcome.effects.push(told);
        return outcome;
    }
    let mut status = enter(vmi, "Running", now);
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
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

/// What a running domain shows of its hardware.
pub(crate) fn hardware(vmi: &Value, view: &dyn View) -> Value {
    let guest = object::at(vmi, "/spec/domain/memory/guest").and_then(bytes_of).unwrap_or(0);
    let cpu = |field: &str| object::number(vmi, &format!("/spec/domain/cpu/{field}")).unwrap_or(1);
    let mut shown = json!({
        "interfaces": interfaces(vmi, view),
        "volumeStatus": volumes(vmi),
        "currentCPUTopology": {"cores": cpu("cores"), "sockets": cpu("sockets"), "threads": cpu("threads")},
        "machine": {"type": "pc-q35-rhel9.6.0"},
        "migrationMethod": if copies_disks(vmi) { "BlockMigration" } else { "LiveMigration" },
        "selinuxContext": "none",
    });
    if guest > 0 {
        shown["memory"] = json!({"guestCurrent": bytes_text(guest), "guestRequested": bytes_text(guest)});
    }
    shown
}

/// Whether a migration copies disks: some are neither claims nor read-only. Source: K `pkg/virt-handler/vm.go`
/// (`checkVolumesForMigration`).
fn copies_disks(vmi: &Value) -> bool {
    let is_read_only = |name: &Value| {
        object::items(vmi, "/spec/domain/devices/disks").iter().any(|disk| {
            disk["name"] == *name && disk.get("cdrom").is_some_and(|cdrom| cdrom["readonly"] != json!(false))
        })
    };
    object::items(vmi, "/spec/volumes")
        .iter()
        .any(|volume| claim_name(volume).is_empty() && !is_read_only(&volume["name"]))
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

/// Interfaces as the domain has them; what Multus and an agent said before is kept.
fn interfaces(vmi: &Value, view: &dyn View) -> Vec<Value> {
    let pods = pods_of(vmi, view);
    let pod = active_pod(vmi, &pods);
    let seen = object::items(vmi, "/status/interfaces");
    let wanted = object::items(vmi, "/spec/domain/devices/interfaces").iter();
    let is_pod_network = |name: &Value| {
        object::items(vmi, "/spec/networks").iter().any(|held| held["name"] == *name && held.get("pod").is_some())
    };
    let mut all: Vec<Value> = wanted
        .filter(|interface| object::text(interface, "/state") != "absent")
        .map(|interface| {
            let name = object::text(interface, "/name");
            let held = seen.iter().find(|held| held["name"] == name).cloned().unwrap_or_default();
            let said = object::text(&held, "/infoSource").to_owned();
            let has_agent = said.contains("guest-agent");
            let mut made = Map::new();
            made.insert("name".to_owned(), json!(name));
            made.insert("mac".to_owned(), json!(interface_mac(vmi, name)));
            made.insert("queueCount".to_owned(), json!(1));
            made.insert("linkState".to_owned(), json!(if interface["state"] == "down" { "down" } else { "up" }));
            let source = if has_agent { "domain, guest-agent" } else { "domain" };
            made.insert("infoSource".to_owned(), json!(with_source(source, MULTUS, said.contains(MULTUS))));
            if !held["podInterfaceName"].is_null() {
                made.insert("podInterfaceName".to_owned(), held["podInterfaceName"].clone());
            }
            if let (true, Some(pod)) = (is_pod_network(&interface["name"]), pod) {
                let address = pod["status"]["podIP"].clone();
                made.insert("ipAddress".to_owned(), address.clone());
                made.insert("ipAddresses".to_owned(), json!([address]));
            } else if has_agent {
                for field in ["ipAddress", "ipAddresses"] {
                    made.extend(held.get(field).map(|value| (field.to_owned(), value.clone())));
                }
            }
            if has_agent {
                made.extend(held.get("interfaceName").map(|value| ("interfaceName".to_owned(), value.clone())));
            }
            Value::Object(made)
        })
        .collect();
    all.sort_by_key(|interface| !is_pod_network(&interface["name"]));
    // What exists only inside the guest has no name; it stays as the agent reported it.
    all.extend(seen.iter().filter(|held| held["name"].is_null()).cloned());
    all
}

/// Disks with their device names; a disk that is plugged in becomes ready. Which volumes there are says virt-controller.
fn volumes(vmi: &Value) -> Vec<Value> {
    let mut letters: std::collections::BTreeMap<&str, u8> = std::collections::BTreeMap::new();
    let mut targets: Map<String, Value> = Map::new();
    for disk in object::items(vmi, "/spec/domain/devices/disks") {
        let bus = ["disk", "cdrom", "lun"]
            .iter()
            .find_map(|kind| disk.pointer(&format!("/{kind}/bus")))
            .and_then(Value::as_str);
        let prefix = if matches!(bus, Some("sata" | "scsi" | "usb")) { "sd" } else { "vd" };
        let letter = letters.entry(prefix).or_insert(b'a');
        targets.insert(object::text(disk, "/name").to_owned(), json!(format!("{prefix}{}", char::from(*letter))));
        *letter = (*letter + 1).min(b'z');
    }
    let is_wanted = |name: &str| object::items(vmi, "/spec/volumes").iter().any(|volume| volume["name"] == name);
    let held = object::items(vmi, "/status/volumeStatus").iter().map(|held| {
        let name = object::text(held, "/name");
        let mut status = held.clone();
        let target = targets.get(name).filter(|_| is_wanted(name)).cloned().unwrap_or_else(|| json!(""));
        let is_there = target != "";
        status["target"] = target;
        if held.get("persistentVolumeClaimInfo").is_none() {
            status["size"] = json!(1_048_576);
        }
        if held.get("hotplugVolume").is_some() {
            plug(&mut status, is_there, is_wanted(name));
        }
        status
    });
    held.collect()
}

/// Source: K `pkg/virt-handler/vm.go` (`updateHotplugVolumeStatus`).
fn plug(status: &mut Value, is_there: bool, is_wanted: bool) {
    let name = object::text(status, "/name").to_owned();
    let phase = object::text(status, "/phase").to_owned();
    let (phase, reason, message) = match (phase.as_str(), is_there, is_wanted) {
        // The attachment pod must run before its volume can be mounted.
        (_, true, true) if !object::text(status, "/hotplugVolume/attachPodUID").is_empty() => {
            ("Ready", "VolumeReady", format!("Successfully attach hotplugged volume {name} to VM"))
        }
        ("Ready" | "MountedToPod" | "Detaching", _, false) => (
            "UnMountedFromPod",
            "VolumeUnMountedFromPod",
            format!("Volume {name} has been unmounted from virt-launcher pod"),
        ),
        _ => {
            status["target"] = json!("");
            return;
        }
    };
    status["phase"] = json!(phase);
    status["reason"] = json!(reason);
    status["message"] = json!(message);
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

fn stopping(vmi: &Value, since: &str, now: Now) -> Outcome {
    let grace = object::number(vmi, "/spec/terminationGracePeriodSeconds").unwrap_or(30);
    let grace = Duration::from_secs(u64::try_from(grace).unwrap_or(0));
    let deaf = Fault::SlowStop.is_in(object::name(vmi)) || object::is_true(vmi, "Paused");
    let takes = if deaf { grace } else { SHUTDOWN.min(grace) };
    let Some(left) = now.until(since, takes) else {
        // Who had time and did not use it is destroyed; for a guest with ACPI that is a failure.
        let (phase, level, message) = match deaf && !grace.is_zero() {
            true => ("Failed", "Warning", "The VirtualMachineInstance crashed."),
            false => ("Succeeded", "Normal", "The VirtualMachineInstance was shut down."),
        };
        let mut outcome = ended(vmi, phase, now);
        if deaf || grace.is_zero() {
            outcome.effects.push(object::event(vmi, "Normal", "Deleted", "Signaled Deletion", SOURCE));
        }
        outcome.effects.push(object::event(vmi, level, "Stopped", message, SOURCE));
        return outcome;
    };
    let is_news = now.until(since, TOLD).is_some();
    let told = is_news.then(|| object::event(vmi, "Normal", "ShuttingDown", "Signaled Graceful Shutdown", SOURCE));
    Outcome::of(told).again(left)
}

/// The domain is gone: the instance is final. Its launcher exits by itself ([`super::pod::EXITS`]).
pub(crate) fn ended(vmi: &Value, phase: &str, now: Now) -> Outcome {
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    for gone in ["AgentConnected", "Paused"] {
        object::drop_condition(&mut conditions, gone);
    }
    let mut status = enter(vmi, phase, now);
    status["conditions"] = json!(conditions);
    Outcome::of(object::merge(VMI, vmi, json!({"status": status})))
}
