//! Durable workflows: a linear plan of steps, a journal, undo.
//!
//! A workflow's state is its journal; what comes next is decided by [`journal::next`] alone. A step is idempotent because it
//! names what it makes before making it. The runner is the only place that sleeps, retries and holds leases.

pub mod crash;
pub mod journal;
mod runner;

pub use runner::{Runner, Surroundings};

use crate::{Error, Result};
use model::change::State;
use model::id::OperationId;
use model::{Say, UnixMs};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::future::Future;
use store::Tx;
use store::journal::OperationRecord;

/// What a step came to.
#[derive(Debug)]
pub enum Did {
    /// It is done; a note for the page.
    Done(Option<Say>),
    /// It is not needed here, and why.
    Skipped(Say),
    /// Not yet; what it waits for. The runner looks again soon.
    Wait(Say),
    /// It cannot be done: what was begun is taken back.
    Failed(Say),
    /// A person must look: nothing is taken back, because something that runs would be lost.
    Parked(Say),
}

/// What taking a step back came to.
#[derive(Debug)]
pub enum Undid {
    /// Nothing of it is left.
    Undone,
    /// Not yet; what it waits for.
    Wait(Say),
}

/// The circumstances of a step.
#[derive(Debug, Clone)]
pub struct Run {
    /// The operation.
    pub operation: OperationId,
    /// When this step began.
    pub began: UnixMs,
    /// The moment.
    pub now: UnixMs,
}

/// A kind of workflow.
pub trait Workflow: Send + Sync + 'static {
    /// Its steps; their words are stored.
    type Step: Copy + PartialEq + Send + Sync + std::fmt::Debug;
    /// What steps hand on, saved with the journal.
    type Data: Serialize + DeserializeOwned + Clone + PartialEq + Send + Sync;

    /// The kind, as stored.
    const KIND: &'static str;
    /// Counted up when plan or data change their meaning; another version is parked, not guessed at.
    const VERSION: u32;
    /// The steps in order.
    const PLAN: &'static [Self::Step];

    /// The step's word in the journal.
    fn word(step: Self::Step) -> &'static str;

    /// From the journal.
    fn parse(word: &str) -> Option<Self::Step> {
        Self::PLAN.iter().copied().find(|&s| Self::word(s) == word)
    }

    /// Does a step, or looks whether it is done. May be called again after a crash at any point.
    fn act(&self, step: Self::Step, data: &mut Self::Data, run: &Run) -> impl Future<Output = Result<Did>> + Send;

    /// Takes a step back; doing it twice changes nothing.
    fn undo(&self, step: Self::Step, data: &mut Self::Data, run: &Run) -> impl Future<Output = Result<Undid>> + Send;

    /// The last words, in the transaction that ends the operation.
    fn ended(
        &self,
        tx: &mut Tx,
        record: &OperationRecord,
        data: &Self::Data,
        state: State,
        why: Option<&Say>,
    ) -> impl Future<Output = Result<()>> + Send;
}

pub(crate) fn broken(error: impl std::fmt::Display) -> Error {
    Error::Broken(error.to_string())
}
