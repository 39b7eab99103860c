//! Who owns which field: `metadata.managedFields`.
//!
//! A set of fields is a set of paths whose steps are spelled as in `FieldsV1` (`f:spec`, `k:{"name":"a"}`, `v:1`).
//! Pure. Source: `sigs.k8s.io/structured-merge-diff/v6/{fieldpath,merge}`, `apimachinery/pkg/util/managedfields`.

use super::catalogue::Kind;
use super::catalogue::schema::{Merge, Shape, Struct};
use super::meta;
use crate::clock::rfc3339;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// A path to a field.
pub(super) type Path = Vec<String>;
/// Fields with their values; list items found by keys stand there with null for themselves.
pub(super) type Leaves<'a> = BTreeMap<Path, &'a Value>;

/// Metadata that is nobody's. Source: `managedfields/internal/stripmeta.go`.
const NOBODYS: &[&str] = &[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "generation",
    "managedFields",
    "resourceVersion",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
];

/// An entry of `managedFields`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Owner {
    pub(super) manager: String,
    pub(super) is_apply: bool,
    pub(super) subresource: String,
    pub(super) api_version: String,
    pub(super) time: String,
    pub(super) fields: BTreeSet<Path>,
}

static NULL: Value = Value::Null;

/// The shape of metadata, as far as owners matter.
pub(super) fn metadata_shape() -> &'static Shape {
    use super::catalogue::schema::{Field, Scalar};
    static SHAPE: OnceLock<Shape> = OnceLock::new();
    SHAPE.get_or_init(|| {
        let field = |shape| Field { is_required: false, default: None, shape };
        let text = || Arc::new(Shape::Scalar(Scalar::Text(Vec::new())));
        let fields = BTreeMap::from([
            ("labels", field(Shape::Map(text()))),
            ("annotations", field(Shape::Map(text()))),
            ("finalizers", field(Shape::List(Merge::Set, text()))),
            ("ownerReferences", field(Shape::List(Merge::ByKeys(vec!["uid"]), Arc::new(Shape::Any)))),
        ]);
        Shape::Struct(Arc::new(Struct { name: None, fields, is_open: true, is_atomic: false }))
    })
}

/// The shape of a top field.
pub(super) fn top_shape<'a>(kind: &'a Kind, field: &str) -> &'a Shape {
    if field == "metadata" { metadata_shape() } else { kind.schema.shape(field).unwrap_or(&Shape::Any) }
}

/// All fields of an object that someone can own.
pub(super) fn leaves<'a>(kind: &Kind, object: &'a Value) -> Leaves<'a> {
    let mut found = Leaves::new();
    for (name, value) in object.as_object().into_iter().flatten() {
        match name.as_str() {
            "apiVersion" | "kind" => {}
            "metadata" => {
                for (name, value) in
                    value.as_object().into_iter().flatten().filter(|(name, _)| !NOBODYS.contains(&name.as_str()))
                {
                    let path = vec!["f:metadata".to_owned(), format!("f:{name}")];
                    let shape = metadata_shape().as_struct().and_then(|meta| meta.shape(name)).unwrap_or(&Shape::Any);
                    collect(shape, value, path, &mut found);
                }
            }
            _ => collect(top_shape(kind, name), value, vec![format!("f:{name}")], &mut found),
        }
    }
    found
}

fn below(path: &Path, step: String) -> Path {
    let mut path = path.clone();
    path.push(step);
    path
}

fn collect<'a>(shape: &Shape, value: &'a Value, path: Path, found: &mut Leaves<'a>) {
    match (shape, value) {
        (Shape::Struct(inner), Value::Object(map)) if !map.is_empty() && !inner.is_atomic => {
            for (name, value) in map {
                let shape = inner.shape(name).unwrap_or(&Shape::Any);
                collect(shape, value, below(&path, format!("f:{name}")), found);
            }
        }
        (Shape::Map(of), Value::Object(map)) if !map.is_empty() => {
            map.iter().for_each(|(name, value)| collect(of, value, below(&path, format!("f:{name}")), found));
        }
        (Shape::Any, Value::Object(map)) if !map.is_empty() => {
            map.iter().for_each(|(name, value)| collect(&Shape::Any, value, below(&path, format!("f:{name}")), found));
        }
        (Shape::List(Merge::Set, _), Value::Array(list)) if !list.is_empty() => {
            list.iter().for_each(|item| {
                found.insert(below(&path, format!("v:{item}")), item);
            });
        }
        (Shape::List(Merge::ByKeys(keys), of), Value::Array(list)) if !list.is_empty() => {
            for item in list {
                let path = below(&path, item_step(keys, item));
                collect(of, item, path.clone(), found);
                found.insert(path, &NULL);
            }
        }
        _ => {
            found.insert(path, value);
        }
    }
}

