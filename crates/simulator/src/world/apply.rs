//! Server-side apply: merging what a manager wants with what is there, and who then owns what.
//!
//! The decision ([`merged`]) is pure. Source: `sigs.k8s.io/structured-merge-diff/v6/merge/update.go` (`Apply`),
//! `apimachinery/pkg/util/managedfields/internal/{structuredmerge,conflict}.go`.

use super::catalogue::Kind;
use super::catalogue::schema::{Merge, Shape};
use super::owners::{self, Owner, Path};
use super::{By, Key, Part, Status, World, meta, status};
use crate::clock::rfc3339;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Who owns what was there before anyone applied. Source: `managedfields/internal/skipnonapplied.go`.
const BEFORE: &str = "before-first-apply";

/// What an apply is asked to do besides the configuration.
struct Terms<'a> {
    manager: &'a str,
    subresource: &'static str,
    is_forced: bool,
    now_ms: i64,
}

impl World {
    /// Applies what a manager wants; tells whether the object is new. Conflicts are a 409 with a cause each.
    pub fn apply(
        &self,
        kind: &Kind,
        (namespace, name): (&str, &str),
        part: Part,
        config: &Value,
        is_forced: bool,
        by: &By,
    ) -> Result<(Arc<Value>, bool), Status> {
        if config["metadata"].get("managedFields").is_some() {
            return Err(Status::bad_request("metadata.managedFields must be nil"));
        }
        let by = By { is_applied: true, ..by.clone() };
        let subresource = if part == Part::Status { "status" } else { "" };
        self.write(|txn| {
            let terms = Terms { manager: &by.manager, subresource, is_forced, now_ms: txn.now_ms };
            let key = Key::new(namespace, name);
            let Some(old) = txn.state.get(kind.id, &key) else {
                if part == Part::Status {
                    return Err(Status::not_found(kind, name));
                }
                let mut object = merged(kind, &json!({}), config, &terms)?;
                meta::set(&mut object, "name", name);
                return Ok((txn.create(kind, namespace, object, &by)?, true));
            };
            let new = merged(kind, &old, config, &terms)?;
            Ok((txn.update(kind, &key, &old, new, part, &by)?, false))
        })
    }
}

/// What the object becomes, with its owners.
fn merged(kind: &Kind, live: &Value, config: &Value, terms: &Terms<'_>) -> Result<Value, Status> {
    let mut all = owners::read(live);
    let before = owners::leaves(kind, live);
    if all.is_empty() && !before.is_empty() {
        let fields = before.keys().cloned().collect();
        let time = rfc3339(terms.now_ms);
        let (manager, api_version) = (BEFORE.into(), kind.api_version());
        all.push(Owner { manager, is_apply: false, subresource: String::new(), api_version, time, fields });
    }
    let wanted = owners::leaves(kind, config);
    let is_own =
        |owner: &Owner| owner.is_apply && owner.manager == terms.manager && owner.subresource == terms.subresource;
    let changed: BTreeSet<&Path> =
        wanted.iter().filter(|(path, value)| before.get(*path) != Some(*value)).map(|(path, _)| path).collect();
    let clashes: Vec<(usize, Path)> = all
        .iter()
        .enumerate()
        .filter(|(_, owner)| !is_own(owner))
        .flat_map(|(at, owner)| {
            owner.fields.iter().filter(|path| changed.contains(path)).map(move |path| (at, path.clone()))
        })
        .collect();
    if !clashes.is_empty() && !terms.is_forced {
        return Err(conflict(&all, &clashes));
    }
    for (at, path) in &clashes {
        all[*at].fields.remove(path);
    }
    let mut object = live.clone();
    for (field, value) in config.as_object().into_iter().flatten() {
        match field.as_str() {
            "apiVersion" | "kind" => {}
            _ => merge(
                owners::top_shape(kind, field),
                meta::map(&mut object).entry(field.as_str()).or_insert(Value::Null),
                value,
            ),
        }
    }
    let own = all.iter().find(|owner| is_own(owner)).map(|owner| owner.fields.clone()).unwrap_or_default();
    let wanted: BTreeSet<Path> = wanted.into_keys().collect();
    let others: BTreeSet<&Path> = all.iter().filter(|owner| !is_own(owner)).flat_map(|owner| &owner.fields).collect();
    // Deepest first, so that an item goes after its fields.
    for path in own.difference(&wanted).collect::<Vec<_>>().into_iter().rev() {
        let is_others =
            others.iter().any(|other| other.starts_with(path)) || wanted.iter().any(|wanted| wanted.starts_with(path));
        if !is_others {
            remove(&mut object, path);
        }
    }
    match all.iter_mut().find(|owner| is_own(owner)) {
        Some(own) if own.fields == wanted => {}
        Some(own) => {
            own.fields = wanted;
            own.time = rfc3339(terms.now_ms);
        }
        None => all.push(Owner {
            manager: terms.manager.into(),
            is_apply: true,
            subresource: terms.subresource.into(),
            api_version: kind.api_version(),
            time: rfc3339(terms.now_ms),
            fields: wanted,
        }),
    }
    owners::write(&mut object, &all);
    Ok(object)
}

