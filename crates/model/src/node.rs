//! Hosts of a cluster.

use crate::quantity::{Bytes, Millicores};
use serde::{Deserialize, Serialize};

/// A node and what it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeView {
    /// Name.
    pub name: String,
    /// The Ready condition is True.
    pub is_ready: bool,
    /// Why it is not.
    pub problem: Option<String>,
    /// Nothing new is placed on it.
    pub is_cordoned: bool,
    /// `running` or `completed` while in maintenance.
    pub maintenance: Option<String>,
    /// `control-plane`, `worker`, `witness`.
    pub roles: Vec<String>,
    /// What pods may use.
    pub allocatable_cpu: Millicores,
    /// What pods may use.
    pub allocatable_memory: Bytes,
    /// What the VMs on it asked for.
    pub requested_cpu: Millicores,
    /// What the VMs on it asked for.
    pub requested_memory: Bytes,
    /// VMs on it.
    pub vms: u32,
    /// First internal address.
    pub address: Option<String>,
    /// Kubelet version.
    pub version: String,
}
