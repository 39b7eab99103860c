//! Reading and writing `metadata` of objects that are plain JSON.
//!
//! Readers answer "empty" for what is absent. Nothing here knows a kind.

use serde_json::{Map, Value};

/// A string in `metadata`, empty when absent.
pub(crate) fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object.get("metadata").and_then(|meta| meta.get(field)).and_then(Value::as_str).unwrap_or_default()
}

/// `metadata.name`.
pub(crate) fn name(object: &Value) -> &str {
    text(object, "name")
}

/// `metadata.namespace`, empty for cluster-scoped objects.
pub(crate) fn namespace(object: &Value) -> &str {
    text(object, "namespace")
}

/// `metadata.resourceVersion` as a number; 0 when absent or not a number.
pub(crate) fn resource_version(object: &Value) -> u64 {
    text(object, "resourceVersion").parse().unwrap_or_default()
}

/// Whether deletion was asked for.
pub(crate) fn is_terminating(object: &Value) -> bool {
    !text(object, "deletionTimestamp").is_empty()
}

/// A label's value.
pub(crate) fn label<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get("metadata")?.get("labels")?.get(key)?.as_str()
}

/// Finalizers that still hold the object.
pub(crate) fn finalizers(object: &Value) -> Vec<&str> {
    let list = object.get("metadata").and_then(|meta| meta.get("finalizers")).and_then(Value::as_array);
    list.map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

/// Uids of the owners.
pub(crate) fn owners(object: &Value) -> impl Iterator<Item = &str> {
    let list = object.get("metadata").and_then(|meta| meta.get("ownerReferences")).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|owner| owner.get("uid")?.as_str())
}

/// `metadata` for writing; made when absent or not an object.
pub(crate) fn metadata(object: &mut Value) -> &mut Map<String, Value> {
    map_at(map(object).entry("metadata").or_insert_with(|| Value::Object(Map::new())))
}

/// The object itself as a map; replaced by an empty one when it is something else.
pub(crate) fn map(object: &mut Value) -> &mut Map<String, Value> {
    map_at(object)
}

fn map_at(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("made an object just above"),
    }
}

/// Sets a `metadata` field, or removes it when the value is null.
pub(crate) fn set(object: &mut Value, field: &str, value: impl Into<Value>) {
    let value = value.into();
    if value.is_null() {
        metadata(object).remove(field);
    } else {
        metadata(object).insert(field.into(), value);
    }
}

/// Copies a `metadata` field from another object, or removes it when that has none.
pub(crate) fn keep(object: &mut Value, field: &str, from: &Value) {
    let value = from.get("metadata").and_then(|meta| meta.get(field)).cloned().unwrap_or(Value::Null);
    set(object, field, value);
}
