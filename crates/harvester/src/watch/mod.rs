//! What is in a cluster, kept fresh by watches; reading it costs nothing there.
//!
//! Rows stay when the cluster goes away: they are then "as of". The cache must never write, and never decide what a
//! change of a row means.
//!
//! [`index`] keeps versions straight, [`split`] cuts streams into objects, [`follow`] lists and watches a kind, [`state`]
//! lays rows, [`publish`] makes snapshots, [`gate`] and [`scout`] know whether the cluster answers at all.

mod backoff;
mod follow;
mod freshness;
mod gate;
pub(crate) mod index;
pub(crate) mod intern;
mod kinds;
mod naming;
mod publish;
mod quarantine;
mod read;
mod scout;
mod shared;
mod split;
mod state;
mod status;

pub use freshness::{Counts, WatchCounts};
pub use status::ClusterStatus;

use crate::{Clock, Cluster};
use kinds::{Followed, Reader};
use model::fleet::WatchView;
use model::image::ImageView;
use model::network::NetworkView;
use model::node::NodeView;
use model::vm::VmRow;
use shared::Shared;
use state::State;
use status::Last;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The cache of one cluster. Its tasks end with [`Cache::stop`], or when the last handle is dropped.
pub struct Cache {
    shared: Arc<Shared>,
    last: Last,
}

impl Cache {
    /// Starts following; returns at once, lists come in the background. Needs a tokio runtime.
    pub fn start(cluster: Cluster, tasks: &TaskTracker, clock: Clock) -> Arc<Self> {
        let id: Arc<str> = cluster.id().as_str().into();
        let shared = Arc::new(Shared {
            cluster,
            clock,
            reader: Reader { keys: index::Keys::default(), cluster: id, intern: Mutex::default() },
            state: RwLock::new(State::default()),
            snapshot: publish::Snapshot::default(),
            books: freshness::Books::default(),
            quarantine: quarantine::Quarantine::default(),
            gate: gate::Gate::default(),
            news: Notify::new(),
            hurry: watch::Sender::new(0),
            compare: watch::Sender::new(0),
            stop: CancellationToken::new(),
        });
        tasks.spawn(publish::publish(shared.clone()));
        tasks.spawn(scout::scout(shared.clone()));
        spawn::<kinds::Vms>(&shared, tasks);
        spawn::<kinds::Vmis>(&shared, tasks);
        spawn::<kinds::Vmims>(&shared, tasks);
        spawn::<kinds::Nodes>(&shared, tasks);
        spawn::<kinds::Claims>(&shared, tasks);
        spawn::<kinds::Networks>(&shared, tasks);
        spawn::<kinds::Images>(&shared, tasks);
        spawn::<kinds::KeyPairs>(&shared, tasks);
        spawn::<kinds::Namespaces>(&shared, tasks);
        spawn::<kinds::Stores>(&shared, tasks);
        spawn::<kinds::Classes>(&shared, tasks);
        Arc::new(Self { shared, last: Last::default() })
    }

