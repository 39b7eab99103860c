//! The clusters that we look after.

use crate::id::ClusterId;
use crate::node::NodeView;
use crate::quantity::{Bytes, Millicores};
use crate::time::UnixMs;
use crate::vm::{Power, Tone};
use crate::{Say, say};
use serde::{Deserialize, Serialize};

/// How a cluster answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Health {
    /// First lists are not there yet.
    Connecting,
    /// Answers, and every watch is fresh.
    Reachable,
    /// Answers, but something is missing: a watch, a right, a node.
    Degraded,
    /// Does not answer.
    Unreachable,
    /// Answers, but not to our token.
    Unauthorised,
}

impl Health {
    /// The word for it.
    pub fn say(self) -> Say {
        match self {
            Self::Connecting => Say::fixed("连接中", "Connecting"),
            Self::Reachable => Say::fixed("正常", "Reachable"),
            Self::Degraded => Say::fixed("降级", "Degraded"),
            Self::Unreachable => Say::fixed("失联", "Unreachable"),
            Self::Unauthorised => Say::fixed("凭据被拒", "Unauthorised"),
        }
    }

    /// How it is drawn.
    pub fn tone(self) -> Tone {
        match self {
            Self::Connecting => Tone::Moving,
            Self::Reachable => Tone::Running,
            Self::Degraded => Tone::Warning,
            Self::Unreachable => Tone::Unknown,
            Self::Unauthorised => Tone::Error,
        }
    }

    /// Rows of this cluster are shown greyed, "as of".
    pub fn is_away(self) -> bool {
        matches!(self, Self::Unreachable | Self::Unauthorised)
    }

    /// Why nothing is written to the cluster `name` while it answers so; `None` when it may be.
    pub fn write_refusal(self, name: &str) -> Option<Say> {
        let (zh, en) = (self.say().zh, self.say().en.to_lowercase());
        (self.is_away() || self == Self::Connecting)
            .then(|| say!("{name} {zh}，什么都没有执行", "{name} is {en}, nothing was done"))
    }
}

/// A cluster in lists and on the overview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterView {
    /// Id, in URLs.
    pub id: ClusterId,
    /// What people call it.
    pub name: String,
    /// API server.
    pub url: String,
    /// `v1.8.2`, as the cluster says.
    pub version: Option<String>,
    /// How it answers.
    pub health: Health,
    /// The last error, in words.
    pub problem: Option<Say>,
    /// Since when it has been so.
    pub since: UnixMs,
    /// What is shown is as of then.
    pub as_of: Option<UnixMs>,
    /// When the next try is due while it is away.
    pub retry_at: Option<UnixMs>,
    /// Why nothing is written to it; `None` when things are.
    pub observe_only: Option<ObserveOnly>,
    /// Nodes in all, and ready ones.
    pub nodes: (u32, u32),
    /// VMs by power.
    pub power: Vec<(Power, u32)>,
    /// What nodes can give.
    pub capacity: Capacity,
    /// Objects of that cluster that could not be read, for example `VirtualMachine a/b: …`.
    pub quarantined: u32,
    /// When it was registered.
    pub registered: UnixMs,
}

impl ClusterView {
    /// Why nothing may be written to it now; `None` when it may.
    pub fn write_refusal(&self) -> Option<Say> {
        self.observe_only.map(|why| why.say(&self.name)).or_else(|| self.health.write_refusal(&self.name))
    }

    /// VMs in all.
    pub fn vms(&self) -> u32 {
        self.power.iter().map(|(_, n)| n).sum()
    }
}

/// Why nothing is written to a cluster that answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ObserveOnly {
    /// It was registered so.
    Registered,
    /// Its credential may change nothing, in no namespace.
    Credential,
}

