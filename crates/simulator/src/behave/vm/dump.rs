//! A memory dump as the VM controller carries it: a claim that is plugged in, written to, and plugged out.
//!
//! Source: K `pkg/storage/memorydump/memorydump.go`.

use crate::behave::object;
use crate::behave::resources::{PVC, VM, VMI};
use crate::behave::{Effect, View};
use serde_json::{Value, json};

const NOTE: &str = "kubevirt.io/memory-dump";

fn request(vm: &Value) -> Option<&Value> {
    vm.pointer("/status/memoryDumpRequest").filter(|request| request.is_object())
}

fn has_volume(spec: &Value, claim: &str) -> bool {
    object::items(spec, "/volumes").iter().any(|volume| volume["name"] == claim)
}

/// The volumes of a spec with the claim of a dump.
fn with(spec: &Value, claim: &str) -> Option<Value> {
    let volume = json!({"name": claim, "memoryDump": {"claimName": claim, "hotpluggable": true}});
    let all = object::items(spec, "/volumes").iter().cloned().chain([volume]).collect::<Vec<_>>();
    (!has_volume(spec, claim)).then(|| json!(all))
}

/// The volumes of a spec without the claim of a dump.
fn without(spec: &Value, claim: &str) -> Option<Value> {
    let all: Vec<Value> =
        object::items(spec, "/volumes").iter().filter(|volume| volume["name"] != claim).cloned().collect();
    has_volume(spec, claim).then(|| json!(all))
}

/// Whether the next instance is to start without the claim.
pub(super) fn is_over(vm: &Value) -> bool {
    request(vm).is_some_and(|request| !matches!(object::text(request, "/phase"), "Associating" | "InProgress"))
}

/// What is plugged in or out.
pub(super) fn act(vm: &Value, vmi: Option<&Value>, view: &dyn View) -> Vec<Effect> {
    let Some(request) = request(vm) else { return Vec::new() };
    let claim = object::text(request, "/claimName");
    let template = object::part(vm, "/spec/template/spec");
    let running = vmi.filter(|vmi| object::text(vmi, "/status/phase") == "Running" && !object::is_deleting(vmi));
    let (mut of_vm, mut of_vmi, mut note) = (None, None, None);
    match object::text(request, "/phase") {
        "Associating" => {
            of_vm = running.and_then(|_| with(&template, claim));
            of_vmi = running.and_then(|vmi| with(&vmi["spec"], claim));
        }
        phase @ ("Unmounting" | "Failed") => {
            of_vmi = vmi.and_then(|vmi| without(&vmi["spec"], claim));
            let text = if phase == "Failed" { "Memory dump failed" } else { object::text(request, "/fileName") };
            let pvc = view.get(PVC, object::namespace(vm), claim).filter(|_| !text.is_empty());
            note = pvc.and_then(|pvc| object::merge(PVC, &pvc, json!({"metadata": {"annotations": {NOTE: text}}})));
        }
        "Dissociating" => {
            of_vm = without(&template, claim);
            of_vmi = vmi.and_then(|vmi| without(&vmi["spec"], claim));
        }
        _ => {}
    }
    let vm_patch =
        of_vm.and_then(|volumes| object::merge(VM, vm, json!({"spec": {"template": {"spec": {"volumes": volumes}}}})));
    let vmi_patch =
        of_vmi.zip(vmi).and_then(|(volumes, vmi)| object::merge(VMI, vmi, json!({"spec": {"volumes": volumes}})));
    note.into_iter().chain(vmi_patch).chain(vm_patch).collect()
}

/// `status.memoryDumpRequest` as it should stand; null when the claim was let go.
pub(super) fn next(vm: &Value, vmi: Option<&Value>) -> Value {
    let Some(request) = request(vm) else { return Value::Null };
    let claim = object::text(request, "/claimName");
    let in_template = has_volume(&object::part(vm, "/spec/template/spec"), claim);
    let seen =
        vmi.and_then(|vmi| object::items(vmi, "/status/volumeStatus").iter().find(|status| status["name"] == claim));
    let mut made = request.clone();
    match object::text(request, "/phase") {
        "Associating" if in_template => made["phase"] = json!("InProgress"),
        "InProgress" => {
            let Some(dump) = seen.and_then(|status| status.get("memoryDumpVolume")) else { return made };
            made["startTimestamp"] = dump["startTimestamp"].clone();
            if seen.is_some_and(|status| status["phase"] == "MemoryDumpCompleted") {
                made["phase"] = json!("Unmounting");
                made["endTimestamp"] = dump["endTimestamp"].clone();
                made["fileName"] = dump["targetFileName"].clone();
            }
        }
        "Unmounting" if seen.is_none() => made["phase"] = json!("Completed"),
        "Dissociating" if seen.is_none() && !in_template => return Value::Null,
        _ => {}
    }
    made
}
