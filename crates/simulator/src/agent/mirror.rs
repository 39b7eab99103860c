//! The objects of a real API server as the agent last saw them: the [`View`] of its steps.
//!
//! Invariant: of two states of an object the newer one stays, whichever came first, from a watch or as the answer to a
//! write. So a step never looks at what it has itself made old.

use crate::behave::{Resource, View};
use crate::world::Key;
use crate::world::facts::{FACTS, INDEXED_LABELS};
use crate::world::meta;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, PoisonError, RwLock};

/// Uids that are remembered a kind.
const GRAVES: usize = 256;

/// A state that is news.
#[derive(Debug, Clone)]
pub(crate) struct News {
    /// Kind.
    pub(crate) resource: Resource,
    /// Which object.
    pub(crate) key: Key,
    /// Its state; the last one of an object that is gone.
    pub(crate) object: Arc<Value>,
    /// Whether it is gone.
    pub(crate) is_removal: bool,
}

#[derive(Debug, Default)]
struct Table {
    objects: BTreeMap<Key, Arc<Value>>,
    /// Uids of the objects that went last: an answer to a write may come after the news that its object is gone.
    gone: VecDeque<String>,
    index: HashMap<&'static str, HashMap<String, BTreeSet<Key>>>,
}

/// The objects of the followed kinds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mirror(Arc<RwLock<HashMap<Resource, Table>>>);

/// What an object can be looked up by.
fn marks(object: &Value) -> Vec<(&'static str, String)> {
    let labels = INDEXED_LABELS.iter().filter_map(|name| Some((*name, meta::label(object, name)?.to_owned())));
    let about = FACTS.iter().filter(|fact| fact.is_about(Some(object)));
    let facts = about.flat_map(|fact| (fact.read)(object).into_iter().map(|value| (fact.name, value)));
    labels.chain(facts).collect()
}

impl Table {
    fn bury(&mut self, object: &Value) {
        self.gone.push_back(meta::text(object, "uid").to_owned());
        if self.gone.len() > GRAVES {
            self.gone.pop_front();
        }
    }

    fn put(&mut self, key: &Key, object: Option<Arc<Value>>) {
        let old = match &object {
            Some(object) => self.objects.insert(key.clone(), object.clone()),
            None => self.objects.remove(key),
        };
        for (name, value) in old.iter().flat_map(|old| marks(old)) {
            if let Some(keys) = self.index.get_mut(name).and_then(|index| index.get_mut(&value)) {
                keys.remove(key);
            }
        }
        for (name, value) in object.iter().flat_map(|object| marks(object)) {
            self.index.entry(name).or_default().entry(value).or_default().insert(key.clone());
        }
    }
}

