//! virt-controller's VM controller: from a `VirtualMachine` to its instance and back to a status.
//!
//! Invariant: at most one VMI of the VM's name, owned by it. What to do is decided in [`strategy`], what is shown in
//! [`status`]; neither knows about pods.
//!
//! Source: K `pkg/virt-controller/watch/vm/vm.go`; `harvester-api.md` §1.2, §1.7.

mod dump;
mod instance;
mod status;
mod strategy;
#[cfg(test)]
mod tests;

use super::object::{self, key};
use super::resources::{VM, VMI};
use super::{Behaviour, Effect, Key, Now, Outcome, Role, View};
pub(crate) use instance::{build, complete_instance, complete_template, uuid_of as machine_uuid};
use serde_json::{Value, json};
pub(crate) use status::claim_name;
use std::time::Duration;
pub(crate) use strategy::run_strategy;
use strategy::{Decision, decide};

/// The VM controller.
pub(crate) const VM_CONTROLLER: Behaviour =
    Behaviour { name: "vm", role: Role::VirtController, on: VM, wakes: &[(VMI, same_name)], step };

/// Finalizer that the VM controller puts on a VM and on its VMI.
pub(crate) const VM_FINALIZER: &str = "kubevirt.io/virtualMachineControllerFinalize";
/// Finalizer that a VMI carries from its creation on.
pub(crate) const VMI_FINALIZER: &str = "kubevirt.io/foregroundDeleteVirtualMachine";
const LOOK_AT_DISKS: Duration = Duration::from_secs(1);
const SOURCE: &str = "virtualmachine-controller";

fn same_name(vmi: &Value) -> Vec<Key> {
    vec![key(vmi)]
}

fn step(vm: &Value, view: &dyn View, now: Now) -> Outcome {
    let (namespace, name) = key(vm);
    let vmi = view.get(VMI, &namespace, &name);
    let vmi = vmi.as_deref().filter(|vmi| object::is_owned_by(vmi, object::uid(vm)));
    if object::is_deleting(vm) {
        return removal(vm, vmi, view, now);
    }
    if !object::has_finalizer(vm, VM_FINALIZER) {
        let patch = object::with_finalizer(vm, VM_FINALIZER);
        return Outcome::of(object::merge(VM, vm, patch));
    }
    let decision = decide(vm, vmi, now);
    let mut effects = Vec::new();
    act(vm, vmi, &decision, now, &mut effects);
    if decision.becomes_always {
        let strategy = if vm.pointer("/spec/runStrategy").is_some() {
            json!({"runStrategy": "Always"})
        } else {
            json!({"running": true})
        };
        effects.extend(object::merge(VM, vm, json!({"spec": strategy})));
    }
    if let Some(vmi) = vmi {
        effects.extend(release(vmi, view, &decision));
        effects.extend(live_update(vm, vmi));
    }
    effects.extend(dump::act(vm, vmi, view));
    let mut shown = status::status(vm, vmi, view, &decision, now);
    shown["memoryDumpRequest"] = dump::next(vm, vmi);
    let waits_for_disks =
        matches!(object::text(&shown, "/printableStatus"), "WaitingForVolumeBinding" | "Provisioning");
    effects.extend(object::merge_status(VM, vm, shown));
    // A claim does not name its VM, so disks are looked at again instead of waking it.
    Outcome::of(effects).again(decision.again_after).again(waits_for_disks.then_some(LOOK_AT_DISKS))
}

/// The status of a VM to which nothing has to be done.
pub(crate) fn resting_status(vm: &Value, vmi: Option<&Value>, view: &dyn View, now: Now) -> Value {
    status::status(vm, vmi, view, &Decision { wants_instance: vmi.is_some(), ..Decision::default() }, now)
}

