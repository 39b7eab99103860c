//! A VM's page, read from a simulated cluster.

use super::*;
use crate::testing::{World, until, vm, vm_ref};
use serde_json::json;
use simulator::behave::resources::{EVENT, PVC, SECRET, VM, VMI};
use simulator::world::By;

fn put(world: &World, resource: simulator::behave::Resource, object: Value) {
    world
        .simulator
        .world()
        .create(resource, "team-a", object, &By::seed())
        .unwrap_or_else(|refusal| panic!("{refusal:?}"));
}

#[tokio::test]
async fn a_page_shows_disks_networks_addresses_and_events() {
    let world = World::new();
    let mut object = vm("a", "Running");
    object["spec"]["template"]["spec"]["domain"]["devices"] = json!({
        "disks": [{"name": "ci", "disk": {"bus": "virtio"}}, {"name": "root", "bootOrder": 1, "disk": {"bus": "scsi"}}],
        "interfaces": [{"name": "nic-1", "model": "virtio", "bridge": {}, "macAddress": "52:54:00:AB:10:01"}]});
    object["spec"]["template"]["spec"]["networks"] = json!([{"name": "nic-1", "multus": {"networkName": "vlan-120"}}]);
    object["spec"]["template"]["spec"]["volumes"] = json!([
        {"name": "root", "persistentVolumeClaim": {"claimName": "a-root"}},
        {"name": "ci", "cloudInitNoCloud": {"networkDataSecretRef": {"name": "a-ci"}}}]);
    object["status"]["conditions"] = json!([{"type": "RestartRequired", "status": "True", "message": "cpu changed"}]);
    put(&world, VM, object);
    put(
        &world,
        VMI,
        json!({"metadata": {"name": "a", "namespace": "team-a"}, "status": {"phase": "Running", "nodeName": "n1",
        "phaseTransitionTimestamps": [{"phase": "Running", "phaseTransitionTimestamp": "2026-03-02T08:11:45Z"}],
        "guestOSInfo": {"prettyName": "Debian", "kernelRelease": "6.8.0"},
        "conditions": [{"type": "LiveMigratable", "status": "False", "message": "not shared"}],
        "interfaces": [{"name": "nic-1", "mac": "52:54:00:ab:10:01", "ipAddress": "10.20.0.32", "linkState": "up"}]}}),
    );
    put(
        &world,
        PVC,
        json!({"metadata": {"name": "a-root", "namespace": "team-a"},
        "spec": {"accessModes": ["ReadWriteMany"], "storageClassName": "longhorn-x", "resources": {"requests": {"storage": "20Gi"}}}, "status": {"phase": "Bound"}}),
    );
    let network = "version: 2\nethernets:\n  e:\n    match: {macaddress: \"52:54:00:ab:10:01\"}\n    addresses: [10.20.0.31/24]\n";
    put(
        &world,
        SECRET,
        json!({"metadata": {"name": "a-ci", "namespace": "team-a"}, "data": {"networkdata": STANDARD.encode(network)}}),
    );
    for (name, about, at) in [
        ("e1", "a", "2026-03-02T08:00:00Z"),
        ("e2", "a-root", "2026-03-02T09:00:00Z"),
        ("e3", "other", "2026-03-02T09:30:00Z"),
    ] {
        put(
            &world,
            EVENT,
            json!({"metadata": {"name": name, "namespace": "team-a"}, "type": "Normal", "reason": "R", "message": "m",
            "lastTimestamp": at, "involvedObject": {"kind": "X", "name": about, "namespace": "team-a"}}),
        );
    }
    let cache = world.cache();
    until("the row", || cache.row("team-a", "a").is_some_and(|r| r.node.is_some())).await;

    let detail = vm_detail(&world.cluster, &cache, &vm_ref("a"), UnixMs(5)).await.unwrap().unwrap();
    let disks: Vec<_> =
        detail.disks.iter().map(|d| (d.name.as_str(), d.source.as_str(), d.bus.as_str(), d.phase.as_deref())).collect();
    assert_eq!(disks, [("root", "a-root", "scsi", Some("Bound")), ("ci", "cloud-init", "virtio", None)]);
    assert_eq!(detail.disks[0].size, Some(model::quantity::Bytes::gib(20)));
    let nic = &detail.nics[0];
    assert_eq!(
        (nic.network.as_str(), nic.binding.as_str(), nic.link.as_deref()),
        ("team-a/vlan-120", "bridge", Some("up"))
    );
    let truth = &detail.truths[0];
    assert_eq!(
        (truth.injected, truth.observed.as_slice()),
        ("10.20.0.31".parse().ok(), &["10.20.0.32".parse().unwrap()][..])
    );
    assert_eq!(detail.events.iter().map(|e| e.about.as_str()).collect::<Vec<_>>(), ["X/a-root", "X/a"]);
    assert_eq!(
        (detail.restart_required.as_deref(), detail.not_migratable.as_deref()),
        (Some("cpu changed"), Some("not shared"))
    );
    assert_eq!((detail.kernel.as_deref(), detail.run_strategy.as_str()), (Some("6.8.0"), "RerunOnFailure"));
    assert!(detail.running_since.is_some());

    let yaml = vm_yaml(&world.cluster, &vm_ref("a")).await.unwrap();
    assert!(yaml.contains("kind: VirtualMachine") && !yaml.contains("managedFields"), "{yaml}");
}

#[tokio::test]
async fn a_vm_that_is_not_there_has_no_page() {
    let world = World::new();
    let cache = world.cache();
    assert_eq!(vm_detail(&world.cluster, &cache, &vm_ref("a"), UnixMs(5)).await.unwrap(), None);
}
