//! What a watch has said so far, per kind: the newest version of each object, and which objects are gone.
//!
//! Invariants: a lower resourceVersion never replaces a higher one; a deleted object never comes back (its uid is
//! remembered); an object of the same name with another uid is another object. Pure: no clock, no IO.
//! (`reliability.md` rows 5 to 7)

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher as _, RandomState};

/// Deleted uids that are remembered. A late event of a deleted object comes within seconds, not after that many more.
const MAX_GONE: usize = 20_000;

/// Makes keys out of names. Keyed with random bits, so that nobody in a cluster can make two names collide; by chance,
/// 100,000 names collide once in a billion starts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keys(RandomState);

impl Keys {
    pub(crate) fn key(&self, namespace: &str, name: &str) -> u64 {
        self.0.hash_one((namespace, name))
    }

    pub(crate) fn uid(&self, uid: &str) -> u64 {
        self.0.hash_one(uid)
    }
}

/// Which object, and which version of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ident {
    pub(crate) key: u64,
    pub(crate) uid: u64,
    pub(crate) version: u64,
}

/// What an event changed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Nothing: it was old news.
    None,
    /// A new version of the same object, or the first.
    Set,
    /// Another object of the same name; the first one is gone.
    Replaced,
}

/// The objects of one kind.
#[derive(Debug)]
pub(crate) struct Index<T> {
    slots: HashMap<u64, Box<Slot<T>>>,
    gone: HashSet<u64>,
    order: VecDeque<u64>,
    round: u32,
}

#[derive(Debug)]
struct Slot<T> {
    uid: u64,
    version: u64,
    round: u32,
    value: T,
}

impl<T> Default for Index<T> {
    fn default() -> Self {
        Self { slots: HashMap::new(), gone: HashSet::new(), order: VecDeque::new(), round: 0 }
    }
}

impl<T> Index<T> {
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn get(&self, key: u64) -> Option<&T> {
        self.slots.get(&key).map(|slot| &slot.value)
    }

    pub(crate) fn get_mut(&mut self, key: u64) -> Option<&mut T> {
        self.slots.get_mut(&key).map(|slot| &mut slot.value)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.slots.values().map(|slot| &slot.value)
    }

    /// An object as a list or an event shows it.
    pub(crate) fn apply(&mut self, id: Ident, value: T) -> Change {
        let round = self.round;
        if self.gone.contains(&id.uid) {
            return Change::None;
        }
        match self.slots.get_mut(&id.key) {
            Some(slot) if id.version <= slot.version => {
                if id.uid == slot.uid {
                    slot.round = round;
                }
                Change::None
            }
            Some(slot) => {
                let change = if slot.uid == id.uid { Change::Set } else { Change::Replaced };
                let before = slot.uid;
                **slot = Slot { uid: id.uid, version: id.version, round, value };
                if change == Change::Replaced {
                    self.bury(before);
                }
                change
            }
            None => {
                self.slots.insert(id.key, Box::new(Slot { uid: id.uid, version: id.version, round, value }));
                Change::Set
            }
        }
    }

    /// A deletion; `true` when the object was there.
    pub(crate) fn delete(&mut self, id: Ident) -> bool {
        self.bury(id.uid);
        let is_it = self.slots.get(&id.key).is_some_and(|slot| slot.uid == id.uid);
        is_it && self.slots.remove(&id.key).is_some()
    }

    /// A full list begins: what it does not show is gone when it ends.
    pub(crate) fn begin(&mut self) {
        self.round = self.round.wrapping_add(1);
    }

    /// The object is in the list but could not be read: what was known of it stays.
    pub(crate) fn touch(&mut self, key: u64) {
        if let Some(slot) = self.slots.get_mut(&key) {
            slot.round = self.round;
        }
    }

    /// What [`Self::end`] is about to take out.
    pub(crate) fn missing(&self, version: u64) -> impl Iterator<Item = (u64, &T)> {
        let round = self.round;
        let missing = move |slot: &Slot<T>| slot.round != round && slot.version <= version;
        self.slots.iter().filter(move |(_, slot)| missing(slot)).map(|(&key, slot)| (key, &slot.value))
    }

    /// The list that was read at `version` has ended: takes out what it did not show, and gives the keys.
    ///
    /// Objects newer than the list stay: a watch that went on beside the list has shown them.
    pub(crate) fn end(&mut self, version: u64) -> Vec<u64> {
        let gone: Vec<u64> = self.missing(version).map(|(key, _)| key).collect();
        for key in &gone {
            if let Some(slot) = self.slots.remove(key) {
                self.bury(slot.uid);
            }
        }
        gone
    }

