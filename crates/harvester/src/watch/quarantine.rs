//! Objects that could not be read: which, why; bounded. What was known of them before stays in the cache.

use crate::api::Kind;
use crate::view::clean;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Objects that are listed; more are only counted.
const MAX_LISTED: usize = 1_000;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Quarantine(Mutex<HashMap<(Kind, u64), String>>);

impl Quarantine {
    pub(crate) fn put(&self, kind: Kind, key: u64, namespace: &str, name: &str, why: &str) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() < MAX_LISTED || held.contains_key(&(kind, key)) {
            let whole = format!("{} {namespace}/{name}: {why}", kind.kind());
            held.insert((kind, key), clean::text(&whole, 500));
        }
    }

    /// The object could be read again, or is gone.
    pub(crate) fn take(&self, kind: Kind, key: u64) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !held.is_empty() {
            held.remove(&(kind, key));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(crate) fn list(&self) -> Vec<String> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<String> = held.values().cloned().collect();
        all.sort_unstable();
        all
    }
}