impl Mirror {
    fn read<T>(&self, work: impl FnOnce(&HashMap<Resource, Table>) -> T) -> T {
        work(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, work: impl FnOnce(&mut HashMap<Resource, Table>) -> T) -> T {
        work(&mut self.0.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes a state in; `None` when a newer one, or the same, is known.
    pub(crate) fn take(&self, resource: Resource, object: Value, is_removal: bool) -> Option<News> {
        let key = Key::of(&object);
        let object = Arc::new(object);
        self.write(|tables| {
            let table = tables.entry(resource).or_default();
            let held = table.objects.get(&key);
            let version = meta::resource_version(&object);
            if !is_removal && table.gone.iter().any(|uid| uid == meta::text(&object, "uid")) {
                return None;
            }
            let is_old = held.is_some_and(|held| meta::resource_version(held) >= version && !is_removal);
            let is_other = held.is_some_and(|held| meta::text(held, "uid") != meta::text(&object, "uid"));
            if is_old || (is_removal && (held.is_none() || (is_other && meta::resource_version(held?) > version))) {
                if is_removal {
                    table.bury(&object);
                }
                return None;
            }
            if is_removal {
                table.bury(&object);
            }
            table.put(&key, (!is_removal).then(|| object.clone()));
            Some(News { resource, key, object, is_removal })
        })
    }

    /// Takes a whole list in, as of `version`; what is not in it and was not made since is gone.
    pub(crate) fn replace(&self, resource: Resource, items: Vec<Value>, version: u64) -> Vec<News> {
        let there: BTreeSet<Key> = items.iter().map(Key::of).collect();
        let mut news: Vec<News> = items.into_iter().filter_map(|item| self.take(resource, item, false)).collect();
        self.write(|tables| {
            let table = tables.entry(resource).or_default();
            let gone: Vec<(Key, Arc<Value>)> = table
                .objects
                .iter()
                .filter(|(key, held)| !there.contains(*key) && meta::resource_version(held) <= version)
                .map(|(key, held)| (key.clone(), held.clone()))
                .collect();
            for (key, object) in gone {
                table.bury(&object);
                table.put(&key, None);
                news.push(News { resource, key, object, is_removal: true });
            }
        });
        news
    }

    /// Every known object of a kind.
    pub(crate) fn keys(&self, resource: Resource) -> Vec<Key> {
        self.read(|tables| {
            tables.get(&resource).map(|table| table.objects.keys().cloned().collect()).unwrap_or_default()
        })
    }
}

impl View for Mirror {
    fn get(&self, resource: Resource, namespace: &str, name: &str) -> Option<Arc<Value>> {
        self.read(|tables| tables.get(&resource)?.objects.get(&Key::new(namespace, name)).cloned())
    }

    fn list(&self, resource: Resource, namespace: Option<&str>) -> Vec<Arc<Value>> {
        let is_here = |key: &&Key| namespace.is_none_or(|namespace| &*key.namespace == namespace);
        self.read(|tables| {
            let objects = tables.get(&resource).into_iter().flat_map(|table| &table.objects);
            objects.filter(|(key, _)| is_here(key)).map(|(_, object)| object.clone()).collect()
        })
    }

    fn labelled(&self, resource: Resource, namespace: Option<&str>, label: &str, value: &str) -> Vec<Arc<Value>> {
        let is_indexed = INDEXED_LABELS.contains(&label) || FACTS.iter().any(|fact| fact.name == label);
        if !is_indexed {
            let mut all = self.list(resource, namespace);
            all.retain(|object| meta::label(object, label) == Some(value));
            return all;
        }
        let is_here = |key: &&Key| namespace.is_none_or(|namespace| &*key.namespace == namespace);
        self.read(|tables| {
            let Some(table) = tables.get(&resource) else { return Vec::new() };
            let keys = table.index.get(label).and_then(|index| index.get(value)).into_iter().flatten();
            keys.filter(is_here).filter_map(|key| table.objects.get(key).cloned()).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behave::resources::POD;
    use crate::world::facts::ON_NODE;
    use serde_json::json;

    fn pod(version: u64, node: &str) -> Value {
        json!({
            "kind": "Pod", "spec": {"nodeName": node},
            "metadata": {"name": "a", "namespace": "n", "uid": "u", "resourceVersion": version.to_string()},
        })
    }

    #[test]
    fn the_newer_state_stays_whichever_comes_first() {
        let mirror = Mirror::default();
        assert!(mirror.take(POD, pod(5, "hv-01"), false).is_some());
        assert!(mirror.take(POD, pod(4, ""), false).is_none(), "a late event");
        assert!(mirror.take(POD, pod(5, "hv-01"), false).is_none(), "the watch repeats the answer");
        assert_eq!(mirror.labelled(POD, None, ON_NODE, "hv-01").len(), 1);
        assert!(mirror.take(POD, pod(6, "hv-02"), false).is_some());
        assert_eq!(mirror.labelled(POD, Some("n"), ON_NODE, "hv-01").len(), 0);
        assert!(mirror.take(POD, pod(7, "hv-02"), true).is_some());
        assert!(mirror.take(POD, pod(7, "hv-02"), false).is_none(), "the answer to the write that ended it");
        assert!(mirror.get(POD, "n", "a").is_none());
    }

    #[test]
    fn a_list_takes_away_what_is_gone_but_not_what_is_younger() {
        let mirror = Mirror::default();
        mirror.take(POD, pod(5, ""), false);
        assert!(mirror.replace(POD, Vec::new(), 4).is_empty(), "made after the list");
        let gone = mirror.replace(POD, Vec::new(), 5);
        assert!(gone.len() == 1 && gone[0].is_removal);
    }
}
