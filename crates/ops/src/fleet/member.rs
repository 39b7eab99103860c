//! One cluster of the fleet.

use crate::tasks::Tasks;
use crate::{Clock, Error, Result};
use harvester::{Cache, Cluster};
use model::fleet::{ClusterDetail, ClusterView, Health, Inventory, ObserveOnly, Probe};
use model::{Say, UnixMs};
use std::sync::{Arc, PoisonError, RwLock};
use tokio_util::task::TaskTracker;

/// A registered cluster.
pub struct Member {
    /// As registered.
    pub record: store::fleet::Cluster,
    /// Its client and cache, or why there is none.
    pub running: std::result::Result<Running, Say>,
    probe: RwLock<Option<Probe>>,
    /// What was found when it was last asked for; a credential counts as one that may write until then.
    may_write: RwLock<Option<bool>>,
}

/// A cluster that there is a client of.
pub struct Running {
    /// The client.
    pub cluster: Cluster,
    /// What is in it.
    pub cache: Arc<Cache>,
    /// When the credential ends, if it says so.
    pub expires: Option<UnixMs>,
    pub(super) tasks: Tasks,
}

impl Running {
    pub(super) fn start(cluster: Cluster, expires: Option<UnixMs>, clock: &Clock) -> Self {
        let cache = Cache::start(cluster.clone(), &TaskTracker::new(), clock.function());
        Self { cluster, cache, expires, tasks: Tasks::default() }
    }
}

impl Member {
    pub(super) fn new(
        record: store::fleet::Cluster,
        running: std::result::Result<Running, Say>,
        probe: Option<Probe>,
    ) -> Self {
        Self { record, running, probe: RwLock::new(probe), may_write: RwLock::default() }
    }

    /// The client and cache; a cluster without them is away, and the reason says why.
    pub fn running(&self) -> Result<&Running> {
        self.running.as_ref().map_err(|why| Error::Refused(why.clone()))
    }

    /// For a conclusion from what is *not* in the cache: refused until there is a whole picture that is kept up to date.
    pub fn seen(&self) -> Result<&Running> {
        let running = self.running()?;
        let health = running.cache.status().health;
        if health.is_away() || health == Health::Connecting {
            let (name, zh, en) = (&self.record.name, health.say().zh, health.say().en.to_lowercase());
            return Err(Error::Away(model::say!(
                "{name} {zh}，等它恢复才知道里面有什么",
                "{name} is {en}; what is in it is known once it is back"
            )));
        }
        Ok(running)
    }

    /// Whether there ever was a whole picture of it since this program began.
    pub fn has_picture(&self) -> bool {
        self.running.as_ref().is_ok_and(|running| running.cache.status().as_of.is_some())
    }

    /// For a write: refused where nothing may be written, and at once where the cluster is away, so that no write waits to
    /// surprise somebody later (`reliability.md` row 9).
    pub fn writable(&self) -> Result<&Running> {
        let running = self.running()?;
        let name = &self.record.name;
        if let Some(why) = self.observe_only() {
            return Err(Error::Refused(why.say(name)));
        }
        match running.cache.status().health.write_refusal(name) {
            Some(why) => Err(Error::Away(why)),
            None => Ok(running),
        }
    }

    /// Why nothing is written to it, however well it answers.
    fn observe_only(&self) -> Option<ObserveOnly> {
        let may_write = *self.may_write.read().unwrap_or_else(PoisonError::into_inner);
        let by_credential = (may_write == Some(false)).then_some(ObserveOnly::Credential);
        if self.record.is_observe_only { Some(ObserveOnly::Registered) } else { by_credential }
    }

    /// Asks whether the credential may change anything. Where that cannot be asked, it stays what it was.
    pub(super) async fn ask_to_write(&self) {
        let Ok(running) = self.running() else { return };
        match harvester::grants::may_change(&running.cluster).await {
            Ok(may) => *self.may_write.write().unwrap_or_else(PoisonError::into_inner) = Some(may),
            Err(error) => tracing::warn!(cluster = %self.record.id, %error, "asking whether anything may be written"),
        }
    }

    pub(super) fn set_probe(&self, probe: Probe) {
        *self.probe.write().unwrap_or_else(PoisonError::into_inner) = Some(probe);
    }

    /// What the last probe found.
    pub fn probe(&self) -> Option<Probe> {
        self.probe.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// As lists show it.
    pub fn view(&self) -> ClusterView {
        let record = &self.record;
        let base = ClusterView {
            id: record.id.clone(),
            name: record.name.clone(),
            url: record.url.clone(),
            version: None,
            health: Health::Unauthorised,
            problem: None,
            since: record.registered,
            as_of: None,
            retry_at: None,
            observe_only: self.observe_only(),
            nodes: (0, 0),
            power: Vec::new(),
            capacity: model::fleet::Capacity::default(),
            quarantined: 0,
            registered: record.registered,
        };
        match &self.running {
            Err(why) => ClusterView { problem: Some(why.clone()), ..base },
            Ok(running) => {
                let status = running.cache.status();
                let probed = self.probe().and_then(|p| p.server_version);
                ClusterView {
                    version: status.version.or(probed),
                    health: status.health,
                    problem: status.problem,
                    since: status.since,
                    as_of: status.as_of,
                    retry_at: status.retry_at,
                    nodes: status.nodes,
                    power: status.power,
                    capacity: status.capacity,
                    quarantined: status.quarantined,
                    ..base
                }
            }
        }
    }

    /// As its page shows it. Rights are asked for now; where they cannot be had the list is empty and `view` says why.
    pub async fn detail(&self) -> ClusterDetail {
        let cluster = self.view();
        let grants = match &self.running {
            Ok(running) if !cluster.health.is_away() => self.grants(running).await,
            _ => Vec::new(),
        };
        ClusterDetail { cluster, probe: self.probe(), inventory: self.inventory(), grants }
    }

    /// What is in it, out of the cache; nothing when it cannot be followed.
    pub fn inventory(&self) -> Inventory {
        let Ok(running) = &self.running else { return Inventory::default() };
        let cache = &running.cache;
        Inventory {
            nodes: cache.nodes(),
            networks: cache.networks(),
            images: cache.images(),
            watches: cache.watches(),
            quarantine: cache.quarantine(),
        }
    }

    async fn grants(&self, running: &Running) -> Vec<model::fleet::Grant> {
        match harvester::grants::grants(&running.cluster).await {
            Ok(grants) => grants,
            Err(error) => {
                tracing::warn!(cluster = %self.record.id, %error, "asking for rights");
                Vec::new()
            }
        }
    }

    pub(super) fn stop(&self) {
        if let Ok(running) = &self.running {
            running.cache.stop();
            running.tasks.cancel();
        }
    }
}
