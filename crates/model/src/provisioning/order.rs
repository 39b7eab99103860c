//! What is asked for, and what the platform fills in.

use crate::id::{ClusterId, IdempotencyKey, SubnetId, TemplateId};
use crate::ownership::{Environment, Owner};
use crate::quantity::Bytes;
use crate::{Fault, Say};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// A template of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// Id.
    pub id: TemplateId,
    /// Version of the template, counted up at each change.
    pub version: u32,
    /// What it is.
    pub name: Say,
    /// For what, and what is in it.
    pub summary: Say,
    /// The role word of names: `app`, `db`, `web`.
    pub role: String,
    /// Display name of the image, looked up in each cluster.
    pub image: String,
    /// Operating system label: `linux`, `windows`.
    pub os: String,
    /// Sizes on offer, the first is the default.
    pub flavours: Vec<Flavour>,
    /// Packages that cloud-init installs; the guest agent is always among them.
    pub packages: Vec<String>,
    /// Commands that cloud-init runs at first boot, each a list of words.
    pub run: Vec<Vec<String>>,
    /// Account that cloud-init makes.
    pub user: String,
}

/// A size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flavour {
    /// Virtual CPUs.
    pub cpu: u32,
    /// Memory.
    pub memory: Bytes,
    /// Root disk.
    pub disk: Bytes,
}

impl Flavour {
    /// `4C16G · 200 GiB`.
    pub fn label(&self) -> String {
        format!("{}C{}G · {}", self.cpu, self.memory.0 >> 30, self.disk.human())
    }

    /// `4c16g200`: the word in forms.
    pub fn word(&self) -> String {
        format!("{}c{}g{}", self.cpu, self.memory.0 >> 30, self.disk.0 >> 30)
    }
}

/// What the form offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderOptions {
    /// Templates.
    pub templates: Vec<Template>,
    /// Subnets that serve a network of a reachable, writable cluster: subnet, name, CIDR, cluster, network, free addresses.
    pub places: Vec<Place>,
    /// Services that are in use, for completion.
    pub services: Vec<String>,
    /// SSH keys of clusters, `cluster/namespace/name`.
    pub keys: Vec<String>,
}

/// Where a VM can be put: a network of a cluster and the subnet that serves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Cluster.
    pub cluster: ClusterId,
    /// Its name.
    pub cluster_name: String,
    /// Network, `namespace/name`.
    pub network: String,
    /// Subnet.
    pub subnet: SubnetId,
    /// Its name.
    pub subnet_name: String,
    /// Its CIDR.
    pub cidr: String,
    /// Addresses left.
    pub free: u64,
    /// Why nothing can be put there now.
    pub refusal: Option<Say>,
}

/// The form as typed; everything may still be wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Draft {
    /// Template id.
    #[serde(default)]
    pub template: String,
    /// Service identifier.
    #[serde(default)]
    pub service: String,
    /// Environment word.
    #[serde(default)]
    pub environment: String,
    /// Flavour word.
    #[serde(default)]
    pub flavour: String,
    /// Cluster id.
    #[serde(default)]
    pub cluster: String,
    /// Network, `namespace/name`.
    #[serde(default)]
    pub network: String,
    /// Subnet id.
    #[serde(default)]
    pub subnet: String,
    /// Namespace; empty takes the network's.
    #[serde(default)]
    pub namespace: String,
    /// Name; empty takes the rule's.
    #[serde(default)]
    pub name: String,
    /// Address; empty takes the next free one.
    #[serde(default)]
    pub address: String,
    /// Owner's employee number; empty takes the actor's.
    #[serde(default)]
    pub owner_number: String,
    /// Owner's name; empty takes the actor's.
    #[serde(default)]
    pub owner_name: String,
    /// SSH public keys, one a line.
    #[serde(default)]
    pub ssh_keys: String,
    /// What for.
    #[serde(default)]
    pub reason: String,
}

/// "Deliver this."
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The form.
    pub draft: Draft,
    /// Sent twice, done once.
    pub key: IdempotencyKey,
}

/// What the platform fills in, and whether it would work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// Name by the rule.
    pub name: Option<String>,
    /// Namespace.
    pub namespace: Option<String>,
    /// Next free address; not held until the order is placed.
    pub address: Option<IpAddr>,
    /// Prefix length.
    pub prefix: Option<u8>,
    /// Gateway.
    pub gateway: Option<IpAddr>,
    /// Owner.
    pub owner: Option<Owner>,
    /// Environment.
    pub environment: Option<Environment>,
    /// cloud-init user data, as it will be written (no secret is in it).
    pub user_data: Option<String>,
    /// cloud-init network data likewise.
    pub network_data: Option<String>,
    /// Pre-checks with reasons and remedies.
    pub checks: Vec<Check>,
    /// Fields that are wrong: (field, sentence).
    pub faults: Vec<Fault>,
}

impl Preview {
    /// An order of it would be taken.
    pub fn is_fine(&self) -> bool {
        self.faults.is_empty() && self.checks.iter().all(|c| c.verdict != CheckVerdict::Refused)
    }
}

/// How a pre-check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckVerdict {
    /// Fine.
    Fine,
    /// It works, but somebody should know.
    Warning,
    /// It would fail.
    Refused,
    /// Could not be checked.
    Unknown,
}

/// A pre-check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Key, for example `room`.
    pub key: String,
    /// How it came out.
    pub verdict: CheckVerdict,
    /// What was checked and what came out.
    pub say: Say,
    /// What to do about it.
    pub remedy: Option<Say>,
}
