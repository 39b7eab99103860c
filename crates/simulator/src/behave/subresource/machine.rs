//! Pause, reboot, freeze: what is done to a running domain, and whether its screen may be opened.
//!
//! Source: K `pkg/virt-api/rest/{lifecycle,console,vnc,dialers}.go`; `harvester-api.md` §2.1.

use super::{Answer, Ask, Outcome, Refusal};
use crate::behave::guest::BOOTED;
use crate::behave::resources::VMI;
use crate::behave::{Effect, object};
use serde_json::{Value, json};

/// Upstream says the one or the other.
const VM_NOT_RUNNING: &str = "VM is not running";
pub(super) const VMI_NOT_RUNNING: &str = "VMI is not running";

fn conflict(ask: &Ask<'_>, gist: &str) -> Refusal {
    Refusal::conflict("virtualmachineinstance", ask.name, gist)
}

fn running<'a>(ask: &Ask<'a>, otherwise: &str) -> Result<&'a Value, Refusal> {
    let vmi = ask.vmi()?;
    if ask.phase() == "Running" { Ok(vmi) } else { Err(conflict(ask, otherwise)) }
}

pub(super) fn pause(ask: &Ask<'_>) -> Outcome {
    let vmi = running(ask, VM_NOT_RUNNING)?;
    if vmi.pointer("/spec/livenessProbe").is_some_and(Value::is_object) {
        let gist = "Pausing VMIs with LivenessProbe is currently not supported";
        return Err(Refusal::forbidden("virtualmachineinstance", ask.name, gist));
    }
    if object::condition(vmi, "Paused").is_some() {
        return Err(conflict(ask, "VMI is already paused"));
    }
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    object::set_condition(&mut conditions, "Paused", true, "PausedByUser", "VMI was paused by user", ask.now);
    Answer::done(object::merge(VMI, vmi, json!({"status": {"conditions": conditions}})))
}

pub(super) fn unpause(ask: &Ask<'_>) -> Outcome {
    let busy = ask.vm.map(|vm| object::text(vm, "/status/snapshotInProgress")).unwrap_or_default();
    if !busy.is_empty() {
        return Err(Refusal::conflict("virtualmachine", ask.name, "VM snapshot is in progress"));
    }
    let vmi = running(ask, VMI_NOT_RUNNING)?;
    if object::condition(vmi, "Paused").is_none() {
        return Err(conflict(ask, "VMI is not paused"));
    }
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    object::drop_condition(&mut conditions, "Paused");
    Answer::done(object::merge(VMI, vmi, json!({"status": {"conditions": conditions}})))
}

pub(super) fn soft_reboot(ask: &Ask<'_>) -> Outcome {
    let vmi = running(ask, VM_NOT_RUNNING)?;
    if object::is_true(vmi, "Paused") {
        return Err(conflict(ask, "VMI is paused"));
    }
    let has_acpi = vmi.pointer("/spec/domain/features/acpi/enabled") != Some(&Value::Bool(false));
    if object::condition(vmi, "AgentConnected").is_none() && !has_acpi {
        return Err(conflict(ask, "VMI neither have the agent connected nor the ACPI feature enabled"));
    }
    Answer::done(boot_again(ask, vmi))
}

pub(super) fn reset(ask: &Ask<'_>) -> Outcome {
    let vmi = ask.vmi()?;
    let phase = ask.phase();
    if !matches!(phase, "Running" | "Scheduled") {
        return Err(Refusal::bad_request(format!(
            "Failed to reset non-running VMI with phase {phase}: Unable to connect to VirtualMachineInstance because phase is {phase} instead of Running or Scheduled"
        )));
    }
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
    let vmi = running(ask, if freezes { VM_NOT_RUNNING } else { VMI_NOT_RUNNING })?;
    let state = if freezes { json!("frozen") } else { Value::Null };
    Answer::done(object::merge(VMI, vmi, json!({"status": {"fsFreezeStatus": state}})))
}

/// Whether the serial console of this instance may be opened.
pub(super) fn console(ask: &Ask<'_>) -> Outcome {
    let vmi = ask.vmi()?;
    if vmi.pointer("/spec/domain/devices/autoattachSerialConsole") == Some(&Value::Bool(false)) {
        return Err(Refusal::bad_request("No serial consoles are present."));
    }
    match ask.phase() {
        "Running" => Answer::done([]),
        "Failed" => Err(conflict(ask, "VMI is in failed status")),
        _ => Err(Refusal::bad_request(VMI_NOT_RUNNING)),
    }
}

/// Whether the screen of this instance may be looked at.
pub(super) fn display(ask: &Ask<'_>) -> Outcome {
    let vmi = ask.vmi()?;
    if vmi.pointer("/spec/domain/devices/autoattachGraphicsDevice") == Some(&Value::Bool(false)) {
        return Err(Refusal::bad_request("No graphics devices are present."));
    }
    match ask.phase() {
        "Running" => Answer::done([]),
        _ => Err(Refusal::bad_request(VMI_NOT_RUNNING)),
    }
}
