//! virt-handler on two nodes: moves a running guest, or fails to.
//!
//! Works only on `vmi.status.migrationState`, which the migration controller opens and reads. Pods are not its business:
//! the launcher that a guest has left exits by itself ([`super::pod::EXITS`]).
//!
//! Source: K `pkg/virt-handler/migration-{source,target}.go`, `pkg/virt-launcher/virtwrap/live-migration-source.go`;
//! `harvester-api.md` §3.4–§3.6.

use super::node::{self, Health};
use super::object;
use super::pod::is_going;
use super::quantity::bytes_of;
use super::resources::{POD, VMI};
use super::vmi::{self, NODE_NAME, pods_of, vmi_of_pod};
use super::{Behaviour, Now, Outcome, Role, View};
use crate::scenario::fault::Fault;
use serde_json::{Value, json};
use std::time::Duration;

/// The two node agents of a migration.
pub(crate) const HANDOVER: Behaviour =
    Behaviour { name: "handover", role: Role::VirtHandler, on: VMI, wakes: &[(POD, vmi_of_pod)], step };

const SOURCE: &str = "virt-handler";
/// Label of an instance that is on its way: where to.
const TARGET_NODE: &str = "kubevirt.io/migrationTargetNodeName";
/// Between the messages of the two nodes.
const MESSAGE: Duration = Duration::from_secs(1);
/// Memory copied in a second.
const RATE: u64 = 512 << 20;
/// What libvirt says when its connection breaks.
const CUT: &str = "Live migration failed error encountered during MigrateToURI3 libvirt api call: virError(Code=1, Domain=10, Message='internal error: client socket is closed')";
/// KubeVirt's progress timeout.
const STUCK: Duration = Duration::from_secs(150);

fn step(vmi: &Value, view: &dyn View, now: Now) -> Outcome {
    let state = object::part(vmi, "/status/migrationState");
    if object::text(&state, "/migrationUid").is_empty() || object::is_deleting(vmi) || vmi::is_final(vmi) {
        return Outcome::rest();
    }
    if !object::text(&state, "/endTimestamp").is_empty() {
        return finalized(vmi, &state);
    }
    if object::text(vmi, "/status/phase") != "Running" {
        return Outcome::rest();
    }
    let health = |field: &str| node::health(object::text(&state, field), view);
    let (source, destination) = (health("/sourceNode"), health("/targetNode"));
    if source == Health::Down {
        return Outcome::rest().again(node::LOOK);
    }
    let pods = pods_of(vmi, view);
    let target = pods.iter().find(|pod| object::name(pod) == object::text(&state, "/targetPod"));
    let target = target.filter(|pod| !is_going(pod) && destination != Health::Down);
    let Some(target) = target else { return lost(vmi, &state, now) };
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
    let takes = duration(vmi) * source.slowness().max(destination.slowness());
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
            None => failed(vmi, CUT, json!({}), now),
        };
    }
    match now.until(started, takes) {
        Some(left) => Outcome::rest().again(left),
        None => arrived(vmi, target, now),
    }
}

/// How long the copy takes: by guest memory.
fn duration(vmi: &Value) -> Duration {
    let memory = vmi.pointer("/spec/domain/memory/guest").and_then(bytes_of).unwrap_or(0);
    Duration::from_secs(3 + memory / RATE)
}

/// The other side is gone: who has begun to copy notices; before that it is virt-controller's to notice.
fn lost(vmi: &Value, state: &Value, now: Now) -> Outcome {
    if object::text(state, "/startTimestamp").is_empty() {
        return Outcome::rest().again(node::LOOK);
    }
    failed(vmi, CUT, json!({}), now)
}

fn prepared(vmi: &Value, target: &Value) -> Outcome {
    if object::text(target, "/status/phase") != "Running" {
        return Outcome::rest();
    }
    let address = target["status"]["podIP"].clone();
    let patch = json!({"status": {"migrationState": {
        "targetNodeAddress": address,
        "targetDirectMigrationNodePorts": {"41107": 0, "36013": 49152, "44285": 49153},
    }}});
    let message = "VirtualMachineInstance Migration Target Prepared.";
    let told = object::event(vmi, "Normal", "PreparingTarget", message, SOURCE);
    Outcome::of(object::merge(VMI, vmi, patch).into_iter().chain([told])).again(MESSAGE)
}

fn begun(vmi: &Value, now: Now) -> Outcome {
    let patch = json!({"status": {"migrationState": {"startTimestamp": now.stamp(), "mode": "PreCopy"}}});
    let told = object::event(vmi, "Normal", "Migrating", "VirtualMachineInstance is migrating.", SOURCE);
    Outcome::of(object::merge(VMI, vmi, patch).into_iter().chain([told])).again(duration(vmi))
}

fn failed(vmi: &Value, reason: &str, more: Value, now: Now) -> Outcome {
    let mut state = json!({"endTimestamp": now.stamp(), "failed": true, "failureReason": reason});
    if let (Some(state), Value::Object(more)) = (state.as_object_mut(), more) {
        state.extend(more);
    }
    let job = object::text(vmi, "/status/migrationState/migrationUid");
    let message = format!("VirtualMachineInstance migration uid {job} failed. reason:{reason}");
    let told = object::event(vmi, "Warning", "Migrated", message, SOURCE);
    Outcome::of(object::merge(VMI, vmi, json!({"status": {"migrationState": state}})).into_iter().chain([told]))
}

/// The target acknowledges: from now on the instance is its own.
fn arrived(vmi: &Value, target: &Value, now: Now) -> Outcome {
    let node = object::text(target, "/spec/nodeName");
    let mut conditions = object::items(vmi, "/status/conditions").to_vec();
    object::drop_condition(&mut conditions, "MigrationRequired");
    let patch = json!({
        "metadata": {"labels": {NODE_NAME: node}},
        "status": {
            "nodeName": node, "evacuationNodeName": null, "launcherContainerImageVersion": null,
            "migrationTransport": "Unix", "conditions": conditions,
            "migrationState": {
                "targetNodeDomainDetected": true, "targetNodeDomainReadyTimestamp": now.stamp(),
                "endTimestamp": now.stamp(),
            },
        },
    });
    let message = format!("The VirtualMachineInstance migrated to node {node}.");
    let told = object::event(vmi, "Normal", "Migrated", message, SOURCE);
    Outcome::of(object::merge(VMI, vmi, patch).into_iter().chain([told]))
}

/// The target's last two words: what was plugged in on the way is there, and it is no target any more.
///
/// Source: K `pkg/virt-handler/migration-target.go` (`finalizeMigration`, `finalCleanup`).
fn finalized(vmi: &Value, state: &Value) -> Outcome {
    if !object::flag(state, "/completed") && !object::flag(state, "/failed") {
        let mut conditions = object::items(vmi, "/status/conditions").to_vec();
        for done in ["HotVCPUChange", "HotMemoryChange", "VolumesChange"] {
            object::drop_condition(&mut conditions, done);
        }
        let status = json!({"conditions": conditions, "migratedVolumes": null, "migrationState": {"completed": true}});
        return Outcome::of(object::merge(VMI, vmi, json!({"status": status})));
    }
    Outcome::of(object::merge(VMI, vmi, json!({"metadata": {"labels": {TARGET_NODE: null}}})))
}
