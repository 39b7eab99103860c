//! The cluster's memory: objects of all kinds, one order of changes, one way to write.
//!
//! A [`World`] is a cheap handle. Every write goes through [`mod@write`]: admission, optimistic locking, finalizers and
//! garbage collection happen under one lock, so a reader never sees half of it. Objects are JSON behind `Arc`, or text
//! while they are as they were seeded ([`mod@stored`]). It must never know HTTP (that is `rest`), nor what a kind's objects do by
//! themselves (that is `behave`).

pub mod access;
mod apply;
pub mod catalogue;
mod collect;
mod create;
pub mod effect;
pub(crate) mod facts;
pub mod fault;
mod install;
pub mod keep;
pub(crate) mod meta;
pub mod owners;
pub mod patch;
pub mod read;
pub mod remove;
mod rules;
pub mod select;
mod state;
pub mod status;
mod stored;
pub mod subscribe;
pub mod validate;
pub mod write;

use crate::behave::{Resource, View};
use crate::clock::Clock;
use catalogue::{Catalogue, Kind, Release};
pub use remove::{Deletion, Propagation};
use serde_json::Value;
use state::State;
pub use state::{Change, Key};
pub use status::Status;
use std::sync::{Arc, PoisonError, RwLock};
pub use subscribe::{Subscription, TooOld};
use tokio::sync::watch;
pub use write::{By, Part};

/// Changes of one kind that are kept for watchers and for lists that go on.
const HISTORY: usize = 20_000;

/// Handle of one simulated cluster's objects.
#[derive(Debug, Clone)]
pub struct World(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    catalogue: Arc<Catalogue>,
    clock: Clock,
    seed: u64,
    state: RwLock<State>,
    versions: watch::Sender<u64>,
    access: access::Access,
    faults: fault::Faults,
}

impl World {
    /// An empty world: no namespaces, no nodes, nothing.
    pub fn new(release: Release, clock: Clock, seed: u64) -> Self {
        let catalogue = Catalogue::of(release);
        let state = RwLock::new(State::new(catalogue.kinds().len(), seed, HISTORY));
        Self(Arc::new(Inner {
            catalogue,
            clock,
            seed,
            state,
            versions: watch::Sender::new(1),
            access: access::Access::new(seed),
            faults: fault::Faults::default(),
        }))
    }

    /// The kinds that it knows.
    pub fn catalogue(&self) -> &Catalogue {
        &self.0.catalogue
    }

    /// Its clock.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// The seed that it was made with.
    pub fn seed(&self) -> u64 {
        self.0.seed
    }

    /// Who may do what.
    pub fn access(&self) -> &access::Access {
        &self.0.access
    }

    /// Faults that a test switched on.
    pub fn faults(&self) -> &fault::Faults {
        &self.0.faults
    }

    /// The newest resourceVersion.
    pub fn version(&self) -> u64 {
        *self.0.versions.borrow()
    }

    /// A receiver that wakes at every change.
    pub fn versions(&self) -> watch::Receiver<u64> {
        self.0.versions.subscribe()
    }

    /// Forgets changes up to `version`, as etcd's compaction does: older watches and lists get 410.
    pub fn compact(&self, version: u64) {
        self.write(|txn| txn.state.compact(version));
    }

    /// A number from the world's seeded generator.
    pub fn random(&self) -> u64 {
        self.write(|txn| txn.state.random.next())
    }

    /// Runs a closure on the state as it stands.
    pub(in crate::world) fn read<T>(&self, work: impl FnOnce(&State, &Catalogue) -> T) -> T {
        let state = self.0.state.read().unwrap_or_else(PoisonError::into_inner);
        work(&state, &self.0.catalogue)
    }

    /// Runs a closure that may change the state, then wakes those who follow it.
    pub(in crate::world) fn write<T>(&self, work: impl FnOnce(&mut Txn<'_>) -> T) -> T {
        let mut state = self.0.state.write().unwrap_or_else(PoisonError::into_inner);
        let before = state.version;
        let mut txn = Txn { state: &mut state, catalogue: &self.0.catalogue, now_ms: self.0.clock.unix_ms() };
        let done = work(&mut txn);
        let after = state.version;
        if after != before {
            // Sent under the lock, so that the announced version never goes back.
            self.0.versions.send_replace(after);
        }
        done
    }

    /// Runs a closure against a consistent view of the world.
    pub fn view<T>(&self, work: impl FnOnce(&dyn View) -> T) -> T {
        self.read(|state, catalogue| work(&StateView { state, catalogue }))
    }

    /// The objects of a kind that somebody wrote or that were seeded in motion; who steps objects needs no others.
    pub(crate) fn in_motion(&self, resource: Resource) -> Vec<Arc<Value>> {
        self.read(|state, catalogue| {
            let Some(kind) = catalogue.find(resource.group, resource.plural) else { return Vec::new() };
            let all = state.range(kind.id, None, None).filter(|(_, stored)| !stored.is_at_rest());
            all.map(|(_, stored)| stored.open()).collect()
        })
    }

    /// The kind of a resource, or the 404 that upstream answers.
    pub fn kind(&self, resource: Resource) -> Result<&Kind, Status> {
        self.catalogue().find(resource.group, resource.plural).ok_or_else(Status::no_such_path)
    }
}

/// The state while the lock is held for writing.
pub(in crate::world) struct Txn<'a> {
    pub(in crate::world) state: &'a mut State,
    pub(in crate::world) catalogue: &'a Catalogue,
    pub(in crate::world) now_ms: i64,
}

impl Txn<'_> {
    pub(in crate::world) fn as_view(&self) -> StateView<'_> {
        StateView { state: self.state, catalogue: self.catalogue }
    }
}

/// [`View`] while a lock is held.
pub(in crate::world) struct StateView<'a> {
    state: &'a State,
    catalogue: &'a Catalogue,
}

impl StateView<'_> {
    fn id(&self, resource: Resource) -> Option<usize> {
        self.catalogue.find(resource.group, resource.plural).map(|kind| kind.id)
    }
}

impl View for StateView<'_> {
    fn get(&self, resource: Resource, namespace: &str, name: &str) -> Option<Arc<Value>> {
        self.state.get(self.id(resource)?, &Key::new(namespace, name))
    }

    fn list(&self, resource: Resource, namespace: Option<&str>) -> Vec<Arc<Value>> {
        let Some(id) = self.id(resource) else { return Vec::new() };
        self.state.range(id, namespace, None).map(|(_, stored)| stored.open()).collect()
    }

    fn labelled(&self, resource: Resource, namespace: Option<&str>, label: &str, value: &str) -> Vec<Arc<Value>> {
        self.id(resource).map(|id| self.state.labelled(id, namespace, label, value)).unwrap_or_default()
    }
}

impl View for World {
    fn get(&self, resource: Resource, namespace: &str, name: &str) -> Option<Arc<Value>> {
        self.view(|view| view.get(resource, namespace, name))
    }

    fn list(&self, resource: Resource, namespace: Option<&str>) -> Vec<Arc<Value>> {
        self.view(|view| view.list(resource, namespace))
    }

    fn labelled(&self, resource: Resource, namespace: Option<&str>, label: &str, value: &str) -> Vec<Arc<Value>> {
        self.view(|view| view.labelled(resource, namespace, label, value))
    }
}