/// `k:{"name":"a"}`.
pub(super) fn item_step(keys: &[&str], item: &Value) -> String {
    let own: Map<_, _> = keys.iter().filter_map(|key| Some(((*key).to_owned(), item.get(*key)?.clone()))).collect();
    format!("k:{}", Value::Object(own))
}

/// `.spec.volumes[name="a"].disk`, as conflicts name a field.
pub(super) fn spell(path: &Path) -> String {
    path.iter()
        .map(|step| match step.split_once(':') {
            Some(("f", name)) => format!(".{name}"),
            Some(("v", value)) => format!("[={value}]"),
            Some(("k", keys)) => {
                let keys: Map<String, Value> = serde_json::from_str(keys).unwrap_or_default();
                let keys: Vec<_> = keys.iter().map(|(key, value)| format!("{key}={value}")).collect();
                format!("[{}]", keys.join(","))
            }
            _ => step.clone(),
        })
        .collect()
}

fn encode(fields: &BTreeSet<Path>) -> Value {
    let mut root = json!({});
    for path in fields {
        let mut at = &mut root;
        for step in path {
            at = meta::map(at).entry(step.as_str()).or_insert_with(|| json!({}));
        }
        meta::map(at).insert(".".into(), json!({}));
    }
    tidy(&mut root);
    root
}

/// A leaf is `{}`; the dot stays only beside children.
fn tidy(node: &mut Value) {
    let map = meta::map(node);
    if map.len() == 1 && map.contains_key(".") {
        map.clear();
    }
    map.iter_mut().filter(|(step, _)| *step != ".").for_each(|(_, child)| tidy(child));
}

fn decode(node: &Value, path: &Path, fields: &mut BTreeSet<Path>) {
    let Some(map) = node.as_object() else { return };
    if map.is_empty() && !path.is_empty() {
        fields.insert(path.clone());
    }
    for (step, child) in map {
        if step == "." {
            fields.insert(path.clone());
        } else {
            decode(child, &below(path, step.clone()), fields);
        }
    }
}

/// The owners that an object names.
pub(super) fn read(object: &Value) -> Vec<Owner> {
    let entries = object["metadata"]["managedFields"].as_array();
    entries
        .into_iter()
        .flatten()
        .map(|entry| {
            let text = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
            let mut fields = BTreeSet::new();
            decode(&entry["fieldsV1"], &Vec::new(), &mut fields);
            Owner {
                manager: text("manager"),
                is_apply: entry["operation"] == "Apply",
                subresource: text("subresource"),
                api_version: text("apiVersion"),
                time: text("time"),
                fields,
            }
        })
        .collect()
}

/// Whether somebody writes that there are no owners. Source: `managedfields/internal/managedfieldsupdater.go`.
pub(super) fn is_reset(managed: &Value) -> bool {
    managed.as_array().is_some_and(|entries| match entries.as_slice() {
        [] => true,
        [only] => only.as_object().is_some_and(Map::is_empty),
        _ => false,
    })
}

/// Paths of the maps and lists that hold something. Who makes one owns it besides what is in it; structs of built-in kinds
/// and lists that are always written are nobody's. Source: `structured-merge-diff/v6/typed/compare.go`.
fn holders(kind: &Kind, object: &Value) -> BTreeSet<Path> {
    let mut found = BTreeSet::new();
    for (name, value) in object.as_object().into_iter().flatten() {
        let path = vec![format!("f:{name}")];
        match name.as_str() {
            "apiVersion" | "kind" => {}
            "metadata" => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    let shape = metadata_shape().as_struct().and_then(|meta| meta.shape(name));
                    if let (Some(shape), false) = (shape, NOBODYS.contains(&name.as_str())) {
                        hold(shape, value, below(&path, format!("f:{name}")), true, &mut found);
                    }
                }
            }
            _ => hold(top_shape(kind, name), value, path, kind.is_custom, &mut found),
        }
    }
    found
}