fn act(vm: &Value, vmi: Option<&Value>, decision: &Decision, now: Now, effects: &mut Vec<Effect>) {
    let name = object::name(vm);
    match (decision.start, decision.stop, vmi) {
        (true, _, None) => {
            let object = instance::build(vm, decision.paused, now);
            effects.push(Effect::Create { resource: VMI, object });
            let message = format!("Started the virtual machine by creating the new virtual machine instance {name}");
            effects.push(object::event(vm, "Normal", "SuccessfulCreate", message, SOURCE));
        }
        (_, true, Some(vmi)) if !object::is_deleting(vmi) => {
            let message =
                format!("Stopped the virtual machine by deleting the virtual machine instance {}", object::uid(vmi));
            effects.push(object::event(vm, "Normal", "SuccessfulDelete", message, SOURCE));
            if let Some(grace) = decision.grace_period {
                let patch = json!({"spec": {"terminationGracePeriodSeconds": grace}});
                effects.extend(object::merge(VMI, vmi, patch));
            }
            effects.push(object::delete(VMI, vmi));
        }
        _ => {}
    }
}

/// Lets go of a VMI that has ended and whose pods are gone.
fn release(vmi: &Value, view: &dyn View, _decision: &Decision) -> Option<Effect> {
    let may_go = object::is_deleting(vmi)
        && super::vmi::is_final(vmi)
        && object::has_finalizer(vmi, VM_FINALIZER)
        && super::vmi::pods_of(vmi, view).is_empty();
    may_go.then(|| object::merge(VMI, vmi, object::without_finalizer(vmi, VM_FINALIZER))).flatten()
}

/// Carries what may change under a running guest into the instance: sockets within their maximum, hot-plugged disks.
///
/// Source: K `pkg/liveupdate/`, `pkg/storage/hotplug`; `harvester-api.md` §8.7, §9.3.
fn live_update(vm: &Value, vmi: &Value) -> Option<Effect> {
    if object::is_deleting(vmi) || object::text(vmi, "/status/phase") != "Running" {
        return None;
    }
    let mut spec = json!({});
    let count = |held: &Value, field: &str| object::number(held, field);
    let wanted = count(vm, "/spec/template/spec/domain/cpu/sockets");
    let most = count(vmi, "/spec/domain/cpu/maxSockets");
    if wanted > count(vmi, "/spec/domain/cpu/sockets") && wanted <= most {
        spec["domain"]["cpu"]["sockets"] = json!(wanted);
    }
    let plugged =
        |volumes: &[Value]| volumes.iter().filter(|v| super::hardware::is_hotplugged(v)).cloned().collect::<Vec<_>>();
    let (ours, theirs) = (object::items(vm, "/spec/template/spec/volumes"), object::items(vmi, "/spec/volumes"));
    if plugged(ours) != plugged(theirs) {
        let fixed = |volume: &&Value| !super::hardware::is_hotplugged(volume);
        let volumes: Vec<Value> = theirs.iter().filter(fixed).cloned().chain(plugged(ours)).collect();
        let disks = object::items(vmi, "/spec/domain/devices/disks").iter();
        let new_disks = object::items(vm, "/spec/template/spec/domain/devices/disks").iter();
        let is_in = |disk: &&Value, list: &[Value]| list.iter().any(|volume| volume["name"] == disk["name"]);
        let plugged_now = plugged(ours);
        let kept =
            disks.filter(|disk| theirs.iter().any(|v| v["name"] == disk["name"] && fixed(&v)) || !is_in(disk, theirs));
        let disks: Vec<Value> = kept.chain(new_disks.filter(|disk| is_in(disk, &plugged_now))).cloned().collect();
        spec["volumes"] = json!(volumes);
        spec["domain"]["devices"]["disks"] = json!(disks);
    }
    object::merge(VMI, vmi, json!({"spec": spec}))
}

fn removal(vm: &Value, vmi: Option<&Value>, view: &dyn View, now: Now) -> Outcome {
    let decision = Decision { stop: true, ..Decision::default() };
    let mut effects = Vec::new();
    act(vm, vmi, &decision, now, &mut effects);
    if let Some(vmi) = vmi {
        effects.extend(release(vmi, view, &decision));
    }
    let shown = status::status(vm, vmi, view, &decision, now);
    if vmi.is_none() && object::has_finalizer(vm, VM_FINALIZER) {
        effects.extend(object::merge(VM, vm, object::without_finalizer(vm, VM_FINALIZER)));
    } else {
        effects.extend(object::merge_status(VM, vm, shown));
    }
    Outcome::of(effects)
}
