//! Backups, restores and schedules.
//!
//! Source: H `pkg/webhook/resources/{virtualmachinebackup,virtualmachinerestore,schedulevmbackup}/validator.go`;
//! `harvester-api.md` §5.3, §5.4.

use super::{Refusal, Verdict, Write, deny_if};
use crate::behave::resources::{BACKUP, PVC, RESTORE, SCHEDULE, STORAGECLASS, VM, VMI};
use crate::behave::{claim_name, effective_setting, is_migrating, object};
use serde_json::Value;

pub(super) fn backup(write: &Write<'_>) -> Verdict {
    if write.updates() {
        return deny_if(write.changes("/spec"), || Refusal::invalid("VirtualMachineBackup spec is immutable"));
    }
    if write.deletes() {
        let restores = write.view.list(RESTORE, None);
        let busy = restores.iter().find(|restore| {
            object::text(restore, "/spec/virtualMachineBackupName") == write.name()
                && object::text(restore, "/spec/virtualMachineBackupNamespace") == write.namespace()
                && !object::flag(restore, "/status/complete")
        });
        return match busy {
            Some(restore) => {
                Err(Refusal::bad_request(format!("VMBackup is in use by VMRestore {}", object::name(restore))))
            }
            None => Ok(()),
        };
    }
    let source = object::text(write.new, "/spec/source/name");
    deny_if(source.is_empty(), || Refusal::invalid("source VM name is empty"))?;
    let vm = write.view.get(VM, write.namespace(), source);
    let vm = vm.ok_or_else(|| Refusal::invalid(format!("virtualmachine.kubevirt.io \"{source}\" not found")))?;
    let moving = write.view.get(VMI, write.namespace(), source).is_some_and(|vmi| is_migrating(&vmi));
    deny_if(moving, || Refusal::invalid(format!("vm {}/{source} is migrating", write.namespace())))?;
    let kind = object::text(write.new, "/spec/type");
    drivers(write, &vm, kind)?;
    let target = effective_setting(write.view, "backup-target").unwrap_or_default();
    let target: Value = serde_json::from_str(&target).unwrap_or_default();
    let unset = object::text(&target, "/type").is_empty();
    deny_if(matches!(kind, "" | "backup") && unset, || Refusal::invalid("backup target is not set"))
}

fn drivers(write: &Write<'_>, vm: &Value, kind: &str) -> Verdict {
    let config = effective_setting(write.view, "csi-driver-config").unwrap_or_default();
    let config: Value = serde_json::from_str(&config).unwrap_or_default();
    for claim in
        object::items(vm, "/spec/template/spec/volumes").iter().map(claim_name).filter(|claim| !claim.is_empty())
    {
        let Some(held) = write.view.get(PVC, write.namespace(), claim) else { continue };
        let Some(class) = write.view.get(STORAGECLASS, "", object::text(&held, "/spec/storageClassName")) else {
            continue;
        };
        let driver = object::text(&class, "/provisioner");
        deny_if(config.get(driver).is_none(), || {
            Refusal::invalid(format!("provisioner {driver} is not configured in the csi-driver-config setting"))
        })?;
        deny_if(matches!(kind, "" | "backup") && driver != crate::behave::LONGHORN_DRIVER, || {
            Refusal::invalid(format!("provisioner {driver} is not supported for type backup"))
        })?;
    }
    Ok(())
}

