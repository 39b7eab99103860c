//! Worlds to begin with, and faults by sentinel name.
//!
//! A scenario puts a finished world there at once (running VMs with all that belongs to them), so that 100,000 lives need
//! not be walked through. It must never know the product: names, labels and texts are those of an imagined company.

pub mod fault;
pub mod hosts;
mod images;
mod networks;
mod platform;

use crate::behave::Resource;
use crate::world::catalogue::Release;
use crate::world::{By, World};
use hosts::Host;
use serde_json::Value;

/// Writes a scenario's objects into a world.
pub(crate) struct Seeder<'a> {
    world: &'a World,
    release: Release,
    now_ms: i64,
}

impl<'a> Seeder<'a> {
    fn new(world: &'a World) -> Self {
        Self { world, release: world.catalogue().release(), now_ms: world.clock().unix_ms() }
    }

    /// Puts an object there as it is; one that is there already, or whose kind this release lacks, is left alone.
    pub(crate) fn put(&self, resource: Resource, object: Value) {
        let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default().to_owned();
        if let Err(status) = self.world.create(resource, &namespace, object, &By::seed()) {
            tracing::debug!(resource = resource.plural, message = %status.message, "not seeded");
        }
    }
}

/// A cluster without VMs: `count` hosts, Harvester's settings, classes and networks.
pub fn empty(world: &World, count: usize) {
    let seeder = Seeder::new(world);
    seeder.platform();
    seeder.hosts(count, Host::USUAL);
    seeder.networks(count);
    seeder.images();
}
