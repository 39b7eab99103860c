//! KubeVirt's VM validator: the template must make sense as a machine.
//!
//! Source: K `pkg/virt-api/webhooks/validating-webhook/admitters/{vms,vmi-create}-admitter.go`, `pkg/network/admitter/`,
//! `pkg/storage/admitters/`; `harvester-api.md` §10.2.

use super::{Refusal, Verdict, Write, deny_if};
use crate::behave::object;
use crate::behave::quantity::bytes_of;
use serde_json::Value;
use std::collections::BTreeSet;

const WEBHOOK: &str = "virtualmachine-validator.kubevirt.io";
const STRATEGIES: &[&str] = &["Always", "RerunOnFailure", "Manual", "Halted", "Once", "WaitAsReceiver"];
const EVICTIONS: &[&str] = &["None", "LiveMigrate", "LiveMigrateIfPossible", "External"];
const BUSES: &[&str] = &["virtio", "scsi", "sata", "usb"];
/// Inline cloud-init data may be so long.
const INLINE_LIMIT: usize = 2048;
/// Keys of volumes that are no source.
const NO_SOURCE: &[&str] = &["name"];

fn no(message: impl Into<String>) -> Refusal {
    Refusal::invalid(message).by(WEBHOOK)
}

pub(super) fn vm(write: &Write<'_>) -> Verdict {
    strategy(write)?;
    let template = write.new.pointer("/spec/template").filter(|template| template.is_object());
    let Some(template) = template else { return Err(no("missing virtual machine template.")) };
    let name = write.name();
    deny_if(name.len() > 63, || {
        no(format!("metadata.name: virtual machine name {name} must be no more than 63 characters"))
    })?;
    let spec = &template["spec"];
    cpu(spec)?;
    memory(spec)?;
    firmware(spec)?;
    pairs(spec)?;
    disks(spec)?;
    volumes(spec)?;
    networks(spec)?;
    policies(spec)?;
    in_flight(write)
}

fn strategy(write: &Write<'_>) -> Verdict {
    let running = write.new.pointer("/spec/running").is_some_and(|running| !running.is_null());
    let strategy = object::text(write.new, "/spec/runStrategy");
    deny_if(running && !strategy.is_empty(), || {
        no(
            "Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead",
        )
    })?;
    deny_if(!running && strategy.is_empty(), || no("RunStrategy must be specified"))?;
    deny_if(!strategy.is_empty() && !STRATEGIES.contains(&strategy), || no(format!("Invalid RunStrategy ({strategy})")))
}

fn cpu(spec: &Value) -> Verdict {
    let count = |field: &str| object::number(spec, &format!("/domain/cpu/{field}"));
    let (sockets, most) = (count("sockets"), count("maxSockets"));
    deny_if(sockets.zip(most).is_some_and(|(sockets, most)| sockets > most), || {
        no("Number of sockets in CPU topology is greater than the maximum sockets allowed")
    })?;
    if !object::flag(spec, "/domain/cpu/dedicatedCpuPlacement") {
        let numa = spec.pointer("/domain/cpu/numa").is_some();
        deny_if(numa, || {
            no("spec.template.spec.domain.cpu.numa must be set to nil when dedicatedCpuPlacement is not set")
        })?;
        return deny_if(object::flag(spec, "/domain/cpu/isolateEmulatorThread"), || {
            no("IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement")
        });
    }
    let limit = spec.pointer("/domain/resources/limits/cpu").and_then(crate::behave::quantity::millicores_of);
    deny_if(limit.is_some_and(|limit| !limit.is_multiple_of(1000)), || {
        no("spec.template.spec.domain.resources.limits.cpu must be an integer for VMs with dedicated CPUs")
    })?;
    deny_if(count("threads").is_some_and(|threads| threads > 2), || {
        no(
            "Not more than two threads must be provided at spec.template.spec.domain.cpu.threads (got a larger number) when DedicatedCPUPlacement is true",
        )
    })
}

fn memory(spec: &Value) -> Verdict {
    let at = |pointer: &str| spec.pointer(pointer).and_then(bytes_of);
    let (request, limit) = (at("/domain/resources/requests/memory"), at("/domain/resources/limits/memory"));
    deny_if(request.is_some_and(|request| request < 1_000_000), || {
        no("spec.template.spec.domain.resources.requests.memory must be greater than or equal to 1M.")
    })?;
    deny_if(request.zip(limit).is_some_and(|(request, limit)| request > limit), || {
        no("spec.template.spec.domain.resources.requests.memory must be less than or equal to limits.memory")
    })?;
    let guest = at("/domain/memory/guest");
    deny_if(guest.zip(limit).is_some_and(|(guest, limit)| guest > limit), || {
        no("spec.template.spec.domain.memory.guest must be equal to or less than the memory limit")
    })
}

