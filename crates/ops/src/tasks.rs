//! Background work: named, ended together, waited for at shutdown.

use std::future::Future;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A set of tasks that live and end with the process (or with a test).
#[derive(Debug, Clone, Default)]
pub struct Tasks {
    tracker: TaskTracker,
    stop: CancellationToken,
}

impl Tasks {
    /// Runs `work` until it ends or the set is stopped.
    pub fn spawn(&self, name: &'static str, work: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        self.tracker.spawn(async move {
            tokio::select! {
                () = stop.cancelled() => tracing::debug!(task = name, "stopped"),
                () = work => {}
            }
        });
    }

    /// A set that ends with this one, or earlier.
    pub fn child(&self) -> Self {
        Self { tracker: self.tracker.clone(), stop: self.stop.child_token() }
    }

    /// Resolves when the set is being stopped.
    pub async fn stopping(&self) {
        self.stop.cancelled().await;
    }

    /// Whether the set is being stopped.
    pub fn is_stopping(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Stops all tasks of this set without waiting.
    pub fn cancel(&self) {
        self.stop.cancel();
    }

    /// Stops all tasks and waits for them, at most `patience`.
    pub async fn shut_down(&self, patience: Duration) {
        self.stop.cancel();
        self.tracker.close();
        if tokio::time::timeout(patience, self.tracker.wait()).await.is_err() {
            tracing::warn!("some tasks did not end in time");
        }
    }
}
