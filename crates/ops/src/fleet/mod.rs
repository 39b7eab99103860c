//! The clusters that we look after: registered in the database, alive as caches.
//!
//! One member a cluster, each with tasks and a cache of its own, so that a slow cluster slows nobody (bulkhead). A cluster
//! that cannot even be connected to is still a member: it is shown with the reason.

mod member;
mod register;

pub use member::{Member, Running};
pub use register::Examined;

use crate::access::Permit;
use crate::audit::{Act, Audit};
use crate::{Clock, Context, Error, Result};
use harvester::{Access, Cluster, ClusterError};
use model::access::Verb;
use model::fleet::{ClusterDetail, ClusterView, Inventory, Probe};
use model::id::ClusterId;
use model::vm::VmRow;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use store::{Db, Sealer};
use tokio::sync::watch;

/// Makes a client of an access; the real one goes over the network, a test's into a simulator.
pub type Connect = Arc<dyn Fn(ClusterId, &Access) -> std::result::Result<Cluster, ClusterError> + Send + Sync>;

/// The service.
pub struct Fleet {
    db: Db,
    sealer: Sealer,
    audit: Audit,
    clock: Clock,
    connect: Connect,
    members: RwLock<BTreeMap<ClusterId, Arc<Member>>>,
    pulse: watch::Sender<u64>,
}

impl Fleet {
    pub(crate) fn new(db: Db, sealer: Sealer, audit: Audit, clock: Clock, connect: Connect) -> Self {
        let (pulse, _) = watch::channel(0);
        Self { db, sealer, audit, clock, connect, members: RwLock::default(), pulse }
    }

    /// Connects every registered cluster; returns at once, caches fill in the background.
    pub(crate) async fn start(self: &Arc<Self>) -> Result<()> {
        for record in store::fleet::list(&self.db).await? {
            let kubeconfig = store::fleet::kubeconfig(&self.db, &self.sealer, &record.id).await;
            let probe = store::fleet::probe(&self.db, &record.id).await?;
            let running = match kubeconfig {
                Ok(Some(text)) => self.open(&record.id, &text),
                Ok(None) => Err(model::Say::fixed("没有保存凭据", "no credential is kept")),
                Err(error) => {
                    tracing::error!(cluster = %record.id, %error, "opening a sealed credential");
                    Err(model::Say::fixed(
                        "保存的凭据打不开：主密钥换过？重新登记这个集群",
                        "the kept credential cannot be opened: was the master key changed? Register the cluster again",
                    ))
                }
            };
            self.admit(Member::new(record, running, probe));
        }
        Ok(())
    }

    fn open(&self, id: &ClusterId, kubeconfig: &str) -> std::result::Result<Running, model::Say> {
        let access = Access::parse(kubeconfig).map_err(|refusal| refusal.say)?;
        let cluster = (self.connect)(id.clone(), &access).map_err(|error| error.say())?;
        Ok(Running::start(cluster, access.expires(), &self.clock))
    }

    /// Takes a member in, wires its changes to the fleet's pulse and starts its probes.
    fn admit(self: &Arc<Self>, member: Member) {
        let member = Arc::new(member);
        if let Ok(running) = &member.running {
            let (mut changed, fleet) = (running.cache.changed(), self.clone());
            running.tasks.spawn("pulse", async move {
                while changed.changed().await.is_ok() {
                    fleet.beat();
                }
            });
            let (probed, fleet) = (member.clone(), self.clone());
            running.tasks.spawn("probe", async move { fleet.probe_for_ever(&probed).await });
        }
        let id = member.record.id.clone();
        if let Some(old) = self.write().insert(id, member) {
            old.stop();
        }
        self.beat();
    }

