//! Whether the cluster answers at all: one door that all watches of a cluster pass.
//!
//! When the cluster is away, a dozen watches must not knock a dozen times each: the door closes, one scout tries in
//! growing intervals (an expired credential: once a minute), and all go on when it got through. (`reliability.md` rows 9, 15)

use crate::error::ClusterError;
use model::fleet::Health;
use model::{Say, UnixMs};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// A credential that was refused is not tried more often than this.
const UNAUTHORISED_EVERY: Duration = Duration::from_secs(60);

/// An API server that was out of reach so lately may still be coming up: it knows neither accounts nor roles nor kinds for some
/// seconds, and says 401, 403 and 404.
const COMING_UP: Duration = Duration::from_secs(60);

/// How the cluster answers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Door {
    Open,
    Closed {
        health: Health,
        problem: Say,
        /// [`ClusterError::label`]
        reason: &'static str,
        retry_at: Option<UnixMs>,
    },
}

/// See the module.
pub(crate) struct Gate {
    door: watch::Sender<Door>,
    /// How often it opened again.
    openings: AtomicU64,
    /// How often it closed, by [`ClusterError::label`].
    closings: Mutex<BTreeMap<&'static str, u64>>,
    /// When a request last found nobody there.
    missed: Mutex<Option<Instant>>,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            door: watch::Sender::new(Door::Open),
            openings: AtomicU64::default(),
            closings: Mutex::default(),
            missed: Mutex::default(),
        }
    }
}

impl Gate {
    pub(crate) fn door(&self) -> Door {
        self.door.borrow().clone()
    }

    /// Waits until requests make sense.
    pub(crate) async fn opened(&self) {
        // The sender lives as long as `self`, so this never errs.
        let _ = self.door.subscribe().wait_for(|door| *door == Door::Open).await;
    }

    /// Waits until the scout is needed.
    pub(crate) async fn closed(&self) {
        let _ = self.door.subscribe().wait_for(|door| *door != Door::Open).await;
    }

    pub(crate) fn open(&self) {
        if self.door.send_if_modified(|door| std::mem::replace(door, Door::Open) != Door::Open) {
            self.openings.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Changes when the cluster has come back: what was learned about waiting before is no longer so.
    pub(crate) fn openings(&self) -> u64 {
        self.openings.load(Ordering::Relaxed)
    }

    /// Closes because of `error`, if that says something about the whole cluster. `false` when it does not.
    pub(crate) fn close(&self, error: &ClusterError) -> bool {
        let Some(health) = verdict(error) else { return false };
        let closed = Door::Closed { health, problem: error.say(), reason: error.label(), retry_at: None };
        let was_open = self.door.send_if_modified(|door| {
            let was_open = *door == Door::Open;
            *door = closed;
            was_open
        });
        let mut closings = self.closings.lock().unwrap_or_else(PoisonError::into_inner);
        *closings.entry(error.label()).or_default() += u64::from(was_open);
        true
    }

    pub(crate) fn closings(&self) -> BTreeMap<&'static str, u64> {
        self.closings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Every failure is told here, also one that does not close the door.
    pub(crate) fn heard(&self, error: &ClusterError) {
        if verdict(error) == Some(Health::Unreachable) {
            *self.missed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
    }

    /// A refusal may be a sign of an API server that comes up.
    fn may_be_coming_up(&self) -> bool {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|at| at.elapsed() < COMING_UP)
    }

    /// The least time before trying again after that error, which was heard `times` times in a row.
    pub(crate) fn least_wait(&self, error: &ClusterError, times: u32) -> Duration {
        match error {
            ClusterError::Throttled { retry_after } => *retry_after,
            // A credential that ends while all is well is refused for good, and asked about once a minute from the first refusal on.
            ClusterError::Unauthorised if times >= SURE || !self.may_be_coming_up() => UNAUTHORISED_EVERY,
            _ if times < SURE => Duration::ZERO,
            ClusterError::Forbidden { .. } => UNAUTHORISED_EVERY,
            // The kind is not there: an older cluster, or an add-on that is off.
            ClusterError::NotFound { .. } => Duration::from_secs(300),
            _ => Duration::ZERO,
        }
    }

    pub(crate) fn retry_at(&self, at: UnixMs) {
        self.door.send_if_modified(|door| {
            if let Door::Closed { retry_at, .. } = door {
                *retry_at = Some(at);
            }
            true
        });
    }
}

/// What an error says about the cluster as a whole; `None` when it is about the request.
pub(crate) fn verdict(error: &ClusterError) -> Option<Health> {
    match error {
        ClusterError::Unauthorised => Some(Health::Unauthorised),
        ClusterError::Away { .. } | ClusterError::Certificate { .. } | ClusterError::NotAllowed { .. } => {
            Some(Health::Unreachable)
        }
        // A proxy in front of an API server that is down.
        ClusterError::Broken { status: 502..=504, .. } => Some(Health::Unreachable),
        _ => None,
    }
}

/// A refusal that may be one of an API server that comes up counts when it was heard so often.
const SURE: u32 = 7;
