//! One line a rule of `harvester-api.md` §2.1.

use super::*;
use crate::behave::Resource;
use serde_json::json;
use std::sync::Arc;

struct Nothing;

impl View for Nothing {
    fn get(&self, _: Resource, _: &str, _: &str) -> Option<Arc<Value>> {
        None
    }
    fn list(&self, _: Resource, _: Option<&str>) -> Vec<Arc<Value>> {
        Vec::new()
    }
    fn labelled(&self, _: Resource, _: Option<&str>, _: &str, _: &str) -> Vec<Arc<Value>> {
        Vec::new()
    }
}

fn vm(strategy: &str) -> Value {
    json!({"metadata": {"name": "a", "namespace": "n", "uid": "v"}, "spec": {"runStrategy": strategy}, "status": {}})
}

fn vmi(phase: &str, conditions: Value) -> Value {
    json!({
        "metadata": {"name": "a", "namespace": "n", "uid": "i"},
        "spec": {"terminationGracePeriodSeconds": 120}, "status": {"phase": phase, "conditions": conditions},
    })
}

fn ask(on_vm: bool, sub: &str, vm: &Value, vmi: Option<&Value>, body: Value) -> Result<Answer, Refusal> {
    call((on_vm, sub), (Some(vm), vmi), "a", &body, &Nothing, Now { unix_ms: 0, random: 0 })
}

#[test]
fn power_calls_answer_as_virt_api_does() {
    let running = vmi("Running", json!([]));
    let failed = vmi("Failed", json!([]));
    for (sub, strategy, vmi, code, gist) in [
        ("start", "Halted", None, 202, ""),
        ("start", "Manual", None, 202, ""),
        ("start", "RerunOnFailure", None, 202, ""),
        ("start", "RerunOnFailure", Some(&failed), 409, "does not support starting VM from failed state"),
        ("start", "Always", None, 409, "Always does not support manual start requests"),
        ("start", "Halted", Some(&running), 409, "VM is already running"),
        ("stop", "Always", Some(&running), 202, ""),
        ("stop", "RerunOnFailure", Some(&running), 202, ""),
        ("stop", "Halted", Some(&running), 409, "Halted only supports manual stop requests with a shorter graceperiod"),
        ("stop", "Always", None, 202, ""),
        ("stop", "Manual", None, 409, "VM is not running"),
        ("restart", "RerunOnFailure", Some(&running), 202, ""),
        ("restart", "Halted", Some(&running), 409, "RunStategy Halted does not support manual restart requests"),
        ("restart", "Always", None, 409, "VM is not running: Halted"),
        ("migrate", "Always", Some(&running), 202, ""),
        ("migrate", "Always", None, 404, "not found"),
    ] {
        let (seen, text) = match ask(true, sub, &vm(strategy), vmi, Value::Null) {
            Ok(answer) => (answer.code, String::new()),
            Err(refusal) => (refusal.code, refusal.message),
        };
        assert_eq!(seen, code, "{sub} {strategy} {text}");
        assert!(text.contains(gist), "{sub} {strategy}: {text}");
    }
}

#[test]
fn a_dry_run_changes_nothing() {
    let answer = ask(true, "start", &vm("Halted"), None, json!({"dryRun": ["All"]})).unwrap();
    assert_eq!((answer.code, answer.effects.len()), (202, 0));
}

#[test]
fn a_second_request_waits_for_the_first() {
    let mut vm = vm("RerunOnFailure");
    vm["status"]["stateChangeRequests"] = json!([{"action": "Stop", "uid": "i"}]);
    let refusal = ask(true, "restart", &vm, Some(&vmi("Running", json!([]))), Value::Null).unwrap_err();
    assert!(refusal.message.ends_with("unable to complete request: stop/start already underway"));
}

#[test]
fn calls_on_instances_answer_as_virt_api_does() {
    let plain = vmi("Running", json!([]));
    let paused = vmi("Running", json!([{"type": "Paused", "status": "True"}]));
    let agent = vmi("Running", json!([{"type": "AgentConnected", "status": "True"}]));
    let booting = vmi("Scheduling", json!([]));
    for (sub, vmi, code) in [
        ("pause", &plain, 200),
        ("pause", &paused, 409),
        ("pause", &booting, 409),
        ("unpause", &paused, 200),
        ("unpause", &plain, 409),
        ("softreboot", &agent, 200),
        ("softreboot", &plain, 200),
        ("softreboot", &paused, 409),
        ("reset", &plain, 200),
        ("guestosinfo", &agent, 200),
        ("guestosinfo", &plain, 500),
        ("userlist", &plain, 500),
        ("filesystemlist", &agent, 200),
        ("addvolume", &plain, 400),
        ("vnc", &plain, 200),
        ("console", &booting, 400),
    ] {
        let seen = ask(false, sub, &vm("Always"), Some(vmi), Value::Null)
            .map_or_else(|refusal| refusal.code, |answer| answer.code);
        assert_eq!(seen, code, "{sub} on {vmi}");
    }
}
