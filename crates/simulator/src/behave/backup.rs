//! Harvester's backups and restores of VMs, as far as their objects show: progress, readiness, errors, the restored VM.
//!
//! Source: H `pkg/controller/master/backup/{backup,restore}.go`; `harvester-api.md` §5.1, §5.2.

use super::object;
use super::quantity::bytes_of;
use super::resources::{BACKUP, PVC, RESTORE, SECRET, VM};
use super::vm::claim_name;
use super::{Behaviour, Effect, Now, Outcome, Role, View, effective_setting};
use crate::scenario::fault::Fault;
use serde_json::{Value, json};
use std::time::Duration;

/// The backup controller.
pub(crate) const BACKUPS: Behaviour =
    Behaviour { name: "backup", role: Role::Harvester, on: BACKUP, wakes: &[], step: backup };
/// The restore controller.
pub(crate) const RESTORES: Behaviour =
    Behaviour { name: "restore", role: Role::Harvester, on: RESTORE, wakes: &[], step: restore };

const SNAPSHOT: Duration = Duration::from_secs(5);
const UPLOAD: Duration = Duration::from_secs(30);
const TICK: Duration = Duration::from_secs(5);
const COPY: Duration = Duration::from_secs(10);

fn backup(backup: &Value, view: &dyn View, now: Now) -> Outcome {
    let settled =
        object::flag(backup, "/status/readyToUse") || !object::text(backup, "/status/error/message").is_empty();
    if object::is_deleting(backup) || settled {
        return Outcome::rest();
    }
    let (namespace, vm_name) = (object::namespace(backup), object::text(backup, "/spec/source/name"));
    let mut conditions = object::items(backup, "/status/conditions").to_vec();
    if backup.pointer("/status/source").is_none() {
        let Some(vm) = view.get(VM, namespace, vm_name) else { return Outcome::rest().again(TICK) };
        object::set_condition(&mut conditions, "InProgress", true, "", "Operation in progress", now);
        object::set_condition(&mut conditions, "Ready", false, "", "Not ready", now);
        let mut status = opened(backup, &vm, view, now);
        status["conditions"] = json!(conditions);
        return Outcome::of(object::merge(BACKUP, backup, json!({"status": status}))).again(TICK);
    }
    let takes = if object::text(backup, "/spec/type") == "snapshot" { SNAPSHOT } else { UPLOAD };
    if let Some(left) = now.until(object::text(backup, "/metadata/creationTimestamp"), takes) {
        let done = takes.saturating_sub(left).as_millis() * 100 / takes.as_millis();
        let progress = u64::try_from(done).unwrap_or(0).min(99);
        return Outcome::of(object::merge(BACKUP, backup, json!({"status": {"progress": progress}})))
            .again(TICK.min(left));
    }
    let fails = Fault::BackupFails.is_in(object::name(backup)) || Fault::BackupFails.is_in(vm_name);
    object::set_condition(&mut conditions, "InProgress", false, "", if fails { "" } else { "Operation complete" }, now);
    object::set_condition(&mut conditions, "Ready", !fails, "", if fails { "" } else { "Operation complete" }, now);
    let status = if fails {
        let message = "failed to create snapshot: rpc error: code = Internal desc = backup target is not available";
        json!({"readyToUse": false, "error": {"time": now.stamp(), "message": message}, "conditions": conditions})
    } else {
        let mut volumes = object::items(backup, "/status/volumeBackups").to_vec();
        for volume in &mut volumes {
            volume["readyToUse"] = json!(true);
            volume["progress"] = json!(100);
            volume["creationTime"] = json!(now.stamp());
        }
        json!({"readyToUse": true, "progress": 100, "creationTime": now.stamp(), "volumeBackups": volumes, "conditions": conditions})
    };
    Outcome::of(object::merge(BACKUP, backup, json!({"status": status})))
}

