//! Whether a VM's instance should be started, stopped or left alone.
//!
//! Pure over (VM, VMI, now). Requests that start and stop the instance are read from `status.stateChangeRequests`; which
//! of them are done is decided here too, because "done" and "what next" are one question.
//!
//! Source: K `pkg/virt-controller/watch/vm/vm.go` (`sync`, `startStop`, `popStateChangeRequest`).

use crate::behave::Now;
use crate::behave::object;
use serde_json::{Value, json};
use std::time::Duration;

/// First pause after a failed start; grows with the square of the count.
const BACKOFF_STEP: u64 = 10;
/// Longest pause between failed starts.
const BACKOFF_LIMIT: u64 = 300;

/// What the controller does with the instance, and what it writes down about it.
#[derive(Debug, Default)]
pub(crate) struct Decision {
    /// Create the instance.
    pub(crate) start: bool,
    /// Start it paused.
    pub(crate) paused: bool,
    /// A halted VM was asked to start paused: from now on it is always to run.
    pub(crate) becomes_always: bool,
    /// Delete the instance.
    pub(crate) stop: bool,
    /// Grace period that a stop request asked for.
    pub(crate) grace_period: Option<i64>,
    /// Requests that are still open.
    pub(crate) requests: Vec<Value>,
    /// The new `status.startFailure` (null: none).
    pub(crate) start_failure: Value,
    /// A failed start must wait this long.
    pub(crate) again_after: Option<Duration>,
    /// The strategy wants an instance, now or after a back-off.
    pub(crate) wants_instance: bool,
}

/// `spec.runStrategy`, or what the deprecated `spec.running` means.
pub(crate) fn run_strategy(vm: &Value) -> &str {
    match (object::text(vm, "/spec/runStrategy"), object::at(vm, "/spec/running").and_then(Value::as_bool)) {
        ("", Some(true)) => "Always",
        ("", _) => "Halted",
        (strategy, _) => strategy,
    }
}

/// Decides.
pub(super) fn decide(vm: &Value, vmi: Option<&Value>, now: Now) -> Decision {
    let mut made = Decision {
        requests: open_requests(vm, vmi),
        start_failure: start_failure(vm, vmi, now),
        ..Decision::default()
    };
    let phase = vmi.map(|vmi| object::text(vmi, "/status/phase"));
    let has_start = made.requests.iter().any(|request| request["action"] == "Start");
    let stop_request = vmi.and_then(|vmi| made.requests.iter().find(|request| asks_stop_of(request, vmi)));
    let has_stop = stop_request.is_some();
    made.grace_period = stop_request
        .and_then(|request| object::text(request, "/data/gracePeriod").parse().ok())
        .or_else(|| object::number(vm, "/metadata/annotations/kubevirt.io~1stop-grace-period"));
    made.paused = object::text(vm, "/spec/template/spec/startStrategy") == "Paused"
        || made.requests.iter().any(|request| object::text(request, "/data/paused") == "true");
    let same_strategy = object::text(vm, "/status/runStrategy") == run_strategy(vm);
    let (start, stop) = match (run_strategy(vm), phase) {
        ("Always", None) => (true, false),
        ("Always", Some(phase)) => (false, has_stop || is_ended(phase)),
        ("RerunOnFailure", None) => (has_start || !same_strategy, false),
        ("RerunOnFailure", Some(phase)) => (false, has_stop || is_ended(phase)),
        ("Manual", None) => (has_start, false),
        ("Manual", Some(_)) => (false, has_stop),
        ("Once", None) => (true, false),
        ("Halted", Some(_)) => (false, true),
        ("Halted", None) => {
            made.becomes_always = has_start;
            (false, false)
        }
        _ => (false, false),
    };
    // Who failed is started again; the request is made once, when the instance is taken away.
    let is_leaving = vmi.is_some_and(object::is_deleting);
    if run_strategy(vm) == "RerunOnFailure" && phase == Some("Failed") && !has_start && !is_leaving {
        made.requests.push(json!({"action": "Start"}));
    }
    made.wants_instance = start || (phase.is_some() && !stop);
    let wait = now.until(object::text(&made.start_failure, "/retryAfterTimestamp"), Duration::ZERO);
    if let (true, Some(wait)) = (start, wait) {
        made.again_after = Some(wait);
    } else {
        made.start = start;
    }
    made.stop = stop;
    made
}

fn is_ended(phase: &str) -> bool {
    matches!(phase, "Succeeded" | "Failed")
}

fn asks_stop_of(request: &Value, vmi: &Value) -> bool {
    request["action"] == "Stop" && request["uid"] == object::uid(vmi)
}

/// The requests that are not fulfilled yet: a stop is done when that instance is gone, a start when there is one.
fn open_requests(vm: &Value, vmi: Option<&Value>) -> Vec<Value> {
    let mut open = object::items(vm, "/status/stateChangeRequests").to_vec();
    while let Some(first) = open.first() {
        let done = match (first["action"].as_str(), vmi) {
            (Some("Stop"), vmi) => vmi.is_none_or(|vmi| !asks_stop_of(first, vmi)),
            (_, Some(vmi)) => !object::is_deleting(vmi) && !is_ended(object::text(vmi, "/status/phase")),
            (_, None) => false,
        };
        if !done {
            break;
        }
        open.remove(0);
    }
    open
}

/// Counts instances that ended before they ever ran; only strategies that start again by themselves count.
///
/// Source: K `pkg/virt-controller/watch/vm/vm.go` (`syncStartFailureStatus`).
fn start_failure(vm: &Value, vmi: Option<&Value>, now: Now) -> Value {
    let held = object::part(vm, "/status/startFailure");
    if !matches!(run_strategy(vm), "Always" | "RerunOnFailure" | "Once") {
        return Value::Null;
    }
    let Some(vmi) = vmi else { return held };
    let has_run = object::items(vmi, "/status/phaseTransitionTimestamps").iter().any(|step| step["phase"] == "Running");
    match object::text(vmi, "/status/phase") {
        _ if has_run => Value::Null,
        phase if is_ended(phase) && held["lastFailedVMIUID"] != object::uid(vmi) => {
            let count = object::number(&held, "/consecutiveFailCount").unwrap_or(0) + 1;
            let pause = (BACKOFF_STEP * count.unsigned_abs().pow(2).min(BACKOFF_LIMIT)).min(BACKOFF_LIMIT);
            let retry = now.unix_ms.saturating_add(i64::try_from(pause * 1000).unwrap_or(i64::MAX));
            json!({
                "consecutiveFailCount": count,
                "lastFailedVMIUID": object::uid(vmi),
                "retryAfterTimestamp": object::stamp_of(retry),
            })
        }
        _ => held,
    }
}
