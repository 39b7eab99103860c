//! Pause, reboot, freeze: what is done to a running domain, and whether its screen may be opened.
//!
//! Source: K `pkg/virt-api/rest/{pause,softreboot,freeze,console,vnc}.go`, `subresource.go`; `harvester-api.md` §2.1.

use super::{Answer, Ask, Outcome, Refusal};
use crate::behave::guest::BOOTED;
use crate::behave::resources::VMI;
use crate::behave::{Effect, object};
use serde_json::{Value, json};

fn conflict(ask: &Ask<'_>, gist: &str) -> Refusal {
    Refusal::conflict("virtualmachineinstance", ask.name, gist)
}

fn running<'a>(ask: &Ask<'a>) -> Result<&'a Value, Refusal> {
    let vmi = ask.vmi()?;
    if ask.phase() == "Running" { Ok(vmi) } else { Err(conflict(ask, "VM is not running")) }
}

pub(super) fn pause(ask: &Ask<'_>) -> Outcome {
    let vmi = running(ask)?;
    if object::is_true(vmi, "Paused") {
        return Err(conflict(ask, "VMI is already paused"));
    }
    let probe = vmi.pointer("/spec/livenessProbe").filter(|probe| probe.is_object());
    if probe.is_some_and(|probe| probe.get("guestAgentPing").is_none()) {
        let gist = "Pausing VMIs with LivenessProbe is currently not supported";
        return Err(Refusal::forbidden("virtualmachineinstance", ask.name, gist));
    }
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    object::set_condition(&mut conditions, "Paused", true, "PausedByUser", "VMI was paused by user", ask.now);
    Answer::done(object::merge(VMI, vmi, json!({"status": {"conditions": conditions}})))
}

pub(super) fn unpause(ask: &Ask<'_>) -> Outcome {
    let vmi = running(ask)?;
    if !object::is_true(vmi, "Paused") {
        return Err(conflict(ask, "VMI is not paused"));
    }
    let busy = ask.vm.map(|vm| object::text(vm, "/status/snapshotInProgress")).unwrap_or_default();
    if !busy.is_empty() {
        return Err(conflict(ask, "VM snapshot is in progress"));
    }
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    object::drop_condition(&mut conditions, "Paused");
    Answer::done(object::merge(VMI, vmi, json!({"status": {"conditions": conditions}})))
}

pub(super) fn soft_reboot(ask: &Ask<'_>) -> Outcome {
    let vmi = running(ask)?;
    if object::is_true(vmi, "Paused") {
        return Err(conflict(ask, "VMI is paused"));
    }
    let acpi = vmi.pointer("/spec/domain/features/acpi").is_some_and(|acpi| acpi["enabled"] != false);
    if !object::is_true(vmi, "AgentConnected") && !acpi {
        return Err(conflict(ask, "VMI neither have the agent connected nor the ACPI feature enabled"));
    }
    Answer::done(boot_again(ask, vmi))
}

pub(super) fn reset(ask: &Ask<'_>) -> Outcome {
    let vmi = running(ask)?;
    Answer::done(boot_again(ask, vmi))
}

/// The agent goes away; the guest brings it back when it has booted.
fn boot_again(ask: &Ask<'_>, vmi: &Value) -> Option<Effect> {
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    object::drop_condition(&mut conditions, "AgentConnected");
    let notes = json!({BOOTED: ask.now.stamp()});
    object::merge(VMI, vmi, json!({"metadata": {"annotations": notes}, "status": {"conditions": conditions}}))
}

pub(super) fn freeze(ask: &Ask<'_>, freezes: bool) -> Outcome {
    let vmi = running(ask)?;
    let state = if freezes { json!("frozen") } else { Value::Null };
    Answer::done(object::merge(VMI, vmi, json!({"status": {"fsFreezeStatus": state}})))
}

/// Whether a console of this instance may be opened.
pub(super) fn may_open(ask: &Ask<'_>, device: &str, without: &str) -> Outcome {
    let vmi = ask.vmi()?;
    if vmi.pointer(&format!("/spec/domain/devices/{device}")) == Some(&Value::Bool(false)) {
        return Err(Refusal::bad_request(without));
    }
    running(ask)?;
    Answer::done([])
}
