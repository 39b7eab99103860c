//! Carries workflows out: claims, acts, saves, waits, takes back.
//!
//! One claim is held while an operation is worked on; every write names its fencing token, so a process that slept through
//! its lease finds out at its next write and lets go.

use super::journal::{Entry, Next, next};
use super::{Did, Run, Undid, Workflow, broken, crash};
use crate::tasks::Tasks;
use crate::{Clock, Error, Result};
use model::change::State;
use model::{Say, UnixMs};
use std::sync::Arc;
use std::time::Duration;
use store::journal::{self, OperationRecord};
use store::{Db, StoreError};
use tokio::sync::{Semaphore, watch};

/// How long a claim lasts unless renewed, in milliseconds.
const LEASE_MS: i64 = 30_000;
/// A claim is renewed when less than this is left of it.
const RENEW_MS: i64 = 20_000;
/// How soon a waiting step is looked at again although nothing signalled.
const LOOK: Duration = Duration::from_millis(500);
/// A world that changes all the time is looked at no more often than this.
const SHORTEST: Duration = Duration::from_millis(100);
/// How soon claims are looked for although nothing signalled.
const IDLE: Duration = Duration::from_secs(2);
/// Operations that one process works on at once.
const AT_ONCE: usize = 64;
/// Errors in a row that may pass before a step counts as failed.
const MAX_PASSING: u32 = 240;
/// Errors of an undo before a person must look (`reliability.md` row 24).
const MAX_UNDO_ERRORS: u32 = 2;

/// The runner of one kind of workflow.
pub struct Runner<W: Workflow> {
    workflow: Arc<W>,
    db: Db,
    clock: Clock,
    tasks: Tasks,
    worker: String,
    /// Signals that an operation was begun.
    orders: watch::Receiver<u64>,
    /// Signals that what steps wait for may have come.
    world: watch::Receiver<u64>,
    /// Tells pages that an operation changed.
    changed: Arc<dyn Fn() + Send + Sync>,
}

/// What a runner needs to know besides its workflow.
pub struct Surroundings {
    /// The database.
    pub db: Db,
    /// The clock.
    pub clock: Clock,
    /// Where operations run.
    pub tasks: Tasks,
    /// Name of this process in claims.
    pub worker: String,
    /// Signals that an operation was begun.
    pub orders: watch::Receiver<u64>,
    /// Signals that what steps wait for may have come.
    pub world: watch::Receiver<u64>,
    /// Tells pages that an operation changed.
    pub changed: Arc<dyn Fn() + Send + Sync>,
}

/// An operation being worked on.
struct Work<W: Workflow> {
    record: OperationRecord,
    data: W::Data,
    journal: Vec<Entry<W::Step>>,
    began: UnixMs,
    lease_until: UnixMs,
    waits_for: Option<Say>,
    failures: u32,
}

impl<W: Workflow> Runner<W> {
    /// A runner; [`Runner::run_for_ever`] makes it go.
    pub fn new(workflow: Arc<W>, surroundings: Surroundings) -> Self {
        let Surroundings { db, clock, tasks, worker, orders, world, changed } = surroundings;
        Self { workflow, db, clock, tasks, worker, orders, world, changed }
    }

