//! virt-handler: the domain of an instance on its node, from `Scheduled` to the end.
//!
//! Owns what only the node knows: that a guest runs, with what ([`super::hardware`]), and how long it takes to go down. `Ready`, claims and pods are virt-controller's ([`super::vmi`]); what the guest says
//! about itself is [`super::guest`]'s. Invariant: a node that is down does nothing.
//!
//! Source: K `pkg/virt-handler/vm.go`, `pkg/network/setup/netstat.go`; `harvester-api.md` §1.8.

use super::hardware::{self, set_migratable};
use super::node::{self, Health};
use super::object;
use super::resources::{POD, VMI};
use super::vmi::{active_pod, enter, entered, merge_into, pods_of, vmi_of_pod};
use super::{Behaviour, Now, Outcome, Role, View};
use crate::scenario::fault::Fault;
use serde_json::{Value, json};
use std::time::Duration;

/// The node agent's view of instances.
pub(crate) const DOMAIN: Behaviour =
    Behaviour { name: "domain", role: Role::VirtHandler, on: VMI, wakes: &[(POD, vmi_of_pod)], step };

const SOURCE: &str = "virt-handler";
/// From `Scheduled` to a defined and started domain.
const DEFINE: Duration = Duration::from_secs(2);
/// How long a guest takes to go down when asked.
const SHUTDOWN: Duration = Duration::from_secs(4);
/// A guest is told once that it is to go down; later steps of the same deletion are quiet.
const TOLD: Duration = Duration::from_secs(1);

fn step(vmi: &Value, view: &dyn View, now: Now) -> Outcome {
    let phase = object::text(vmi, "/status/phase");
    if !matches!(phase, "Scheduled" | "Running") {
        return Outcome::rest();
    }
    let health = node::health(object::text(vmi, "/status/nodeName"), view);
    if health == Health::Down {
        return Outcome::rest().again(node::LOOK);
    }
    let end = goes_down(vmi, view);
    match (phase, end) {
        ("Scheduled", Some(_)) => ended(vmi, "Failed", now),
        ("Scheduled", None) => starting(vmi, health, view, now),
        (_, Some((since, most))) => stopping(vmi, &since, most, now),
        (_, None) => refresh(vmi, view, now),
    }
}

/// Since when the guest is to go down: its instance was deleted, or its launcher was told to end (which deletes, evicts
/// and drains do). A launcher passes the signal on.
/// A launcher is killed when its pod's own time is over, which is the second value.
fn goes_down(vmi: &Value, view: &dyn View) -> Option<(String, Duration)> {
    if object::is_deleting(vmi) {
        return Some((object::text(vmi, "/metadata/deletionTimestamp").to_owned(), Duration::MAX));
    }
    let pods = pods_of(vmi, view);
    let pod = active_pod(vmi, &pods).filter(|pod| object::is_deleting(pod))?;
    let deadline: jiff::Timestamp = object::text(pod, "/metadata/deletionTimestamp").parse().ok()?;
    let grace = object::number(pod, "/metadata/deletionGracePeriodSeconds").unwrap_or(0);
    let since = object::stamp_of(deadline.as_millisecond().saturating_sub(grace.saturating_mul(1000)));
    Some((since, Duration::from_secs(u64::try_from(grace).unwrap_or(0))))
}

fn starting(vmi: &Value, health: Health, view: &dyn View, now: Now) -> Outcome {
    if let Some(left) = entered(vmi, "Scheduled").and_then(|since| now.until(since, DEFINE * health.slowness())) {
        return Outcome::rest().again(left);
    }
    if Fault::CrashLoop.is_in(object::name(vmi)) {
        let message = "server error. command SyncVMI failed: \"LibvirtError(Code=1, Domain=10, Message='internal error: process exited while connecting to monitor')\"";
        let told = object::event(vmi, "Warning", "SyncFailed", message, SOURCE);
        let mut outcome = ended(vmi, "Failed", now);
        outcome.effects.push(told);
        return outcome;
    }
    let mut status = enter(vmi, "Running", now);
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    object::drop_condition(&mut conditions, "Synchronized");
    if object::text(vmi, "/spec/startStrategy") == "Paused" {
        object::set_condition(&mut conditions, "Paused", true, "PausedByUser", "VMI was paused by user", now);
    }
    set_migratable(vmi, &mut conditions, view, now);
    status["conditions"] = json!(conditions);
    merge_into(&mut status, hardware::shown(vmi, view, now));
    let effects = [
        object::merge(VMI, vmi, json!({"status": status})),
        Some(object::event(vmi, "Normal", "Created", "VirtualMachineInstance defined.", SOURCE)),
        Some(object::event(vmi, "Normal", "Started", "VirtualMachineInstance started.", SOURCE)),
    ];
    Outcome::of(effects.into_iter().flatten())
}

fn refresh(vmi: &Value, view: &dyn View, now: Now) -> Outcome {
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    set_migratable(vmi, &mut conditions, view, now);
    let mut status = hardware::shown(vmi, view, now);
    status["conditions"] = json!(conditions);
    Outcome::of(object::merge(VMI, vmi, json!({"status": status})))
}

fn stopping(vmi: &Value, since: &str, most: Duration, now: Now) -> Outcome {
    let grace = object::number(vmi, "/spec/terminationGracePeriodSeconds").unwrap_or(30);
    let grace = Duration::from_secs(u64::try_from(grace).unwrap_or(0));
    let deaf = Fault::SlowStop.is_in(object::name(vmi)) || object::is_true(vmi, "Paused");
    let takes = if deaf { grace } else { SHUTDOWN.min(grace) }.min(most);
    let Some(left) = now.until(since, takes) else {
        // Who had time and did not use it is destroyed; for a guest with ACPI that is a failure.
        let (phase, level, message) = match deaf && !grace.is_zero() {
            true => ("Failed", "Warning", "The VirtualMachineInstance crashed."),
            false => ("Succeeded", "Normal", "The VirtualMachineInstance was shut down."),
        };
        let mut outcome = ended(vmi, phase, now);
        if deaf || grace.is_zero() {
            outcome.effects.push(object::event(vmi, "Normal", "Deleted", "Signaled Deletion", SOURCE));
        }
        outcome.effects.push(object::event(vmi, level, "Stopped", message, SOURCE));
        return outcome;
    };
    let is_news = now.until(since, TOLD).is_some();
    let told = is_news.then(|| object::event(vmi, "Normal", "ShuttingDown", "Signaled Graceful Shutdown", SOURCE));
    Outcome::of(told).again(left)
}

/// The domain is gone: the instance is final. Its launcher exits by itself ([`super::pod::EXITS`]).
pub(crate) fn ended(vmi: &Value, phase: &str, now: Now) -> Outcome {
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    for gone in ["AgentConnected", "Paused"] {
        object::drop_condition(&mut conditions, gone);
    }
    let mut status = enter(vmi, phase, now);
    status["conditions"] = json!(conditions);
    Outcome::of(object::merge(VMI, vmi, json!({"status": status})))
}
