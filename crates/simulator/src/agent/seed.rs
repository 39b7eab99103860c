//! What is made before anything acts: nodes with their leases, virt-handler's pods, Longhorn's view of the disks, and on
//! demand what Harvester brings.
//!
//! It is the simulator's own empty scenario, copied: a throw-away world is seeded, and what belongs to the roles that are
//! played is created where it is missing. What is there stays as it is.

use super::Options;
use super::client::ClientError;
use super::deed::Hands;
use crate::behave::resources::{
    ADDON, CLUSTERNETWORK, DAEMONSET, IMAGE, KEYPAIR, LEASE, LONGHORN_NODE, LONGHORN_SETTING, NAD, NAMESPACE, NODE,
    POD, SETTING, STORAGECLASS, VLANCONFIG, VLANSTATUS, VOLUMESNAPSHOTCLASS,
};
use crate::behave::{Resource, Role, View, object, pod_address_note};
use crate::scenario::Scenario;
use crate::scenario::hosts::host_name;
use crate::world::World;
use crate::world::catalogue::Release;
use crate::world::meta;
use serde_json::{Value, json};
use std::time::Duration;

/// Where virt-handler's pods are.
pub(super) const HANDLER_NAMESPACE: &str = "harvester-system";
/// A namespace without its default service account takes no pods yet; so long it is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whose, what, and whether it is made only with the platform.
const PLANTS: &[(Role, Resource, bool)] = &[
    (Role::Kubelet, NODE, false),
    (Role::Kubelet, LEASE, false),
    (Role::Longhorn, LONGHORN_SETTING, true),
    (Role::Longhorn, LONGHORN_NODE, false),
    (Role::Longhorn, STORAGECLASS, true),
    (Role::Longhorn, VOLUMESNAPSHOTCLASS, true),
    (Role::Harvester, SETTING, true),
    (Role::Harvester, ADDON, true),
    (Role::Harvester, CLUSTERNETWORK, true),
    (Role::Harvester, VLANCONFIG, true),
    (Role::Harvester, VLANSTATUS, true),
    (Role::Harvester, NAD, true),
    (Role::Harvester, IMAGE, true),
    (Role::Harvester, KEYPAIR, true),
];

/// Makes what is missing.
pub(super) async fn plant(hands: &Hands, options: &Options) -> Result<(), ClientError> {
    let plays = |role: Role| options.roles.contains(&role);
    let Some(&first) = options.roles.first() else { return Ok(()) };
    // Nodes and namespaces are made by whoever may: the kubelet's identity before all others.
    let main = if plays(Role::Kubelet) { Role::Kubelet } else { first };
    let world = World::new(Release::V1_8, options.clock.clone(), 1);
    Scenario::Empty { hosts: options.nodes }.seed(&world);
    for name in namespaces(&world, options) {
        put(hands, main, NAMESPACE, json!({"metadata": {"name": name}})).await?;
    }
    for (role, resource, with_platform) in PLANTS {
        if plays(*role) && (options.brings_platform || !with_platform) {
            for held in world.list(*resource, None) {
                put(hands, *role, *resource, fresh(&held)).await?;
            }
        }
    }
    if plays(Role::Kubelet) && plays(Role::VirtHandler) {
        for at in 0..options.nodes {
            let made = tokio::time::timeout(PATIENCE, async {
                while let Err(error) = put(hands, main, POD, handler(at)).await {
                    if error.code() != 403 {
                        return Err(error);
                    }
                    tokio::time::sleep(Duration::from_millis(300)).await;
                }
                Ok(())
            });
            made.await.unwrap_or(Err(ClientError::Late))?;
        }
        put(hands, main, DAEMONSET, handlers()).await?;
    }
    Ok(())
}

/// The namespaces that are needed: all of Harvester's, or those of the roles.
fn namespaces(world: &World, options: &Options) -> Vec<String> {
    if options.brings_platform {
        return world.list(NAMESPACE, None).iter().map(|held| object::name(held).to_owned()).collect();
    }
    let of = |role: Role, name: &str| options.roles.contains(&role).then(|| name.to_owned());
    let all = [
        of(Role::Kubelet, "kube-node-lease"),
        of(Role::VirtHandler, HANDLER_NAMESPACE),
        of(Role::Longhorn, crate::behave::resources::LONGHORN_NAMESPACE),
    ];
    all.into_iter().flatten().collect()
}

async fn put(hands: &Hands, role: Role, resource: Resource, object: Value) -> Result<(), ClientError> {
    match hands.create(role, resource, &object).await {
        Err(error) if error.code() == 409 => Ok(()),
        other => other.map(drop),
    }
}

/// An object without what the other server said of it.
fn fresh(held: &Value) -> Value {
    let mut object = held.clone();
    for field in ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"] {
        meta::set(&mut object, field, Value::Null);
    }
    object
}

/// The address on which the virt-handler of the n-th host (from 0) is asked: this machine's own, a different one a host.
pub(super) fn handler_address(at: usize) -> String {
    HANDLER_ADDRESS.replace('*', &(at + 1).to_string())
}

const HANDLER_ADDRESS: &str = "127.0.1.*";

/// virt-handler's DaemonSet, made after its pods, which its controller then takes over. Source: K
/// `pkg/virt-operator/resource/generate/components/daemonsets.go`.
fn handlers() -> Value {
    let labels = json!({"kubevirt.io": "virt-handler"});
    json!({
        "metadata": {"name": "virt-handler", "namespace": HANDLER_NAMESPACE, "labels": labels},
        "spec": {
            "selector": {"matchLabels": labels}, "updateStrategy": {"type": "OnDelete"},
            "template": {"metadata": template(), "spec": containers()},
        },
    })
}

fn template() -> Value {
    json!({
        "labels": {"kubevirt.io": "virt-handler", "app.kubernetes.io/component": "kubevirt"},
        "annotations": {pod_address_note(): HANDLER_ADDRESS},
    })
}

fn containers() -> Value {
    json!({
        "automountServiceAccountToken": false, "enableServiceLinks": false, "tolerations": [{"operator": "Exists"}],
        "containers": [{"name": "virt-handler", "image": "registry.suse.com/suse/sles/15.7/virt-handler:1.7.4-150700.3.22.1"}],
    })
}

/// virt-handler's pod on the n-th host.
fn handler(at: usize) -> Value {
    let node = host_name(at);
    let mut pod = json!({"metadata": template(), "spec": containers()});
    pod["metadata"]["name"] = json!(format!("virt-handler-{node}"));
    pod["metadata"]["namespace"] = json!(HANDLER_NAMESPACE);
    pod["spec"]["nodeName"] = json!(node);
    pod
}
