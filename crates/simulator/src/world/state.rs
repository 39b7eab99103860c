//! The objects themselves and their history; everything in here happens under the world's one lock.
//!
//! Invariants: resourceVersions only grow, over all kinds together; every change is in the log exactly once, with the
//! object before and after it, or the log says that it does not reach back so far; indexes agree with the objects. A
//! write costs O(log n). Nothing here knows HTTP or rules.

use super::facts::{FACTS, INDEXED_LABELS};
use super::meta;
use super::stored::Stored;
use crate::behave::Resource;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

/// Where an object stands within its kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Empty for cluster-scoped kinds.
    pub namespace: Arc<str>,
    /// `metadata.name`.
    pub name: Arc<str>,
}

impl Key {
    /// A key from its parts.
    pub fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }

    /// The key of an object.
    pub fn of(object: &Value) -> Self {
        Self::new(meta::namespace(object), meta::name(object))
    }
}

/// What happened to an object.
#[derive(Debug, Clone)]
pub struct Change {
    /// The version that the change made.
    pub version: u64,
    /// Kind.
    pub resource: Resource,
    /// Which object.
    pub key: Key,
    /// After the change; for a removal the last state, with the removal's version.
    pub object: Arc<Value>,
    /// Before the change; `None` for a new object.
    pub previous: Option<Arc<Value>>,
    /// The object is gone.
    pub is_removal: bool,
}

/// One kind's objects.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) objects: BTreeMap<Key, Stored>,
    pub(super) history: VecDeque<Change>,
    /// Changes up to this version are forgotten.
    pub(super) compacted: u64,
    /// Label or fact → value → the keys that have it, sorted.
    labels: HashMap<&'static str, HashMap<Box<str>, Vec<Key>>>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) version: u64,
    pub(super) tables: Vec<Table>,
    /// Owner uid → (kind id, key) of those that name it.
    pub(super) owned: HashMap<String, BTreeSet<(usize, Key)>>,
    /// uid → (kind id, key).
    pub(super) by_uid: HashMap<String, (usize, Key)>,
    pub(super) random: Random,
    history_limit: usize,
}

impl State {
    pub(super) fn new(kinds: usize, seed: u64, history_limit: usize) -> Self {
        Self {
            version: 1,
            tables: (0..kinds).map(|_| Table::default()).collect(),
            owned: HashMap::new(),
            by_uid: HashMap::new(),
            random: Random(seed),
            history_limit,
        }
    }

    pub(super) fn get(&self, kind: usize, key: &Key) -> Option<Arc<Value>> {
        self.tables.get(kind)?.objects.get(key).map(Stored::open)
    }

    pub(super) fn has(&self, kind: usize, key: &Key) -> bool {
        self.tables.get(kind).is_some_and(|table| table.objects.contains_key(key))
    }

    /// Stores a new state under the next version and logs it; returns it as stored.
    pub(super) fn put(&mut self, kind: usize, resource: Resource, key: Key, mut object: Value) -> Arc<Value> {
        self.version += 1;
        meta::set(&mut object, "resourceVersion", self.version.to_string());
        let object = Arc::new(object);
        let previous = self.tables[kind].objects.insert(key.clone(), Stored::Whole(object.clone()));
        let previous = previous.as_ref().map(Stored::open);
        self.reindex(kind, &key, previous.as_deref(), Some(&object));
        self.log(
            kind,
            Change { version: self.version, resource, key, object: object.clone(), previous, is_removal: false },
        );
        object
    }

    /// Stores a new object of a world that is being made; the log begins after it.
    pub(super) fn put_finished(&mut self, kind: usize, key: Key, mut object: Value) {
        self.version += 1;
        meta::set(&mut object, "resourceVersion", self.version.to_string());
        self.reindex(kind, &key, None, Some(&object));
        let table = &mut self.tables[kind];
        table.objects.insert(key, Stored::Whole(Arc::new(object)));
        table.history.clear();
        table.compacted = self.version;
    }

    /// Keeps an object as text from now on.
    pub(super) fn lay_to_rest(&mut self, kind: usize, key: &Key) {
        if let Some(stored) = self.tables[kind].objects.get_mut(key) {
            stored.lay_to_rest();
        }
    }

    /// Puts an object back under the version that it had; `false` when its place is taken.
    pub(super) fn bring_back(&mut self, kind: usize, key: Key, object: &Value, stored: Stored) -> bool {
        if self.has(kind, &key) {
            return false;
        }
        self.reindex(kind, &key, None, Some(object));
        self.tables[kind].objects.insert(key, stored);
        true
    }

    /// Goes on from a version, whose past nobody knows, and from a place in the random numbers.
    pub(super) fn go_on_from(&mut self, version: u64, random: u64) {
        self.version = version;
        self.random = Random(random);
        self.compact(version);
    }

    /// Removes an object and logs it; returns its last state.
    pub(super) fn remove(&mut self, kind: usize, resource: Resource, key: &Key) -> Option<Arc<Value>> {
        let last = (*self.get(kind, key)?).clone();
        Some(self.remove_as(kind, resource, key, last))
    }

    /// Removes an object whose last state is the one given, and logs it.
    pub(super) fn remove_as(&mut self, kind: usize, resource: Resource, key: &Key, mut last: Value) -> Arc<Value> {
        let previous = self.tables[kind].objects.remove(key).map_or_else(|| Arc::new(last.clone()), |it| it.open());
        self.version += 1;
        meta::set(&mut last, "resourceVersion", self.version.to_string());
        let object = Arc::new(last);
        self.reindex(kind, key, Some(&previous), None);
        let (version, key) = (self.version, key.clone());
        self.log(
            kind,
            Change { version, resource, key, object: object.clone(), previous: Some(previous), is_removal: true },
        );
        object
    }

