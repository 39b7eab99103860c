//! VM networks of a cluster (NetworkAttachmentDefinitions).

use serde::{Deserialize, Serialize};

/// A network that VMs can be put on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkView {
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
    /// Cluster network, for example `mgmt`.
    pub cluster_network: String,
    /// `L2VlanNetwork`, `UntaggedNetwork`, …
    pub kind: String,
    /// VLAN id of an access network.
    pub vlan: Option<u16>,
    /// CIDR that the cluster found or was told.
    pub cidr: Option<String>,
    /// Gateway likewise.
    pub gateway: Option<String>,
    /// The bridge is there on the nodes that match.
    pub is_ready: bool,
}

impl NetworkView {
    /// `namespace/name`, as a VM refers to it.
    pub fn reference(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}
