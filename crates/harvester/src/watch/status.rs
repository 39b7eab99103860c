//! How a cluster stands, out of its door, its books and its state.

use super::freshness::{Book, STALE_MS};
use super::gate::Door;
use super::publish;
use super::shared::Shared;
use crate::api::Kind;
use crate::view::node::is_witness;
use model::fleet::{Capacity, Health};
use model::node::NodeView;
use model::quantity::Bytes;
use model::vm::Power;
use model::{Say, UnixMs, say};
use std::sync::{Mutex, PoisonError};

/// How a cluster stands, without what only the store knows (its name, when it was registered).
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

/// What is kept between two looks: since when the health is what it is, and sums that cost a walk over all VMs.
#[derive(Default)]
pub(crate) struct Last {
    health: Mutex<Option<(Health, UnixMs)>>,
    sums: Mutex<Option<(u64, Sums)>>,
}

/// Sums over all VMs of one generation.
#[derive(Debug, Clone, Default)]
struct Sums {
    power: Vec<(Power, u32)>,
    capacity: Capacity,
}

impl Last {
    fn since(&self, health: Health, now: UnixMs) -> UnixMs {
        let mut last = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        match *last {
            Some((before, since)) if before == health => since,
            _ => {
                *last = Some((health, now));
                now
            }
        }
    }

    fn sums(&self, shared: &Shared, nodes: &[NodeView]) -> Sums {
        let generation = shared.snapshot.generation();
        let mut last = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((of, sums)) if *of == generation => sums.clone(),
            _ => {
                let sums = Sums { power: publish::power(&shared.snapshot.rows()), capacity: capacity(shared, nodes) };
                *last = Some((generation, sums.clone()));
                sums
            }
        }
    }
}

/// Kinds without which the VM list is not what it says.
const CORE: [Kind; 2] = [Kind::VirtualMachine, Kind::VirtualMachineInstance];

pub(crate) fn status(shared: &Shared, last: &Last) -> ClusterStatus {
    let now = shared.now();
    let books = shared.books.all();
    let nodes = shared.read(|state| state.nodes.values().cloned().collect::<Vec<_>>());
    let as_of = CORE.iter().map(|kind| books.iter().find(|b| b.kind == *kind).and_then(|b| b.fresh)).min().flatten();
    let (health, problem, retry_at) = match shared.gate.door() {
        Door::Closed { health, problem, retry_at, .. } => (health, Some(problem), retry_at),
        Door::Open => {
            let (health, problem) = open(&books, &nodes, as_of, now);
            (health, problem, None)
        }
    };
    let Sums { power, capacity } = last.sums(shared, &nodes);
    ClusterStatus {
        health,
        problem,
        since: last.since(health, now),
        as_of,
        retry_at,
        version: shared.read(|state| state.version.clone()),
        nodes: (nodes.len() as u32, nodes.iter().filter(|n| n.is_ready).count() as u32),
        power,
        capacity,
        quarantined: shared.quarantine.len() as u32,
    }
}

fn open(books: &[Book], nodes: &[NodeView], as_of: Option<UnixMs>, now: UnixMs) -> (Health, Option<Say>) {
    let core = |b: &&Book| CORE.contains(&b.kind);
    if let Some(book) = books.iter().filter(core).find(|b| b.problem.is_some()) {
        return (Health::Degraded, book.problem.as_deref().map(|p| watch_problem(book, p)));
    }
    if as_of.is_none() {
        return (Health::Connecting, None);
    }
    let broken = books.iter().find(|b| b.problem.is_some() && !b.is_absent);
    if let Some(book) = broken {
        return (Health::Degraded, book.problem.as_deref().map(|p| watch_problem(book, p)));
    }
    if let Some(book) = books.iter().filter(core).find(|b| b.fresh.is_some_and(|t| now.since(t) > STALE_MS)) {
        return (Health::Degraded, Some(watch_problem(book, "no sign of life")));
    }
    if let Some(node) = nodes.iter().find(|n| !n.is_ready) {
        let (name, why) = (&node.name, node.problem.as_deref().unwrap_or_default());
        return (Health::Degraded, Some(say!("主机 {name} 未就绪：{why}", "node {name} is not ready: {why}")));
    }
    (Health::Reachable, None)
}

fn watch_problem(book: &Book, problem: &str) -> Say {
    let resource = book.kind.resource();
    say!("监视 {resource} 不正常：{problem}", "the watch of {resource} is not well: {problem}")
}

/// Witnesses never count (`harvester-api.md` §4.5).
fn capacity(shared: &Shared, nodes: &[NodeView]) -> Capacity {
    let mut capacity = Capacity::default();
    for node in nodes.iter().filter(|n| !is_witness(n)) {
        capacity.cpu.0 = capacity.cpu.0.saturating_add(node.allocatable_cpu.0);
        capacity.memory.0 = capacity.memory.0.saturating_add(node.allocatable_memory.0);
    }
    shared.read(|state| {
        let load = state.load();
        (capacity.cpu_used, capacity.memory_used) = (load.limits.cpu, load.limits.memory);
        (capacity.cpu_requested, capacity.memory_requested) = (load.requests.cpu, load.requests.memory);
        capacity.storage = Bytes(state.stores.values().fold(0, |sum, s| sum.saturating_add(s.schedulable.0)));
        capacity.storage_claimed = Bytes(state.claims.values().fold(0, |sum, c| sum.saturating_add(c.0)));
    });
    capacity
}