fn firmware(spec: &Value) -> Verdict {
    let boot = spec.pointer("/domain/firmware/bootloader");
    let has = |kind: &str| boot.and_then(|boot| boot.get(kind)).is_some_and(Value::is_object);
    deny_if(has("efi") && has("bios"), || {
        no(
            "spec.template.spec.domain.firmware.bootloader has both EFI and BIOS configured, but they are mutually exclusive.",
        )
    })?;
    let secure = boot.and_then(|boot| boot.pointer("/efi/secureBoot")) != Some(&Value::Bool(false)) && has("efi");
    let smm = spec.pointer("/domain/features/smm/enabled") == Some(&Value::Bool(true));
    deny_if(secure && !smm, || {
        no(
            "spec.template.spec.domain.firmware.bootloader.efi has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.",
        )
    })
}

fn names<'a>(spec: &'a Value, pointer: &str) -> Vec<&'a str> {
    object::items(spec, pointer).iter().map(|item| object::text(item, "/name")).collect()
}

/// Disks and volumes, interfaces and networks belong together by name, both ways, each name once.
fn pairs(spec: &Value) -> Verdict {
    for (left, right, left_at, right_at, word) in [
        ("/domain/devices/disks", "/volumes", "domain.devices.disks", "volumes", "volume"),
        ("/domain/devices/interfaces", "/networks", "domain.devices.interfaces", "networks", "network"),
    ] {
        let (ours, theirs) = (names(spec, left), names(spec, right));
        for (at, name) in ours.iter().enumerate() {
            let repeated = ours[..at].contains(name);
            deny_if(repeated, || {
                no(format!("spec.template.spec.{left_at}[{at}] and an earlier entry must not have the same Name."))
            })?;
            // From 1.8 on an empty CD-ROM drive has no volume.
            let is_empty_drive = object::items(spec, left)[at].get("cdrom").is_some();
            deny_if(!theirs.contains(name) && !is_empty_drive, || {
                no(format!("spec.template.spec.{left_at}[{at}].name '{name}' not found."))
            })?;
        }
        for (at, name) in theirs.iter().enumerate() {
            let repeated = theirs[..at].contains(name);
            deny_if(repeated, || {
                no(format!("spec.template.spec.{right_at}[{at}].name must not be repeated: '{name}'."))
            })?;
            let is_filesystem = names(spec, "/domain/devices/filesystems").contains(name);
            deny_if(!ours.contains(name) && !is_filesystem, || {
                no(format!("spec.template.spec.{right_at}[{at}].name '{name}': the {word} is not used."))
            })?;
        }
    }
    Ok(())
}

fn disks(spec: &Value) -> Verdict {
    let mut orders = BTreeSet::new();
    let both = ["/domain/devices/disks", "/domain/devices/interfaces"];
    for device in both.iter().flat_map(|pointer| object::items(spec, pointer)) {
        let Some(order) = object::number(device, "/bootOrder") else { continue };
        deny_if(order < 1, || no("spec.template.spec.domain.devices: bootOrder must have a value > 0, if supplied."))?;
        deny_if(!orders.insert(order), || {
            no(format!("Boot order for {} already set for a different device.", object::text(device, "/name")))
        })?;
    }
    for (at, disk) in object::items(spec, "/domain/devices/disks").iter().enumerate() {
        let targets: Vec<&str> = ["disk", "cdrom", "lun"].into_iter().filter(|kind| disk.get(kind).is_some()).collect();
        deny_if(targets.len() > 1, || {
            no(format!("spec.template.spec.domain.devices.disks[{at}] can only have a single target type defined"))
        })?;
        let Some(target) = targets.first() else { continue };
        let bus = object::text(&disk[*target], "/bus");
        deny_if(!bus.is_empty() && !BUSES.contains(&bus), || {
            no(format!(
                "spec.template.spec.domain.devices.disks[{at}].{target}.bus is set with an unrecognized bus {bus}, must be one of: [virtio scsi sata usb]"
            ))
        })?;
        deny_if(*target == "cdrom" && bus == "virtio", || {
            no(format!(
                "Bus type virtio is invalid for CD-ROM device: spec.template.spec.domain.devices.disks[{at}].cdrom.bus"
            ))
        })?;
        let serial = object::text(disk, "/serial");
        let odd = serial.chars().any(|c| !(c.is_ascii_alphanumeric() || "_.+-".contains(c)));
        deny_if(odd, || {
            no(format!(
                "spec.template.spec.domain.devices.disks[{at}].serial must be made up of the following characters [A-Za-z0-9_.+-], if specified"
            ))
        })?;
    }
    Ok(())
}

