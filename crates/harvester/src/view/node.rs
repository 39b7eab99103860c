//! Node → [`NodeView`]. Source: `harvester-api.md` §4.1, §4.5.

use super::clean::{self, MAX_LINE, MAX_NAME};
use crate::api::core::Node;
use crate::api::meta::condition;
use model::node::NodeView;
use model::quantity::{Bytes, Millicores};

/// What the node itself says; the sums over its VMs are added by whoever has them.
pub(crate) fn of(node: &Node<'_>) -> NodeView {
    let meta = &node.metadata;
    let status = node.status.as_ref();
    let ready = condition(status.and_then(|s| s.conditions.as_deref()), "Ready");
    let is_ready = ready.is_some_and(|c| c.status.as_deref() == Some("True"));
    let why = ready.and_then(|c| c.message.as_deref().or(c.reason.as_deref())).unwrap_or("no Ready condition");
    let allocatable = status.and_then(|s| s.allocatable.as_ref());
    let addresses = status.and_then(|s| s.addresses.as_deref()).unwrap_or_default();
    let address = addresses.iter().find(|a| a.kind.as_deref() == Some("InternalIP")).and_then(|a| a.address.as_deref());
    let version = status.and_then(|s| s.node_info.as_ref()).and_then(|i| i.kubelet_version.as_deref());
    NodeView {
        name: clean::text(&meta.name, MAX_NAME),
        is_ready,
        problem: (!is_ready).then(|| clean::text(why, MAX_LINE)),
        is_cordoned: node.spec.as_ref().and_then(|s| s.unschedulable).unwrap_or_default(),
        maintenance: meta.annotations.as_ref().and_then(|a| a.maintain_status.as_deref()).map(|m| clean::text(m, 30)),
        roles: roles(node),
        allocatable_cpu: allocatable.and_then(|a| a.cpu.as_deref()).and_then(Millicores::parse).unwrap_or_default(),
        allocatable_memory: allocatable.and_then(|a| a.memory.as_deref()).and_then(Bytes::parse).unwrap_or_default(),
        requested_cpu: Millicores(0),
        requested_memory: Bytes(0),
        vms: 0,
        address: address.map(|a| clean::text(a, 64)),
        version: clean::text(version.unwrap_or_default(), 64),
    }
}

/// A witness has no room for VMs, whatever its allocatable says.
pub(crate) fn is_witness(view: &NodeView) -> bool {
    view.roles.iter().any(|role| role == "witness")
}

fn roles(node: &Node<'_>) -> Vec<String> {
    let Some(labels) = node.metadata.labels.as_ref() else { return Vec::new() };
    let is = |label: &Option<_>| label.is_some();
    let mut roles = Vec::new();
    let is_witness = is(&labels.witness) || (is(&labels.etcd) && !is(&labels.control_plane));
    for (has, role) in
        [(is(&labels.control_plane), "control-plane"), (is_witness, "witness"), (is(&labels.worker), "worker")]
    {
        if has {
            roles.push(role.to_owned());
        }
    }
    roles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_with_etcd_only_is_a_witness() {
        let json = r#"{"metadata":{"name":"w","uid":"u","resourceVersion":"1","labels":{"node-role.kubernetes.io/etcd":"true"}},
            "spec":{"unschedulable":true},"status":{"allocatable":{"cpu":"3900m","memory":"8Gi"},"conditions":[{"type":"Ready","status":"False","message":"kubelet stopped"}]}}"#;
        let view = of(&serde_json::from_str(json).unwrap());
        assert!(is_witness(&view) && view.is_cordoned && !view.is_ready);
        assert_eq!((view.problem.as_deref(), view.allocatable_cpu.0), (Some("kubelet stopped"), 3900));
    }
}
