//! Worlds to begin with, and faults by sentinel name.
//!
//! A scenario puts a finished world there at once (running VMs with all that belongs to them), so that 100,000 lives need
//! not be walked through. It must never know the product: names, labels and texts are those of an imagined company.

mod company;
pub mod fault;
pub mod hostile;
pub mod hosts;
mod images;
pub mod life;
mod machine;
mod networks;
mod platform;

use crate::behave::resources::{NODE, VMIM};
use crate::behave::scheduling::{POD_REQUESTS, Room};
use crate::behave::{self, Resource, object};
use crate::drive::is_at_rest;
use crate::world::catalogue::Release;
use crate::world::{By, Key, World};
use company::{Machine, TEAMS};
use hosts::{Host, host_name};
use machine::State;
use networks::Site;
use serde_json::{Value, json};
use std::cell::RefCell;

/// Machines that a host carries when a world is made for their number.
const MACHINES_A_HOST: usize = 150;

/// A world to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// Hosts, settings, classes, networks and images; no VMs.
    Empty {
        /// Hosts.
        hosts: usize,
    },
    /// Six hosts, 240 VMs in all states; made for release 1.8.
    Large,
    /// Three hosts, 60 VMs; made for release 1.4.
    Small,
    /// So many VMs, all running or stopped, on as many hosts as they need.
    Many {
        /// VMs.
        vms: usize,
    },
}

impl Scenario {
    /// From `empty`, `empty:6`, `large`, `small`, or a number of VMs.
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once(':') {
            Some(("empty", hosts)) => Some(Self::Empty { hosts: hosts.parse().ok()? }),
            Some(("vms", vms)) => Some(Self::Many { vms: vms.parse().ok()? }),
            Some(_) => None,
            None => match text {
                "empty" => Some(Self::Empty { hosts: 3 }),
                "large" | "demo" => Some(Self::Large),
                "small" => Some(Self::Small),
                number => Some(Self::Many { vms: number.parse().ok()? }),
            },
        }
    }

    /// Puts it into a world that has nothing yet. Start the drive afterwards.
    pub fn seed(self, world: &World) {
        let (hosts, vms) = match self {
            Self::Empty { hosts } => (hosts, 0),
            Self::Large => (6, 240),
            Self::Small => (3, 60),
            Self::Many { vms } => (vms.div_ceil(MACHINES_A_HOST).max(3), vms),
        };
        let seeder = Seeder { hosts, ..Seeder::new(world) };
        seeder.platform();
        seeder.hosts(hosts, Host::USUAL);
        seeder.networks(hosts);
        seeder.images();
        for team in TEAMS {
            seeder.namespace(team.namespace, team.title);
        }
        seeder.machines(vms);
        if matches!(self, Self::Large | Self::Small) {
            seeder.troubles(vms);
        }
        seeder.sum_up();
    }
}

/// Writes a scenario's objects into a world.
pub(crate) struct Seeder<'a> {
    world: &'a World,
    release: Release,
    site: Site,
    now_ms: i64,
    hosts: usize,
    /// What belongs to the machine in hand and is at rest.
    finished: RefCell<Vec<(Resource, Key)>>,
}

impl<'a> Seeder<'a> {
    fn new(world: &'a World) -> Self {
        let (release, site) = (world.catalogue().release(), Site::of(world.seed()));
        Self { world, release, site, now_ms: world.clock().unix_ms(), hosts: 0, finished: RefCell::default() }
    }

    /// Puts an object there as it is; one that is there already, or whose kind this release lacks, is left alone.
    pub(crate) fn put(&self, resource: Resource, object: Value) {
        let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default().to_owned();
        if let Err(status) = self.world.create(resource, &namespace, object, &By::seed()) {
            tracing::debug!(resource = resource.plural, message = %status.message, "not seeded");
        }
    }

    /// Puts a finished object there; where no behaviour has anything to do with it, it is laid to rest with its machine.
    fn put_finished(&self, resource: Resource, object: Value) {
        let is_stepped = behave::ALL.iter().any(|behaviour| behaviour.on == resource);
        if is_stepped && !is_at_rest(&object) {
            return self.put(resource, object);
        }
        match self.world.seed_finished(resource, object) {
            Ok(key) => self.finished.borrow_mut().push((resource, key)),
            Err(status) => tracing::debug!(resource = resource.plural, message = %status.message, "not seeded"),
        }
    }

    fn machines(&self, vms: usize) {
        for number in 0..vms {
            let host = number % self.hosts.max(1);
            let state = match number {
                11 => State::Paused(host),
                _ if number % 13 == 7 => State::Stopped,
                _ => State::Running(host),
            };
            self.machine(&Machine::nth(self.site, number), state, vms);
        }
    }

    /// Machines with something wrong, named after their fault, and one that is on its way between two hosts.
    fn troubles(&self, vms: usize) {
        for (at, name) in ["erp-batch-fault-unschedulable", "etl-fault-crash-loop-01", "oa-fault-image-pull-01"]
            .into_iter()
            .enumerate()
        {
            let plain = Machine::nth(self.site, vms + at);
            self.machine(&Machine { name: name.to_owned(), ..plain }, State::New, vms);
        }
        for (at, name) in
            ["pay-fault-no-agent-01", "order-fault-wrong-address-01", "kafka-fault-degraded-01", hostile::NAME]
                .into_iter()
                .enumerate()
        {
            let plain = Machine { number: vms + 10 + at * 3, ..Machine::nth(self.site, 1) };
            self.machine(&Machine { name: name.to_owned(), ..plain }, State::Running(at % self.hosts.max(1)), vms);
        }
        let moving = Machine::nth(self.site, 2);
        self.put(VMIM, json!({
            "metadata": {
                "name": format!("{}-moving", moving.name), "namespace": moving.team.namespace,
                "labels": {"kubevirt.io/vmi-name": moving.name}, "finalizers": [crate::behave::migration_finalizer()],
            },
            "spec": {"vmiName": moving.name},
        }));
    }

    /// Writes the sum of the pods' requests on every node.
    fn sum_up(&self) {
        use crate::behave::View as _;
        for at in 0..self.hosts {
            let name = host_name(at);
            let pods = self.world.labelled(crate::behave::resources::POD, None, "kubevirt.io/nodeName", &name);
            let base = Room { cpu: 1200, memory: 3 << 30, pods: 30 };
            let total = pods.iter().fold(base, |sum, pod| sum.plus(Room::of_pod(pod))).annotation();
            let Some(node) = self.world.get(NODE, "", &name) else { continue };
            let patch = json!({"metadata": {"annotations": {POD_REQUESTS: total}}});
            if let Some(effect) = object::merge(NODE, &node, patch)
                && let Err(status) = self.world.perform(&effect, &By::seed())
            {
                tracing::debug!(message = %status.message, "node not summed up");
            }
        }
    }
}

/// A cluster without VMs: `count` hosts, Harvester's settings, classes, networks and images.
pub fn empty(world: &World, count: usize) {
    Scenario::Empty { hosts: count }.seed(world);
}

#[cfg(test)]
mod tests;
