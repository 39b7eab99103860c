//! One VM as a line of a list: what is kept for each of 100,000, so every field must earn its bytes.

use super::Power;
use crate::id::{BadName, VmRef};
use crate::quantity::Bytes;
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::sync::Arc;

/// A VM in a list. Texts are shared between rows (`Arc`), since most repeat: namespaces, nodes, owners.
///
/// All of it comes from a cluster or a guest: hostile text, to be shown as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VmRow {
    /// Registered cluster.
    pub cluster: Arc<str>,
    /// Namespace.
    pub namespace: Arc<str>,
    /// Name.
    pub name: Arc<str>,
    /// Kubernetes uid: another VM of the same name is another VM.
    pub uid: Arc<str>,
    /// What it is doing.
    pub power: Power,
    /// The cluster's own word, for example `ErrorUnschedulable`.
    pub status: Arc<str>,
    /// Why it is not well, in the cluster's words.
    pub problem: Option<Arc<str>>,
    /// Addresses that the guest or the network reported, main one first; link-local left out.
    pub addresses: Vec<IpAddr>,
    /// MAC addresses of the spec or the instance, lower case.
    pub macs: Vec<Arc<str>>,
    /// The node it runs on.
    pub node: Option<Arc<str>>,
    /// Employee number of the owner, from the label.
    pub owner: Option<Arc<str>>,
    /// Name of the owner, from the annotation.
    pub owner_name: Option<Arc<str>>,
    /// Service, from the label.
    pub service: Option<Arc<str>>,
    /// Environment, from the label: `prod`, `test`, …
    pub environment: Option<Arc<str>>,
    /// Display name, from the annotation.
    pub display_name: Option<Arc<str>>,
    /// Carries our managed-by label.
    pub is_managed: bool,
    /// The guest agent answers.
    pub has_agent: bool,
    /// Operating system as the guest says, else as the label says.
    pub os: Option<Arc<str>>,
    /// Virtual CPUs.
    pub cpu: u32,
    /// Memory of the guest.
    pub memory: Bytes,
    /// Disks together, as claimed.
    pub disk: Bytes,
    /// When it was made.
    pub created: UnixMs,
    /// When the platform last saw it change (power, node, address, spec).
    pub changed: UnixMs,
    /// The last change of ours that it carries, for receipts.
    pub change: Option<Arc<str>>,
}

impl VmRow {
    /// The reference; fails only for a name that Kubernetes would not have taken as a DNS label.
    pub fn reference(&self) -> Result<VmRef, BadName> {
        VmRef::parse(&self.cluster, &self.namespace, &self.name)
    }

    /// The key that rows are held and compared by.
    pub fn key(&self) -> (&str, &str, &str) {
        (&self.cluster, &self.namespace, &self.name)
    }

    /// A number for keyed lists: the same for the same cluster, namespace and name (FNV-1a over the three).
    pub fn id(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for part in [&self.cluster, &self.namespace, &self.name] {
            for byte in part.bytes().chain([0]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
        hash
    }

    /// The address to show first: IPv4 before IPv6 (`harvester-api.md` §14 row 42).
    pub fn main_address(&self) -> Option<IpAddr> {
        self.addresses.iter().find(|a| a.is_ipv4()).or(self.addresses.first()).copied()
    }
}
