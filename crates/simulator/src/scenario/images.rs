//! Images and key pairs, ready to use.
//!
//! Source: `harvester-api.md` §6.1, §6.2.

use super::Seeder;
use super::networks::SHARED;
use crate::behave::resources::{IMAGE, KEYPAIR, STORAGECLASS};
use serde_json::json;

/// An image of the company.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Image {
    /// Object name.
    pub(crate) name: &'static str,
    /// Display name; the guest's system follows from it.
    pub(crate) display: &'static str,
    /// Value of `harvesterhci.io/os`.
    pub(crate) os: &'static str,
    size: u64,
    virtual_gib: u64,
    url: &'static str,
}

/// All images.
pub(crate) const IMAGES: &[Image] = &[
    Image {
        name: "image-oe2403",
        display: "openEuler-24.03-LTS-x86_64.qcow2",
        os: "linux",
        size: 1_288_490_188,
        virtual_gib: 40,
        url: "https://repo.openeuler.org/openEuler-24.03-LTS/virtual_machine_img/x86_64/openEuler-24.03-LTS-x86_64.qcow2.xz",
    },
    Image {
        name: "image-noble",
        display: "ubuntu-24.04-server-cloudimg-amd64.img",
        os: "ubuntu",
        size: 598_302_720,
        virtual_gib: 4,
        url: "https://cloud-images.ubuntu.com/releases/24.04/release/ubuntu-24.04-server-cloudimg-amd64.img",
    },
    Image {
        name: "image-deb12",
        display: "debian-12-genericcloud-amd64.qcow2",
        os: "debian",
        size: 345_309_184,
        virtual_gib: 3,
        url: "https://cloud.debian.org/images/cloud/bookworm/latest/debian-12-genericcloud-amd64.qcow2",
    },
    Image {
        name: "image-win2025",
        display: "windows-server-2025-standard.qcow2",
        os: "windows",
        size: 9_663_676_416,
        virtual_gib: 60,
        url: "https://mirror.lab.example/images/windows-server-2025-standard.qcow2",
    },
    Image {
        name: "image-centos7",
        display: "CentOS-7-x86_64-GenericCloud-2009.qcow2",
        os: "centos",
        size: 889_323_520,
        virtual_gib: 8,
        url: "https://mirror.lab.example/images/CentOS-7-x86_64-GenericCloud-2009.qcow2",
    },
];

const KEYS: &[(&str, &str)] = &[
    ("ops-key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOpsKeyOfTheCompanyForExamplesOnly0001 ops@lab"),
    ("dba-key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDbaKeyOfTheCompanyForExamplesOnly0002 dba@lab"),
];

impl Image {
    /// Storage class that its disks are made from.
    pub(crate) fn class(&self) -> String {
        format!("longhorn-{}", self.name)
    }

    /// `namespace/name`, as `harvesterhci.io/imageId` wants it.
    pub(crate) fn id(&self) -> String {
        format!("{SHARED}/{}", self.name)
    }

    /// The smallest disk in GiB that holds it.
    pub(crate) fn least_gib(&self) -> u64 {
        self.virtual_gib
    }
}

impl Seeder<'_> {
    /// Puts images, their classes and the key pairs there.
    pub(super) fn images(&self) {
        for image in IMAGES {
            let object = json!({
                "apiVersion": "harvesterhci.io/v1beta1", "kind": "VirtualMachineImage",
                "metadata": {
                    "name": image.name, "namespace": SHARED, "uid": uuid_of(image.name),
                    "labels": {"harvesterhci.io/imageDisplayName": image.display, "harvesterhci.io/os-type": image.os, "harvesterhci.io/image-type": "qcow2"},
                    "annotations": {"harvesterhci.io/storageClassName": "harvester-longhorn"},
                },
                "spec": {
                    "backend": "backingimage", "sourceType": "download", "displayName": image.display, "url": image.url,
                    "checksum": "", "retry": 3,
                    "storageClassParameters": {"numberOfReplicas": "3", "staleReplicaTimeout": "30", "migratable": "true"},
                },
                "status": {
                    "progress": 100, "size": image.size, "virtualSize": image.virtual_gib << 30, "appliedUrl": image.url,
                    "storageClassName": image.class(),
                    "conditions": [{"type": "Initialized", "status": "True"}, {"type": "Imported", "status": "True", "reason": "Imported"}],
                },
            });
            self.put(STORAGECLASS, crate::behave::image_class(&object, &image.class()));
            self.put(IMAGE, object);
        }
        for (name, public) in KEYS {
            self.put(
                KEYPAIR,
                json!({
                    "metadata": {"name": name, "namespace": SHARED}, "spec": {"publicKey": public},
                    "status": {
                        "fingerPrint": crate::behave::key_fingerprint(public).unwrap_or_default(),
                        "conditions": [{"type": "validated", "status": "True"}],
                    },
                }),
            );
        }
    }
}

fn uuid_of(name: &str) -> String {
    let sum = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{sum:08x}-5eed-4000-8000-000000000000")
}
