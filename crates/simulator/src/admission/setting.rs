//! Settings and add-ons.
//!
//! Source: H `pkg/webhook/resources/{setting,addon}/validator.go`; `harvester-api.md` §6.4, §6.5, §10.3.

use super::{Refusal, Verdict, Write, deny_if};
use crate::behave::resources::{ADDON, BACKUP, CLUSTERNETWORK, RESTORE, VMI, VMIM};
use crate::behave::{is_migrating, object};
use serde_json::Value;

/// Settings whose value is a JSON object.
const JSON: &[&str] = &[
    "overcommit-config",
    "vm-force-reset-policy",
    "kubevirt-migration",
    "vm-migration-network",
    "backup-target",
    "csi-driver-config",
    "csi-online-expand-validation",
    "storage-network",
    "rwx-network",
    "upgrade-config",
    "ntp-servers",
    "http-proxy",
    "auto-rotate-rke2-certs",
];

pub(super) fn setting(write: &Write<'_>) -> Verdict {
    let name = write.name();
    if write.deletes() {
        return Err(Refusal::not_allowed(format!("Disallow delete setting name {name}")));
    }
    if !write.updates() || !write.changes("/value") {
        return Ok(());
    }
    let text = write.new.get("value").and_then(Value::as_str).unwrap_or_default();
    let parsed: Value =
        if text.is_empty() { Value::Null } else { serde_json::from_str(text).unwrap_or(Value::Bool(false)) };
    deny_if(JSON.contains(&name) && !text.is_empty() && !parsed.is_object(), || {
        Refusal::invalid(format!("failed to unmarshal the setting value of {name}: invalid JSON {text}"))
    })?;
    match name {
        "overcommit-config" => overcommit(&parsed),
        "additional-guest-memory-overhead-ratio" => {
            let ratio: Option<f64> = if text.is_empty() { Some(0.0) } else { text.parse().ok() };
            let fits = ratio.is_some_and(|ratio| ratio == 0.0 || (1.0..=10.0).contains(&ratio));
            deny_if(!fits, || {
                Refusal::invalid(format!(
                    "additional-guest-memory-overhead-ratio {text} must be 0 or between 1.0 and 10.0"
                ))
            })
        }
        "default-vm-termination-grace-period-seconds" => {
            let seconds: Option<i64> = if text.is_empty() { Some(0) } else { text.parse().ok() };
            deny_if(seconds.is_none_or(|seconds| seconds < 0), || {
                Refusal::invalid("the grace period must be a number of seconds, 0 or more")
            })
        }
        "kubevirt-migration" => migrations(write, &parsed),
        "storage-network" | "rwx-network" => running(write, name).and_then(|()| network(write, &parsed)),
        "vm-migration-network" => network(write, &parsed),
        "backup-target" => target(write, &parsed),
        _ => Ok(()),
    }
}

fn overcommit(value: &Value) -> Verdict {
    for field in ["cpu", "memory", "storage"] {
        let low = value.get(field).and_then(Value::as_i64).is_some_and(|percent| percent < 100);
        deny_if(low, || Refusal::invalid(format!("{field} overcommit percentage should not be less than 100")))?;
    }
    Ok(())
}

fn migrations(write: &Write<'_>, value: &Value) -> Verdict {
    for field in ["nodeDrainTaintKey", "network"] {
        deny_if(value.get(field).is_some(), || {
            Refusal::invalid(format!("{field} cannot be set in kubevirt-migration"))
        })?;
    }
    let jobs = write.view.list(VMIM, None);
    let busy = jobs.iter().any(|job| !matches!(object::text(job, "/status/phase"), "Succeeded" | "Failed"));
    let moving = busy || write.view.list(VMI, None).iter().any(|vmi| is_migrating(vmi));
    deny_if(moving, || Refusal::invalid("cannot update kubevirt-migration while a migration is in progress"))
}

fn running(write: &Write<'_>, name: &str) -> Verdict {
    let vmis = write.view.list(VMI, None);
    let alive = vmis.iter().find(|vmi| !matches!(object::text(vmi, "/status/phase"), "Succeeded" | "Failed"));
    match alive {
        Some(vmi) => Err(Refusal::invalid(format!(
            "Please stop all VMs before configuring {name}: {}/{} is running",
            object::namespace(vmi),
            object::name(vmi)
        ))),
        None => Ok(()),
    }
}

fn network(write: &Write<'_>, value: &Value) -> Verdict {
    let name = object::text(value, "/clusterNetwork");
    deny_if(!name.is_empty() && write.view.get(CLUSTERNETWORK, "", name).is_none(), || {
        Refusal::invalid(format!("cluster network {name} does not exist"))
    })?;
    let vlan = value.get("vlan").and_then(Value::as_i64).unwrap_or(0);
    deny_if(!(0..=4094).contains(&vlan), || {
        Refusal::invalid(format!("the valid value range for VLAN IDs is 0 to 4094, {vlan} is not"))
    })
}

fn target(write: &Write<'_>, value: &Value) -> Verdict {
    let kind = object::text(value, "/type");
    deny_if(!matches!(kind, "" | "nfs" | "s3"), || Refusal::invalid(format!("unsupported backup target type {kind}")))?;
    deny_if(kind == "s3" && object::text(value, "/bucketName").is_empty(), || {
        Refusal::invalid("S3 bucket name should not be empty")
    })?;
    let endpoint = object::text(value, "/endpoint");
    deny_if(kind == "nfs" && !endpoint.starts_with("nfs://"), || {
        Refusal::invalid("NFS endpoint should start with nfs://")
    })?;
    let open_backup = write.view.list(BACKUP, None).iter().any(|backup| {
        !object::flag(backup, "/status/readyToUse") && object::text(backup, "/status/error/message").is_empty()
    });
    let open_restore = write.view.list(RESTORE, None).iter().any(|restore| !object::flag(restore, "/status/complete"));
    deny_if(open_backup || open_restore, || {
        Refusal::invalid(
            "there is VMBackup or VMRestore in creating or deleting, please wait before changing the backup target",
        )
    })
}

pub(super) fn addon(write: &Write<'_>) -> Verdict {
    let chart = object::text(write.new, "/spec/chart");
    if write.creates() {
        let others = write.view.list(ADDON, None);
        let twin = others
            .iter()
            .find(|other| object::text(other, "/spec/chart") == chart && object::name(other) != write.name());
        return match twin {
            Some(_) => {
                Err(Refusal::conflict(format!("addon with Chart {chart} has been created, cannot create a new one")))
            }
            None => Ok(()),
        };
    }
    deny_if(write.updates() && write.changes("/spec/chart"), || {
        Refusal::bad_request("chart field cannot be changed.")
    })?;
    let busy =
        matches!(object::text(write.new, "/status/status"), "AddonEnabling" | "AddonUpdating" | "AddonDisabling");
    deny_if(write.updates() && write.changes("/spec/enabled") && busy, || {
        Refusal::conflict(format!(
            "cannot change addon {} while it is in {}",
            write.name(),
            object::text(write.new, "/status/status")
        ))
    })
}
