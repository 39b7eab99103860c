//! Hot-plugging disks through the VM.
//!
//! With the gate DeclarativeHotplugVolumes (Harvester 1.8) a call edits the VM's template; the VM controller carries it
//! into the instance. Whether the claim is there is not asked: who names one that is not gets a disk that waits.
//!
//! Source: K `pkg/virt-api/rest/volumes.go`; `harvester-api.md` §2.1, §8.7.

use super::machine::VMI_NOT_RUNNING;
use super::{Answer, Ask, Outcome, Refusal};
use crate::behave::resources::{VM, VMI};
use crate::behave::{Resource, claim_name, object};
use serde_json::{Value, json};

/// A template or an instance with volumes: the VM with the pointer to it, or the instance.
struct Holder<'a> {
    object: &'a Value,
    resource: Resource,
    kind: &'static str,
    spec: &'static str,
}

impl Holder<'_> {
    fn items(&self, pointer: &str) -> &[Value] {
        object::items(self.object, &format!("{}{pointer}", self.spec))
    }

    fn with(&self, disks: Vec<Value>, volumes: Vec<Value>) -> Outcome {
        let spec = json!({"volumes": volumes, "domain": {"devices": {"disks": disks}}});
        let patch =
            if self.resource == VM { json!({"spec": {"template": {"spec": spec}}}) } else { json!({"spec": spec}) };
        Answer::accepted(object::merge(self.resource, self.object, patch))
    }
}

const DISKS: &str = "/domain/devices/disks";
const VOLUMES: &str = "/volumes";

fn holder<'a>(ask: &Ask<'a>, on_vm: bool) -> Result<Holder<'a>, Refusal> {
    if on_vm {
        let object = ask.vm()?;
        return Ok(Holder { object, resource: VM, kind: "virtualmachine", spec: "/spec/template/spec" });
    }
    let vmi = ask.vmi()?;
    let owners = object::items(vmi, "/metadata/ownerReferences");
    if owners.iter().any(|owner| owner["controller"] == true && owner["kind"] == "VirtualMachine") {
        let message = format!("VMI {}/{} is owned by a VM", object::namespace(vmi), ask.name);
        return Err(Refusal::bad_request(message));
    }
    if ask.phase() != "Running" {
        return Err(Refusal::conflict("virtualmachineinstance", ask.name, VMI_NOT_RUNNING));
    }
    Ok(Holder { object: vmi, resource: VMI, kind: "virtualmachineinstance", spec: "/spec" })
}

pub(super) fn add(ask: &Ask<'_>, on_vm: bool) -> Outcome {
    let name = object::text(ask.body, "/name");
    let part = |key: &str| ask.body.get(key).filter(|part| part.is_object());
    if name.is_empty() {
        return Err(Refusal::bad_request("AddVolumeOptions requires name to be set"));
    }
    let disk = part("disk").ok_or_else(|| Refusal::bad_request("AddVolumeOptions requires disk to not be nil"))?;
    let source = part("volumeSource")
        .ok_or_else(|| Refusal::bad_request("AddVolumeOptions requires VolumeSource to not be nil"))?;
    let holder = holder(ask, on_vm)?;
    let mut volume = json!({"name": name});
    for kind in ["dataVolume", "persistentVolumeClaim"] {
        if let Some(held) = source.get(kind).filter(|held| held.is_object()) {
            volume[kind] = held.clone();
            volume[kind]["hotpluggable"] = json!(true);
        }
    }
    let claim = claim_name(&volume);
    for held in holder.items(VOLUMES) {
        if held["name"] == name {
            let gist = format!("Unable to add volume [{name}] because volume with that name already exists");
            return Err(Refusal::conflict(holder.kind, ask.name, &gist));
        }
        if !claim.is_empty() && claim_name(held) == claim {
            let gist = format!("Unable to add volume source [{claim}] because it already exists");
            return Err(Refusal::conflict(holder.kind, ask.name, &gist));
        }
    }
    let mut disk = disk.clone();
    disk["name"] = json!(name);
    let appended = |pointer: &str, item: Value| holder.items(pointer).iter().cloned().chain([item]).collect();
    holder.with(appended(DISKS, disk), appended(VOLUMES, volume))
}

pub(super) fn remove(ask: &Ask<'_>, on_vm: bool) -> Outcome {
    let name = object::text(ask.body, "/name");
    if name.is_empty() {
        return Err(Refusal::bad_request("RemoveVolumeOptions requires name to be set"));
    }
    let holder = holder(ask, on_vm)?;
    let is_meant = |volume: &&Value| volume["name"] == name || claim_name(volume) == name;
    let Some(volume) = holder.items(VOLUMES).iter().find(is_meant) else {
        let gist = format!("Unable to remove volume [{name}] because it does not exist");
        return Err(Refusal::conflict(holder.kind, ask.name, &gist));
    };
    let name = object::text(volume, "/name");
    if !crate::behave::is_hotplugged(volume) {
        let gist = format!("Unable to remove volume [{name}] because it is not hotpluggable");
        return Err(Refusal::conflict(holder.kind, ask.name, &gist));
    }
    let without =
        |pointer: &str| holder.items(pointer).iter().filter(|item| item["name"] != name).cloned().collect::<Vec<_>>();
    holder.with(without(DISKS), without(VOLUMES))
}
