//! Whole lives on the built-in world, with a clock that moves only when told.

use super::*;
use crate::behave::Resource;
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

fn node_of(view: &dyn View, name: &str) -> String {
    let vmi = view.get(VMI, "team-a", name);
    vmi.and_then(|vmi| vmi["status"]["nodeName"].as_str().map(str::to_owned)).unwrap_or_default()
}

fn migrate(lab: &mut Lab, name: &str, spec: Value) -> String {
    let mut spec = spec;
    spec["vmiName"] = json!(name);
    let made = lab.create(VMIM, json!({"metadata": {"generateName": format!("{name}-")}, "spec": spec}));
    made["metadata"]["name"].as_str().unwrap().to_owned()
}

fn job_phase(view: &dyn View, job: &str) -> String {
    let job = view.get(VMIM, "team-a", job);
    job.and_then(|job| job["status"]["phase"].as_str().map(str::to_owned)).unwrap_or_default()
}

#[test]
fn a_migration_passes_every_phase_and_moves_the_guest() {
    let mut lab = Lab::new();
    start_web(&mut lab, "web-01");
    lab.until("agent", |view| address(view, "web-01").is_some());
    let before = node_of(&lab.world, "web-01");
    let job = migrate(&mut lab, "web-01", json!({}));
    lab.until("handover", |view| {
        view.get(VM, "team-a", "web-01").is_some_and(|vm| vm["status"]["printableStatus"] == "Migrating")
    });
    assert_eq!(lab.world.list(POD, Some("team-a")).len(), 2);
    lab.until("end", |view| job_phase(view, &job) == "Succeeded");
    let made = lab.get(VMIM, &job).unwrap();
    let phases: Vec<&str> = made["status"]["phaseTransitionTimestamps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step["phase"].as_str())
        .collect();
    assert_eq!(
        phases,
        ["Pending", "Scheduling", "Scheduled", "PreparingTarget", "TargetReady", "Running", "Succeeded"]
    );
    let after = node_of(&lab.world, "web-01");
    assert_ne!(before, after);
    lab.drive.advance(Duration::from_secs(10)).unwrap();
    let vmi = lab.get(VMI, "web-01").unwrap();
    assert_eq!(vmi["status"]["migrationState"]["completed"], true);
    assert_eq!(vmi["status"]["migrationState"]["migrationUid"], made["metadata"]["uid"]);
    assert_eq!(vmi["metadata"]["annotations"].get("harvesterhci.io/migrationUID"), None);
    assert_eq!(vmi["metadata"]["labels"]["kubevirt.io/nodeName"], after.as_str());
    let pods = lab.world.list(POD, Some("team-a"));
    let left: Vec<&Value> =
        pods.iter().filter(|pod| pod["status"]["phase"] == "Succeeded").map(|pod| &pod["spec"]["nodeName"]).collect();
    assert_eq!((pods.len(), left), (2, vec![&json!(before)]), "the source's launcher has exited and stays");
    assert_eq!(vmi["status"]["activePods"].as_object().unwrap().len(), 2);
    assert_eq!(vmi["metadata"]["labels"].get("kubevirt.io/migrationTargetNodeName"), None);
    assert_eq!(address(&lab.world, "web-01").as_deref(), Some("10.20.0.31"), "the guest keeps its address");
    assert_eq!(lab.word("web-01"), "Running");
}

#[test]
fn migrations_fail_with_upstreams_words() {
    let mut lab = Lab::new();
    for (name, reason, aborts) in [
        ("fault-migration-fails-1", "Live migration failed", false),
        ("fault-migration-stuck-1", "Live migration stuck for 150 seconds and has been aborted", false),
        ("plain-1", "Live migration aborted ", true),
    ] {
        let mac = format!("52:54:00:00:00:{:02x}", reason.len());
        lab.create(VM, web(name, &mac));
        lab.until_word(name, "Running");
        let job = migrate(&mut lab, name, json!({}));
        if aborts {
            lab.until("running", |view| job_phase(view, &job) == "Running");
            lab.world.delete(VMIM, ("team-a", &job), &Deletion::default(), &By::user("admin", "test")).unwrap();
            lab.until("gone", |view| view.get(VMIM, "team-a", &job).is_none());
        } else {
            lab.until("failed", |view| job_phase(view, &job) == "Failed");
        }
        lab.drive.advance(Duration::from_secs(5)).unwrap();
        let vmi = lab.get(VMI, name).unwrap();
        let state = &vmi["status"]["migrationState"];
        assert!(state["failureReason"].as_str().unwrap().starts_with(reason), "{state}");
        assert_eq!(state["abortRequested"].as_bool().unwrap_or_default(), aborts);
        assert_eq!(lab.word(name), "Running");
        let pods = lab.world.labelled(POD, Some("team-a"), "vm.kubevirt.io/name", name);
        let mut phases: Vec<&str> = pods.iter().filter_map(|pod| pod["status"]["phase"].as_str()).collect();
        phases.sort_unstable();
        assert_eq!(phases, ["Running", "Succeeded"], "the target's launcher has exited and stays");
    }
}

#[test]
fn a_migration_without_a_fitting_node_stays_pending_and_says_so() {
    let mut lab = Lab::new();
    start_web(&mut lab, "web-01");
    let job = migrate(&mut lab, "web-01", json!({"addedNodeSelector": {"kubernetes.io/hostname": "hv-99"}}));
    lab.drive.advance(MINUTE).unwrap();
    assert_eq!(job_phase(&lab.world, &job), "Scheduling");
    assert!(lab.reasons("VirtualMachineInstanceMigration").contains(&"migrationTargetPodUnschedulable".to_owned()));
    lab.until("time limit", |view| job_phase(view, &job) == "Failed");
}

#[test]
fn faults_by_name_show_as_they_do_upstream() {
    let mut lab = Lab::new();
    for (at, (name, word)) in [
        ("fault-unschedulable-1", "ErrorUnschedulable"),
        ("fault-crash-loop-1", "CrashLoopBackOff"),
        ("fault-image-pull-1", "ErrImagePull"),
        ("fault-slow-disk-1", "WaitingForVolumeBinding"),
        ("fault-no-agent-1", "Running"),
    ]
    .into_iter()
    .enumerate()
    {
        lab.create(VM, web(name, &format!("52:54:00:00:01:{at:02x}")));
        if word == "WaitingForVolumeBinding" {
            lab.drive.advance(Duration::from_secs(20)).unwrap();
            assert!(
                ["WaitingForVolumeBinding", "ErrorUnschedulable"].contains(&lab.word(name).as_str()),
                "{}",
                lab.word(name)
            );
            continue;
        }
        lab.until_word(name, word);
    }
    let pods = lab.world.labelled(POD, Some("team-a"), "vm.kubevirt.io/name", "fault-unschedulable-1");
    let held = pods[0]["status"]["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|held| held["type"] == "PodScheduled")
        .unwrap()
        .clone();
    assert_eq!(held["reason"], "Unschedulable");
    assert_eq!(
        held["message"],
        "0/3 nodes are available: 3 Insufficient memory. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod."
    );
    lab.drive.advance(5 * MINUTE).unwrap();
    assert_eq!(address(&lab.world, "fault-no-agent-1"), None);
}

#[test]
fn a_restart_replaces_the_instance() {
    let mut lab = Lab::new();
    start_web(&mut lab, "web-01");
    let before = lab.get(VMI, "web-01").unwrap()["metadata"]["uid"].clone();
    let vm = lab.get(VM, "web-01").unwrap();
    let vmi = lab.get(VMI, "web-01").unwrap();
    let now = Now { unix_ms: lab.world.clock().unix_ms(), random: 0 };
    let answer = lab
        .world
        .view(|view| {
            behave::subresource::call((true, "restart"), (Some(&vm), Some(&vmi)), "web-01", &Value::Null, view, now)
        })
        .unwrap();
    for effect in &answer.effects {
        lab.world.perform(effect, &By::role(Role::VirtController)).unwrap();
    }
    lab.until("another instance", |view| {
        view.get(VMI, "team-a", "web-01").is_some_and(|vmi| vmi["metadata"]["uid"] != before)
    });
    lab.until_word("web-01", "Running");
    assert_eq!(lab.get(VM, "web-01").unwrap()["status"].get("stateChangeRequests"), None);
}

#[test]
fn a_disk_is_plugged_into_a_running_guest_and_out_again() {
    let mut lab = Lab::new();
    start_web(&mut lab, "web-01");
    lab.create(PVC, json!({
        "metadata": {"name": "data-1"},
        "spec": {"accessModes": ["ReadWriteMany"], "volumeMode": "Block", "storageClassName": "harvester-longhorn", "resources": {"requests": {"storage": "20Gi"}}},
    }));
    lab.until("bound", |view| {
        view.get(PVC, "team-a", "data-1").is_some_and(|claim| claim["status"]["phase"] == "Bound")
    });
    let call = |lab: &Lab, sub: &'static str, body: Value| {
        let (vm, vmi) = (lab.get(VM, "web-01").unwrap(), lab.get(VMI, "web-01").unwrap());
        let now = Now { unix_ms: 0, random: 0 };
        let answer = lab
            .world
            .view(|view| behave::subresource::call((true, sub), (Some(&vm), Some(&vmi)), "web-01", &body, view, now))
            .unwrap();
        for effect in &answer.effects {
            lab.world.perform(effect, &By::role(Role::VirtController)).unwrap();
        }
    };
    call(
        &lab,
        "addvolume",
        json!({"name": "data", "disk": {"disk": {"bus": "scsi"}}, "volumeSource": {"persistentVolumeClaim": {"claimName": "data-1"}}}),
    );
    lab.until("plugged", |view| {
        let vmi = view.get(VMI, "team-a", "web-01").unwrap();
        vmi["status"]["volumeStatus"]
            .as_array()
            .unwrap()
            .iter()
            .any(|volume| volume["name"] == "data" && volume["phase"] == "Ready")
    });
    call(&lab, "removevolume", json!({"name": "data"}));
    lab.until("unplugged", |view| {
        let vmi = view.get(VMI, "team-a", "web-01").unwrap();
        vmi["status"]["volumeStatus"].as_array().unwrap().len() == 2
    });
}

#[test]
fn images_backups_and_restores_come_to_an_end() {
    let mut lab = Lab::new();
    lab.create(IMAGE, json!({"metadata": {"name": "image-x"}, "spec": {"sourceType": "download", "displayName": "debian-13.qcow2", "url": "https://mirror.lab.example/debian-13.qcow2"}}));
    lab.until("imported", |view| {
        view.get(IMAGE, "team-a", "image-x").is_some_and(|image| image["status"]["progress"] == 100)
    });
    assert_eq!(lab.get(IMAGE, "image-x").unwrap()["status"]["storageClassName"], "longhorn-image-x");
    start_web(&mut lab, "web-01");
    lab.create(BACKUP, json!({"metadata": {"name": "snap-1"}, "spec": {"type": "snapshot", "source": {"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": "web-01"}}}));
    lab.until("ready", |view| {
        view.get(BACKUP, "team-a", "snap-1").is_some_and(|backup| backup["status"]["readyToUse"] == true)
    });
    lab.create(RESTORE, json!({"metadata": {"name": "restore-1"}, "spec": {
        "target": {"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": "web-01-copy"},
        "virtualMachineBackupName": "snap-1", "virtualMachineBackupNamespace": "team-a", "newVM": true, "deletionPolicy": "retain",
    }}));
    lab.until("restored", |view| {
        view.get(RESTORE, "team-a", "restore-1").is_some_and(|restore| restore["status"]["complete"] == true)
    });
    assert_eq!(lab.word("web-01-copy"), "Running");
}