    /// The cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.shared.cluster
    }

    /// All VMs by (name, namespace): a snapshot that costs a pointer.
    pub fn rows(&self) -> Arc<[Arc<VmRow>]> {
        self.shared.snapshot.rows()
    }

    /// Counts snapshots and changes of the status.
    pub fn generation(&self) -> u64 {
        self.shared.snapshot.generation()
    }

    /// Tells each new generation, at most 20 a second.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.shared.snapshot.subscribe()
    }

    /// One VM, as fresh as the watch; ahead of [`Self::rows`] by some milliseconds.
    pub fn row(&self, namespace: &str, name: &str) -> Option<Arc<VmRow>> {
        let key = self.shared.reader.keys.key(namespace, name);
        self.shared.read(|state| state.row(key).cloned())
    }

    /// Where a VM is being moved to, while it is.
    pub fn migration_target(&self, namespace: &str, name: &str) -> Option<Arc<str>> {
        let key = self.shared.reader.keys.key(namespace, name);
        self.shared.read(|state| state.target(key))
    }

    /// How the cluster stands. Walks over all VMs once a generation.
    pub fn status(&self) -> ClusterStatus {
        status::status(&self.shared, &self.last)
    }

    /// Hosts by name, with what the VMs on them asked for.
    pub fn nodes(&self) -> Vec<NodeView> {
        self.shared.read(|state| {
            let load = state.load();
            let with_load = |node: &NodeView| {
                let (vms, room) = load.nodes.get(node.name.as_str()).copied().unwrap_or_default();
                NodeView { vms, requested_cpu: room.cpu, requested_memory: room.memory, ..node.clone() }
            };
            sorted(state.nodes.values().map(with_load), |n| n.name.clone())
        })
    }

    /// Networks by namespace and name, the cluster's internal ones left out.
    pub fn networks(&self) -> Vec<NetworkView> {
        self.shared.read(|s| sorted(s.networks.values().flatten().cloned(), NetworkView::reference))
    }

    /// Images by namespace and display name, those of upgrades left out.
    pub fn images(&self) -> Vec<ImageView> {
        let key = |i: &ImageView| (i.namespace.clone(), i.display_name.clone(), i.name.clone());
        self.shared.read(|s| sorted(s.images.values().flatten().cloned(), key))
    }

    /// Key pairs as `namespace/name`.
    pub fn keypairs(&self) -> Vec<String> {
        self.shared.read(|s| sorted(s.keypairs.values().cloned(), String::clone))
    }

    /// Namespaces by name.
    pub fn namespaces(&self) -> Vec<String> {
        self.shared.read(|s| sorted(s.namespaces.values().cloned(), String::clone))
    }

    /// Storage classes, the default one first, then by name.
    pub fn storage_classes(&self) -> Vec<String> {
        let key = |c: &(bool, String)| (!c.0, c.1.clone());
        let classes = self.shared.read(|s| sorted(s.classes.values().map(|c| (c.is_default, c.name.clone())), key));
        classes.into_iter().map(|(_, name)| name).collect()
    }

    /// Watches and their age.
    pub fn watches(&self) -> Vec<WatchView> {
        self.shared.books.all().iter().map(freshness::Book::view).collect()
    }

    /// What has happened to each watch since the start.
    pub fn counts(&self) -> Vec<WatchCounts> {
        self.shared.books.all().iter().map(freshness::Book::measured).collect()
    }

    /// How often it was found to be away since the start, by [`crate::ClusterError::label`] of what was found first.
    pub fn closings(&self) -> BTreeMap<&'static str, u64> {
        self.shared.gate.closings()
    }

    /// Why it is away now, by [`crate::ClusterError::label`] of what was found last.
    pub fn away_because(&self) -> Option<&'static str> {
        match self.shared.gate.door() {
            gate::Door::Closed { reason, .. } => Some(reason),
            gate::Door::Open => None,
        }
    }

    /// Objects that could not be read, for example `VirtualMachine a/b: …`.
    pub fn quarantine(&self) -> Vec<String> {
        self.shared.quarantine.list()
    }

    /// Waits until the row of a VM is as wanted (`None`: there is none). `Err` is what was seen last when time was up.
    pub async fn await_row(
        &self,
        namespace: &str,
        name: &str,
        is_wanted: impl Fn(Option<&VmRow>) -> bool,
        within: Duration,
    ) -> Result<Option<Arc<VmRow>>, Option<Arc<VmRow>>> {
        let mut changed = self.changed();
        let wait = async {
            loop {
                changed.mark_unchanged();
                let row = self.row(namespace, name);
                if is_wanted(row.as_deref()) {
                    return row;
                }
                if changed.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::time::timeout(within, wait).await.map_err(|_| self.row(namespace, name))
    }

    /// Tries again now rather than when the back-off is over.
    pub fn refresh(&self) {
        self.shared.hurry.send_modify(|n| *n += 1);
    }

    /// Lists everything now and repairs what the watches have lost; it happens by itself every five minutes.
    pub fn compare(&self) {
        self.shared.compare.send_modify(|n| *n += 1);
    }

    /// Ends all tasks of this cache; what it holds can still be read.
    pub fn stop(&self) {
        self.shared.stop.cancel();
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        self.stop();
    }
}

fn spawn<F: Followed>(shared: &Arc<Shared>, tasks: &TaskTracker) {
    shared.books.with(F::KIND, |_| ());
    tasks.spawn(follow::follow::<F>(shared.clone()));
}

fn sorted<T, K: Ord>(items: impl Iterator<Item = T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_by_cached_key(key);
    items
}

#[cfg(test)]
mod measure;
#[cfg(test)]
mod tests;
