//! Disks, volumes and what a VM says of DataVolumes.
//!
//! Source: K `pkg/storage/admitters/{disks,data-volume-template}.go`, `validateVolumes` and `validateBootOrder` of
//! `vmi-create-admitter.go`.

use super::super::cause::{Causes, label_faults};
use crate::behave::object;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::collections::BTreeSet;

/// Inline cloud-init data may be so long.
const INLINE_LIMIT: usize = 2048;
const SERIAL_LIMIT: usize = 256;
const BLOCK_SIZES: std::ops::RangeInclusive<u64> = 512..=2_097_152;
const SOURCES: &[&str] = &[
    "persistentVolumeClaim",
    "sysprep",
    "cloudInitNoCloud",
    "cloudInitConfigDrive",
    "containerDisk",
    "ephemeral",
    "emptyDisk",
    "hostDisk",
    "dataVolume",
    "configMap",
    "secret",
    "downwardAPI",
    "serviceAccount",
    "downwardMetrics",
    "memoryDump",
];

fn has(held: &Value, key: &str) -> bool {
    held.get(key).is_some_and(|value| !value.is_null())
}

/// The kind of device that a disk is, and its bus.
fn target(disk: &Value) -> Option<(&'static str, &str)> {
    let kind = ["disk", "lun", "cdrom"].into_iter().find(|kind| has(disk, kind))?;
    Some((kind, object::text(&disk[kind], "/bus")))
}

/// Disks without a volume, and a place in the boot order that two devices want.
pub(super) fn boot_order(spec: &Value, at: &str, causes: &mut Causes) {
    let mut taken = BTreeSet::new();
    let volumes = object::items(spec, "/volumes");
    for (index, disk) in object::items(spec, "/domain/devices/disks").iter().enumerate() {
        let field = format!("{at}.domain.devices.disks[{index}]");
        let name = object::text(disk, "/name");
        let volume = volumes.iter().find(|volume| volume["name"] == name);
        // An empty drive is allowed where volumes are plugged in by the VM's own template.
        if volume.is_none() && !has(disk, "cdrom") {
            causes.invalid(format!("{field}.name"), format!("{field}.Name '{name}' not found."));
        }
        if let Some(volume) = volume
            && has(disk, "lun")
            && !has(volume, "persistentVolumeClaim")
            && !has(volume, "dataVolume")
        {
            let message = format!("{field}.lun can only be mapped to a DataVolume or PersistentVolumeClaim volume.");
            causes.invalid(format!("{field}.lun"), message);
        }
        if let Some(order) = object::number(disk, "/bootOrder")
            && !taken.insert(order)
        {
            let field = format!("{field}.bootOrder");
            causes.invalid(&field, format!("Boot order for {field} already set for a different device."));
        }
    }
    for (index, interface) in object::items(spec, "/domain/devices/interfaces").iter().enumerate() {
        let Some(order) = object::number(interface, "/bootOrder") else { continue };
        if order < 1 {
            let message = format!("{at}[{index}] must have a boot order > 0, if supplied");
            causes.invalid(format!("{at}[{index}].bootOrder"), message);
        } else if !taken.insert(order) {
            let field = format!("{at}.domain.devices.interfaces[{index}].bootOrder");
            causes.invalid(&field, format!("Boot order for {field} already set for a different device."));
        }
    }
}

pub(super) fn disks(spec: &Value, at: &str, causes: &mut Causes) {
    let disks = object::items(spec, "/domain/devices/disks");
    for (index, disk) in disks.iter().enumerate() {
        let field = format!("{at}[{index}]");
        for (other, _) in disks.iter().enumerate().take(index).filter(|(_, other)| other["name"] == disk["name"]) {
            let message = format!("{field} and {at}[{other}] must not have the same Name.");
            causes.invalid(format!("{field}.name"), message);
        }
        if ["disk", "lun", "cdrom"].iter().filter(|kind| has(disk, kind)).count() > 1 {
            causes.invalid(&field, format!("{field} can only have a single target type defined"));
        }
        if object::number(disk, "/bootOrder").is_some_and(|order| order < 1) {
            let message = format!("{field} must have a boot order > 0, if supplied");
            causes.invalid(format!("{field}.bootOrder"), message);
        }
        bus(disk, at, index, causes);
        serial(disk, &field, causes);
        let cache = object::text(disk, "/cache");
        if !matches!(cache, "" | "none" | "writethrough" | "writeback") {
            causes.invalid(format!("{field}.cache"), format!("{field}.cache has invalid value {cache}"));
        }
        if !matches!(object::text(disk, "/io"), "" | "native" | "threads") {
            let message = format!("Disk IO mode for {at} is not supported. Supported modes are: native, threads.");
            causes.unsupported(format!("{at}.domain.devices.disks[{index}].io"), message);
        }
        let policy = object::text(disk, "/errorPolicy");
        if !matches!(policy, "" | "stop" | "ignore" | "report" | "enospace") {
            let message = format!("{field}.errorPolicy has invalid value \"{policy}\"");
            causes.invalid(format!("{field}.errorPolicy"), message);
        }
        for fault in label_faults(object::text(disk, "/name")) {
            causes.invalid(format!("{at}.domain.devices.disks[{index}].name"), fault);
        }
        block_size(disk, &field, causes);
    }
}

