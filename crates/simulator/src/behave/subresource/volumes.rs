//! Hot-plugging disks through the VM.
//!
//! With the gate DeclarativeHotplugVolumes (Harvester 1.8) a call edits the VM's template; the VM controller carries it
//! into the instance.
//!
//! Source: K `pkg/virt-api/rest/volumes.go`, `pkg/storage/admitters/storagehotplug.go`; `harvester-api.md` §2.1, §8.7.

use super::{Answer, Ask, Outcome, Refusal};
use crate::behave::object;
use crate::behave::resources::{PVC, VM};
use serde_json::{Value, json};

const DISKS: &str = "/spec/template/spec/domain/devices/disks";
const VOLUMES: &str = "/spec/template/spec/volumes";

fn conflict(ask: &Ask<'_>, gist: &str) -> Refusal {
    Refusal::conflict("virtualmachine", ask.name, gist)
}

fn busy(ask: &Ask<'_>) -> Result<(), Refusal> {
    match ask.vmi.is_some_and(crate::behave::is_migrating) {
        true => Err(conflict(ask, "Cannot handle volume requests while VMI migration is in progress")),
        false => Ok(()),
    }
}

pub(super) fn add(ask: &Ask<'_>) -> Outcome {
    let vm = ask.vm()?;
    let name = object::text(ask.body, "/name");
    if name.is_empty() {
        return Err(Refusal::bad_request("AddVolumeOptions requires name to be set"));
    }
    let Some(disk) = ask.body.get("disk").filter(|disk| disk.is_object()) else {
        return Err(Refusal::bad_request("AddVolumeOptions requires disk to not be nil"));
    };
    let Some(source) = ask.body.get("volumeSource").filter(|source| source.is_object()) else {
        return Err(Refusal::bad_request("AddVolumeOptions requires VolumeSource to not be nil"));
    };
    let bus = ["disk", "lun"].iter().find_map(|kind| disk.pointer(&format!("/{kind}/bus"))).and_then(Value::as_str);
    if !matches!(bus, None | Some("scsi" | "virtio")) {
        return Err(Refusal::bad_request(format!(
            "AddVolumeOptions requires disk bus to be 'scsi' or 'virtio', not {}",
            bus.unwrap_or_default()
        )));
    }
    let taken = object::items(vm, VOLUMES).iter().any(|volume| volume["name"] == name);
    if taken {
        return Err(conflict(
            ask,
            &format!("Unable to add volume [{name}] because volume with that name already exists"),
        ));
    }
    busy(ask)?;
    let mut volume = json!({"name": name});
    for kind in ["persistentVolumeClaim", "dataVolume"] {
        if let Some(held) = source.get(kind) {
            volume[kind] = held.clone();
            volume[kind]["hotpluggable"] = json!(true);
        }
    }
    let claim = crate::behave::claim_name(&volume);
    if claim.is_empty() {
        return Err(Refusal::bad_request("only PersistentVolumeClaim and DataVolume can be hot-plugged"));
    }
    if ask.view.get(PVC, object::namespace(vm), claim).is_none() {
        return Err(Refusal::not_found("persistentvolumeclaim", claim));
    }
    let mut disk = disk.clone();
    disk["name"] = json!(name);
    let appended = |pointer: &str, item: Value| {
        let mut all = object::items(vm, pointer).to_vec();
        all.push(item);
        all
    };
    Answer::accepted(object::merge(VM, vm, template(appended(DISKS, disk), appended(VOLUMES, volume))))
}

pub(super) fn remove(ask: &Ask<'_>) -> Outcome {
    let vm = ask.vm()?;
    let name = object::text(ask.body, "/name");
    if name.is_empty() {
        return Err(Refusal::bad_request("RemoveVolumeOptions requires name to be set"));
    }
    let volume = object::items(vm, VOLUMES).iter().find(|volume| volume["name"] == name);
    let Some(volume) = volume else {
        return Err(conflict(ask, &format!("Unable to remove volume [{name}] because it does not exist")));
    };
    if !crate::behave::is_hotplugged(volume) {
        return Err(conflict(ask, &format!("Unable to remove volume [{name}] because it is not hotpluggable")));
    }
    busy(ask)?;
    let without = |pointer: &str| -> Vec<Value> {
        object::items(vm, pointer).iter().filter(|item| item["name"] != name).cloned().collect()
    };
    Answer::accepted(object::merge(VM, vm, template(without(DISKS), without(VOLUMES))))
}

fn template(disks: Vec<Value>, volumes: Vec<Value>) -> Value {
    json!({"spec": {"template": {"spec": {"volumes": volumes, "domain": {"devices": {"disks": disks}}}}}})
}

pub(super) fn on_instance(ask: &Ask<'_>) -> Outcome {
    let vmi = ask.vmi()?;
    let gist = format!("VMI {}/{} is owned by a VM", object::namespace(vmi), ask.name);
    Err(Refusal::conflict("virtualmachineinstance", ask.name, &gist))
}
