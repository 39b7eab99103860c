//! Memory dumps: a claim is named once and stays the VM's until it is let go.
//!
//! Source: K `pkg/virt-api/rest/memorydump.go`; `harvester-api.md` §2.1.

use super::machine::VMI_NOT_RUNNING;
use super::{Answer, Ask, Outcome, Refusal};
use crate::behave::object;
use crate::behave::quantity::bytes_of;
use crate::behave::resources::{PVC, VM};
use serde_json::{Value, json};

/// What a dump takes beside the memory.
const OVERHEAD: u64 = 100 << 20;
/// What a file system takes of a claim, in thousandths, where CDI says nothing else.
const FILE_SYSTEM: u64 = 55;

pub(super) fn begin(ask: &Ask<'_>) -> Outcome {
    let vm = ask.vm()?;
    let held = vm.pointer("/status/memoryDumpRequest").filter(|held| held.is_object());
    let known = held.map(|held| object::text(held, "/claimName")).unwrap_or_default();
    let claim = match (object::text(ask.body, "/claimName"), known) {
        ("", "") => return Err(Refusal::bad_request("Memory dump requires claim name to be set")),
        ("", known) => known,
        (asked, known) if !known.is_empty() && asked != known => {
            let gist = format!(
                "can't request memory dump for pvc [{asked}] while pvc [{known}] is still associated as the memory dump pvc"
            );
            return Err(Refusal::conflict("virtualmachine", ask.name, &gist));
        }
        (asked, _) => asked,
    };
    let vmi = ask.vmi()?;
    if ask.phase() != "Running" {
        return Err(Refusal::conflict("virtualmachineinstance", ask.name, VMI_NOT_RUNNING));
    }
    fits(ask, vmi, claim)?;
    match held.map(|held| object::text(held, "/phase")) {
        Some("Dissociating") => {
            let gist = format!("can't dump memory for pvc [{claim}] a remove memory dump request is in progress");
            Err(Refusal::conflict("virtualmachine", ask.name, &gist))
        }
        None | Some("Completed" | "Failed") => {
            let request = json!({
                "claimName": claim, "phase": "Associating", "startTimestamp": null, "endTimestamp": null,
                "fileName": null, "message": null, "remove": null,
            });
            Answer::accepted(object::merge_status(VM, vm, json!({"memoryDumpRequest": request})))
        }
        Some(_) => {
            let gist = format!("memory dump request for pvc [{claim}] already in progress");
            Err(Refusal::conflict("virtualmachine", ask.name, &gist))
        }
    }
}

fn fits(ask: &Ask<'_>, vmi: &Value, claim: &str) -> Result<(), Refusal> {
    let refused = |gist: &str| Refusal::conflict("persistentvolumeclaim", claim, gist);
    let pvc = ask.view.get(PVC, object::namespace(vmi), claim);
    let pvc = pvc.ok_or_else(|| Refusal::not_found("persistentvolumeclaim", claim))?;
    if pvc["spec"]["volumeMode"] == "Block" {
        return Err(refused("pvc should be filesystem pvc"));
    }
    if object::items(&pvc, "/spec/accessModes").iter().all(|mode| mode == "ReadOnlyMany") {
        return Err(refused("pvc access mode can't be read only"));
    }
    let memory = object::at(vmi, "/spec/domain/resources/requests/memory").and_then(bytes_of).unwrap_or(0);
    let wanted = (memory + OVERHEAD) * 1000 / (1000 - FILE_SYSTEM);
    let size = object::at(&pvc, "/spec/resources/requests/storage").and_then(bytes_of).unwrap_or(0);
    if size < wanted {
        return Err(refused(&format!("pvc size [{}k] should be bigger then [{wanted}]", size.div_ceil(1000))));
    }
    Ok(())
}

pub(super) fn remove(ask: &Ask<'_>) -> Outcome {
    let vm = ask.vm()?;
    let Some(held) = vm.pointer("/status/memoryDumpRequest").filter(|held| held.is_object()) else {
        let gist = format!("can't remove memory dump association for vm {}, no association found", ask.name);
        return Err(Refusal::conflict("virtualmachine", ask.name, &gist));
    };
    let claim = object::text(held, "/claimName");
    if object::flag(held, "/remove") {
        let gist = format!("memory dump remove request for pvc [{claim}] already exists");
        return Err(Refusal::conflict("virtualmachine", ask.name, &gist));
    }
    let request = json!({
        "claimName": claim, "phase": "Dissociating", "remove": true, "startTimestamp": null, "endTimestamp": null,
        "fileName": null, "message": null,
    });
    Answer::accepted(object::merge_status(VM, vm, json!({"memoryDumpRequest": request})))
}
