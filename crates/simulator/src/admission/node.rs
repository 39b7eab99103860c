//! Nodes and namespaces.
//!
//! Source: H `pkg/webhook/resources/{node,namespace}/validator.go`; `harvester-api.md` §4.4, §10.3.

use super::{Refusal, Verdict, Write, deny_if};
use crate::behave::object;
use crate::behave::resources::NODE;
use serde_json::Value;

const PROTECTED: &[&str] = &[
    "default",
    "kube-system",
    "kube-public",
    "kube-node-lease",
    "harvester-system",
    "harvester-public",
    "longhorn-system",
    "cattle-system",
];

pub(super) fn node(write: &Write<'_>) -> Verdict {
    let Some(old) = write.old.filter(|_| write.updates()) else { return Ok(()) };
    let witness = |node: &Value| object::label(node, "node-role.harvesterhci.io/witness").is_some();
    deny_if(witness(old) && !witness(write.new), || {
        Refusal::bad_request("can't remove the witness label from a witness node")
    })?;
    let out = |node: &Value| {
        object::flag(node, "/spec/unschedulable")
            || object::annotation(node, "harvesterhci.io/drain-requested").is_some()
            || object::annotation(node, "harvesterhci.io/maintain-status").is_some()
    };
    if out(old) || !out(write.new) {
        return Ok(());
    }
    let nodes = write.view.list(NODE, None);
    let others = nodes.iter().any(|other| object::name(other) != write.name() && !out(other) && !witness(other));
    deny_if(!others, || Refusal::bad_request("can't enable maintenance mode or cordon on the last available node"))
}

pub(super) fn namespace(write: &Write<'_>) -> Verdict {
    deny_if(write.deletes() && PROTECTED.contains(&write.name()), || {
        Refusal::forbidden(format!("namespace {} is protected and can't be deleted", write.name()))
    })
}