pub(super) fn restore(write: &Write<'_>) -> Verdict {
    if write.updates() {
        return deny_if(write.changes("/spec"), || Refusal::invalid("VirtualMachineRestore spec is immutable"));
    }
    let target = object::text(write.new, "/spec/target/name");
    let vm = write.view.get(VM, write.namespace(), target);
    if write.deletes() {
        let lives = vm.is_some_and(|vm| object::annotation(&vm, "restore.harvesterhci.io/name") == Some(write.name()));
        return deny_if(lives, || Refusal::bad_request(format!("VM {target} still exists, cannot delete the restore")));
    }
    deny_if(!is_dns_name(target), || {
        Refusal::invalid(format!("target VM name {target} is not a valid DNS-1123 name"))
    })?;
    let (space, name) = (
        object::text(write.new, "/spec/virtualMachineBackupNamespace"),
        object::text(write.new, "/spec/virtualMachineBackupName"),
    );
    let backup = write.view.get(BACKUP, space, name);
    let backup = backup.ok_or_else(|| Refusal::invalid(format!("VMBackup {space}/{name} not found")))?;
    deny_if(object::is_deleting(&backup), || Refusal::invalid(format!("VMBackup {space}/{name} is being deleted")))?;
    deny_if(!object::flag(&backup, "/status/readyToUse"), || {
        Refusal::invalid(format!("VMBackup {space}/{name} is not ready"))
    })?;
    let new_vm = object::flag(write.new, "/spec/newVM");
    let snapshot = object::text(&backup, "/spec/type") == "snapshot";
    let deletes = matches!(object::text(write.new, "/spec/deletionPolicy"), "" | "delete");
    deny_if(snapshot && space != write.namespace(), || {
        Refusal::invalid("Restore a VM snapshot to another namespace is not supported")
    })?;
    deny_if(snapshot && !new_vm && deletes, || {
        Refusal::invalid("Delete policy with backup type snapshot for replacing VM is not supported")
    })?;
    deny_if(new_vm && vm.is_some(), || Refusal::invalid(format!("VM {target} is already exists")))?;
    deny_if(!new_vm && vm.is_none(), || Refusal::invalid(format!("can't replace nonexistent vm {target}")))?;
    deny_if(!new_vm && vm.as_deref().is_some_and(|vm| object::flag(vm, "/status/ready")), || {
        Refusal::invalid(format!("Please stop the VM {target} before doing a restore"))
    })?;
    let others = write.view.list(RESTORE, Some(write.namespace()));
    let busy = others
        .iter()
        .any(|other| object::text(other, "/spec/target/name") == target && !object::flag(other, "/status/complete"));
    deny_if(busy, || Refusal::conflict(format!("a restore to VM {target} is in progress")))?;
    let source = object::text(&backup, "/spec/source/name");
    let keeps = object::flag(write.new, "/spec/keepMacAddress") && new_vm;
    deny_if(keeps && write.view.get(VM, space, source).is_some(), || {
        Refusal::invalid("cannot keep the mac address while the source VM still exists")
    })
}

fn is_dns_name(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.len() <= 63 && name.chars().all(inner) && !name.starts_with('-') && !name.ends_with('-')
}

pub(super) fn schedule(write: &Write<'_>) -> Verdict {
    if write.deletes() {
        return Ok(());
    }
    let number = |field: &str, plain: i64| object::number(write.new, &format!("/spec/{field}")).unwrap_or(plain);
    let (retain, failures) = (number("retain", 8), number("maxFailure", 4));
    deny_if(!(2..=250).contains(&retain), || Refusal::invalid("retain must be between 2 and 250"))?;
    deny_if(failures < 2 || failures >= retain, || {
        Refusal::invalid("maxFailure must be at least 2 and less than retain")
    })?;
    let source = object::text(write.new, "/spec/vmbackup/source/name");
    deny_if(write.updates() && write.changes("/spec/vmbackup/source"), || Refusal::invalid("source VM is immutable"))?;
    let minutes = object::text(write.new, "/spec/cron").split_whitespace().next().unwrap_or_default();
    let often = minutes == "*" || minutes.contains(['/', ',', '-']);
    deny_if(often, || Refusal::invalid("the schedule interval must be at least one hour"))?;
    let others = write.view.list(SCHEDULE, Some(write.namespace()));
    let taken = others.iter().any(|other| {
        object::name(other) != write.name() && object::text(other, "/spec/vmbackup/source/name") == source
    });
    deny_if(taken, || Refusal::invalid(format!("VM {source} already has a backup schedule")))
}
