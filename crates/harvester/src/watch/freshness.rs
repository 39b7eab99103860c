//! The books of each watch: how fresh, how many objects, what has happened to it, what is wrong.

use crate::api::Kind;
use model::UnixMs;
use model::fleet::WatchView;
use std::sync::{Mutex, PoisonError};

/// A watch without any sign of life (event, bookmark, close) for this long is not fresh: the server closes each after five
/// minutes at the latest.
pub(crate) const STALE_MS: i64 = 6 * 60 * 1000;

#[derive(Debug, Clone)]
pub(crate) struct Book {
    pub(crate) kind: Kind,
    pub(crate) objects: u32,
    pub(crate) fresh: Option<UnixMs>,
    pub(crate) counts: Counts,
    pub(crate) problem: Option<String>,
    /// The kind is not in this cluster, which is nothing to worry about for some.
    pub(crate) is_absent: bool,
}

/// What has happened to a watch since the cache was started; each only grows. Numbers are rows of `reliability.md` §2.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lists that were begun to have a place to watch from: 1 in a healthy life.
    pub lists: u64,
    /// Of those, because the place was too old, whether an answer, an event or a later page said so (1, 2, 8).
    pub resyncs: u64,
    /// Watches that were begun (3).
    pub watches: u64,
    /// Lists and watches that ended with an error or in silence (9, 11, 13).
    pub failures: u64,
    /// Events.
    pub events: u64,
    /// Bookmarks (4).
    pub bookmarks: u64,
    /// Events that told nothing new: repeated, or older than what was known (6).
    pub stale: u64,
    /// Objects that another one of the same name took the place of (7).
    pub replaced: u64,
    /// Differences that a comparison found (5).
    pub repairs: u64,
    /// Objects that could not be read (13).
    pub unreadable: u64,
}

/// One watch, for those who measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchCounts {
    /// `virtualmachines.kubevirt.io`.
    pub resource: String,
    /// Objects held.
    pub objects: u32,
    /// Last event, bookmark or list.
    pub fresh: Option<UnixMs>,
    /// The cluster does not have the kind (14).
    pub is_absent: bool,
    /// The last try failed.
    pub is_failing: bool,
    /// What has happened.
    pub counts: Counts,
}

/// One book a kind.
#[derive(Debug, Default)]
pub(crate) struct Books(Mutex<Vec<Book>>);

impl Books {
    pub(crate) fn with<T>(&self, kind: Kind, work: impl FnOnce(&mut Book) -> T) -> T {
        let mut books = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = books.iter().position(|b| b.kind == kind).unwrap_or_else(|| {
            let book =
                Book { kind, objects: 0, fresh: None, counts: Counts::default(), problem: None, is_absent: false };
            books.push(book);
            books.len() - 1
        });
        work(&mut books[at])
    }

    pub(crate) fn count(&self, kind: Kind, work: impl FnOnce(&mut Counts)) {
        self.with(kind, |book| work(&mut book.counts));
    }

    pub(crate) fn all(&self) -> Vec<Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Book {
    pub(crate) fn view(&self) -> WatchView {
        WatchView {
            resource: self.kind.resource(),
            objects: self.objects,
            fresh: self.fresh,
            lists: u32::try_from(self.counts.lists).unwrap_or(u32::MAX),
            repairs: u32::try_from(self.counts.repairs).unwrap_or(u32::MAX),
            problem: self.problem.clone(),
        }
    }

    pub(crate) fn measured(&self) -> WatchCounts {
        WatchCounts {
            resource: self.kind.resource(),
            objects: self.objects,
            fresh: self.fresh,
            is_absent: self.is_absent,
            is_failing: self.problem.is_some(),
            counts: self.counts,
        }
    }
}
