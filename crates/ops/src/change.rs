//! The write path's durable half: each stage of a change is saved before the next, so a restart knows where it stands.
//!
//! Desired (audit line open) → Checked (dry run) → Committed → Observed (receipt from the cache) → Recorded (audit closed).
//! What was interrupted is resumed here: a check is repeated only while its request is young, because a write that comes
//! minutes after its person has given up is a surprise, not a service. It must never know what a change is about.

use crate::access::Permit;
use crate::audit::{self, Act};
use crate::fleet::Fleet;
use crate::tasks::Tasks;
use crate::{Clock, Context, Error, Result};
use harvester::change::{Checked, Committed, Desired, Resumed};
use harvester::{Cluster, ClusterError};
use model::Say;
use model::audit::Outcome;
use model::change::{OperationKind, OperationView, Stage, State};
use model::id::{ChangeId, OperationId, VmRef};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use store::Db;
use store::audit::Closing;
use store::change::{Advance, ChangeRecord, FIRST_TOKEN, NewChange};
use tokio::sync::watch;

/// What is wanted of a VM.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The VM.
    pub vm: VmRef,
    /// What to call it.
    pub title: Say,
    /// The change.
    pub desired: Desired,
}

/// How long a receipt is waited for.
const RECEIPT: Duration = Duration::from_secs(30);
/// A lease is longer than a receipt, so that nobody resumes what is being waited for.
const LEASE_MS: i64 = 60_000;
/// A request that is older is not carried out any more.
const FRESH_MS: i64 = 60_000;
/// How often a change is tried when somebody else changes the same object meanwhile.
const TRIES: u32 = 5;
/// How long it is waited for before the second try; longer each time.
const BREATH: Duration = Duration::from_millis(100);
/// How often interrupted changes are looked for.
const LOOK: Duration = Duration::from_secs(5);
/// Most that are resumed at a time.
const AT_ONCE: u32 = 16;

#[derive(Debug, Serialize, Deserialize)]
enum Saved {
    Desired(Desired),
    Checked(Checked),
    Committed(Committed),
}

/// The service.
pub struct Changes {
    db: Db,
    fleet: Arc<Fleet>,
    clock: Clock,
    tasks: Tasks,
    worker: String,
    pulse: watch::Sender<u64>,
}

impl Changes {
    pub(crate) fn new(db: Db, fleet: Arc<Fleet>, clock: Clock, tasks: Tasks, worker: String) -> Self {
        let (pulse, _) = watch::channel(0);
        Self { db, fleet, clock, tasks, worker, pulse }
    }

    /// Signals whenever an operation changed.
    pub(crate) fn pulse(&self) -> watch::Receiver<u64> {
        self.pulse.subscribe()
    }

    pub(crate) fn beat(&self) {
        self.pulse.send_modify(|n| *n = n.wrapping_add(1));
    }