    fn beat(&self) {
        self.pulse.send_modify(|n| *n = n.wrapping_add(1));
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, BTreeMap<ClusterId, Arc<Member>>> {
        // A map of whole values stays whole whatever panicked beside it.
        self.members.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Signals whenever anything in any cluster changed.
    pub fn pulse(&self) -> watch::Receiver<u64> {
        self.pulse.subscribe()
    }

    /// All members, by id.
    pub fn members(&self) -> Vec<Arc<Member>> {
        self.members.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// One member; the same answer for "there is none" and "not yours".
    pub fn member(&self, id: &ClusterId) -> Result<Arc<Member>> {
        self.members.read().unwrap_or_else(PoisonError::into_inner).get(id).cloned().ok_or(Error::NotFound)
    }

    /// The VM's row, if its cluster shows it.
    pub fn row(&self, vm: &model::id::VmRef) -> Result<Arc<VmRow>> {
        let member = self.member(&vm.cluster)?;
        let running = member.running()?;
        running.cache.row(vm.namespace.as_str(), vm.name.as_str()).ok_or(Error::NotFound)
    }

    /// All clusters as lists show them, by name.
    pub async fn list(&self, ctx: &Context) -> Result<Vec<ClusterView>> {
        Permit::ask(ctx, Verb::FleetRead, "fleet")?;
        Ok(self.views())
    }

    pub(crate) fn views(&self) -> Vec<ClusterView> {
        self.members().iter().map(|m| m.view()).collect()
    }

    /// The page of a cluster.
    pub async fn detail(&self, ctx: &Context, id: &ClusterId) -> Result<ClusterDetail> {
        Permit::ask(ctx, Verb::FleetRead, id.as_str())?;
        Ok(self.member(id)?.detail().await)
    }

    /// What is in a cluster besides its VMs.
    pub fn inventory(&self, ctx: &Context, id: &ClusterId) -> Result<Inventory> {
        Permit::ask(ctx, Verb::FleetRead, id.as_str())?;
        Ok(self.member(id)?.inventory())
    }

    /// VM networks of a cluster; none of one that is not connected.
    pub async fn networks(&self, ctx: &Context, id: &ClusterId) -> Result<Vec<model::network::NetworkView>> {
        Permit::ask(ctx, Verb::FleetRead, id.as_str())?;
        Ok(self.member(id)?.running().map(|running| running.cache.networks()).unwrap_or_default())
    }

    /// Probes now.
    pub async fn probe(&self, ctx: &Context, id: &ClusterId) -> Result<Probe> {
        Permit::ask(ctx, Verb::FleetRead, id.as_str())?;
        let member = self.member(id)?;
        self.probe_once(&member).await
    }

    /// Tries to reach it now rather than when the back-off is over.
    pub async fn refresh(&self, ctx: &Context, id: &ClusterId) -> Result<()> {
        Permit::ask(ctx, Verb::FleetRead, id.as_str())?;
        self.member(id)?.running()?.cache.refresh();
        Ok(())
    }

    /// Forgets a cluster: its cache, its credential. Nothing in the cluster changes.
    pub async fn remove(&self, ctx: &Context, id: &ClusterId, reason: &str) -> Result<()> {
        let permit = Permit::ask(ctx, Verb::FleetRemove, id.as_str())?;
        let member = self.member(id)?;
        let before =
            serde_json::json!({ "name": member.record.name, "url": member.record.url, "uid": member.record.uid });
        let act = Act { act: "remove", reason, before: Some(before.to_string()) };
        self.audit
            .around(ctx, &permit, act, async || {
                let gone =
                    store::transact!(self.db, |tx| crate::error::ok(store::fleet::remove(tx, id, ctx.now).await?))?;
                if gone { Ok(((), None)) } else { Err(Error::NotFound) }
            })
            .await?;
        let gone = self.write().remove(id);
        if let Some(member) = gone {
            member.stop();
        }
        self.beat();
        Ok(())
    }

    async fn probe_once(&self, member: &Member) -> Result<Probe> {
        let probe = harvester::probe::probe(&member.running()?.cluster, self.clock.now()).await?;
        member.ask_to_write().await;
        member.set_probe(probe.clone());
        let id = &member.record.id;
        store::transact!(self.db, |tx| crate::error::ok(store::fleet::save_probe(tx, id, &probe).await?))?;
        self.beat();
        Ok(probe)
    }

    async fn probe_for_ever(&self, member: &Member) {
        loop {
            let pause = match self.probe_once(member).await {
                Ok(_) => PROBE_EVERY,
                Err(error) => {
                    tracing::debug!(cluster = %member.record.id, %error, "probing");
                    PROBE_AGAIN
                }
            };
            tokio::time::sleep(pause).await;
        }
    }
}

/// How often capabilities are looked at (CLU.3).
const PROBE_EVERY: std::time::Duration = std::time::Duration::from_secs(600);
/// How soon after a failure.
const PROBE_AGAIN: std::time::Duration = std::time::Duration::from_secs(20);