    /// Claims what is due and works on it, for ever.
    pub async fn run_for_ever(self: Arc<Self>) {
        let places = Arc::new(Semaphore::new(AT_ONCE));
        let mut orders = self.orders.clone();
        loop {
            let Ok(place) = places.clone().acquire_owned().await else { return };
            match journal::claim_due(&self.db, &self.worker, self.clock.now(), LEASE_MS).await {
                Ok(Some(record)) => {
                    let this = self.clone();
                    self.tasks.spawn("workflow", async move {
                        this.work(record).await;
                        drop(place);
                    });
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::error!(%error, "claiming an operation"),
            }
            drop(place);
            tokio::select! {
                () = tokio::time::sleep(IDLE) => {}
                changed = orders.changed() => if changed.is_err() { return },
            }
        }
    }

    /// Works on one operation until it ends or is somebody else's.
    pub async fn work(&self, record: OperationRecord) {
        let id = record.id.clone();
        match self.carry_out(record).await {
            Ok(()) => {}
            Err(Error::Store(StoreError::Fenced)) => tracing::warn!(operation = %id, "somebody else took it over"),
            // The lease ends by itself, and whoever claims it then goes on.
            Err(error) => tracing::error!(operation = %id, %error, "an operation stopped; it is taken up again"),
        }
        (self.changed)();
    }

    async fn carry_out(&self, record: OperationRecord) -> Result<()> {
        if record.kind != W::KIND || record.version != W::VERSION {
            let (kind, version) = (&record.kind, record.version);
            let why = model::say!(
                "这个程序不认识 {kind} 的第 {version} 版",
                "this program does not know version {version} of {kind}"
            );
            return self.park_unknown(&record, why).await;
        }
        let mut work = self.load(record).await?;
        loop {
            let decision = next(W::PLAN, &work.journal);
            match decision {
                Next::Do(step) => {
                    if !work.journal.contains(&Entry::Began(step)) {
                        self.append(&mut work, step, Entry::Began(step), None).await?;
                        work.failures = 0;
                    }
                    if self.act(&mut work, step).await? {
                        return Ok(());
                    }
                }
                Next::Undo(step) => {
                    if self.undo(&mut work, step).await? {
                        return Ok(());
                    }
                }
                Next::Succeeded => return self.end(&work, State::Succeeded, None).await,
                Next::RolledBack => {
                    let why = self.why_failed(&work).await?;
                    return self.end(&work, State::Undone, why.as_ref()).await;
                }
            }
        }
    }

    async fn load(&self, record: OperationRecord) -> Result<Work<W>> {
        let data = serde_json::from_str(&record.data_json).map_err(broken)?;
        let lines = journal::entries(&self.db, &record.id).await?;
        let began = lines.last().map_or(record.began, |line| line.at);
        let entry = |line: &journal::JournalLine| {
            let step = W::parse(&line.step).ok_or_else(|| Error::Broken(format!("unknown step {}", line.step)))?;
            Ok(match line.entry {
                journal::Entry::Began => Entry::Began(step),
                journal::Entry::Done => Entry::Done(step),
                journal::Entry::Failed => Entry::Failed(step),
                journal::Entry::Undone => Entry::Undone(step),
                journal::Entry::Skipped => Entry::Skipped(step),
            })
        };
        let journal = lines.iter().map(entry).collect::<Result<_>>()?;
        let lease_until = record.lease_until;
        Ok(Work { record, data, journal, began, lease_until, waits_for: None, failures: 0 })
    }

    /// One look at a step; `true` when the operation is over.
    async fn act(&self, work: &mut Work<W>, step: W::Step) -> Result<bool> {
        let run = self.run(work);
        let before = work.data.clone();
        let did = self.workflow.act(step, &mut work.data, &run).await;
        if work.data != before {
            self.save(work).await?;
        }
        match did {
            Ok(Did::Done(note)) => self.append(work, step, Entry::Done(step), note.as_ref()).await?,
            Ok(Did::Skipped(why)) => self.append(work, step, Entry::Skipped(step), Some(&why)).await?,
            Ok(Did::Wait(what)) => {
                work.failures = 0;
                self.wait(work, what).await?;
            }
            Ok(Did::Failed(why)) => self.fail(work, step, &why).await?,
            Ok(Did::Parked(why)) => {
                self.end(work, State::Parked, Some(&why)).await?;
                return Ok(true);
            }
            Err(Error::Store(StoreError::Fenced)) => return Err(StoreError::Fenced.into()),
            Err(error) if error.is_passing() && work.failures < MAX_PASSING => {
                work.failures += u32::from(!error.is_away());
                tracing::debug!(operation = %work.record.id, %error, "a step will be tried again");
                self.wait(work, error.say()).await?;
            }
            Err(error) => {
                tracing::warn!(operation = %work.record.id, step = W::word(step), %error, "a step failed");
                self.fail(work, step, &told(&error)).await?;
            }
        }
        Ok(false)
    }

    async fn fail(&self, work: &mut Work<W>, step: W::Step, why: &Say) -> Result<()> {
        self.append(work, step, Entry::Failed(step), Some(why)).await?;
        work.failures = 0;
        let (id, token, now) = (&work.record.id, work.record.token, self.clock.now());
        store::transact!(self.db, |tx| crate::error::ok(journal::set_state(tx, id, token, State::Undoing, now).await?))
    }

    /// One look at taking a step back; `true` when the operation is over.
    async fn undo(&self, work: &mut Work<W>, step: W::Step) -> Result<bool> {
        let run = self.run(work);
        let before = work.data.clone();
        let undid = self.workflow.undo(step, &mut work.data, &run).await;
        if work.data != before {
            self.save(work).await?;
        }
        match undid {
            Ok(Undid::Undone) => {
                self.append(work, step, Entry::Undone(step), None).await?;
                work.failures = 0;
            }
            Ok(Undid::Wait(what)) => self.wait(work, what).await?,
            Err(Error::Store(StoreError::Fenced)) => return Err(StoreError::Fenced.into()),
            Err(error) if error.is_passing() && work.failures < MAX_PASSING => {
                work.failures += u32::from(!error.is_away());
                self.wait(work, error.say()).await?;
            }
            Err(error) => {
                work.failures += 1;
                tracing::error!(operation = %work.record.id, step = W::word(step), %error, "taking a step back failed");
                if work.failures >= MAX_UNDO_ERRORS {
                    self.end(work, State::Parked, Some(&told(&error))).await?;
                    return Ok(true);
                }
                self.wait(work, error.say()).await?;
            }
        }
        Ok(false)
    }

    fn run(&self, work: &Work<W>) -> Run {
        Run { operation: work.record.id.clone(), began: work.began, now: self.clock.now() }
    }

    async fn append(&self, work: &mut Work<W>, step: W::Step, entry: Entry<W::Step>, note: Option<&Say>) -> Result<()> {
        let (word, stored) = (W::word(step), stored(entry));
        let note = note.map(serde_json::to_string).transpose().map_err(broken)?;
        let (id, token, now) = (&work.record.id, work.record.token, self.clock.now());
        store::transact!(self.db, |tx| crate::error::ok(
            journal::append(tx, id, token, word, stored, now, note.as_deref()).await?
        ))?;
        work.journal.push(entry);
        work.began = now;
        work.waits_for = None;
        (self.changed)();
        crash::point(word, stored.word()).await;
        Ok(())
    }

    async fn save(&self, work: &Work<W>) -> Result<()> {
        let json = serde_json::to_string(&work.data).map_err(broken)?;
        let (id, token) = (&work.record.id, work.record.token);
        store::transact!(self.db, |tx| crate::error::ok(journal::save_data(tx, id, token, &json).await?))
    }

    /// Waits for a signal or a moment; keeps the claim, and writes what is waited for when that changed.
    async fn wait(&self, work: &mut Work<W>, what: Say) -> Result<()> {
        let now = self.clock.now();
        let is_news = work.waits_for.as_ref() != Some(&what);
        if is_news || work.lease_until.since(now) < RENEW_MS {
            let json = serde_json::to_string(&what).map_err(broken)?;
            let until = UnixMs(now.0 + LEASE_MS);
            let (id, token) = (&work.record.id, work.record.token);
            store::transact!(self.db, |tx| {
                // Due now and leased: whoever looks at it knows what it waits for, and nobody else takes it.
                journal::reschedule(tx, id, token, now, Some(&json)).await?;
                crate::error::ok(journal::renew(tx, id, token, until).await?)
            })?;
            work.lease_until = until;
        }
        if is_news {
            work.waits_for = Some(what);
            (self.changed)();
        }
        let mut world = self.world.clone();
        world.mark_unchanged();
        tokio::time::sleep(SHORTEST).await;
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            _ = world.changed() => {}
        }
        Ok(())
    }

