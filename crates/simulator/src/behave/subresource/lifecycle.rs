//! Start, stop, restart, migrate.
//!
//! Source: K `pkg/virt-api/rest/lifecycle.go`; `harvester-api.md` §1.2, §2.1.

use super::{Answer, Ask, Outcome, Refusal};
use crate::behave::resources::{VM, VMI, VMIM};
use crate::behave::vm::run_strategy;
use crate::behave::{Effect, object};
use serde_json::{Value, json};

const UNDERWAY: &str = "unable to complete request: stop/start already underway";

fn conflict(ask: &Ask<'_>, gist: &str) -> Refusal {
    Refusal::conflict("virtualmachine", ask.name, gist)
}

fn requests(vm: &Value) -> &[Value] {
    object::items(vm, "/status/stateChangeRequests")
}

fn request(vm: &Value, wanted: Value) -> Option<Effect> {
    object::merge_status(VM, vm, json!({"stateChangeRequests": wanted}))
}

fn strategy_becomes(vm: &Value, strategy: &str) -> Option<Effect> {
    let running = if vm.pointer("/spec/running").is_some_and(Value::is_boolean) {
        json!({"running": strategy != "Halted"})
    } else {
        json!({"runStrategy": strategy})
    };
    object::merge(VM, vm, json!({"spec": running}))
}

pub(super) fn start(ask: &Ask<'_>) -> Outcome {
    let vm = ask.vm()?;
    if ask.live().is_some() {
        return Err(conflict(ask, "VM is already running"));
    }
    let strategy = run_strategy(vm);
    let paused = object::flag(ask.body, "/paused");
    let data = if paused { json!({"paused": "true"}) } else { Value::Null };
    let start = if paused { json!([{"action": "Start", "data": data}]) } else { json!([{"action": "Start"}]) };
    match strategy {
        "Always" | "Once" => Err(conflict(ask, &format!("{strategy} does not support manual start requests"))),
        "RerunOnFailure" if ask.phase() == "Failed" => {
            Err(conflict(ask, "RerunOnFailure does not support starting VM from failed state"))
        }
        _ if requests(vm).iter().any(|held| held["action"] == "Start") => Err(conflict(ask, UNDERWAY)),
        "Halted" => {
            ask.admitted("start")?;
            let paused = paused.then(|| request(vm, start)).flatten();
            Answer::accepted(strategy_becomes(vm, "Always").into_iter().chain(paused))
        }
        _ => {
            ask.admitted("start")?;
            // An instance that ended by itself is taken away before the next begins.
            let wanted = match ask.vmi {
                Some(ended) => json!([{"action": "Stop", "uid": object::uid(ended)}, {"action": "Start"}]),
                None => start,
            };
            Answer::accepted(request(vm, wanted))
        }
    }
}

pub(super) fn stop(ask: &Ask<'_>) -> Outcome {
    let vm = ask.vm()?;
    let strategy = run_strategy(vm);
    let grace = object::number(ask.body, "/gracePeriod");
    let Some(vmi) = ask.live() else {
        return Err(conflict(ask, "VM is not running"));
    };
    if grace.is_some_and(|grace| grace < 0) {
        return Err(Refusal::bad_request("gracePeriod has to be greater or equal to 0"));
    }
    let shorter = grace
        .filter(|grace| object::number(vmi, "/spec/terminationGracePeriodSeconds").is_none_or(|held| *grace < held));
    if strategy == "Halted" && shorter.is_none() {
        return Err(conflict(ask, "Halted does not support manual stop requests"));
    }
    if !requests(vm).is_empty() {
        return Err(conflict(ask, UNDERWAY));
    }
    ask.admitted("stop")?;
    let hurry =
        shorter.and_then(|grace| object::merge(VMI, vmi, json!({"spec": {"terminationGracePeriodSeconds": grace}})));
    let act = match strategy {
        "Halted" => None,
        "Always" | "Once" => strategy_becomes(vm, "Halted"),
        _ => request(vm, json!([{"action": "Stop", "uid": object::uid(vmi)}])),
    };
    Answer::accepted(hurry.into_iter().chain(act))
}

pub(super) fn restart(ask: &Ask<'_>) -> Outcome {
    let vm = ask.vm()?;
    let strategy = run_strategy(vm);
    if object::number(ask.body, "/gracePeriodSeconds").is_some_and(|grace| grace > 0) {
        return Err(Refusal::bad_request("For force restart, only gracePeriod=0 is supported for now"));
    }
    if matches!(strategy, "Halted" | "Once") {
        return Err(conflict(ask, &format!("{strategy} does not support manual restart requests")));
    }
    let Some(vmi) = ask.live() else {
        return Err(conflict(ask, "VM is not running"));
    };
    if object::is_true(vmi, "VolumesChange") {
        return Err(conflict(ask, "VM cannot be restarted while a volume migration is in progress"));
    }
    if !requests(vm).is_empty() {
        return Err(conflict(ask, UNDERWAY));
    }
    ask.admitted("restart")?;
    let force = object::number(ask.body, "/gracePeriodSeconds") == Some(0);
    let hurry = force.then(|| object::merge(VMI, vmi, json!({"spec": {"terminationGracePeriodSeconds": 0}}))).flatten();
    let wanted = json!([{"action": "Stop", "uid": object::uid(vmi)}, {"action": "Start"}]);
    Answer::accepted(hurry.into_iter().chain(request(vm, wanted)))
}

pub(super) fn migrate(ask: &Ask<'_>) -> Outcome {
    let vm = ask.vm()?;
    if ask.phase() != "Running" {
        return Err(conflict(ask, "VM is not running"));
    }
    let mut spec = json!({"vmiName": ask.name});
    if let Some(selector) = ask.body.get("addedNodeSelector").filter(|selector| selector.is_object()) {
        spec["addedNodeSelector"] = selector.clone();
    }
    let object = json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstanceMigration",
        "metadata": {"generateName": "kubevirt-migrate-vm-", "namespace": object::namespace(vm)},
        "spec": spec,
    });
    Answer::accepted([Effect::Create { resource: VMIM, object }])
}

pub(super) fn cancel_evacuation(ask: &Ask<'_>, on_vm: bool) -> Outcome {
    if on_vm {
        ask.vm()?;
    }
    let vmi = ask.vmi()?;
    let held = object::text(vmi, "/status/evacuationNodeName");
    let asked = object::text(ask.body, "/evacuationNodeName");
    if held.is_empty() {
        return Answer::done([]);
    }
    if !asked.is_empty() && asked != held {
        let gist = format!("vmi is not evacuating from node {asked}");
        return Err(Refusal::conflict("virtualmachineinstance", ask.name, &gist));
    }
    Answer::done(object::merge(VMI, vmi, json!({"status": {"evacuationNodeName": null}})))
}
