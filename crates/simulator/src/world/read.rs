//! Reading many objects: pages that belong to one moment.
//!
//! A list that goes on shows the world as it was when it began, however much changes in between; the log is played
//! backwards for that, and when it no longer reaches back far enough the list has expired. Source:
//! `k8s.io/apiserver/pkg/storage/etcd3/store.go` (`GetList`).

use super::catalogue::Kind;
use super::select::Selector;
use super::state::State;
use super::stored::Stored;
use super::{Key, Status, World};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The moment that is shown.
    pub version: u64,
    /// The last object of the page before, if any.
    pub after: Option<Key>,
}

/// A page of a list.
#[derive(Debug, Clone)]
pub struct Page {
    /// The moment that it shows.
    pub version: u64,
    /// The objects.
    pub items: Vec<Arc<Value>>,
    /// Where the next page begins.
    pub next: Option<Start>,
    /// How many come after; upstream counts only when nothing is filtered.
    pub remaining: Option<usize>,
}

impl World {
    /// A page of at most `limit` objects (0: all), from `start` or from the beginning of the present moment.
    pub fn page(
        &self,
        kind: &Kind,
        namespace: Option<&str>,
        selector: &Selector,
        limit: usize,
        start: Option<&Start>,
    ) -> Result<Page, Status> {
        self.read(|state, _| {
            let version = start.map_or(state.version, |start| start.version);
            let after = start.and_then(|start| start.after.clone());
            let past = past(state, kind, version)?;
            let objects = state.range(kind.id, namespace, after.clone()).filter(|(key, _)| !past.contains_key(*key));
            if past.is_empty() {
                if let (None, Some(few)) = (&after, few(state, kind, namespace, selector)) {
                    return Ok(Page { version, items: few, next: None, remaining: None });
                }
                return Ok(cut(objects, selector, limit, version));
            }
            let older = past.iter().filter(|(key, _)| {
                namespace.is_none_or(|namespace| &*key.namespace == namespace)
                    && after.as_ref().is_none_or(|after| *key > after)
            });
            let mut all: BTreeMap<&Key, &Stored> = objects.collect();
            all.extend(older.filter_map(|(key, object)| Some((key, object.as_ref()?))));
            Ok(cut(all.into_iter(), selector, limit, version))
        })
    }
}

/// The few objects that an index names, when the selector asks for something indexed.
fn few(state: &State, kind: &Kind, namespace: Option<&str>, selector: &Selector) -> Option<Vec<Arc<Value>>> {
    if let (Some(name), Some(namespace)) = (selector.name(), namespace.or((!kind.namespaced).then_some(""))) {
        let found = state.get(kind.id, &Key::new(namespace, name));
        return Some(found.filter(|object| selector.wants(object)).into_iter().collect());
    }
    let (label, value) = selector.exact_label()?;
    super::facts::INDEXED_LABELS.contains(&label).then(|| {
        let mut found = state.labelled(kind.id, namespace, label, value);
        found.retain(|object| selector.wants(object));
        found
    })
}

/// What was different at `version`: the state of each object that changed since.
fn past(state: &State, kind: &Kind, version: u64) -> Result<BTreeMap<Key, Option<Stored>>, Status> {
    if version >= state.version {
        return Ok(BTreeMap::new());
    }
    let changes = state.changes_after(kind.id, version).ok_or_else(Status::continue_expired)?;
    let mut past = BTreeMap::new();
    for change in changes {
        past.entry(change.key.clone()).or_insert_with(|| change.previous.clone().map(Stored::Whole));
    }
    Ok(past)
}

fn cut<'a>(
    objects: impl Iterator<Item = (&'a Key, &'a Stored)>,
    selector: &Selector,
    limit: usize,
    version: u64,
) -> Page {
    let is_all = selector.is_all();
    // Nothing is opened that need not be: a page of a large world at rest costs what its items cost.
    let mut wanted = objects.filter(|(_, stored)| is_all || selector.wants(&stored.open()));
    let limit = if limit == 0 { usize::MAX } else { limit };
    let mut items = Vec::new();
    let mut last = None;
    for (key, stored) in wanted.by_ref().take(limit) {
        items.push(stored.open());
        last = Some(key);
    }
    let more = if items.len() == limit { wanted.next() } else { None };
    let next = more.and_then(|_| last.map(|last| Start { version, after: Some(last.clone()) }));
    let remaining = (next.is_some() && is_all).then(|| 1 + wanted.count());
    Page { version, items, next, remaining }
}
