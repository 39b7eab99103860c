//! virt-controller's evacuation controller: instances that must leave their node get a migration.
//!
//! Two things make an instance leave: an eviction of its pod marked it (`status.evacuationNodeName`), or its node has the
//! drain taint. Invariant: there are never more migrations than the limits allow; who finds no place waits.
//!
//! Source: K `pkg/virt-controller/watch/drain/evacuation/evacuation.go`, `pkg/virt-api/webhooks/validating-webhook/`
//! `admitters/pod-eviction-admitter.go`; `harvester-api.md` §3.1, §3.8, §4.1.

use super::migration::{self, VMI_NAME};
use super::resources::{NODE, VMI, VMIM};
use super::vmi::{NODE_NAME, is_final};
use super::{Behaviour, Effect, Key, Now, Outcome, Role, View, object};
use serde_json::{Value, json};
use std::time::Duration;

/// Instances that an eviction marked.
pub(crate) const MARKED: Behaviour =
    Behaviour { name: "evacuation", role: Role::VirtController, on: VMI, wakes: &[(VMIM, instance_of)], step: leave };
/// Instances on a node with the drain taint.
pub(crate) const TAINTED: Behaviour =
    Behaviour { name: "evacuation-node", role: Role::VirtController, on: NODE, wakes: &[], step: empty };

/// Taint of a node that is to be emptied.
pub(crate) const DRAIN_TAINT: &str = "kubevirt.io/drain";
/// Annotation of a migration that was made here: the node that is left.
pub(crate) const EVACUATION: &str = "kubevirt.io/evacuationMigration";
const SOURCE: &str = "evacuation-controller";
/// When there is no room for another migration.
const BUSY: Duration = Duration::from_secs(5);

/// What the eviction of a launcher pod means for its instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The pod may go.
    Allow,
    /// The pod stays, and this is why.
    Deny(String),
    /// The pod stays until its instance has moved.
    Evacuate,
}

/// KubeVirt's judgement of an eviction.
pub(crate) fn judge(pod: &Value, vmi: &Value) -> Verdict {
    if is_final(vmi) || pod["spec"]["nodeName"] != vmi["status"]["nodeName"] {
        return Verdict::Allow;
    }
    let is_migratable = object::is_true(vmi, "LiveMigratable");
    match object::text(vmi, "/spec/evictionStrategy") {
        "LiveMigrate" if !is_migratable => Verdict::Deny(format!(
            "VMI {} is configured with an eviction strategy but is not live-migratable",
            object::name(vmi)
        )),
        "LiveMigrate" | "External" => Verdict::Evacuate,
        "LiveMigrateIfPossible" if is_migratable => Verdict::Evacuate,
        _ => Verdict::Allow,
    }
}

/// The mark that makes an instance leave its node; `None` when it has it.
pub(crate) fn mark(vmi: &Value) -> Option<Effect> {
    object::merge(VMI, vmi, json!({"status": {"evacuationNodeName": vmi["status"]["nodeName"]}}))
}

fn instance_of(vmim: &Value) -> Vec<Key> {
    vec![(object::namespace(vmim).to_owned(), object::text(vmim, "/spec/vmiName").to_owned())]
}

fn leave(vmi: &Value, view: &dyn View, _now: Now) -> Outcome {
    let node = object::text(vmi, "/status/nodeName");
    let is_marked = !node.is_empty() && object::text(vmi, "/status/evacuationNodeName") == node;
    // Whoever has `External` moves by other hands.
    if !is_marked || !migrates(vmi) || !is_free(vmi, view) {
        return Outcome::rest();
    }
    match room(node, view) {
        0 => Outcome::rest().again(BUSY),
        _ => Outcome::of(evacuate(vmi, node)),
    }
}

fn empty(node: &Value, view: &dyn View, _now: Now) -> Outcome {
    let mut taints = object::items(node, "/spec/taints").iter();
    if !taints.any(|taint| taint["key"] == DRAIN_TAINT && taint["effect"] == "NoSchedule") {
        return Outcome::rest();
    }
    let name = object::name(node);
    let here = view.labelled(VMI, None, NODE_NAME, name);
    let leaving = here.iter().filter(|vmi| migrates(vmi) && is_free(vmi, view)).take(room(name, view));
    // While the taint is there somebody may still come to want to leave.
    Outcome::of(leaving.flat_map(|vmi| evacuate(vmi, name))).again(BUSY)
}

fn migrates(vmi: &Value) -> bool {
    matches!(object::text(vmi, "/spec/evictionStrategy"), "LiveMigrate" | "LiveMigrateIfPossible")
        && object::is_true(vmi, "LiveMigratable")
}

/// Whether it runs and no migration of it is open.
fn is_free(vmi: &Value, view: &dyn View) -> bool {
    let jobs = view.labelled(VMIM, Some(object::namespace(vmi)), VMI_NAME, object::name(vmi));
    object::text(vmi, "/status/phase") == "Running"
        && !object::is_deleting(vmi)
        && jobs.iter().all(|job| migration::is_final(job))
}

/// How many more migrations may leave a node now.
fn room(node: &str, view: &dyn View) -> usize {
    let (most, most_from_node) = migration::limits(view);
    let jobs = view.list(VMIM, None);
    let open: Vec<_> = jobs.iter().filter(|job| !migration::is_final(job)).collect();
    let leaves = |job: &Value| {
        let vmi = view.get(VMI, object::namespace(job), object::text(job, "/spec/vmiName"));
        vmi.is_some_and(|vmi| object::text(&vmi, "/status/nodeName") == node)
    };
    let from_node = open.iter().filter(|job| leaves(job)).count();
    most.saturating_sub(open.len()).min(most_from_node.saturating_sub(from_node))
}

fn evacuate(vmi: &Value, node: &str) -> [Effect; 2] {
    let object = json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstanceMigration",
        "metadata": {
            "generateName": "kubevirt-evacuation-", "namespace": object::namespace(vmi),
            "annotations": {EVACUATION: node},
        },
        "spec": {"vmiName": object::name(vmi)},
    });
    // The name's end is the server's, so the message has its beginning only.
    let told = object::event(vmi, "Normal", "SuccessfulCreate", "Created Migration kubevirt-evacuation-", SOURCE);
    [Effect::Create { resource: VMIM, object }, told]
}
