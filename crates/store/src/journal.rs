//! Operations that last, and the journal of their steps.
//!
//! Invariant: one worker at a time runs an operation. A claim counts the fencing token up, every later write names it,
//! and one that is not the newest is [`StoreError::Fenced`]: a worker that slept through its lease cannot write. Must
//! never know a plan or a step's meaning; words and JSON come in and go out as they are.

mod cancel;
mod claim;
mod read;
#[cfg(test)]
pub(crate) mod tests;
mod write;

pub use cancel::{ask_cancel, is_cancel_asked};
pub use claim::{claim_due, free, next_due};
pub use read::{by_key, entries, get, of_object, recent, running};
pub use write::{append, insert, nudge, renew, reschedule, resume, save_data, set_state};

use crate::StoreError;
use crate::text::{from_json, known, read as parsed};
use model::change::State;
use model::id::{AccountId, IdempotencyKey, OperationId};
use model::{Say, UnixMs};

/// An operation to begin; it is due at once.
#[derive(Debug, Clone)]
pub struct NewOperation<'a> {
    /// Id.
    pub id: &'a OperationId,
    /// Kind, for example `delivery`.
    pub kind: &'a str,
    /// Version of its plan.
    pub version: u32,
    /// Object, `cluster/namespace/name`.
    pub object: &'a str,
    /// What it does.
    pub title: &'a Say,
    /// Sign-in name of who asked.
    pub actor: &'a str,
    /// Account of who asked.
    pub account: &'a AccountId,
    /// What the steps hand on, as JSON.
    pub data_json: &'a str,
    /// When.
    pub at: UnixMs,
    /// Its audit line.
    pub audit_seq: i64,
    /// What the browser sent with the order.
    pub key: Option<&'a IdempotencyKey>,
}

/// An operation as saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationRecord {
    /// Id.
    pub id: OperationId,
    /// Kind, for example `delivery`.
    pub kind: String,
    /// Version of its plan.
    pub version: u32,
    /// Object, `cluster/namespace/name`.
    pub object: String,
    /// What it does.
    pub title: Say,
    /// Sign-in name of who asked.
    pub actor: String,
    /// Account of who asked.
    pub account: AccountId,
    /// What the steps hand on, as JSON.
    pub data_json: String,
    /// How it stands.
    pub state: State,
    /// What it waits for, as JSON.
    pub waits_for_json: Option<String>,
    /// When it began.
    pub began: UnixMs,
    /// When it ended.
    pub ended: Option<UnixMs>,
    /// Its audit line.
    pub audit_seq: i64,
    /// What the browser sent with the order.
    pub key: Option<IdempotencyKey>,
    /// When it wants to be claimed next.
    pub due: UnixMs,
    /// Who claimed it last.
    pub worker: Option<String>,
    /// Until when others leave it alone.
    pub lease_until: UnixMs,
    /// Fencing token of the newest claim; 0 before the first.
    pub token: i64,
}

/// What happened to a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entry {
    /// Begun; it may have half happened.
    Began,
    /// Done.
    Done,
    /// Failed.
    Failed,
    /// Undone.
    Undone,
    /// Not needed.
    Skipped,
}

impl Entry {
    /// All.
    pub const ALL: [Self; 5] = [Self::Began, Self::Done, Self::Failed, Self::Undone, Self::Skipped];

    /// The word in the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Began => "began",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Undone => "undone",
            Self::Skipped => "skipped",
        }
    }

    /// From the database.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|entry| entry.word() == word)
    }
}

/// A line of an operation's journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalLine {
    /// Word of the step.
    pub step: String,
    /// What happened to it.
    pub entry: Entry,
    /// When.
    pub at: UnixMs,
    /// What there is to say, as JSON.
    pub note_json: Option<String>,
}

#[derive(sqlx::FromRow)]
struct OperationRow {
    id: String,
    kind: String,
    version: i64,
    object: String,
    title: String,
    actor: String,
    account: String,
    data: String,
    state: String,
    waits_for: Option<String>,
    began: i64,
    ended: Option<i64>,
    audit_seq: i64,
    key: Option<String>,
    due: i64,
    worker: Option<String>,
    lease_until: i64,
    token: i64,
}

impl OperationRow {
    fn record(self) -> Result<OperationRecord, StoreError> {
        let key = self.key.map(|key| parsed(IdempotencyKey::parse(&key), "operation.key")).transpose()?;
        Ok(OperationRecord {
            id: parsed(OperationId::parse(&self.id), "operation.id")?,
            kind: self.kind,
            version: parsed(u32::try_from(self.version), "operation.version")?,
            object: self.object,
            title: from_json(&self.title, "operation.title")?,
            actor: self.actor,
            account: parsed(AccountId::parse(&self.account), "operation.account")?,
            data_json: self.data,
            state: known(State::parse(&self.state), "operation.state")?,
            waits_for_json: self.waits_for,
            began: UnixMs(self.began),
            ended: self.ended.map(UnixMs),
            audit_seq: self.audit_seq,
            key,
            due: UnixMs(self.due),
            worker: self.worker,
            lease_until: UnixMs(self.lease_until),
            token: self.token,
        })
    }
}
