//! The first page: what there is, what runs, what needs someone.

use crate::Say;
use crate::change::OperationView;
use crate::fleet::ClusterView;
use crate::time::UnixMs;
use crate::vm::{Power, Tone};
use serde::{Deserialize, Serialize};

/// All that the overview shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overview {
    /// Clusters, the neediest first.
    pub clusters: Vec<ClusterView>,
    /// VMs by power, all clusters together.
    pub power: Vec<(Power, u32)>,
    /// Operations that run now.
    pub running: Vec<OperationView>,
    /// What needs someone.
    pub needs: Vec<Need>,
    /// When this was put together.
    pub as_of: UnixMs,
}

/// Something that a person should look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// How bad.
    pub tone: Tone,
    /// What.
    pub title: Say,
    /// Why, how long.
    pub note: Say,
    /// Where to go.
    pub target: Target,
}

/// What a name links to; `app::paths` turns it into a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// A VM's page: cluster, namespace, name.
    Vm(String, String, String),
    /// A cluster's page.
    Cluster(String),
    /// A delivery's page.
    Delivery(String),
    /// The VM list with a search text.
    Vms(String),
    /// A subnet's page.
    Subnet(String),
}
