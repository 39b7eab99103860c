//! The books of each watch: how fresh, how many objects, how many lists, what was repaired, what is wrong.

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
    pub(crate) lists: u32,
    pub(crate) repairs: u64,
    pub(crate) problem: Option<String>,
    /// The kind is not in this cluster, which is nothing to worry about for some.
    pub(crate) is_absent: bool,
}

/// One book a kind.
#[derive(Debug, Default)]
pub(crate) struct Books(Mutex<Vec<Book>>);

impl Books {
    pub(crate) fn with<T>(&self, kind: Kind, work: impl FnOnce(&mut Book) -> T) -> T {
        let mut books = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = books.iter().position(|b| b.kind == kind).unwrap_or_else(|| {
            let book = Book { kind, objects: 0, fresh: None, lists: 0, repairs: 0, problem: None, is_absent: false };
            books.push(book);
            books.len() - 1
        });
        work(&mut books[at])
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
            lists: self.lists,
            problem: self.problem.clone(),
        }
    }
}
