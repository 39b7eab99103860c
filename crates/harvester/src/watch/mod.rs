//! What is in a cluster, kept fresh.

use crate::{Clock, Cluster};
use model::fleet::{Capacity, Health, WatchView};
use model::image::ImageView;
use model::network::NetworkView;
use model::node::NodeView;
use model::vm::{Power, VmRow};
use model::{Say, UnixMs};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::task::TaskTracker;

/// How a cluster stands, without what only the store knows (name, registration).
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterStatus {
    /// How it answers.
    pub health: Health,
    /// The last error, in words.
    pub problem: Option<Say>,
    /// Since when it has been so.
    pub since: UnixMs,
    /// What is shown is as of then; `None` before the first lists.
    pub as_of: Option<UnixMs>,
    /// When the next try is due while it is away.
    pub retry_at: Option<UnixMs>,
    /// Harvester's `server-version`.
    pub version: Option<String>,
    /// Nodes in all, and ready ones.
    pub nodes: (u32, u32),
    /// VMs by power, in the order of [`Power::ALL`], zeros left out.
    pub power: Vec<(Power, u32)>,
    /// Room.
    pub capacity: Capacity,
    /// Objects that could not be read.
    pub quarantined: u32,
}

/// The cache of one cluster.
pub struct Cache {
    cluster: Cluster,
}

impl Cache {
    /// Starts following; returns at once, lists come in the background.
    pub fn start(cluster: Cluster, tasks: &TaskTracker, clock: Clock) -> Arc<Self> {
        let _ = (tasks, clock);
        Arc::new(Self { cluster })
    }

    /// The cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// All VMs by (name, namespace).
    pub fn rows(&self) -> Arc<[Arc<VmRow>]> {
        todo!()
    }

    /// Counts the snapshots that [`Self::rows`] has given out.
    pub fn generation(&self) -> u64 {
        todo!()
    }

    /// Tells each new generation; also sent when the status changed.
    pub fn changed(&self) -> tokio::sync::watch::Receiver<u64> {
        todo!()
    }

    /// One VM, as fresh as the watch.
    pub fn row(&self, _namespace: &str, _name: &str) -> Option<Arc<VmRow>> {
        todo!()
    }

    /// How the cluster stands.
    pub fn status(&self) -> ClusterStatus {
        todo!()
    }

    /// Hosts by name.
    pub fn nodes(&self) -> Vec<NodeView> {
        todo!()
    }

    /// Networks by namespace and name, internal ones left out.
    pub fn networks(&self) -> Vec<NetworkView> {
        todo!()
    }

    /// Images by namespace and display name.
    pub fn images(&self) -> Vec<ImageView> {
        todo!()
    }

    /// Key pairs as `namespace/name`.
    pub fn keypairs(&self) -> Vec<String> {
        todo!()
    }

    /// Namespaces.
    pub fn namespaces(&self) -> Vec<String> {
        todo!()
    }

    /// Storage classes, the default one first.
    pub fn storage_classes(&self) -> Vec<String> {
        todo!()
    }

    /// Watches and their age.
    pub fn watches(&self) -> Vec<WatchView> {
        todo!()
    }

    /// Objects that could not be read, for example `VirtualMachine a/b: …`.
    pub fn quarantine(&self) -> Vec<String> {
        todo!()
    }

    /// Waits until the row of a VM is as wanted (`None`: it is gone); gives what was seen last when time is up.
    pub async fn await_row(
        &self,
        _namespace: &str,
        _name: &str,
        _is_wanted: impl Fn(Option<&VmRow>) -> bool,
        _within: Duration,
    ) -> Result<Option<Arc<VmRow>>, Option<Arc<VmRow>>> {
        todo!()
    }

    /// Tries again now rather than when the back-off is over.
    pub fn refresh(&self) {}

    /// Ends all tasks of this cache.
    pub fn stop(&self) {}
}