    async fn why_failed(&self, work: &Work<W>) -> Result<Option<Say>> {
        let lines = journal::entries(&self.db, &work.record.id).await?;
        let failed = lines.into_iter().find(|line| line.entry == journal::Entry::Failed);
        Ok(failed.and_then(|line| line.note_json).and_then(|json| serde_json::from_str(&json).ok()))
    }

    async fn end(&self, work: &Work<W>, state: State, why: Option<&Say>) -> Result<()> {
        let (record, now) = (&work.record, self.clock.now());
        store::transact!(self.db, |tx| {
            self.workflow.ended(tx, record, &work.data, state, why).await?;
            crate::error::ok(journal::set_state(tx, &record.id, record.token, state, now).await?)
        })?;
        tracing::info!(operation = %record.id, state = state.word(), "an operation ended");
        Ok(())
    }

    async fn park_unknown(&self, record: &OperationRecord, why: Say) -> Result<()> {
        tracing::error!(operation = %record.id, why = %why, "parked");
        let now = self.clock.now();
        store::transact!(self.db, |tx| crate::error::ok(
            journal::set_state(tx, &record.id, record.token, State::Parked, now).await?
        ))
    }
}

fn stored<S>(entry: Entry<S>) -> journal::Entry {
    match entry {
        Entry::Began(_) => journal::Entry::Began,
        Entry::Done(_) => journal::Entry::Done,
        Entry::Failed(_) => journal::Entry::Failed,
        Entry::Undone(_) => journal::Entry::Undone,
        Entry::Skipped(_) => journal::Entry::Skipped,
    }
}

/// The sentence of an error with the cluster's own words, for a journal.
fn told(error: &Error) -> Say {
    let say = error.say();
    match error {
        Error::Cluster(cluster) => match cluster.detail() {
            Some(detail) => {
                let (zh, en) = (say.zh, say.en);
                model::say!("{zh}：{detail}", "{en}: {detail}")
            }
            None => say,
        },
        _ => say,
    }
}