fn bus(disk: &Value, at: &str, index: usize, causes: &mut Causes) {
    let Some((kind, bus)) = target(disk).filter(|(_, bus)| !bus.is_empty()) else { return };
    let field = format!("{at}[{index}]");
    match bus {
        "ide" => causes.invalid(format!("{field}.{kind}.bus"), "IDE bus is not supported"),
        "virtio" if kind == "cdrom" => {
            causes.invalid(format!("{field}.cdrom.bus"), "Bus type virtio is invalid for CD-ROM device");
        }
        "sata" if object::flag(disk, "/disk/readonly") => {
            causes.invalid(format!("{field}.disk.bus"), "sata hard-disks do not support read-only.");
        }
        "virtio" | "sata" | "scsi" | "usb" => {}
        _ => {
            let message =
                format!("{field} is set with an unrecognized bus {bus}, must be one of: [virtio scsi sata usb]");
            causes.invalid(format!("{field}.{kind}.bus"), message);
        }
    }
    if object::flag(disk, "/dedicatedIOThread") && bus != "virtio" {
        let message = format!("IOThreads are not supported for disks on a {bus} bus");
        causes.unsupported(format!("{at}.domain.devices.disks[{index}]"), message);
    }
}

fn serial(disk: &Value, field: &str, causes: &mut Causes) {
    let serial = object::text(disk, "/serial");
    if serial.chars().any(|c| !(c.is_ascii_alphanumeric() || "_.+-".contains(c))) {
        let message = format!("{field} must be made up of the following characters [A-Za-z0-9_.+-], if specified");
        causes.invalid(format!("{field}.serial"), message);
    }
    if serial.chars().count() > SERIAL_LIMIT {
        let message = format!("{field} must be less than or equal to {SERIAL_LIMIT} in length, if specified");
        causes.invalid(format!("{field}.serial"), message);
    }
}

fn block_size(disk: &Value, field: &str, causes: &mut Causes) {
    let Some(custom) = object::at(disk, "/blockSize/custom").filter(|custom| custom.is_object()) else { return };
    let matches = object::at(disk, "/blockSize/matchVolume").filter(|held| held.is_object());
    if matches.is_some_and(|held| held.get("enabled") != Some(&Value::Bool(false))) {
        let message = "Block size matching can't be enabled together with a custom value";
        return causes.invalid(format!("{field}.blockSize"), message);
    }
    let size = |key: &str| custom.get(key).and_then(Value::as_u64).unwrap_or(0);
    let (logical, physical) = (size("logical"), size("physical"));
    let at = format!("{field}.blockSize.custom");
    if logical > physical {
        let message = format!("Logical size {logical} must be the same or less than the physical size of {physical}");
        return causes.invalid(format!("{at}.logical"), message);
    }
    for (key, size) in [("logical", logical), ("physical", physical)] {
        let message = match size {
            size if size < *BLOCK_SIZES.start() => {
                format!("Provided size of {size} is less than the supported minimum size of {}", BLOCK_SIZES.start())
            }
            size if size > *BLOCK_SIZES.end() => {
                format!("Provided size of {size} is greater than the supported maximum size of {}", BLOCK_SIZES.end())
            }
            size if !size.is_power_of_two() => format!("Provided size of {size} is not a power of 2"),
            _ => continue,
        };
        causes.invalid(format!("{at}.{key}"), message);
    }
}

