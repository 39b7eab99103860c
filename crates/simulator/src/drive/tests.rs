//! Whole lives on the built-in world, with a clock that moves only when told.

use super::*;
use crate::behave::resources::*;
use crate::clock::Clock;
use crate::scenario;
use crate::world::Deletion;
use crate::world::catalogue::Release;
use serde_json::{Value, json};

const MINUTE: Duration = Duration::from_secs(60);

struct Lab {
    world: World,
    drive: Drive,
}

impl Lab {
    fn new() -> Self {
        let world = World::new(Release::V1_8, Clock::explicit(), 7);
        scenario::empty(&world, 3);
        let namespace = json!({"metadata": {"name": "team-a"}, "status": {"phase": "Active"}});
        world.create(NAMESPACE, "", namespace, &By::seed()).unwrap();
        let drive = Drive::new(&world);
        Self { world, drive }
    }

    fn create(&mut self, resource: Resource, object: Value) -> Value {
        let made = self.world.create(resource, "team-a", object, &By::user("admin", "test"));
        (*made.unwrap_or_else(|status| panic!("{}", status.message))).clone()
    }

    fn get(&self, resource: Resource, name: &str) -> Option<Value> {
        self.world.get(resource, "team-a", name).map(|object| (*object).clone())
    }

    fn word(&self, name: &str) -> String {
        self.get(VM, name)
            .map(|vm| vm["status"]["printableStatus"].as_str().unwrap_or_default().to_owned())
            .unwrap_or_default()
    }

    fn until(&mut self, what: &str, holds: impl FnMut(&dyn View) -> bool) {
        let came = self.drive.advance_until(10 * MINUTE, holds).unwrap();
        assert!(
            came,
            "{what} did not come; VM shows {:?}",
            self.world.list(VM, None).first().map(|vm| vm["status"].clone())
        );
    }

    fn until_word(&mut self, name: &str, word: &str) {
        self.until(&format!("{name} {word}"), |view| {
            view.get(VM, "team-a", name).is_some_and(|vm| vm["status"]["printableStatus"] == word)
        });
    }

    fn patch(&self, resource: Resource, name: &str, patch: Value) {
        let by = By::user("admin", "test");
        let effect = Effect::Merge { resource, namespace: "team-a".into(), name: name.into(), patch, status: false };
        self.world.perform(&effect, &by).unwrap_or_else(|status| panic!("{}", status.message));
    }

    fn reasons(&self, kind: &str) -> Vec<String> {
        let mut events = self.world.list(EVENT, Some("team-a"));
        events.retain(|event| event["involvedObject"]["kind"] == kind);
        events.iter().map(|event| event["reason"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// The example of `harvester-api.md` §1.3, with its cloud-init Secret.
fn web(name: &str, mac: &str) -> Value {
    let claims = json!([{
        "metadata": {"name": format!("{name}-rootdisk-k3x9q"), "annotations": {"harvesterhci.io/imageId": "harvester-public/image-oe2403"}},
        "spec": {"accessModes": ["ReadWriteMany"], "volumeMode": "Block", "storageClassName": "longhorn-image-oe2403", "resources": {"requests": {"storage": "40Gi"}}},
    }]);
    json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
        "metadata": {
            "name": name, "namespace": "team-a",
            "labels": {"harvesterhci.io/creator": "harvester", "harvesterhci.io/os": "linux", "tag.harvesterhci.io/tier": "front"},
            "annotations": {"harvesterhci.io/volumeClaimTemplates": claims.to_string(), "harvesterhci.io/reservedMemory": "128Mi"},
        },
        "spec": {
            "runStrategy": "RerunOnFailure",
            "template": {
                "metadata": {"labels": {"harvesterhci.io/vmName": name, "harvesterhci.io/creator": "harvester"}},
                "spec": {
                    "evictionStrategy": "LiveMigrateIfPossible", "hostname": name, "terminationGracePeriodSeconds": 120,
                    "domain": {
                        "machine": {"type": "q35"}, "cpu": {"cores": 4, "sockets": 1, "threads": 1},
                        "resources": {"limits": {"cpu": "4", "memory": "8Gi"}}, "features": {"acpi": {"enabled": true}},
                        "devices": {
                            "inputs": [{"bus": "usb", "name": "tablet", "type": "tablet"}],
                            "disks": [{"name": "rootdisk", "bootOrder": 1, "disk": {"bus": "virtio"}}, {"name": "cloudinitdisk", "disk": {"bus": "virtio"}}],
                            "interfaces": [{"name": "nic-1", "model": "virtio", "bridge": {}, "macAddress": mac}],
                        },
                    },
                    "networks": [{"name": "nic-1", "multus": {"networkName": "harvester-public/vlan-120"}}],
                    "volumes": [
                        {"name": "rootdisk", "persistentVolumeClaim": {"claimName": format!("{name}-rootdisk-k3x9q")}},
                        {"name": "cloudinitdisk", "cloudInitNoCloud": {"secretRef": {"name": format!("{name}-ci")}, "networkDataSecretRef": {"name": format!("{name}-ci")}}},
                    ],
                },
            },
        },
    })
}

fn secret(name: &str, mac: &str, address: &str) -> Value {
    let network = format!(
        "version: 2\nethernets:\n  nic-1:\n    match: {{macaddress: \"{mac}\"}}\n    set-name: nic-1\n    dhcp4: false\n    addresses: [{address}/16]\n    routes: [{{to: default, via: 10.20.0.1}}]\n"
    );
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {"name": format!("{name}-ci"), "namespace": "team-a", "labels": {"harvesterhci.io/cloud-init-template": "harvester"}},
        "stringData": {"userdata": "#cloud-config\npackages: [qemu-guest-agent]\n", "networkdata": network},
    })
}

