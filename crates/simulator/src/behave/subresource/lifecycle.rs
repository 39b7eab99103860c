//! Start, stop, restart, migrate.
//!
//! Source: K `pkg/virt-api/rest/lifecycle.go`, `evacuate_cancel.go`; `harvester-api.md` §1.2, §2.1.

use super::{Answer, Ask, Outcome, Refusal};
use crate::behave::evacuation::DRAIN_TAINT;
use crate::behave::resources::{NODE, POD, VM, VMI, VMIM};
use crate::behave::vm::run_strategy;
use crate::behave::{Effect, object, vmi};
use serde_json::{Value, json};

/// What a request is refused with while another waits; as an internal error, since upstream makes no other of it.
const UNDERWAY: &str = "unable to complete request: stop/start already underway";
const RECOVERY: &str = "VM recovery required: Volume migration failed, leaving some volumes pointing to non-consistent targets; manual intervention is needed to reassign them to their original volumes.";

fn conflict(ask: &Ask<'_>, gist: &str) -> Refusal {
    Refusal::conflict("virtualmachine", ask.name, gist)
}

/// Asks the VM controller; a stop alone takes the place of what was asked before.
///
/// Source: `getChangeRequestJson`.
fn request(vm: &Value, wanted: &[Value]) -> Result<Option<Effect>, Refusal> {
    let open = !object::items(vm, "/status/stateChangeRequests").is_empty();
    let is_stop = matches!(wanted, [only] if only["action"] == "Stop");
    if open && !is_stop {
        return Err(Refusal::internal(UNDERWAY));
    }
    Ok(object::merge_status(VM, vm, json!({"stateChangeRequests": wanted, "startFailure": null})))
}

fn strategy_becomes(vm: &Value, strategy: &str) -> Option<Effect> {
    let running = if object::text(vm, "/spec/runStrategy").is_empty() {
        json!({"running": strategy != "Halted"})
    } else {
        json!({"runStrategy": strategy})
    };
    object::merge(VM, vm, json!({"spec": running}))
}

fn stop_of(vmi: &Value) -> Value {
    json!({"action": "Stop", "uid": object::uid(vmi)})
}

pub(super) fn start(ask: &Ask<'_>) -> Outcome {
    let vm = ask.vm()?;
    if ask.live().is_some() && !matches!(ask.phase(), "" | "Unknown") {
        return Err(conflict(ask, "VM is already running"));
    }
    if object::is_true(vm, "ManualRecoveryRequired") {
        return Err(conflict(ask, RECOVERY));
    }
    let paused = object::flag(ask.body, "/paused");
    let start =
        if paused { json!({"action": "Start", "data": {"paused": "true"}}) } else { json!({"action": "Start"}) };
    match run_strategy(vm) {
        strategy @ ("Always" | "Once") => {
            Err(conflict(ask, &format!("{strategy} does not support manual start requests")))
        }
        "RerunOnFailure" if ask.phase() == "Failed" => {
            Err(conflict(ask, "RerunOnFailure does not support starting VM from failed state"))
        }
        "Halted" => {
            let act = if paused { request(vm, &[start])? } else { strategy_becomes(vm, "Always") };
            ask.admitted("start")?;
            Answer::accepted(act)
        }
        "RerunOnFailure" | "Manual" => {
            // An instance that ended by itself is taken away before the next begins.
            let wanted: Vec<Value> = ask.vmi.map(stop_of).into_iter().chain([start]).collect();
            let act = request(vm, &wanted)?;
            ask.admitted("start")?;
            Answer::accepted(act)
        }
        _ => Answer::accepted([]),
    }
}