pub(super) fn volumes(spec: &Value, at: &str, causes: &mut Causes) {
    let volumes = object::items(spec, "/volumes");
    for (index, volume) in volumes.iter().enumerate() {
        let field = format!("{at}[{index}]");
        if let Some(other) = volumes[..index].iter().position(|other| other["name"] == volume["name"]) {
            let message = format!("{field} and {at}[{other}] must not have the same Name.");
            causes.invalid(format!("{field}.name"), message);
        }
        if has(volume, "dataVolume") && object::text(volume, "/dataVolume/name").is_empty() {
            causes.required(format!("{field}.name"), "DataVolume 'name' must be set");
        }
        if SOURCES.iter().filter(|source| has(volume, source)).count() != 1 {
            causes.invalid(&field, format!("{field} must have exactly one source type set"));
        }
        for kind in ["cloudInitNoCloud", "cloudInitConfigDrive"] {
            if has(volume, kind) {
                cloud_init(&volume[kind], &format!("{field}.{kind}"), kind, causes);
                break;
            }
        }
        if has(volume, "downwardMetrics") {
            let message = "downwardMetrics disks are not allowed: DownwardMetrics feature gate is not enabled.";
            causes.invalid(&field, message);
        }
        if has(volume, "hostDisk") {
            causes.invalid(&field, "HostDisk feature gate is not enabled");
        }
        for (kind, key) in [("configMap", "name"), ("secret", "secretName"), ("serviceAccount", "serviceAccountName")] {
            if has(volume, kind) && object::text(&volume[kind], &format!("/{key}")).is_empty() {
                let field = format!("{field}.{kind}.{key}");
                causes.invalid(&field, format!("{field} is a required field"));
            }
        }
    }
    for (kind, word) in [("serviceAccount", "serviceAccount volume"), ("memoryDump", "memory dump volume")] {
        if volumes.iter().filter(|volume| has(volume, kind)).count() > 1 {
            causes.invalid(at, format!("{at} must have max one {word} set"));
        }
    }
}

fn cloud_init(source: &Value, at: &str, kind: &str, causes: &mut Causes) {
    let mut sources = 0;
    for (plain, encoded, secret, word, advice) in [
        ("userData", "userDataBase64", "secretRef", "userdata", "UserDataSecretRef"),
        ("networkData", "networkDataBase64", "networkDataSecretRef", "networkdata", "NetworkDataSecretRef"),
    ] {
        let (text, base64) = (object::text(source, &format!("/{plain}")), object::text(source, &format!("/{encoded}")));
        let has_secret = !object::text(source, &format!("/{secret}/name")).is_empty();
        let ours = [!text.is_empty(), !base64.is_empty(), has_secret].iter().filter(|held| **held).count();
        let decoded = STANDARD.decode(base64);
        if decoded.is_err() {
            let field = format!("{at}.{encoded}");
            causes.invalid(&field, format!("{field}.{kind}.{encoded} is not a valid base64 value."));
        }
        let length = if text.is_empty() { decoded.map_or(0, |bytes| bytes.len()) } else { text.len() };
        if ours > 1 {
            // Upstream's spelling differs between the two.
            let word = if word == "userdata" { "userdatasource" } else { "networkdata source" };
            causes.invalid(at, format!("{at} must have only one {word} set."));
        }
        if length > INLINE_LIMIT {
            let message =
                format!("{at} {word} exceeds {INLINE_LIMIT} byte limit. Should use {advice} for larger data.");
            causes.invalid(at, message);
        }
        sources += ours;
    }
    if sources == 0 {
        causes.invalid(at, format!("{at} must have at least one userdatasource or one networkdatasource set."));
    }
}

/// Source: `validateVirtualMachineInstanceSpecVolumeDisks`; only of instances, because a VM's get a disk.
pub(super) fn volumes_have_disks(spec: &Value, at: &str, causes: &mut Causes) {
    let is_used = |name: &Value| {
        ["/domain/devices/disks", "/domain/devices/filesystems"]
            .iter()
            .any(|pointer| object::items(spec, pointer).iter().any(|device| device["name"] == *name))
    };
    for (index, volume) in object::items(spec, "/volumes").iter().enumerate() {
        if !has(volume, "memoryDump") && !is_used(&volume["name"]) {
            let field = format!("{at}.domain.volumes[{index}].name");
            let message = format!("{field} '{}' not found.", object::text(volume, "/name"));
            causes.invalid(field, message);
        }
    }
}

pub(super) fn templates(vm: &Value, causes: &mut Causes) {
    for (index, template) in object::items(vm, "/spec/dataVolumeTemplates").iter().enumerate() {
        let field = format!("spec.dataVolumeTemplate[{index}]");
        let name = object::name(template);
        let (pvc, storage) = (has(&template["spec"], "pvc"), has(&template["spec"], "storage"));
        if name.is_empty() {
            let field = format!("{field}.name");
            causes.required(&field, format!("'name' field must not be empty for DataVolumeTemplate entry {field}."));
        } else if !pvc && !storage {
            causes.invalid(format!("{field}.PVC.Storage"), "Missing Data volume PVC or Storage");
        } else if pvc && storage {
            let message = "Duplicate storage definition, both target storage and target pvc defined";
            causes.invalid(format!("{field}.PVC.Storage"), message);
        } else {
            let is_used = object::items(vm, "/spec/template/spec/volumes").iter().any(|volume| {
                object::text(volume, "/persistentVolumeClaim/claimName") == name
                    || object::text(volume, "/dataVolume/name") == name
            });
            if !is_used {
                let message =
                    format!("DataVolumeTemplate entry {field} must be referenced in the VMI template's 'volumes' list");
                causes.required(field, message);
            }
        }
    }
}
