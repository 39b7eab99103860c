//! virt-handler on two nodes: moves a running guest, or fails to.
//!
//! Works only on `vmi.status.migrationState`, which the migration controller opens and reads.
//!
//! Source: K `pkg/virt-handler/migration-{source,target}.go`, `pkg/virt-launcher/virtwrap/live-migration-source.go`;
//! `harvester-api.md` §3.4–§3.6.

use super::object;
use super::quantity::bytes_of;
use super::resources::{POD, VMI};
use super::vmi::{NODE_NAME, pods_of, vmi_of_pod};
use super::{Behaviour, Effect, Now, Outcome, Role, View};
use crate::scenario::fault::Fault;
use serde_json::{Value, json};
use std::time::Duration;

/// The two node agents of a migration.
pub(crate) const HANDOVER: Behaviour =
    Behaviour { name: "handover", role: Role::VirtHandler, on: VMI, wakes: &[(POD, vmi_of_pod)], step };

const SOURCE: &str = "virt-handler";
/// Between the messages of the two nodes.
const MESSAGE: Duration = Duration::from_secs(1);
/// Memory copied in a second.
const RATE: u64 = 512 << 20;
/// KubeVirt's progress timeout.
const STUCK: Duration = Duration::from_secs(150);

fn step(vmi: &Value, view: &dyn View, now: Now) -> Outcome {
    let state = object::part(vmi, "/status/migrationState");
    let open = !object::text(&state, "/migrationUid").is_empty() && object::text(&state, "/endTimestamp").is_empty();
    if !open || object::text(vmi, "/status/phase") != "Running" || object::is_deleting(vmi) {
        return Outcome::rest();
    }
    let pods = pods_of(vmi, view);
    let target = pods.iter().find(|pod| object::name(pod) == object::text(&state, "/targetPod"));
    let Some(target) = target.filter(|pod| !object::is_deleting(pod)) else {
        return failed(vmi, "Target pod is down", json!({}), now);
    };
    if object::text(&state, "/targetNodeAddress").is_empty() {
        return prepared(vmi, target);
    }
    let started = object::text(&state, "/startTimestamp");
    if started.is_empty() {
        // The source begins when it has seen the target's ports; the address is the mark of that.
        return begun(vmi, now);
    }
    if object::flag(&state, "/abortRequested") {
        return failed(vmi, "Live migration aborted ", json!({"abortStatus": "Succeeded"}), now);
    }
    let name = object::name(vmi);
    let takes = duration(vmi);
    if Fault::MigrationStuck.is_in(name) {
        return match now.until(started, STUCK) {
            Some(left) => Outcome::rest().again(left),
            None => failed(
                vmi,
                &format!("Live migration stuck for {} seconds and has been aborted", STUCK.as_secs()),
                json!({"abortStatus": "Succeeded"}),
                now,
            ),
        };
    }
    if Fault::MigrationFails.is_in(name) {
        return match now.until(started, takes / 2) {
            Some(left) => Outcome::rest().again(left),
            None => failed(
                vmi,
                "Live migration failed error encountered during MigrateToURI3 libvirt api call: virError(Code=1, Domain=10, Message='internal error: client socket is closed')",
                json!({}),
                now,
            ),
        };
    }
    match now.until(started, takes) {
        Some(left) => Outcome::rest().again(left),
        None => arrived(vmi, target, &pods, now),
    }
}

/// How long the copy takes: by guest memory.
fn duration(vmi: &Value) -> Duration {
    let memory = vmi.pointer("/spec/domain/memory/guest").and_then(bytes_of).unwrap_or(0);
    Duration::from_secs(3 + memory / RATE)
}

fn prepared(vmi: &Value, target: &Value) -> Outcome {
    if object::text(target, "/status/phase") != "Running" {
        return Outcome::rest();
    }
    let patch = json!({"status": {"migrationState": {
        "targetNodeAddress": target["status"]["podIP"],
        "targetDirectMigrationNodePorts": {"41107": 0, "36013": 49152, "44285": 49153},
    }}});
    let message = "VirtualMachineInstance Migration Target Prepared.";
    let told = object::event(vmi, "Normal", "PreparingTarget", message, SOURCE);
    Outcome::of(object::merge(VMI, vmi, patch).into_iter().chain([told])).again(MESSAGE)
}

fn begun(vmi: &Value, now: Now) -> Outcome {
    let patch =
        json!({"status": {"migrationState": {"startTimestamp": now.stamp(), "targetNodeDomainDetected": true}}});
    let told = object::event(vmi, "Normal", "Migrating", "VirtualMachineInstance is migrating.", SOURCE);
    Outcome::of(object::merge(VMI, vmi, patch).into_iter().chain([told])).again(duration(vmi))
}

fn failed(vmi: &Value, reason: &str, more: Value, now: Now) -> Outcome {
    let mut state = json!({
        "endTimestamp": now.stamp(), "completed": true, "failed": true, "failureReason": reason,
    });
    if let (Some(state), Value::Object(more)) = (state.as_object_mut(), more) {
        state.extend(more);
    }
    let patch = json!({
        "metadata": {"labels": {"kubevirt.io/migrationTargetNodeName": null}},
        "status": {"migrationState": state},
    });
    let level = "Warning";
    let told = object::event(
        vmi,
        level,
        "Migrated",
        format!(
            "VirtualMachineInstance migration uid {} failed. reason:{reason}",
            object::text(vmi, "/status/migrationState/migrationUid")
        ),
        SOURCE,
    );
    Outcome::of(object::merge(VMI, vmi, patch).into_iter().chain([told]))
}

fn arrived(vmi: &Value, target: &Value, pods: &[std::sync::Arc<Value>], now: Now) -> Outcome {
    let node = object::text(target, "/spec/nodeName");
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    object::drop_condition(&mut conditions, "MigrationRequired");
    object::drop_condition(&mut conditions, "EvictionRequested");
    let mut active = serde_json::Map::new();
    for pod in pods.iter().filter(|pod| object::uid(pod) != object::uid(target)) {
        active.insert(object::uid(pod).to_owned(), Value::Null);
    }
    active.insert(object::uid(target).to_owned(), json!(node));
    let patch = json!({
        "metadata": {"labels": {NODE_NAME: node, "kubevirt.io/migrationTargetNodeName": null}},
        "status": {
            "nodeName": node, "activePods": active, "evacuationNodeName": null, "conditions": conditions,
            "migrationState": {
                "endTimestamp": now.stamp(), "targetNodeDomainReadyTimestamp": now.stamp(), "completed": true,
            },
        },
    });
    let message = format!("The VirtualMachineInstance migrated to node {node}.");
    let mut effects: Vec<Effect> = object::merge(VMI, vmi, patch).into_iter().collect();
    effects.push(object::event(vmi, "Normal", "Migrated", message, SOURCE));
    let left_behind = pods.iter().filter(|pod| object::uid(pod) != object::uid(target) && !object::is_deleting(pod));
    effects.extend(left_behind.map(|pod| object::delete(POD, pod)));
    Outcome::of(effects)
}