pub(super) fn stop(ask: &Ask<'_>) -> Outcome {
    let vm = ask.vm()?;
    let strategy = run_strategy(vm);
    let grace = object::number(ask.body, "/gracePeriod");
    let live = ask.live();
    let hurry = live
        .zip(grace)
        .and_then(|(vmi, grace)| object::merge(VMI, vmi, json!({"spec": {"terminationGracePeriodSeconds": grace}})));
    let not_running = || conflict(ask, "VM is not running");
    let act = match strategy {
        "Halted" => {
            let vmi = live.ok_or_else(not_running)?;
            let held = object::number(vmi, "/spec/terminationGracePeriodSeconds");
            if grace.is_none_or(|grace| held.is_some_and(|held| grace >= held)) {
                return Err(conflict(ask, "Halted only supports manual stop requests with a shorter graceperiod"));
            }
            request(vm, &[stop_of(vmi)])?
        }
        "RerunOnFailure" | "Manual" => request(vm, &[stop_of(live.ok_or_else(not_running)?)])?,
        "Always" | "Once" => strategy_becomes(vm, "Halted"),
        _ => None,
    };
    ask.admitted("stop")?;
    Answer::accepted(hurry.into_iter().chain(act))
}

pub(super) fn restart(ask: &Ask<'_>) -> Outcome {
    let grace = object::number(ask.body, "/gracePeriodSeconds");
    match grace.unwrap_or(0).signum() {
        1 => return Err(Refusal::bad_request("For force restart, only gracePeriod=0 is supported for now")),
        -1 => return Err(Refusal::bad_request("gracePeriod has to be greater or equal to 0")),
        _ => {}
    }
    let vm = ask.vm()?;
    if object::is_true(vm, "VolumesChange") {
        return Err(conflict(ask, RECOVERY));
    }
    let strategy = run_strategy(vm);
    if matches!(strategy, "Halted" | "Once") {
        return Err(conflict(ask, &format!("RunStategy {strategy} does not support manual restart requests")));
    }
    let vmi = ask.vmi.ok_or_else(|| conflict(ask, "VM is not running: Halted"))?;
    let act = request(vm, &[stop_of(vmi), json!({"action": "Start"})])?;
    ask.admitted("restart")?;
    // By force: the launcher is told to end within a second.
    let pods = vmi::pods_of(vmi, ask.view);
    let pod = vmi::active_pod(vmi, &pods).filter(|_| grace == Some(0));
    let hurry = pod.and_then(|_| object::merge(VMI, vmi, json!({"spec": {"terminationGracePeriodSeconds": 0}})));
    Answer::accepted(act.into_iter().chain(hurry).chain(pod.map(|pod| object::delete(POD, pod))))
}

pub(super) fn migrate(ask: &Ask<'_>) -> Outcome {
    let vm = ask.vm()?;
    ask.vmi()?;
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
    if on_vm && !object::flag(ask.vm()?, "/status/created") {
        return Err(conflict(ask, "VMI is not started"));
    }
    let vmi = ask.vmi()?;
    let held = object::text(vmi, "/status/evacuationNodeName");
    let name = if held.is_empty() { object::text(vmi, "/status/nodeName") } else { held };
    if name.is_empty() {
        return Err(Refusal::internal("resource name may not be empty"));
    }
    let node = ask.view.get(NODE, "", name);
    let taints = node.as_deref().map(|node| object::items(node, "/spec/taints")).unwrap_or_default();
    if taints.iter().any(|taint| taint["key"] == DRAIN_TAINT && taint["effect"] == "NoSchedule") {
        // As Go's protobuf code prints the taint.
        let taint = format!("&Taint{{Key:{DRAIN_TAINT},Value:,Effect:NoSchedule,TimeAdded:<nil>,}}");
        let message = format!("Node \"{name}\" has NodeDrainTaintKey \"{taint}\"");
        return Err(Refusal::bad_request(message));
    }
    if held.is_empty() {
        return Answer::done([]);
    }
    if object::text(ask.body, "/evacuationNodeName") != held {
        return Err(Refusal::internal("the server rejected our request due to an error in our request"));
    }
    Answer::done(object::merge(VMI, vmi, json!({"status": {"evacuationNodeName": null}})))
}