    /// Makes a change up to Committed; the receipt is waited for in the background. `may_still` is asked again whenever somebody
    /// else has changed the object in between.
    pub async fn make(
        self: &Arc<Self>,
        ctx: &Context,
        permit: &Permit,
        act: Act<'_>,
        wanted: Wanted,
        may_still: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<OperationView> {
        let member = self.fleet.member(&wanted.vm.cluster)?;
        let running = member.writable()?;
        let (id, object) = (wanted.desired.id.clone(), wanted.vm.to_string());
        let record = self.begin(ctx, permit, &act, &wanted, &object).await?;
        let cluster = &running.cluster;
        let committed = self.carry_out(&record, FIRST_TOKEN, cluster, wanted.desired, may_still).await?;
        self.advance(&id, FIRST_TOKEN, Stage::Committed, &Saved::Committed(committed.clone())).await?;
        let view = view(&ChangeRecord { stage: Stage::Committed, ..record.clone() });
        let this = self.clone();
        self.tasks.spawn("receipt", async move { this.receipt(record, FIRST_TOKEN, committed).await });
        view
    }

    /// Check and commit. A conflict is nothing that was done: what is there now is read and checked anew, a few times, because
    /// controllers write a VM's status and labels all the time (`reliability.md` row 16).
    async fn carry_out(
        &self,
        record: &ChangeRecord,
        token: i64,
        cluster: &Cluster,
        desired: Desired,
        may_still: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<Committed> {
        let mut tries = 1;
        let mut seen = None;
        loop {
            let refused = match desired.clone().check(cluster).await {
                Ok(checked) => {
                    self.advance(&record.id, token, Stage::Checked, &Saved::Checked(checked.clone())).await?;
                    match checked.commit(cluster).await {
                        Ok(committed) => return Ok(committed),
                        // Whether it was made is not known: it stays Checked, and is looked for on the live object when its
                        // lease ends.
                        Err(error) if error.is_unsure() => return Err(error.into()),
                        Err(error) => error,
                    }
                }
                Err(error) => error,
            };
            let ClusterError::Conflict { message } = refused else {
                return self.fail(record, token, refused.into()).await;
            };
            let now = harvester::change::live(cluster, &desired.target).await.ok().flatten();
            if tries == TRIES {
                // What the others changed while it was tried.
                let told = seen.zip(now).map(|(seen, now)| harvester::change::told(desired.target.kind, &seen, &now));
                let told = told.filter(|told| !told.is_empty()).map(|told| format!("{message}; {told}"));
                let refused = ClusterError::Conflict { message: told.unwrap_or(message) };
                return self.fail(record, token, refused.into()).await;
            }
            seen = seen.or(now);
            if let Err(error) = may_still() {
                return self.fail(record, token, error).await;
            }
            tokio::time::sleep(BREATH * tries).await;
            tries += 1;
        }
    }

    async fn begin(
        &self,
        ctx: &Context,
        permit: &Permit,
        act: &Act<'_>,
        wanted: &Wanted,
        object: &str,
    ) -> Result<ChangeRecord> {
        let (kind, data) = (json(&wanted.title)?, json(&Saved::Desired(wanted.desired.clone()))?);
        let id = &wanted.desired.id;
        store::transact!(self.db, |tx| {
            let opened = audit::open(tx, ctx, permit, act).await?;
            let new = NewChange {
                id,
                cluster: &wanted.vm.cluster,
                object,
                kind_json: &kind,
                actor: permit.actor(),
                verb: permit.verb().word(),
                audit_seq: opened.seq,
                data_json: &data,
                created: ctx.now,
                worker: &self.worker,
                lease_ms: LEASE_MS,
            };
            crate::error::ok(store::change::insert(tx, &new).await?)
        })?;
        self.beat();
        store::change::get(&self.db, id).await?.ok_or_else(|| Error::Broken(format!("change {id} is gone")))
    }

    async fn advance(&self, id: &ChangeId, token: i64, stage: Stage, saved: &Saved) -> Result<()> {
        let data = json(saved)?;
        let to = Advance { stage, base_version: None, data_json: &data, at: self.clock.now() };
        store::transact!(self.db, |tx| crate::error::ok(store::change::advance(tx, id, token, &to).await?))?;
        self.beat();
        Ok(())
    }

    /// Closes a change that was not made, and hands the reason on.
    async fn fail<T>(&self, record: &ChangeRecord, token: i64, error: Error) -> Result<T> {
        let detail = detail(&error);
        self.finish(record, token, audit::outcome_of(&error), None, Some(&detail)).await?;
        Err(error)
    }

    async fn finish(
        &self,
        record: &ChangeRecord,
        token: i64,
        outcome: Outcome,
        after: Option<&str>,
        detail: Option<&str>,
    ) -> Result<()> {
        let at = self.clock.now();
        store::transact!(self.db, |tx| {
            store::change::finish(tx, &record.id, token, outcome, at).await?;
            let closing = Closing { at, outcome, before: None, after, detail };
            crate::error::ok(store::audit::close(tx, record.audit_seq, &closing).await?)
        })?;
        self.beat();
        Ok(())
    }

    /// Waits for the receipt and records it; without one the change stays Committed and is looked at again later.
    async fn receipt(&self, record: ChangeRecord, token: i64, committed: Committed) {
        let done = async {
            let member = self.fleet.member(&record.cluster)?;
            let cache = &member.running()?.cache;
            let Ok(observed) = committed.observe(cache, RECEIPT).await else {
                tracing::warn!(change = %record.id, "no receipt yet");
                return Ok(());
            };
            let after = observed.row.map(|row| {
                serde_json::json!({ "power": row.power.word(), "status": &*row.status, "node": row.node.as_deref() }).to_string()
            });
            self.finish(&record, token, Outcome::Done, after.as_deref(), None).await
        };
        match done.await {
            Ok(()) | Err(Error::Store(store::StoreError::Fenced)) => {}
            Err(error) => tracing::error!(change = %record.id, %error, "recording a change"),
        }
    }

    /// Resumes what was interrupted, for ever.
    pub(crate) async fn resume_for_ever(self: Arc<Self>) {
        loop {
            match store::change::claim_due(&self.db, &self.worker, self.clock.now(), LEASE_MS, AT_ONCE).await {
                Ok(due) => {
                    for record in due {
                        self.resume(record).await;
                    }
                }
                Err(error) => tracing::error!(%error, "looking for interrupted changes"),
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn resume(self: &Arc<Self>, record: ChangeRecord) {
        let (id, token) = (record.id.clone(), record.token);
        tracing::info!(change = %id, stage = record.stage.word(), "resuming");
        if let Err(error) = self.resume_one(record, token).await {
            tracing::warn!(change = %id, %error, "resuming a change; it stays due");
        }
    }

    async fn resume_one(self: &Arc<Self>, record: ChangeRecord, token: i64) -> Result<()> {
        let saved: Saved = serde_json::from_str(&record.data_json).map_err(|e| Error::Broken(e.to_string()))?;
        let member = match self.fleet.member(&record.cluster) {
            Ok(member) => member,
            Err(error) => return self.fail(&record, token, error).await,
        };
        let cluster = member.running()?.cluster.clone();
        let committed = match saved {
            Saved::Committed(committed) => committed,
            Saved::Checked(checked) => match checked.resume(&cluster).await? {
                Resumed::Committed(committed) => committed,
                Resumed::Again(desired) => return self.again(&record, token, desired).await,
            },
            Saved::Desired(desired) => return self.again(&record, token, desired).await,
        };
        self.advance(&record.id, token, Stage::Committed, &Saved::Committed(committed.clone())).await?;
        self.receipt(record, token, committed).await;
        Ok(())
    }

    /// Goes on from the check, if the request is young enough for nobody to be surprised.
    async fn again(self: &Arc<Self>, record: &ChangeRecord, token: i64, desired: Desired) -> Result<()> {
        if self.clock.now().since(record.created) > FRESH_MS {
            let why = Say::fixed(
                "执行前中断，时间已过，没有执行",
                "interrupted before it was made, and too old to be made now",
            );
            return self.fail(record, token, Error::Conflict(why)).await;
        }
        let cluster = self.fleet.member(&record.cluster)?.writable()?.cluster.clone();
        let committed = self.carry_out(record, token, &cluster, desired, &|| Ok(())).await?;
        self.advance(&record.id, token, Stage::Committed, &Saved::Committed(committed.clone())).await?;
        self.receipt(record.clone(), token, committed).await;
        Ok(())
    }
}

/// A change as an operation of the task drawer.
pub(crate) fn view(record: &ChangeRecord) -> Result<OperationView> {
    let title: Say = serde_json::from_str(&record.kind_json).map_err(|e| Error::Broken(e.to_string()))?;
    let state = match record.outcome {
        None | Some(Outcome::Open) => State::Running,
        Some(Outcome::Done) => State::Succeeded,
        Some(Outcome::Refused | Outcome::Failed | Outcome::Undone) => State::Undone,
    };
    let done = match (record.outcome, record.stage) {
        (Some(Outcome::Done), _) => 5,
        (_, stage) => stage as u32 + 1,
    };
    let now = (state == State::Running).then(|| match record.stage {
        Stage::Desired => Say::fixed("向集群预演", "rehearsing with the cluster"),
        Stage::Checked => Say::fixed("等集群执行", "waiting for the cluster to do it"),
        _ => Say::fixed("等集群的回执", "waiting for the cluster's receipt"),
    });
    Ok(OperationView {
        id: OperationId::parse(record.id.as_str())?,
        kind: OperationKind::Power,
        title,
        object: record.object.clone(),
        state,
        steps: (done, 5),
        now,
        actor: record.actor.clone(),
        began: record.created,
        ended: record.ended,
    })
}

fn detail(error: &Error) -> String {
    match error {
        Error::Cluster(cluster) => match cluster.detail() {
            Some(detail) => format!("{}: {detail}", cluster.say().en),
            None => cluster.say().en.into_owned(),
        },
        other => other.say().en.into_owned(),
    }
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::Broken(e.to_string()))
}