fn opened(backup: &Value, vm: &Value, view: &dyn View, now: Now) -> Value {
    let namespace = object::namespace(vm);
    let volumes = object::items(vm, "/spec/template/spec/volumes").iter().filter_map(|volume| {
        let claim = view.get(PVC, namespace, claim_name(volume))?;
        Some(json!({
            "name": format!("{}-volume-{}", object::name(backup), object::name(&claim)),
            "volumeName": volume["name"],
            "csiDriverName": super::volume::DRIVER,
            "volumeSize": claim.pointer("/spec/resources/requests/storage").and_then(bytes_of),
            "progress": 0, "readyToUse": false,
            "persistentVolumeClaim": {
                "metadata": {"name": object::name(&claim), "namespace": namespace, "annotations": claim["metadata"]["annotations"]},
                "spec": claim["spec"],
            },
        }))
    });
    let volumes: Vec<Value> = volumes.collect();
    let secrets: Vec<Value> = object::items(vm, "/spec/template/spec/volumes")
        .iter()
        .filter_map(|volume| volume.pointer("/cloudInitNoCloud/secretRef/name")?.as_str())
        .filter_map(|name| view.get(SECRET, namespace, name))
        .map(|secret| json!({"name": object::name(&secret), "data": secret["data"]}))
        .collect();
    let mut status = json!({
        "creationTime": now.stamp(), "sourceUID": object::uid(vm), "progress": 0, "readyToUse": false,
        "source": {
            "metadata": {"name": object::name(vm), "namespace": namespace, "labels": vm["metadata"]["labels"], "annotations": vm["metadata"]["annotations"]},
            "spec": vm["spec"],
        },
        "volumeBackups": volumes, "secretBackups": secrets,
    });
    let target = effective_setting(view, "backup-target").and_then(|text| serde_json::from_str::<Value>(&text).ok());
    if let (Some(target), "backup" | "") = (target, object::text(backup, "/spec/type")) {
        status["backupTarget"] = json!({"endpoint": target["endpoint"], "bucketName": target["bucketName"], "bucketRegion": target["bucketRegion"]});
    }
    status
}

fn restore(restore: &Value, view: &dyn View, now: Now) -> Outcome {
    if object::is_deleting(restore) || object::flag(restore, "/status/complete") {
        return Outcome::rest();
    }
    let backup = view.get(
        BACKUP,
        object::text(restore, "/spec/virtualMachineBackupNamespace"),
        object::text(restore, "/spec/virtualMachineBackupName"),
    );
    let Some(backup) = backup else { return Outcome::rest().again(TICK) };
    let (namespace, target) = (object::namespace(restore), object::text(restore, "/spec/target/name"));
    let mut conditions = object::items(restore, "/status/conditions").to_vec();
    let vm = view.get(VM, namespace, target);
    if restore.pointer("/status/restores").is_none() {
        object::set_condition(&mut conditions, "InProgress", true, "", "Creating new PVCs", now);
        object::set_condition(&mut conditions, "Ready", false, "", "Waiting for new PVCs", now);
        let restores: Vec<Value> = object::items(&backup, "/status/volumeBackups").iter().map(|volume| json!({
            "volumeName": volume["volumeName"], "volumeBackupName": volume["name"], "volumeSize": volume["volumeSize"],
            "progress": 0, "persistentVolumeClaimSpec": {
                "metadata": {"name": restored_claim(restore, &backup, volume), "namespace": namespace},
                "spec": {"accessModes": ["ReadWriteMany"]},
            },
        })).collect();
        let status = json!({"restores": restores, "progress": 0, "complete": false, "conditions": conditions});
        let claims = object::items(&backup, "/status/volumeBackups")
            .iter()
            .map(|volume| Effect::Create { resource: PVC, object: claim_of(restore, &backup, volume, namespace) });
        return Outcome::of(claims.chain(object::merge(RESTORE, restore, json!({"status": status})))).again(COPY);
    }
    if let Some(left) = now.until(object::text(restore, "/metadata/creationTimestamp"), COPY) {
        return Outcome::rest().again(left);
    }
    match vm {
        None => {
            Outcome::of([Effect::Create { resource: VM, object: restored_vm(restore, &backup, namespace, target) }])
                .again(TICK)
        }
        Some(vm) if !object::flag(&vm, "/status/ready") => {
            let mut effects: Vec<Effect> = Vec::new();
            if object::annotation(&vm, "restore.harvesterhci.io/name") != Some(object::name(restore)) {
                let spec = restored_vm(restore, &backup, namespace, target);
                let patch = json!({
                    "metadata": {"annotations": {"restore.harvesterhci.io/name": object::name(restore), super::claims::TEMPLATES: spec["metadata"]["annotations"][super::claims::TEMPLATES]}},
                    "spec": {"runStrategy": spec["spec"]["runStrategy"], "template": {"spec": {"volumes": spec["spec"]["template"]["spec"]["volumes"]}}},
                });
                effects.extend(object::merge(VM, &vm, patch));
            }
            object::set_condition(&mut conditions, "Ready", false, "", "Waiting for target vm to be ready", now);
            effects.extend(object::merge(
                RESTORE,
                restore,
                json!({"status": {"progress": 90, "conditions": conditions}}),
            ));
            Outcome::of(effects).again(TICK)
        }
        Some(vm) => {
            object::set_condition(&mut conditions, "InProgress", false, "", "Operation complete", now);
            object::set_condition(&mut conditions, "Ready", true, "", "Operation complete", now);
            let status = json!({"complete": true, "progress": 100, "restoreTime": now.stamp(), "targetUID": object::uid(&vm), "conditions": conditions});
            let told = object::event(
                restore,
                "Normal",
                "VirtualMachineRestoreComplete",
                "Successfully completed VirtualMachineRestore",
                "harvester-vm-restore-controller",
            );
            Outcome::of(object::merge(RESTORE, restore, json!({"status": status})).into_iter().chain([told]))
        }
    }
}