    fn log(&mut self, kind: usize, change: Change) {
        let table = &mut self.tables[kind];
        table.history.push_back(change);
        if table.history.len() > self.history_limit
            && let Some(forgotten) = table.history.pop_front()
        {
            table.compacted = forgotten.version;
        }
    }

    fn reindex(&mut self, kind: usize, key: &Key, old: Option<&Value>, new: Option<&Value>) {
        let table = &mut self.tables[kind];
        for label in INDEXED_LABELS {
            let (was, is) = (old.and_then(|o| meta::label(o, label)), new.and_then(|o| meta::label(o, label)));
            if was != is {
                let index = table.labels.entry(label).or_default();
                was.into_iter().for_each(|was| leave(index, was, key));
                is.into_iter().for_each(|is| enter(index, is, key));
            }
        }
        for fact in FACTS.iter().filter(|fact| fact.is_about(old.or(new))) {
            let read = |object: Option<&Value>| object.map(|object| (fact.read)(object)).unwrap_or_default();
            let (were, are) = (read(old), read(new));
            let index = table.labels.entry(fact.name).or_default();
            were.iter().filter(|was| !are.contains(was)).for_each(|was| leave(index, was, key));
            are.iter().filter(|is| !were.contains(is)).for_each(|is| enter(index, is, key));
        }
        if new.is_none()
            && let Some(uid) = old.map(|old| meta::text(old, "uid"))
        {
            self.by_uid.remove(uid);
        }
        if old.is_none()
            && let Some(new) = new
        {
            self.by_uid.insert(meta::text(new, "uid").to_owned(), (kind, key.clone()));
        }
        let owners = |object: Option<&Value>| -> BTreeSet<String> {
            object.into_iter().flat_map(meta::owners).map(str::to_owned).collect()
        };
        let (were, are) = (owners(old), owners(new));
        for gone in were.difference(&are) {
            if let Some(owned) = self.owned.get_mut(gone) {
                owned.remove(&(kind, key.clone()));
                if owned.is_empty() {
                    self.owned.remove(gone);
                }
            }
        }
        for added in are.difference(&were) {
            self.owned.entry(added.clone()).or_default().insert((kind, key.clone()));
        }
    }

    /// Objects of a kind in order of keys, of one namespace or of all, from a key on (exclusive).
    pub(super) fn range<'a>(
        &'a self,
        kind: usize,
        namespace: Option<&'a str>,
        after: Option<Key>,
    ) -> impl Iterator<Item = (&'a Key, &'a Stored)> {
        let start = match (after, namespace) {
            (Some(after), _) => Bound::Excluded(after),
            (None, Some(namespace)) => Bound::Included(Key::new(namespace, "")),
            (None, None) => Bound::Unbounded,
        };
        self.tables[kind]
            .objects
            .range((start, Bound::Unbounded))
            .take_while(move |(key, _)| namespace.is_none_or(|namespace| &*key.namespace == namespace))
    }

    pub(super) fn labelled(&self, kind: usize, namespace: Option<&str>, label: &str, value: &str) -> Vec<Arc<Value>> {
        let table = &self.tables[kind];
        if INDEXED_LABELS.contains(&label) || FACTS.iter().any(|fact| fact.name == label) {
            let keys = table.labels.get(label).and_then(|index| index.get(value));
            let keys = keys.into_iter().flatten().filter(|key| namespace.is_none_or(|ns| &*key.namespace == ns));
            return keys.filter_map(|key| table.objects.get(key).map(Stored::open)).collect();
        }
        let all = self.range(kind, namespace, None).map(|(_, stored)| stored.open());
        all.filter(|object| meta::label(object, label) == Some(value)).collect()
    }

    /// Changes of a kind after a version, oldest first; `None` when some of them are forgotten.
    pub(super) fn changes_after(&self, kind: usize, version: u64) -> Option<impl Iterator<Item = &Change>> {
        let table = &self.tables[kind];
        if version < table.compacted {
            return None;
        }
        let start = table.history.partition_point(|change| change.version <= version);
        Some(table.history.range(start..))
    }

    /// Forgets changes up to and including a version.
    pub(super) fn compact(&mut self, version: u64) {
        for table in &mut self.tables {
            while table.history.front().is_some_and(|change| change.version <= version) {
                table.history.pop_front();
            }
            table.compacted = table.compacted.max(version);
        }
    }
}

/// Adds a key to those that have a value.
fn enter(index: &mut HashMap<Box<str>, Vec<Key>>, value: &str, key: &Key) {
    let keys = index.entry(value.into()).or_default();
    if let Err(at) = keys.binary_search(key) {
        keys.insert(at, key.clone());
    }
}

/// Takes a key from those that have a value.
fn leave(index: &mut HashMap<Box<str>, Vec<Key>>, value: &str, key: &Key) {
    let Some(keys) = index.get_mut(value) else { return };
    if let Ok(at) = keys.binary_search(key) {
        keys.remove(at);
    }
    if keys.is_empty() {
        index.remove(value);
    }
}

/// A small seeded generator, so that a world with the same seed and the same calls gives the same names.
///
/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Debug, Clone)]
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn uid(&mut self) -> String {
        let (high, low) = (self.next().to_be_bytes(), self.next().to_be_bytes());
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&high);
        bytes[8..].copy_from_slice(&low);
        uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
    }

    /// Suffix for `generateName`. Source: `apimachinery/pkg/util/rand`: no vowels, nothing that looks like another.
    pub(super) fn suffix(&mut self) -> String {
        const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        let mut bits = self.next();
        let mut letter = || {
            let at = (bits % LETTERS.len() as u64) as usize;
            bits /= LETTERS.len() as u64;
            char::from(LETTERS[at])
        };
        (0..5).map(|_| letter()).collect()
    }
}
