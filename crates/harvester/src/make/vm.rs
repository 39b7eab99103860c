//! The VirtualMachine of a delivery. Source: `harvester-api.md` §1.3 (what Harvester's own interface writes), §1.4.

use super::{cloud_init_name, labels};
use model::id::{ChangeId, Namespace, OperationId, VmName};
use model::image::ImageView;
use model::ipam::Mac;
use model::ownership::{Environment, Owner};
use model::quantity::Bytes;
use serde_json::{Map, Value, json};

/// A VM to be delivered.
#[derive(Debug, Clone)]
pub struct VmSpec {
    /// Namespace.
    pub namespace: Namespace,
    /// Name.
    pub name: VmName,
    /// Virtual CPUs.
    pub cpu: u32,
    /// Memory limit; Harvester takes its reserve off the guest's.
    pub memory: Bytes,
    /// Root disk size; never less than the image needs (§14 row 45) is written.
    pub disk: Bytes,
    /// Image that the root disk is made of.
    pub image: ImageView,
    /// Storage class of the root disk, for an image of CDI; `None` takes the image's.
    pub storage_class: Option<String>,
    /// Network, `namespace/name`.
    pub network: String,
    /// MAC address, always ours (§14 row 9).
    pub mac: Mac,
    /// Last part of the root disk's claim name: 5 of `[a-z0-9]`.
    pub disk_suffix: String,
    /// `linux`, `ubuntu`, …; label `harvesterhci.io/os`.
    pub os: Option<String>,
    /// Key pairs, `namespace/name`, that Harvester's interface is to show.
    pub key_pairs: Vec<String>,
    /// Description annotation.
    pub description: String,
    /// Owner.
    pub owner: Owner,
    /// Service id and name.
    pub service: (String, String),
    /// Environment.
    pub environment: Environment,
    /// The operation that makes it.
    pub operation: OperationId,
    /// The change that makes it.
    pub change: ChangeId,
}

/// Name of the claim of the root disk.
pub fn root_claim_name(spec: &VmSpec) -> String {
    format!("{}-rootdisk-{}", spec.name, spec.disk_suffix)
}

/// The VirtualMachine; `q35` is what every Harvester from 1.2 takes (the interface leaves it empty since 1.7).
pub fn virtual_machine(spec: &VmSpec) -> Value {
    let name = spec.name.as_str();
    json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
        "metadata": { "name": name, "namespace": spec.namespace.as_str(), "labels": vm_labels(spec), "annotations": vm_annotations(spec) },
        "spec": {
            "runStrategy": "RerunOnFailure",
            "template": {
                "metadata": { "labels": template_labels(spec), "annotations": template_annotations(spec) },
                "spec": {
                    "evictionStrategy": "LiveMigrateIfPossible", "hostname": name, "terminationGracePeriodSeconds": 120,
                    "domain": {
                        "machine": { "type": "q35" },
                        "cpu": { "cores": spec.cpu, "sockets": 1, "threads": 1 },
                        "resources": { "limits": { "cpu": spec.cpu.to_string(), "memory": spec.memory.quantity() } },
                        "features": { "acpi": { "enabled": true } },
                        "devices": {
                            "inputs": [{ "bus": "usb", "name": "tablet", "type": "tablet" }],
                            "disks": [
                                { "name": "rootdisk", "bootOrder": 1, "disk": { "bus": "virtio" } },
                                { "name": "cloudinitdisk", "disk": { "bus": "virtio" } },
                            ],
                            "interfaces": [{ "name": "nic-1", "model": "virtio", "bridge": {}, "macAddress": spec.mac.to_string() }],
                        },
                    },
                    "networks": [{ "name": "nic-1", "multus": { "networkName": spec.network } }],
                    "volumes": [
                        { "name": "rootdisk", "persistentVolumeClaim": { "claimName": root_claim_name(spec) } },
                        { "name": "cloudinitdisk", "cloudInitNoCloud": {
                            "secretRef": { "name": cloud_init_name(&spec.name) },
                            "networkDataSecretRef": { "name": cloud_init_name(&spec.name) },
                        } },
                    ],
                },
            },
        },
    })
}

fn vm_labels(spec: &VmSpec) -> Map<String, Value> {
    let mut all = labels::labels(spec);
    all.insert("harvesterhci.io/creator".into(), "harvester".into());
    if let Some(os) = spec.os.as_deref().and_then(labels::value) {
        all.insert("harvesterhci.io/os".into(), os.into());
    }
    all
}

fn vm_annotations(spec: &VmSpec) -> Map<String, Value> {
    let mut all = labels::annotations(spec);
    all.insert("harvesterhci.io/volumeClaimTemplates".into(), json!([root_claim(spec)]).to_string().into());
    if !spec.description.is_empty() {
        all.insert("field.cattle.io/description".into(), spec.description.clone().into());
    }
    all
}

fn template_labels(spec: &VmSpec) -> Map<String, Value> {
    let mut all = vm_labels(spec);
    all.insert("harvesterhci.io/vmName".into(), spec.name.as_str().into());
    all
}

fn template_annotations(spec: &VmSpec) -> Map<String, Value> {
    let mut all = Map::new();
    if !spec.key_pairs.is_empty() {
        all.insert("harvesterhci.io/sshNames".into(), json!(spec.key_pairs).to_string().into());
    }
    all
}

/// The claim that Harvester makes: of a backing image by the image's own class; of an image of CDI through a DataVolume of
/// the class that was chosen.
fn root_claim(spec: &VmSpec) -> Value {
    let image = &spec.image;
    let chosen = spec.storage_class.as_ref().filter(|_| image.is_cdi);
    let class = chosen.or(image.storage_class.as_ref());
    let mut claim = json!({
        "metadata": {
            "name": root_claim_name(spec),
            "annotations": { "harvesterhci.io/imageId": format!("{}/{}", image.namespace, image.name) },
        },
        "spec": {
            "accessModes": ["ReadWriteMany"], "volumeMode": "Block",
            "resources": { "requests": { "storage": spec.disk.max(image.virtual_size).quantity() } },
        },
    });
    if let Some(class) = class {
        claim["spec"]["storageClassName"] = class.as_str().into();
    }
    claim
}

#[cfg(test)]
mod tests;
