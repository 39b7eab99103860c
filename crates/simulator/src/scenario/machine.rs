//! A VM as somebody would write it, and the same VM in the middle of its life with all that belongs to it.
//!
//! Finished objects are made by the behaviours' own builders, so a seeded machine is what a walked life ends in.

use super::Seeder;
use super::company::Machine;
use super::hosts::host_name;
use super::networks::{Purpose, SHARED};
use crate::behave::object::{self, stamp_of};
use crate::behave::resources::{LONGHORN_REPLICA, LONGHORN_VOLUME, POD, PV, PVC, SECRET, STORAGECLASS, VM, VMI};
use crate::behave::{Now, View, finished};
use crate::world::catalogue::Release;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// In which state a machine is put there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Runs, on a host.
    Running(usize),
    /// Runs but is paused.
    Paused(usize),
    /// Switched off.
    Stopped,
    /// Not begun: the drive walks it from its creation on.
    New,
}

/// How many machines a world may have before replicas are left out: three times the objects for nothing to look at.
const WITH_REPLICAS: usize = 1_000;

impl Seeder<'_> {
    /// Puts a machine there.
    pub(super) fn machine(&self, machine: &Machine, state: State, all: usize) {
        self.furnish(machine, state, all);
        self.world.lay_to_rest(&self.finished.take());
    }

    fn furnish(&self, machine: &Machine, state: State, all: usize) {
        let mut vm = manifest(machine);
        if machine.name == super::hostile::NAME {
            super::hostile::taint(&mut vm);
        }
        self.shape(&mut vm, state);
        self.put_finished(SECRET, cloud_init(machine));
        if state == State::New {
            self.put(VM, vm);
            return;
        }
        let now = self.moment(machine.number);
        let uid = |kind: u8| uid_of(kind, machine.number);
        vm["metadata"]["uid"] = json!(uid(1));
        vm["metadata"]["creationTimestamp"] = json!(stamp_of(now.unix_ms));
        vm["metadata"]["finalizers"] = json!(finished::VM_FINALIZERS);
        vm["apiVersion"] = json!("kubevirt.io/v1");
        vm["kind"] = json!("VirtualMachine");
        let node = match state {
            State::Running(host) | State::Paused(host) => Some(host_name(host)),
            _ => None,
        };
        self.disk(machine, &uid(2), node.as_deref(), now, all);
        let Some(node) = node else {
            vm["status"] = self.world.view(|view| finished::vm_status(&vm, None, view, now));
            self.put_finished(VM, vm);
            return;
        };
        let mut vmi = self.world.view(|view| finished::vmi(&vm, &node, view, now));
        vmi["metadata"]["uid"] = json!(uid(3));
        let mut pod = self.world.view(|view| finished::pod(&vmi, &node, &uid(4), view, now));
        pod["metadata"]["name"] = json!(format!("virt-launcher-{}-{}", machine.name, suffix(machine.number)));
        vmi["status"]["activePods"] = json!({uid(4): node});
        if matches!(state, State::Paused(_)) {
            finished::pause(&mut pod, now);
        }
        self.put_finished(POD, pod.clone());
        let status = self.world.view(|view| finished::vmi_status(&vmi, &pod, view, now));
        vmi["status"] = status;
        vm["status"] = self.world.view(|view| finished::vm_status(&vm, Some(&vmi), view, now));
        // Kept by Harvester from 1.6 on.
        if self.release >= Release::V1_6 {
            vm["metadata"]["annotations"]["harvesterhci.io/mac-address"] =
                json!(json!({"nic-1": machine.mac()}).to_string());
        }
        self.put_finished(VM, vm);
        self.put_finished(VMI, vmi);
    }

    /// Runs the mutating webhook and sets the strategy.
    fn shape(&self, vm: &mut Value, state: State) {
        let strategy = if state == State::Stopped { "Halted" } else { "RerunOnFailure" };
        vm["spec"]["runStrategy"] = json!(strategy);
        vm["metadata"]["annotations"]["harvesterhci.io/vmRunStrategy"] = json!("RerunOnFailure");
        let judged = self.world.view(|view| crate::admission::mutate_vm(None, vm, view));
        if let Err(refusal) = judged {
            tracing::warn!(name = object::name(vm), message = %refusal.message, "a seeded VM is refused");
        }
    }

    /// Some days to two years ago, by the machine's number.
    fn moment(&self, number: usize) -> Now {
        let days = 2 + (number * 37) % 700;
        let back = i64::try_from(days * 86_400_000 + number % 80_000 * 1000).unwrap_or(0);
        Now { unix_ms: self.now_ms - back, random: number as u64 ^ 0x5eed }
    }

    fn disk(&self, machine: &Machine, uid: &str, node: Option<&str>, now: Now, all: usize) {
        let Some(template) = claim_template(machine).as_array().and_then(|all| all.first().cloned()) else { return };
        let class = self.world.get(STORAGECLASS, "", &machine.image().class());
        let class = class.map(|class| (*class).clone()).unwrap_or_default();
        let volume = format!("pvc-{uid}");
        let claim = finished::claim(&template, machine.team.namespace, uid, &volume, now);
        let running = node.map(|node| (node, machine.name.as_str()));
        let mut longhorn = finished::longhorn_volume(&claim, &class, &volume, running, now);
        longhorn["metadata"]["creationTimestamp"] = json!(stamp_of(now.unix_ms));
        self.put_finished(PV, finished::persistent_volume(&claim, &class, &volume));
        if all <= WITH_REPLICAS {
            let size = longhorn["spec"]["size"].as_str().and_then(|size| size.parse().ok()).unwrap_or(0);
            for at in 0..self.hosts.min(3) {
                let host = host_name((machine.number + at) % self.hosts);
                let mut replica = finished::replica(&volume, at, &host, size, now);
                if node.is_some() {
                    replica["status"] = json!({"currentState": "running", "started": true});
                }
                self.put_finished(LONGHORN_REPLICA, replica);
            }
        }
        self.put_finished(LONGHORN_VOLUME, longhorn);
        self.put_finished(PVC, claim);
    }
}