fn start_web(lab: &mut Lab, name: &str) {
    let mac = "52:54:00:ab:10:01";
    lab.create(SECRET, secret(name, mac, "10.20.0.31"));
    lab.create(VM, web(name, mac));
    lab.until_word(name, "Running");
}

fn address(view: &dyn View, name: &str) -> Option<String> {
    let vmi = view.get(VMI, "team-a", name)?;
    vmi.pointer("/status/interfaces/0/ipAddress")?.as_str().map(str::to_owned)
}

#[test]
fn a_vm_lives_from_its_claim_to_its_last_volume() {
    let mut lab = Lab::new();
    start_web(&mut lab, "web-01");
    lab.until("address", |view| address(view, "web-01").is_some());
    assert_eq!(address(&lab.world, "web-01").as_deref(), Some("10.20.0.31"));
    let vmi = lab.get(VMI, "web-01").unwrap();
    assert_eq!(vmi["status"]["interfaces"][0]["ipAddresses"], json!(["10.20.0.31", "fe80::5054:ff:feab:1001"]));
    assert_eq!(vmi["status"]["interfaces"][0]["interfaceName"], "nic-1");
    assert_eq!(vmi["status"]["interfaces"][0]["infoSource"], "domain, guest-agent, multus-status");
    assert_eq!(vmi["status"]["guestOSInfo"]["id"], "openEuler");
    let phases: Vec<&str> = vmi["status"]["phaseTransitionTimestamps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step["phase"].as_str())
        .collect();
    assert_eq!(phases, ["Pending", "Scheduling", "Scheduled", "Running"]);
    let claim = lab.get(PVC, "web-01-rootdisk-k3x9q").unwrap();
    assert_eq!(claim["status"]["phase"], "Bound");
    let volume_name = claim["spec"]["volumeName"].as_str().unwrap().to_owned();
    let volume = lab.world.get(LONGHORN_VOLUME, LONGHORN_NAMESPACE, &volume_name).unwrap();
    assert_eq!(
        (volume["status"]["state"].as_str(), volume["status"]["robustness"].as_str()),
        (Some("attached"), Some("healthy"))
    );
    assert_eq!(lab.get(VM, "web-01").unwrap()["status"]["ready"], true);

    lab.patch(VM, "web-01", json!({"spec": {"runStrategy": "Halted"}}));
    lab.drive.advance(Duration::from_secs(1)).unwrap();
    assert_eq!(lab.word("web-01"), "Stopping");
    lab.until_word("web-01", "Stopped");
    assert_eq!(lab.get(VMI, "web-01"), None);
    assert!(lab.world.list(POD, Some("team-a")).is_empty());

    lab.patch(VM, "web-01", json!({"spec": {"runStrategy": "Always"}}));
    lab.until_word("web-01", "Running");
    assert_eq!(
        lab.get(VM, "web-01").unwrap()["metadata"]["annotations"]["harvesterhci.io/vmRunStrategy"],
        "RerunOnFailure"
    );

    lab.patch(VM, "web-01", json!({"metadata": {"annotations": {"harvesterhci.io/removedPersistentVolumeClaims": "web-01-rootdisk-k3x9q"}}}));
    lab.world.delete(VM, ("team-a", "web-01"), &Deletion::default(), &By::user("admin", "test")).unwrap();
    lab.until("deletion", |view| view.get(VM, "team-a", "web-01").is_none());
    lab.until("claims gone", |view| view.list(PVC, Some("team-a")).is_empty());
    assert!(lab.world.list(LONGHORN_VOLUME, None).is_empty());
    assert!(lab.world.list(PV, None).is_empty());
    assert!(lab.reasons("VirtualMachine").contains(&"SuccessfulCreate".to_owned()));
}

#[test]
fn a_world_at_rest_has_nothing_due_but_heartbeats() {
    let mut lab = Lab::new();
    start_web(&mut lab, "web-01");
    lab.drive.advance(5 * MINUTE).unwrap();
    let before = lab.world.version();
    lab.drive.advance(Duration::from_secs(9)).unwrap();
    assert!(lab.world.version() - before <= 3, "only leases may change: {}", lab.drive.last);
}
