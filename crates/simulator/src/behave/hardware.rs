//! The machine that virt-handler sees: interfaces and disks as the hypervisor has them, and whether it can be moved.
//!
//! Invariant: which volumes and Multus interfaces there are says virt-controller; what the agent said stays until the
//! agent says otherwise.
//!
//! Source: K `pkg/virt-handler/vm.go`, `pkg/network/setup/netstat.go`; `harvester-api.md` §1.8.

use super::object;
use super::quantity::{bytes_of, bytes_text};
use super::resources::PVC;
use super::vm::claim_name;
use super::vmi::{MULTUS, active_pod, pods_of, with_source};
use super::{Now, View};
use serde_json::{Map, Value, json};

/// What a running domain shows of its hardware.
pub(crate) fn shown(vmi: &Value, view: &dyn View, now: Now) -> Value {
    let guest = object::at(vmi, "/spec/domain/memory/guest").and_then(bytes_of).unwrap_or(0);
    let cpu = |field: &str| object::number(vmi, &format!("/spec/domain/cpu/{field}")).unwrap_or(1);
    let mut made = json!({
        "interfaces": object::listed(interfaces(vmi, view)),
        "volumeStatus": object::listed(volumes(vmi, now)),
        "currentCPUTopology": {"cores": cpu("cores"), "sockets": cpu("sockets"), "threads": cpu("threads")},
        "machine": {"type": "pc-q35-rhel9.6.0"},
        "migrationMethod": if copies_disks(vmi) { "BlockMigration" } else { "LiveMigration" },
        "selinuxContext": "none",
    });
    if guest > 0 {
        made["memory"] = json!({"guestCurrent": bytes_text(guest), "guestRequested": bytes_text(guest)});
    }
    made
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
fn volumes(vmi: &Value, now: Now) -> Vec<Value> {
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
        if held.get("memoryDumpVolume").is_some() && is_wanted(name) {
            dump(vmi, &mut status, now);
        } else if held.get("hotplugVolume").is_some() {
            plug(&mut status, is_there, is_wanted(name));
        }
        status
    });
    held.collect()
}

/// Memory is written as soon as the claim is mounted, once.
///
/// Source: K `pkg/virt-handler/vm.go` (`updateMemoryDumpInfo`, `needToComputeMemoryDump`).
fn dump(vmi: &Value, status: &mut Value, now: Now) {
    let is_attached = !object::text(status, "/hotplugVolume/attachPodUID").is_empty();
    if !is_attached || status["phase"] == "MemoryDumpCompleted" {
        return;
    }
    let name = object::text(status, "/name").to_owned();
    status["target"] = json!("");
    status["phase"] = json!("MemoryDumpCompleted");
    status["reason"] = json!("VolumeReady");
    status["message"] = json!(format!("Memory dump Volume {name} has been completed"));
    status["memoryDumpVolume"] = json!({
        "claimName": name, "startTimestamp": now.stamp(), "endTimestamp": now.stamp(),
        "targetFileName": format!("{}-{name}-{}.memory.dump", object::name(vmi), now.stamp().replace([':', '-'], "")),
    });
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
        ("Ready" | "MountedToPod" | "Detaching" | "MemoryDumpCompleted", _, false) => (
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