fn suffix(number: usize) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let mut left = number.wrapping_mul(2_654_435_761) + 77_777;
    (0..5)
        .map(|_| {
            let letter = LETTERS[left % LETTERS.len()];
            left /= LETTERS.len();
            char::from(letter)
        })
        .collect()
}

fn uid_of(kind: u8, number: usize) -> String {
    format!("5eed{kind:04x}-{:04x}-4000-8000-{number:012x}", number % 0xffff)
}

fn claim_template(machine: &Machine) -> Value {
    let image = machine.image();
    let size = machine.service.disk_gib.max(image.least_gib());
    json!([{
        "metadata": {
            "name": format!("{}-rootdisk-{}", machine.name, suffix(machine.number + 1)),
            "annotations": {"harvesterhci.io/imageId": image.id()},
        },
        "spec": {
            "accessModes": ["ReadWriteMany"], "volumeMode": "Block", "storageClassName": image.class(),
            "resources": {"requests": {"storage": format!("{size}Gi")}},
        },
    }])
}

/// The VM that its owner would write.
pub(super) fn manifest(machine: &Machine) -> Value {
    let (name, namespace) = (machine.name.as_str(), machine.team.namespace);
    let claims = claim_template(machine);
    let claim = object::name(&claims[0]).to_owned();
    let mut labels = json!({
        "harvesterhci.io/creator": "harvester", "harvesterhci.io/os": machine.image().os,
        "tag.harvesterhci.io/env": machine.environment(),
    });
    let mut annotations = json!({
        "harvesterhci.io/volumeClaimTemplates": claims.to_string(),
        "field.cattle.io/description": machine.description(),
        "network.harvesterhci.io/ips": json!([format!("{}/16", machine.address())]).to_string(),
    });
    if let Some((id, owner)) = machine.owner() {
        labels["ops.example.com/managed-by"] = json!("harvester-admin");
        labels["ops.example.com/owner"] = json!(id);
        labels["ops.example.com/service"] = json!(machine.service.stem);
        labels["ops.example.com/env"] = json!(machine.environment());
        annotations["ops.example.com/owner-name"] = json!(owner);
    }
    let memory = format!("{}Gi", machine.service.memory_gib);
    json!({
        "metadata": {"name": name, "namespace": namespace, "labels": labels, "annotations": annotations},
        "spec": {
            "runStrategy": "RerunOnFailure",
            "template": {
                "metadata": {
                    "labels": {"harvesterhci.io/vmName": name, "harvesterhci.io/creator": "harvester"},
                    "annotations": {"harvesterhci.io/sshNames": json!([format!("{SHARED}/ops-key")]).to_string()},
                },
                "spec": {
                    "evictionStrategy": "LiveMigrateIfPossible", "hostname": name, "terminationGracePeriodSeconds": 120,
                    "domain": {
                        "machine": {"type": "q35"},
                        "cpu": {"cores": machine.service.cores, "sockets": 1, "threads": 1},
                        "resources": {"limits": {"cpu": machine.service.cores.to_string(), "memory": memory}},
                        "features": {"acpi": {"enabled": true}},
                        "devices": {
                            "inputs": [{"bus": "usb", "name": "tablet", "type": "tablet"}],
                            "disks": [
                                {"name": "rootdisk", "bootOrder": 1, "disk": {"bus": "virtio"}},
                                {"name": "cloudinitdisk", "disk": {"bus": "virtio"}},
                            ],
                            "interfaces": [{"name": "nic-1", "model": "virtio", "bridge": {}, "macAddress": machine.mac()}],
                        },
                    },
                    "networks": [{"name": "nic-1", "multus": {"networkName": format!("{SHARED}/{}", machine.vlan().name())}}],
                    "volumes": [
                        {"name": "rootdisk", "persistentVolumeClaim": {"claimName": claim}},
                        {"name": "cloudinitdisk", "cloudInitNoCloud": {
                            "secretRef": {"name": format!("{name}-ci")}, "networkDataSecretRef": {"name": format!("{name}-ci")},
                        }},
                    ],
                },
            },
        },
    })
}

fn cloud_init(machine: &Machine) -> Value {
    // Every fifth machine was set up by somebody who forgot the agent; its image decides then.
    let agent = if machine.number.is_multiple_of(5) { "" } else { "packages: [qemu-guest-agent]\n" };
    let hostname = super::hostile::hostname(&machine.name).unwrap_or(&machine.name);
    let user = format!("#cloud-config\nhostname: {}\n{agent}ssh_pwauth: false\n", Value::from(hostname));
    let network = format!(
        "version: 2\nethernets:\n  nic-1:\n    match: {{macaddress: \"{}\"}}\n    set-name: eth0\n    dhcp4: false\n    addresses: [{}/16]\n    routes: [{{to: default, via: {}}}]\n    nameservers: {{addresses: [{}]}}\n",
        machine.mac(),
        machine.address(),
        machine.vlan().gateway(),
        machine.site.vlan(Purpose::Office).name_server(),
    );
    json!({
        "metadata": {
            "name": format!("{}-ci", machine.name), "namespace": machine.team.namespace,
            "labels": {"harvesterhci.io/cloud-init-template": "harvester"},
        },
        "type": "Opaque",
        "data": {"userdata": STANDARD.encode(user), "networkdata": STANDARD.encode(network)},
    })
}
