//! What the tasks of one cache share: the state behind its lock, the reader of objects, the door, the books.

use super::freshness::Books;
use super::gate::Gate;
use super::kinds::Reader;
use super::publish::Snapshot;
use super::quarantine::Quarantine;
use super::state::State;
use crate::{Clock, Cluster};
use model::UnixMs;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

pub(crate) struct Shared {
    pub(crate) cluster: Cluster,
    pub(crate) clock: Clock,
    pub(crate) reader: Reader,
    pub(crate) state: RwLock<State>,
    pub(crate) snapshot: Snapshot,
    pub(crate) books: Books,
    pub(crate) quarantine: Quarantine,
    pub(crate) gate: Gate,
    /// Something waits to be published.
    pub(crate) news: Notify,
    /// "Try now."
    pub(crate) hurry: watch::Sender<u64>,
    /// "Compare now."
    pub(crate) compare: watch::Sender<u64>,
    pub(crate) stop: CancellationToken,
}

impl Shared {
    pub(crate) fn now(&self) -> UnixMs {
        (self.clock)()
    }

    pub(crate) fn read<T>(&self, work: impl FnOnce(&State) -> T) -> T {
        work(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the state, and wakes the publisher when readers would see it.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        let (done, is_news) = {
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            let done = work(&mut state);
            (done, state.is_status_dirty || !state.dirty.is_empty())
        };
        if is_news {
            self.news.notify_one();
        }
        done
    }

    /// The status may have changed without a change of the state: the door, a problem of a watch.
    pub(crate) fn status_changed(&self) {
        self.write(|state| state.is_status_dirty = true);
    }

    /// Waits, but not beyond "try now". `false` when the cache stops.
    pub(crate) async fn wait(&self, how_long: Duration) -> bool {
        let mut hurry = self.hurry.subscribe();
        tokio::select! {
            () = tokio::time::sleep(how_long) => true,
            _ = hurry.changed() => true,
            () = self.stop.cancelled() => false,
        }
    }
}
