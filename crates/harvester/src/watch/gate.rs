//! Whether the cluster answers at all: one door that all watches of a cluster pass.
//!
//! When the cluster is away, a dozen watches must not knock a dozen times each: the door closes, one scout tries in
//! growing intervals (an expired credential: once a minute), and all go on when it got through. (`reliability.md` rows 9, 15)

use crate::error::ClusterError;
use model::fleet::Health;
use model::{Say, UnixMs};
use std::time::Duration;
use tokio::sync::watch;

/// A credential that was refused is not tried more often than this.
const UNAUTHORISED_EVERY: Duration = Duration::from_secs(60);

/// How the cluster answers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Door {
    Open,
    Closed { health: Health, problem: Say, retry_at: Option<UnixMs> },
}

/// See the module.
pub(crate) struct Gate(watch::Sender<Door>);

impl Default for Gate {
    fn default() -> Self {
        Self(watch::Sender::new(Door::Open))
    }
}

impl Gate {
    pub(crate) fn door(&self) -> Door {
        self.0.borrow().clone()
    }

    /// Waits until requests make sense.
    pub(crate) async fn opened(&self) {
        // The sender lives as long as `self`, so this never errs.
        let _ = self.0.subscribe().wait_for(|door| *door == Door::Open).await;
    }

    /// Waits until the scout is needed.
    pub(crate) async fn closed(&self) {
        let _ = self.0.subscribe().wait_for(|door| *door != Door::Open).await;
    }

    pub(crate) fn open(&self) {
        self.0.send_if_modified(|door| std::mem::replace(door, Door::Open) != Door::Open);
    }

    /// Closes because of `error`, if that says something about the whole cluster. `false` when it does not.
    pub(crate) fn close(&self, error: &ClusterError) -> bool {
        let Some(health) = verdict(error) else { return false };
        let closed = Door::Closed { health, problem: error.say(), retry_at: None };
        self.0.send_if_modified(|door| {
            let was_open = *door == Door::Open;
            *door = closed;
            was_open
        });
        true
    }

    pub(crate) fn retry_at(&self, at: UnixMs) {
        self.0.send_if_modified(|door| {
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

/// The least time before trying again after that error.
pub(crate) fn least_wait(error: &ClusterError) -> Duration {
    match error {
        ClusterError::Unauthorised | ClusterError::Forbidden { .. } => UNAUTHORISED_EVERY,
        // The kind is not there: an older cluster, or an add-on that is off.
        ClusterError::NotFound { .. } => Duration::from_secs(300),
        ClusterError::Throttled { retry_after } => *retry_after,
        _ => Duration::ZERO,
    }
}