    /// The cluster's history went back (etcd restored from a backup): versions known so far mean nothing.
    pub(crate) fn forget_versions(&mut self) {
        self.gone.clear();
        self.order.clear();
        self.slots.values_mut().for_each(|slot| slot.version = 0);
    }

    /// For measurements.
    #[cfg(test)]
    pub(crate) fn bytes_of_map(&self) -> usize {
        // hashbrown: a power of two of buckets, seven eighths full at most, a byte of control each.
        (self.slots.capacity() * 8 / 7).next_power_of_two() * (size_of::<(u64, Box<Slot<T>>)>() + 1)
    }

    /// For measurements.
    #[cfg(test)]
    pub(crate) fn bytes_of_slot(&self) -> usize {
        size_of::<Slot<T>>()
    }

    fn bury(&mut self, uid: u64) {
        if self.gone.insert(uid) {
            self.order.push_back(uid);
        }
        if self.order.len() > MAX_GONE
            && let Some(oldest) = self.order.pop_front()
        {
            self.gone.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(key: u64, uid: u64, version: u64) -> Ident {
        Ident { key, uid, version }
    }

    #[test]
    fn the_newest_version_wins_whatever_the_order() {
        let mut index = Index::default();
        assert_eq!(index.apply(id(1, 1, 5), "b"), Change::Set);
        assert_eq!(index.apply(id(1, 1, 4), "a"), Change::None);
        assert_eq!(index.apply(id(1, 1, 5), "b again"), Change::None);
        assert_eq!(index.get(1), Some(&"b"));
        assert_eq!(index.apply(id(1, 1, 6), "c"), Change::Set);
        assert_eq!(index.get(1), Some(&"c"));
    }

    #[test]
    fn a_deleted_object_never_comes_back() {
        let mut index = Index::default();
        index.apply(id(1, 1, 5), "a");
        assert!(index.delete(id(1, 1, 7)));
        assert_eq!(index.apply(id(1, 1, 6), "a"), Change::None);
        assert_eq!(index.apply(id(1, 1, 9), "a"), Change::None);
        assert!(!index.delete(id(1, 1, 7)));
        assert_eq!(index.len(), 0);
    }

    #[test]
    fn the_same_name_with_another_uid_is_another_object() {
        let mut index = Index::default();
        index.apply(id(1, 1, 5), "first");
        assert_eq!(index.apply(id(1, 2, 8), "second"), Change::Replaced);
        assert!(!index.delete(id(1, 1, 7)), "the late deletion of the first is not the second's");
        assert_eq!(index.apply(id(1, 1, 9), "first"), Change::None);
        assert_eq!(index.get(1), Some(&"second"));
    }

    #[test]
    fn a_list_takes_out_what_it_does_not_show_but_nothing_newer() {
        let mut index = Index::default();
        for key in 1..=4 {
            index.apply(id(key, key, key), key);
        }
        index.begin();
        index.apply(id(1, 1, 1), 1);
        index.touch(2);
        index.apply(id(9, 9, 20), 9);
        assert_eq!(index.end(3), vec![3], "4 is newer than the list, 2 was there and unreadable");
        assert_eq!(index.len(), 4);
    }

    #[test]
    fn events_in_any_order_end_in_the_same_state() {
        let events = [(1, 1, "a1"), (1, 3, "a3"), (1, 7, "a7"), (2, 9, "b9"), (2, 11, "b11")];
        let mut seed = 7_u64;
        for _ in 0..500 {
            let mut index = Index::default();
            let mut shuffled: Vec<_> = events.iter().chain(&events).collect();
            for i in (1..shuffled.len()).rev() {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                shuffled.swap(i, (seed >> 33) as usize % (i + 1));
            }
            for &&(uid, version, value) in &shuffled {
                index.apply(id(0, uid, version), value);
            }
            assert_eq!(index.get(0), Some(&"b11"));
        }
    }

    #[test]
    fn graves_are_bounded() {
        let mut index: Index<()> = Index::default();
        for uid in 0..MAX_GONE as u64 * 2 {
            index.delete(id(uid, uid, 1));
        }
        assert_eq!((index.gone.len(), index.order.len()), (MAX_GONE, MAX_GONE));
    }
}
