//! One VM as its page shows it.

use super::VmRow;
use crate::change::OperationView;
use crate::ipam::Truth;
use crate::quantity::Bytes;
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// All that the page of a VM shows, besides its YAML.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VmDetail {
    /// The row that lists show.
    pub row: VmRow,
    /// `RerunOnFailure`, `Always`, …
    pub run_strategy: String,
    /// Free text of the cluster's description annotation.
    pub description: Option<String>,
    /// Machine type, for example `q35`.
    pub machine: Option<String>,
    /// CPU topology as `sockets × cores × threads`.
    pub topology: (u32, u32, u32),
    /// Disks in boot order.
    pub disks: Vec<Disk>,
    /// Network interfaces in spec order.
    pub nics: Vec<Nic>,
    /// Ledger, injected and observed address side by side.
    pub truths: Vec<Truth>,
    /// Conditions of the VM and its instance.
    pub conditions: Vec<Condition>,
    /// Why it cannot be migrated live, in the cluster's words; `None` when it can.
    pub not_migratable: Option<String>,
    /// What waits for a restart, in the cluster's words.
    pub restart_required: Option<String>,
    /// Since when the instance runs.
    pub running_since: Option<UnixMs>,
    /// Kernel as the guest says.
    pub kernel: Option<String>,
    /// Host name as the guest says.
    pub hostname: Option<String>,
    /// Where a migration is going.
    pub migration_target: Option<String>,
    /// Newest events first.
    pub events: Vec<EventLine>,
    /// What the platform did to it lately, newest first.
    pub operations: Vec<OperationView>,
    /// When the platform read this.
    pub as_of: UnixMs,
}

/// A disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disk {
    /// Name in the spec.
    pub name: String,
    /// What is behind it: claim name, `cloud-init`, container image.
    pub source: String,
    /// Bus: `virtio`, `scsi`, `sata`.
    pub bus: String,
    /// `disk`, `cdrom`, `lun`.
    pub kind: String,
    /// Size of the claim.
    pub size: Option<Bytes>,
    /// Storage class.
    pub class: Option<String>,
    /// Image it was made from, `namespace/name`.
    pub image: Option<String>,
    /// Phase of the claim: `Bound`, `Pending`.
    pub phase: Option<String>,
    /// Longhorn's robustness: `healthy`, `degraded`, `faulted`.
    pub robustness: Option<String>,
}

/// A network interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nic {
    /// Name in the spec.
    pub name: String,
    /// Network `namespace/name`, or `pod`.
    pub network: String,
    /// VLAN of that network.
    pub vlan: Option<u16>,
    /// Model, for example `virtio`.
    pub model: String,
    /// `bridge`, `masquerade`.
    pub binding: String,
    /// MAC address, lower case.
    pub mac: Option<String>,
    /// Addresses that were observed.
    pub addresses: Vec<IpAddr>,
    /// `up`, `down`.
    pub link: Option<String>,
}

/// A condition of the VM or its instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Type, for example `LiveMigratable`.
    pub kind: String,
    /// `True`, `False`, `Unknown`.
    pub status: String,
    /// CamelCase reason.
    pub reason: Option<String>,
    /// Sentence.
    pub message: Option<String>,
    /// Since when.
    pub since: Option<UnixMs>,
}

/// An event of the cluster about this VM, its instance, its pod or its disks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventLine {
    /// Last time it happened.
    pub at: UnixMs,
    /// `Warning` events are drawn so.
    pub is_warning: bool,
    /// CamelCase reason.
    pub reason: String,
    /// Sentence.
    pub message: String,
    /// The object, for example `Pod/virt-launcher-web-01-x2k`.
    pub about: String,
    /// How often.
    pub count: u32,
}
