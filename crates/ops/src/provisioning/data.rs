//! What the steps of a delivery hand on: everything is decided and named at the order, so that doing a step twice makes
//! the same thing, and a catalogue that changes meanwhile changes nothing.

use harvester::make::VmSpec;
use model::id::{ChangeId, OperationId, SubnetId, VmRef};
use model::image::ImageView;
use model::ipam::Mac;
use model::ownership::{Environment, Owner};
use model::provisioning::{Flavour, Template};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// A delivery.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// The operation.
    pub operation: OperationId,
    /// The VM.
    pub vm: VmRef,
    /// The template as it was then.
    pub template: Template,
    /// The size.
    pub flavour: Flavour,
    /// The image in that cluster.
    pub image: ImageView,
    /// Network, `namespace/name`.
    pub network: String,
    /// The subnet.
    pub subnet: SubnetId,
    /// Its name, to show.
    pub subnet_name: String,
    /// The address that was asked for; `None` takes the next free one.
    pub wanted: Option<IpAddr>,
    /// Owner.
    pub owner: Owner,
    /// Service.
    pub service: String,
    /// Environment.
    pub environment: Environment,
    /// SSH public keys.
    pub keys: Vec<String>,
    /// What for.
    pub reason: String,
    /// Last part of the root disk's claim.
    pub disk_suffix: String,
    /// Rides along on the VM.
    pub change: ChangeId,
    /// MAC; drawn again if the ledger knows it already.
    pub mac: Mac,
    /// Taken from the ledger by the first step.
    #[serde(default)]
    pub address: Option<IpAddr>,
    /// The VM's uid once it is made: the VM that is ours, not one of the same name.
    #[serde(default)]
    pub uid: Option<String>,
}

impl Delivery {
    /// The VM as `harvester` makes it.
    pub fn spec(&self) -> VmSpec {
        VmSpec {
            namespace: self.vm.namespace.clone(),
            name: self.vm.name.clone(),
            cpu: self.flavour.cpu,
            memory: self.flavour.memory,
            disk: self.flavour.disk,
            image: self.image.clone(),
            storage_class: None,
            network: self.network.clone(),
            mac: self.mac,
            disk_suffix: self.disk_suffix.clone(),
            os: Some(self.template.os.clone()),
            key_pairs: Vec::new(),
            description: self.reason.clone(),
            owner: self.owner.clone(),
            service: (self.service.clone(), self.service.clone()),
            environment: self.environment,
            operation: self.operation.clone(),
            change: self.change.clone(),
        }
    }
}