fn conflict(all: &[Owner], clashes: &[(usize, Path)]) -> Status {
    let name = |at: usize| {
        let owner = &all[at];
        let mut text = format!("{:?}", owner.manager);
        if !owner.subresource.is_empty() {
            text.push_str(&format!(" with subresource {:?}", owner.subresource));
        }
        if !owner.is_apply {
            text.push_str(&format!(" using {}", owner.api_version));
        }
        text
    };
    let causes = clashes.iter().map(|(at, path)| {
        status::cause("FieldManagerConflict", &format!("conflict with {}", name(*at)), &owners::spell(path))
    });
    let causes = causes.collect();
    let message = if let [(at, path)] = clashes {
        format!("Apply failed with 1 conflict: conflict with {}: {}", name(*at), owners::spell(path))
    } else {
        let mut lines = Vec::new();
        for at in 0..all.len() {
            let own: Vec<_> = clashes.iter().filter(|(owner, _)| *owner == at).collect();
            if !own.is_empty() {
                lines.push(format!("conflicts with {}:", name(at)));
                lines.extend(own.iter().map(|(_, path)| format!("- {}", owners::spell(path))));
            }
        }
        format!("Apply failed with {} conflicts: {}", clashes.len(), lines.join("\n"))
    };
    Status::apply_conflict(message, causes)
}

/// Puts what is wanted into what is there, as the shape says.
fn merge(shape: &Shape, live: &mut Value, wanted: &Value) {
    match (shape, wanted) {
        (Shape::Struct(inner), Value::Object(fields)) if !inner.is_atomic => {
            merge_map(live, fields, |name| inner.shape(name).unwrap_or(&Shape::Any));
        }
        (Shape::Map(of), Value::Object(fields)) => merge_map(live, fields, |_| of),
        (Shape::Any, Value::Object(fields)) => merge_map(live, fields, |_| &Shape::Any),
        (Shape::List(Merge::Set, _), Value::Array(items)) if live.is_array() => {
            let Value::Array(old) = live else { return };
            let new: Vec<_> = items.iter().filter(|item| !old.contains(item)).cloned().collect();
            old.extend(new);
        }
        (Shape::List(Merge::ByKeys(keys), of), Value::Array(items)) if live.is_array() => {
            let Value::Array(old) = live else { return };
            for item in items {
                let step = owners::item_step(keys, item);
                match old.iter_mut().find(|old| owners::item_step(keys, old) == step) {
                    Some(old) => merge(of, old, item),
                    None => old.push(item.clone()),
                }
            }
        }
        _ => *live = wanted.clone(),
    }
}

fn merge_map<'a>(live: &mut Value, fields: &Map<String, Value>, shape: impl Fn(&str) -> &'a Shape) {
    let live = meta::map(live);
    for (name, value) in fields {
        merge(shape(name), live.entry(name.as_str()).or_insert(Value::Null), value);
    }
}

/// Removes the field at a path, and what is empty because of that.
fn remove(object: &mut Value, path: &[String]) {
    let Some((step, rest)) = path.split_first() else { return };
    let (what, text) = step.split_once(':').unwrap_or(("f", step));
    match (what, object) {
        ("f", Value::Object(map)) => {
            if rest.is_empty() {
                map.remove(text);
            } else if let Some(child) = map.get_mut(text) {
                remove(child, rest);
                let is_empty =
                    child.as_array().is_some_and(Vec::is_empty) || child.as_object().is_some_and(Map::is_empty);
                if is_empty {
                    map.remove(text);
                }
            }
        }
        ("v", Value::Array(list)) => {
            let gone: Value = serde_json::from_str(text).unwrap_or_default();
            list.retain(|item| *item != gone);
        }
        ("k", Value::Array(list)) => {
            let keys: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
            let at = list.iter().position(|item| keys.iter().all(|(key, value)| item.get(key) == Some(value)));
            if let Some(at) = at {
                if rest.is_empty() {
                    list.remove(at);
                } else {
                    remove(&mut list[at], rest);
                }
            }
        }
        _ => {}
    }
}