fn restored_claim(restore: &Value, backup: &Value, volume: &Value) -> String {
    format!("restore-{}-{}-{}", object::name(backup), object::uid(restore), object::text(volume, "/volumeName"))
}

fn claim_of(restore: &Value, backup: &Value, volume: &Value, namespace: &str) -> Value {
    let mut spec = volume["persistentVolumeClaim"]["spec"].clone();
    if let Some(spec) = spec.as_object_mut() {
        spec.remove("volumeName");
    }
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": restored_claim(restore, backup, volume), "namespace": namespace,
            "annotations": {
                "restore.harvesterhci.io/name": object::name(restore),
                "harvesterhci.io/imageId": volume["persistentVolumeClaim"]["metadata"]["annotations"]["harvesterhci.io/imageId"],
            },
            "ownerReferences": [object::controlled_by(restore)],
        },
        "spec": spec,
    })
}

fn restored_vm(restore: &Value, backup: &Value, namespace: &str, target: &str) -> Value {
    let mut spec = backup["status"]["source"]["spec"].clone();
    for volume in object::items(backup, "/status/volumeBackups") {
        let claims = spec.pointer_mut("/template/spec/volumes").and_then(Value::as_array_mut);
        for held in claims.into_iter().flatten().filter(|held| held["name"] == volume["volumeName"]) {
            held["persistentVolumeClaim"]["claimName"] = json!(restored_claim(restore, backup, volume));
        }
    }
    if !object::flag(restore, "/spec/keepMacAddress") {
        let interfaces = spec.pointer_mut("/template/spec/domain/devices/interfaces").and_then(Value::as_array_mut);
        for interface in interfaces.into_iter().flatten().filter_map(Value::as_object_mut) {
            interface.remove("macAddress");
        }
    }
    spec["runStrategy"] = json!("RerunOnFailure");
    let templates: Vec<Value> = object::items(backup, "/status/volumeBackups")
        .iter()
        .map(|volume| {
            let mut spec = volume["persistentVolumeClaim"]["spec"].clone();
            if let Some(spec) = spec.as_object_mut() {
                spec.remove("volumeName");
            }
            json!({"metadata": {"name": restored_claim(restore, backup, volume)}, "spec": spec})
        })
        .collect();
    json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
        "metadata": {
            "name": target, "namespace": namespace,
            "labels": {"harvesterhci.io/creator": "harvester"},
            "annotations": {
                "restore.harvesterhci.io/name": object::name(restore),
                super::claims::TEMPLATES: Value::Array(templates).to_string(),
            },
        },
        "spec": spec,
    })
}
