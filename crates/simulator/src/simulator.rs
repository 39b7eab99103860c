//! Building a simulated cluster and holding on to it.
//!
//! A [`Simulator`] owns the world, the driver that lets upstream's programs act, and the doors to it: a router, a
//! service that can upgrade, a TLS listener. When it is dropped the driver stops.

use crate::behave::{Role, View};
use crate::clock::Clock;
use crate::drive::{Drive, Restless};
use crate::rest::Api;
use crate::scenario::Scenario;
use crate::serve::{self, DuplexService, Served};
use crate::world::World;
use crate::world::catalogue::Release;
use crate::world::keep::{KeepError, Kept};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::{CancellationToken, DropGuard};

/// What a cluster is to be like. Made by [`Simulator::builder`].
#[derive(Debug, Clone)]
pub struct Builder {
    release: Release,
    nodes: usize,
    vms: usize,
    scenario: Option<Scenario>,
    seed: u64,
    clock: Clock,
    kept: Option<Kept>,
    roles: Vec<Role>,
}

impl Builder {
    /// Which Harvester, by its line: `1.2` … `1.9` ([`Release::ALL`]); anything else leaves what was set.
    #[must_use]
    pub fn harvester(mut self, release: &str) -> Self {
        self.release = Release::parse(release).unwrap_or(self.release);
        self
    }

    /// How many hosts.
    #[must_use]
    pub fn nodes(mut self, nodes: usize) -> Self {
        self.nodes = nodes;
        self
    }

    /// How many VMs are there from the start.
    #[must_use]
    pub fn vms(mut self, vms: usize) -> Self {
        self.vms = vms;
        self
    }

    /// The world to begin with; then [`nodes`](Self::nodes) and [`vms`](Self::vms) do not count.
    #[must_use]
    pub fn scenario(mut self, scenario: Scenario) -> Self {
        self.scenario = Some(scenario);
        self
    }

    /// The seed of all names, uids and chances.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How time passes.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Which of upstream's programs act here; the others may act from outside, by [`crate::agent`].
    #[must_use]
    pub fn roles(mut self, roles: &[Role]) -> Self {
        self.roles = roles.to_vec();
        self
    }

    /// The world that [`World::save`] wrote to a file. Then only [`clock`](Self::clock) counts: release, hosts, VMs and
    /// seed are the file's, and with the seed tokens and certificates' names. Time goes on from the later of the saved
    /// moment and the clock.
    ///
    /// # Errors
    /// When the file cannot be read or holds no whole world; the error names it.
    pub fn restore(mut self, path: impl AsRef<Path>) -> Result<Self, KeepError> {
        let kept = Kept::read(path)?;
        // Made once for trial, so that building cannot fail.
        World::of(&kept, Clock::explicit())?;
        self.kept = Some(kept);
        Ok(self)
    }

    /// Builds the world. With an explicit clock nothing moves until [`Simulator::advance`] or [`Simulator::settle`];
    /// with an automatic one [`Simulator::start`] lets it go.
    pub fn build(self) -> Simulator {
        let (world, drive) = self.kept.as_ref().map_or_else(|| self.begun(), |kept| self.resumed(kept));
        let stop = CancellationToken::new();
        let api = Api::new(world.clone());
        Simulator {
            world,
            api,
            drive: Arc::new(Mutex::new(Some(drive))),
            stop: stop.clone(),
            _guard: stop.drop_guard(),
        }
    }
}

impl Builder {
    fn begun(&self) -> (World, Drive) {
        let world = World::new(self.release, self.clock.clone(), self.seed);
        world.install_definitions();
        let scenario = self.scenario.unwrap_or(match (self.nodes, self.vms) {
            (hosts, 0) => Scenario::Empty { hosts },
            (6, 240) => Scenario::Large,
            (3, 60) => Scenario::Small,
            // As many hosts as they need.
            (_, vms) => Scenario::Many { vms },
        });
        scenario.seed(&world);
        let drive = Drive::with_roles(&world, |role| self.roles.contains(&role));
        (world, drive)
    }

    fn resumed(&self, kept: &Kept) -> (World, Drive) {
        let world = World::of(kept, self.clock.clone()).expect("restore() made this world once already");
        let drive = Drive::resumed_with_roles(&world, |role| self.roles.contains(&role));
        (world, drive)
    }
}

/// A simulated Harvester cluster.
pub struct Simulator {
    world: World,
    /// One for all doors, so that they agree on which streams are open.
    api: Api,
    /// Taken out while it runs by itself.
    drive: Arc<Mutex<Option<Drive>>>,
    stop: CancellationToken,
    _guard: DropGuard,
}

impl std::fmt::Debug for Simulator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulator").field("version", &self.world.version()).finish_non_exhaustive()
    }
}

impl Simulator {
    /// A small Harvester 1.8 with three hosts and no VMs, under an explicit clock.
    pub fn builder() -> Builder {
        Builder {
            release: Release::V1_8,
            nodes: 3,
            vms: 0,
            scenario: None,
            seed: 1,
            clock: Clock::explicit(),
            kept: None,
            roles: Role::all().collect(),
        }
    }

    /// The objects, for arranging and asserting.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The API as a router, for a client in this process that cannot upgrade. Requests without a token are the
    /// administrator's.
    pub fn router(&self) -> axum::Router {
        self.router_as(self.world.access().admin_token())
    }

    /// The same as seen by the holder of a token.
    pub fn router_as(&self, token: &str) -> axum::Router {
        self.api.seen_by(token).router()
    }

    /// The API as a tower service that can upgrade to WebSockets, still without a socket.
    pub fn duplex_service(&self) -> DuplexService {
        DuplexService::new(self.router())
    }

    /// Serves the API with TLS on an address such as `127.0.0.1:0`; here tokens are asked for.
    ///
    /// # Errors
    /// When the address cannot be listened on or no certificate can be made.
    pub async fn serve(&self, listen: &str) -> anyhow::Result<Served> {
        serve::serve(self.api.clone(), listen, self.stop.child_token()).await
    }

    /// Lets upstream's programs act by themselves from now on. Does nothing the second time.
    pub fn start(&self) {
        if let Some(drive) = self.drive.lock().unwrap_or_else(PoisonError::into_inner).take() {
            drop(drive.spawn(self.stop.child_token()));
        }
    }

    fn with_drive<T>(&self, work: impl FnOnce(&mut Drive) -> Result<T, Restless>) -> Result<Option<T>, Restless> {
        let mut drive = self.drive.lock().unwrap_or_else(PoisonError::into_inner);
        drive.as_mut().map(work).transpose()
    }

    /// Lets everything that is due at this moment happen.
    ///
    /// # Errors
    /// When the world does not come to rest.
    pub fn settle(&self) -> Result<(), Restless> {
        self.with_drive(Drive::settle).map(drop)
    }

    /// Lets an explicit clock run for `span`.
    ///
    /// # Errors
    /// When the world does not come to rest.
    pub fn advance(&self, span: Duration) -> Result<(), Restless> {
        self.with_drive(|drive| drive.advance(span)).map(drop)
    }

    /// Lets an explicit clock run until `holds`, at most for `limit`; says whether it came to hold.
    ///
    /// # Errors
    /// When the world does not come to rest.
    pub fn advance_until(&self, limit: Duration, holds: impl FnMut(&dyn View) -> bool) -> Result<bool, Restless> {
        Ok(self.with_drive(|drive| drive.advance_until(limit, holds))?.unwrap_or(false))
    }

    /// Stops the driver and every listener.
    pub fn stop(&self) {
        self.stop.cancel();
    }
}