impl ObserveOnly {
    /// Why nothing is written to the cluster `name`.
    pub fn say(self, name: &str) -> Say {
        match self {
            Self::Registered => say!(
                "{name} 登记为只观察，平台不向它写入",
                "{name} is registered as observe only, the platform writes nothing to it"
            ),
            Self::Credential => say!(
                "{name} 的凭据只能读，平台不向它写入；要写入就换一份有操作权限的凭据",
                "the credential of {name} may only read, the platform writes nothing to it; replace it by one that may change things"
            ),
        }
    }
}

/// Room of a cluster: what the nodes may give and what the VMs asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Capacity {
    /// Allocatable CPU of ready, uncordoned nodes and others alike.
    pub cpu: Millicores,
    /// CPU limits of running VMs.
    pub cpu_used: Millicores,
    /// CPU that the pods of running VMs request.
    pub cpu_requested: Millicores,
    /// Allocatable memory.
    pub memory: Bytes,
    /// Memory limits of running VMs.
    pub memory_used: Bytes,
    /// Memory that the pods of running VMs request.
    pub memory_requested: Bytes,
    /// Longhorn's disks that may be scheduled.
    pub storage: Bytes,
    /// What claims asked for.
    pub storage_claimed: Bytes,
}

/// "Look after that cluster."
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Register {
    /// Id, a DNS label.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The kubeconfig as pasted: a secret, so `Debug` does not print it.
    pub kubeconfig: String,
    /// Nothing is to be written to it.
    #[serde(default)]
    pub is_observe_only: bool,
}

impl std::fmt::Debug for Register {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Register {{ id: {:?}, name: {:?}, kubeconfig: <{} bytes> }}",
            self.id,
            self.name,
            self.kubeconfig.len()
        )
    }
}

/// One row of the capability matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capability {
    /// Key, for example `vm-snapshot`.
    pub key: String,
    /// What it is.
    pub name: Say,
    /// First Harvester that has it, for example `1.4`.
    pub since: String,
    /// Whether this cluster has it.
    pub verdict: Verdict,
    /// How we know: the marker that was looked for and what was found.
    pub evidence: Say,
    /// What to do instead when it is missing.
    pub instead: Option<Say>,
}

/// Whether a capability is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Seen.
    Present,
    /// Looked for, and not there.
    Absent,
    /// Could not be looked for, for example for want of a right.
    Unknown,
}

/// What a probe found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// When.
    pub at: UnixMs,
    /// `server-version` as it stands.
    pub server_version: Option<String>,
    /// Kubernetes version.
    pub kubernetes: Option<String>,
    /// KubeVirt version.
    pub kubevirt: Option<String>,
    /// The matrix.
    pub capabilities: Vec<Capability>,
}

/// The page of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterDetail {
    /// As in lists.
    pub cluster: ClusterView,
    /// Capabilities; `None` before the first probe.
    pub probe: Option<Probe>,
    /// What is in it.
    pub inventory: Inventory,
    /// What the least-privilege role wants against what the token has.
    pub grants: Vec<Grant>,
}

/// What is in a cluster besides its VMs, as its watches tell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inventory {
    /// Hosts.
    pub nodes: Vec<NodeView>,
    /// Networks.
    pub networks: Vec<crate::network::NetworkView>,
    /// Images.
    pub images: Vec<crate::image::ImageView>,
    /// Watches and their age.
    pub watches: Vec<WatchView>,
    /// Objects that could not be read, and why.
    pub quarantine: Vec<String>,
}

/// One right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// `kubevirt.io/virtualmachines`.
    pub resource: String,
    /// Verbs that we want.
    pub wanted: Vec<String>,
    /// Of those, the missing ones.
    pub missing: Vec<String>,
    /// What does not work without them.
    pub costs: Say,
}

/// One watch of a cluster's cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchView {
    /// `virtualmachines.kubevirt.io`.
    pub resource: String,
    /// Objects held.
    pub objects: u32,
    /// Last event, bookmark or list.
    pub fresh: Option<UnixMs>,
    /// Lists since start: 1 in a healthy life.
    pub lists: u32,
    /// What comparisons found that it had lost, since start.
    pub repairs: u32,
    /// The last error.
    pub problem: Option<String>,
}