fn volumes(spec: &Value) -> Verdict {
    for (at, volume) in object::items(spec, "/volumes").iter().enumerate() {
        let sources = volume
            .as_object()
            .map_or(0, |fields| fields.keys().filter(|key| !NO_SOURCE.contains(&key.as_str())).count());
        deny_if(sources != 1, || {
            no(format!("spec.template.spec.volumes[{at}] must have exactly one source type set"))
        })?;
        for kind in ["cloudInitNoCloud", "cloudInitConfigDrive"] {
            let Some(source) = volume.get(kind) else { continue };
            for (plain, encoded) in [("userData", "userDataBase64"), ("networkData", "networkDataBase64")] {
                let length = match object::text(source, &format!("/{plain}")) {
                    "" => object::text(source, &format!("/{encoded}")).len() / 4 * 3,
                    text => text.len(),
                };
                deny_if(length > INLINE_LIMIT, || {
                    no(format!(
                        "spec.template.spec.volumes[{at}].{kind}.{plain} exceeds {INLINE_LIMIT} byte limit. Should use {} for larger data.",
                        if plain == "userData" { "UserDataSecretRef" } else { "NetworkDataSecretRef" }
                    ))
                })?;
            }
            let has_user =
                ["userData", "userDataBase64", "secretRef"].iter().filter(|key| source.get(**key).is_some()).count();
            deny_if(has_user > 1, || {
                no(format!("spec.template.spec.volumes[{at}].{kind} must have only one user-data source set"))
            })?;
        }
    }
    Ok(())
}

fn networks(spec: &Value) -> Verdict {
    let networks = object::items(spec, "/networks");
    let pods = networks.iter().filter(|network| network.get("pod").is_some()).count();
    deny_if(pods > 1, || no("more than one interface is connected to a pod network in spec.template.spec.networks"))?;
    for (at, interface) in object::items(spec, "/domain/devices/interfaces").iter().enumerate() {
        let name = object::text(interface, "/name");
        let odd = name.is_empty() || name.chars().any(|c| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'));
        deny_if(odd, || {
            no(
                "Network interface name can only contain alphabetical characters, numbers, dashes (-) or underscores (_)",
            )
        })?;
        let mac = object::text(interface, "/macAddress");
        deny_if(!mac.is_empty() && !is_mac(mac), || {
            no(format!(
                "interface spec.template.spec.domain.devices.interfaces[{at}].name has malformed MAC address ({mac})."
            ))
        })?;
        let on_pod = networks.iter().any(|network| network["name"] == name && network.get("pod").is_some());
        deny_if(interface.get("masquerade").is_some() && !on_pod, || {
            no("Masquerade interface only implemented with pod network")
        })?;
        let state = object::text(interface, "/state");
        deny_if(!matches!(state, "" | "absent" | "up" | "down"), || {
            no(format!("logical {name} interface state value is unsupported: {state}"))
        })?;
        deny_if(state == "absent" && on_pod, || {
            no(format!("\"{name}\" interface's state \"absent\" is not supported on default networks"))
        })?;
    }
    Ok(())
}

/// Six octets, unicast or not as KubeVirt does not care.
fn is_mac(text: &str) -> bool {
    let parts: Vec<&str> = text.split([':', '-']).collect();
    parts.len() == 6 && parts.iter().all(|part| part.len() == 2 && u8::from_str_radix(part, 16).is_ok())
}

fn policies(spec: &Value) -> Verdict {
    let eviction = object::text(spec, "/evictionStrategy");
    deny_if(!eviction.is_empty() && !EVICTIONS.contains(&eviction), || {
        no(format!("spec.template.spec.evictionStrategy is set with an unrecognized option: {eviction}"))
    })?;
    let start = object::text(spec, "/startStrategy");
    deny_if(!matches!(start, "" | "Paused"), || {
        no(format!("spec.template.spec.startStrategy is set with an unrecognized option: {start}"))
    })?;
    deny_if(start == "Paused" && spec.get("livenessProbe").is_some(), || {
        no(
            "either spec.template.spec.startStrategy or spec.template.spec.livenessProbe should be provided.Pausing VMI with LivenessProbe is not supported",
        )
    })?;
    let hostname = object::text(spec, "/hostname");
    let odd =
        hostname.len() > 63 || hostname.chars().any(|c| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
    deny_if(odd, || {
        no(format!("spec.template.spec.hostname does not conform to the kubernetes DNS_LABEL rules : {hostname}"))
    })
}

fn in_flight(write: &Write<'_>) -> Verdict {
    let Some(old) = write.old else { return Ok(()) };
    for (field, word) in [("snapshotInProgress", "snapshot"), ("restoreInProgress", "restore")] {
        let busy = object::text(old, &format!("/status/{field}"));
        let touched = ["/spec/template/spec/volumes", "/spec/template/spec/domain/devices/disks", "/spec/runStrategy"];
        deny_if(!busy.is_empty() && touched.iter().any(|pointer| write.changes(pointer)), || {
            no(format!("Cannot update VM spec until {word} \"{busy}\" completes"))
        })?;
    }
    Ok(())
}
