//! The decision table of run strategies.

use super::strategy::decide;
use crate::behave::Now;
use serde_json::{Value, json};

const NOW: Now = Now { unix_ms: 1_000_000, random: 0 };

fn vm(strategy: &str, known: &str, requests: Value) -> Value {
    json!({
        "metadata": {"name": "a"}, "spec": {"runStrategy": strategy},
        "status": {"runStrategy": known, "stateChangeRequests": requests},
    })
}

fn vmi(phase: &str) -> Value {
    json!({"metadata": {"uid": "u1"}, "status": {"phase": phase}})
}

/// strategy, strategy before, open requests, phase of the instance → start, stop.
#[test]
fn each_strategy_starts_and_stops_as_upstream_does() {
    let start = || json!([{"action": "Start"}]);
    let stop = |uid: &str| json!([{"action": "Stop", "uid": uid}]);
    for (strategy, before, requests, phase, expected) in [
        ("Always", "", json!([]), None, (true, false)),
        ("Always", "Always", json!([]), Some("Running"), (false, false)),
        ("Always", "Always", json!([]), Some("Succeeded"), (false, true)),
        ("Always", "Always", stop("u1"), Some("Running"), (false, true)),
        ("Always", "Always", stop("older"), Some("Running"), (false, false)),
        ("RerunOnFailure", "", json!([]), None, (true, false)),
        ("RerunOnFailure", "RerunOnFailure", json!([]), None, (false, false)),
        ("RerunOnFailure", "RerunOnFailure", start(), None, (true, false)),
        ("RerunOnFailure", "RerunOnFailure", json!([]), Some("Succeeded"), (false, true)),
        ("RerunOnFailure", "RerunOnFailure", json!([]), Some("Failed"), (false, true)),
        ("Manual", "Manual", json!([]), None, (false, false)),
        ("Manual", "Manual", start(), None, (true, false)),
        ("Manual", "Manual", stop("u1"), Some("Running"), (false, true)),
        ("Once", "", json!([]), None, (true, false)),
        ("Once", "Once", json!([]), None, (true, false)),
        ("Halted", "Always", json!([]), Some("Running"), (false, true)),
        ("Halted", "Halted", json!([]), None, (false, false)),
    ] {
        let vmi = phase.map(vmi);
        let made = decide(&vm(strategy, before, requests.clone()), vmi.as_ref(), NOW);
        assert_eq!((made.start, made.stop), expected, "{strategy} before {before} {requests} {phase:?}");
    }
}

#[test]
fn failed_starts_wait_longer_each_time() {
    let mut vm = vm("Always", "Always", json!([]));
    let first = decide(&vm, Some(&vmi("Failed")), NOW);
    assert_eq!(first.start_failure["consecutiveFailCount"], 1);
    assert!(first.stop);
    vm["status"]["startFailure"] = first.start_failure;
    let waiting = decide(&vm, None, NOW);
    assert!(!waiting.start);
    assert_eq!(waiting.again_after.map(|wait| wait.as_secs()), Some(10));
}