fn hold(shape: &Shape, value: &Value, path: Path, is_custom: bool, found: &mut BTreeSet<Path>) {
    match (shape, value) {
        (Shape::Struct(inner), Value::Object(map)) if !map.is_empty() && !inner.is_atomic => {
            for (name, value) in map {
                let shape = inner.shape(name).unwrap_or(&Shape::Any);
                hold(shape, value, below(&path, format!("f:{name}")), is_custom, found);
            }
            if is_custom {
                found.insert(path);
            }
        }
        (Shape::Map(of), Value::Object(map)) if !map.is_empty() => {
            map.iter().for_each(|(name, value)| hold(of, value, below(&path, format!("f:{name}")), is_custom, found));
            found.insert(path);
        }
        (Shape::Any, Value::Object(map)) if !map.is_empty() => {
            for (name, value) in map {
                hold(&Shape::Any, value, below(&path, format!("f:{name}")), is_custom, found);
            }
            found.insert(path);
        }
        (Shape::List(Merge::Set, _), Value::Array(list)) if !list.is_empty() => drop(found.insert(path)),
        (Shape::List(Merge::ByKeys(keys), of), Value::Array(list)) if !list.is_empty() => {
            list.iter().for_each(|item| hold(of, item, below(&path, item_step(keys, item)), is_custom, found));
            if path.last().is_some_and(|last| last != "f:containers") {
                found.insert(path);
            }
        }
        _ => {}
    }
}

/// Writes owners into an object; those who own nothing are left out.
pub(super) fn write(object: &mut Value, owners: &[Owner]) {
    let entries: Vec<_> = owners
        .iter()
        .filter(|owner| !owner.fields.is_empty())
        .map(|owner| {
            let mut entry = json!({
                "manager": owner.manager, "operation": if owner.is_apply { "Apply" } else { "Update" },
                "apiVersion": owner.api_version, "time": owner.time, "fieldsType": "FieldsV1",
                "fieldsV1": encode(&owner.fields),
            });
            if !owner.subresource.is_empty() {
                entry["subresource"] = owner.subresource.as_str().into();
            }
            entry
        })
        .collect();
    meta::set(object, "managedFields", if entries.is_empty() { Value::Null } else { json!(entries) });
}

/// Notes what a write other than apply changed: the writer owns it from now on, nobody else does.
pub(crate) fn record(kind: &Kind, new: &mut Value, old: Option<&Value>, manager: &str, subresource: &str, now_ms: i64) {
    let mut owners = read(new);
    {
        let before = old.map(|old| leaves(kind, old)).unwrap_or_default();
        let after = leaves(kind, new);
        let (held, holds) = (old.map(|old| holders(kind, old)).unwrap_or_default(), holders(kind, new));
        let changed: BTreeSet<Path> = after
            .iter()
            .filter(|(path, value)| before.get(*path) != Some(*value))
            .map(|(path, _)| path.clone())
            .chain(holds.difference(&held).cloned())
            .collect();
        let gone: BTreeSet<&Path> =
            before.keys().filter(|path| !after.contains_key(*path)).chain(held.difference(&holds)).collect();
        if changed.is_empty() && gone.is_empty() {
            return;
        }
        let is_own = |owner: &Owner| !owner.is_apply && owner.manager == manager && owner.subresource == subresource;
        for owner in &mut owners {
            let loses_changed = !is_own(owner);
            owner.fields.retain(|path| !(gone.contains(path) || loses_changed && changed.contains(path)));
        }
        if !changed.is_empty() {
            let time = rfc3339(now_ms);
            match owners.iter_mut().find(|owner| is_own(owner)) {
                Some(own) => {
                    own.fields.extend(changed);
                    own.time = time;
                }
                None => owners.push(Owner {
                    manager: manager.into(),
                    is_apply: false,
                    subresource: subresource.into(),
                    api_version: kind.api_version(),
                    time,
                    fields: changed,
                }),
            }
        }
    }
    write(new, &owners);
}
