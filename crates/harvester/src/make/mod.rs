//! Objects that the product writes, as pure constructors.

use model::id::{ChangeId, Namespace, OperationId, VmName};
use model::ipam::Mac;
use model::ownership::{Environment, Owner};
use model::quantity::Bytes;
use serde_json::Value;

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
    /// Root disk size.
    pub disk: Bytes,
    /// Image the root disk is made of.
    pub image: model::image::ImageView,
    /// Storage class of the root disk for an image of CDI; `None` takes the image's.
    pub storage_class: Option<String>,
    /// Network, `namespace/name`.
    pub network: String,
    /// MAC address, always ours (`harvester-api.md` §14 row 9).
    pub mac: Mac,
    /// Last part of the root disk's claim name: 5 of `[a-z0-9]`.
    pub disk_suffix: String,
    /// `linux`, `ubuntu`, …; label `harvesterhci.io/os`.
    pub os: Option<String>,
    /// Key pairs, `namespace/name`, that the interface is to show.
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

/// The cloud-init Secret of a VM.
#[derive(Clone)]
pub struct CloudInit {
    /// `#cloud-config`…
    pub user_data: String,
    /// Network configuration, version 2, unwrapped.
    pub network_data: String,
}

/// Name of the cloud-init Secret of a VM.
pub fn cloud_init_name(vm: &VmName) -> String {
    format!("{vm}-cloudinit")
}

/// Name of the claim of the root disk.
pub fn root_claim_name(spec: &VmSpec) -> String {
    format!("{}-rootdisk-{}", spec.name, spec.disk_suffix)
}

/// The VirtualMachine.
pub fn virtual_machine(_spec: &VmSpec) -> Value {
    todo!()
}

/// The Secret that the VM's cloud-init disk is made of.
pub fn cloud_init_secret(_spec: &VmSpec, _cloud_init: &CloudInit) -> Value {
    todo!()
}
