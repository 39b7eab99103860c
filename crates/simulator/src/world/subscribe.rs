//! Following the changes of the world.
//!
//! A subscription is a place in the log, not a queue: a slow reader costs nothing and in the end finds its place
//! compacted away, which is what a slow watcher meets upstream.

use super::World;
use super::state::Change;
use crate::behave::Resource;
use tokio::sync::watch;

/// Changes taken from the log at a time, so that a reader never holds the lock for long.
const BATCH: usize = 500;

/// The changes after this place are no longer kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too old resource version: {asked} ({oldest})")]
pub struct TooOld {
    /// The version that was asked for.
    pub asked: u64,
    /// The oldest version that can be followed.
    pub oldest: u64,
}

/// A reader of one kind's changes, or of all.
#[derive(Debug)]
pub struct Subscription {
    world: World,
    kind: Option<usize>,
    /// Everything up to this version was handed out.
    place: u64,
    versions: watch::Receiver<u64>,
}

impl World {
    /// Follows a kind's changes after `version`. Fails later, in [`Subscription::next`], when the log has moved on.
    pub fn subscribe(&self, resource: Resource, version: u64) -> Subscription {
        let kind = self.catalogue().find(resource.group, resource.plural).map(|kind| kind.id);
        Subscription { world: self.clone(), kind, place: version, versions: self.versions() }
    }

    /// Follows the changes of all kinds after `version`, in order of versions.
    pub fn subscribe_all(&self, version: u64) -> Subscription {
        Subscription { world: self.clone(), kind: None, place: version, versions: self.versions() }
    }

    /// Changes of all kinds after a version, in order; at most [`BATCH`] a kind.
    pub fn changes_after(&self, version: u64) -> Result<Vec<Change>, TooOld> {
        self.read(|state, _| {
            let mut all = Vec::new();
            for kind in 0..state.tables.len() {
                let changes = state.changes_after(kind, version);
                let changes = changes.ok_or(TooOld { asked: version, oldest: state.tables[kind].compacted })?;
                all.extend(changes.cloned());
            }
            all.sort_by_key(|change| change.version);
            Ok(all)
        })
    }
}

impl Subscription {
    /// The version up to which everything was handed out.
    pub fn place(&self) -> u64 {
        self.place
    }

    /// What there is now, without waiting; may be empty.
    pub fn ready(&mut self) -> Result<Vec<Change>, TooOld> {
        let Some(kind) = self.kind else {
            let changes = self.world.changes_after(self.place)?;
            self.place = changes.last().map_or(self.place, |change| change.version);
            return Ok(changes);
        };
        let (changes, place) = self.world.read(|state, _| {
            let oldest = state.tables[kind].compacted;
            let all = state.changes_after(kind, self.place).ok_or(TooOld { asked: self.place, oldest })?;
            let changes: Vec<_> = all.take(BATCH).cloned().collect();
            // Nothing left of this kind: everything up to the world's version was handed out.
            let place = if changes.len() < BATCH { state.version } else { changes[BATCH - 1].version };
            Ok((changes, place))
        })?;
        self.place = self.place.max(place);
        Ok(changes)
    }

    /// Waits until something changed anywhere, then gives what there is; may be empty.
    pub async fn next(&mut self) -> Result<Vec<Change>, TooOld> {
        loop {
            self.versions.borrow_and_update();
            let changes = self.ready()?;
            if !changes.is_empty() {
                return Ok(changes);
            }
            if self.versions.changed().await.is_err() {
                // The world is gone; nothing will ever come.
                std::future::pending::<()>().await;
            }
        }
    }
}
