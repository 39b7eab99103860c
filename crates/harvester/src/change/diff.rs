//! What differs between two objects, and the masking of what nobody is to see. Pure.

use crate::api::Kind;
use crate::view::clean;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Differences that are kept: a person reads the first dozen.
const MAX: usize = 500;

/// One place that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// JSON pointer (RFC 6901); empty for the whole object.
    pub path: String,
    /// Before; absent when it is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// After; absent when it is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

/// Places that change with every write and say nothing.
fn is_noise(path: &str) -> bool {
    const NOISE: [&str; 3] = ["/metadata/managedFields", "/metadata/resourceVersion", "/metadata/generation"];
    NOISE.contains(&path)
}

/// Differences that are told in one sentence, and characters of a value there.
const TOLD: usize = 5;
const TOLD_VALUE: usize = 40;

/// What differs between an object as it was read and as it is now, in a line for people: `/status/phase: "a" → "b", …`.
pub fn told(kind: Kind, before: &Value, after: &Value) -> String {
    let all = between(&masked(kind, before.clone()), &masked(kind, after.clone()));
    let value =
        |value: &Option<Value>| value.as_ref().map_or("—".to_owned(), |v| clean::text(&v.to_string(), TOLD_VALUE));
    let mut told: Vec<String> = all
        .iter()
        .take(TOLD)
        .map(|d| format!("{}: {} → {}", clean::text(&d.path, MAX_PATH), value(&d.before), value(&d.after)))
        .collect();
    told.extend((all.len() > TOLD).then(|| "…".to_owned()));
    told.join(", ")
}

/// Characters of a place that are told.
const MAX_PATH: usize = 120;

/// All places that differ, in the order of the keys.
pub(super) fn between(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    walk(String::new(), Some(before), Some(after), &mut found);
    found
}

fn walk(path: String, before: Option<&Value>, after: Option<&Value>, found: &mut Vec<Difference>) {
    if before == after || is_noise(&path) || found.len() >= MAX {
        return;
    }
    match (before, after) {
        (Some(Value::Object(b)), Some(Value::Object(a))) => {
            let mut keys: Vec<&String> = b.keys().chain(a.keys().filter(|key| !b.contains_key(*key))).collect();
            keys.sort();
            for key in keys {
                walk(format!("{path}/{}", escape(key)), b.get(key), a.get(key), found);
            }
        }
        (Some(Value::Array(b)), Some(Value::Array(a))) => {
            for at in 0..b.len().max(a.len()) {
                walk(format!("{path}/{at}"), b.get(at), a.get(at), found);
            }
        }
        _ => found.push(Difference { path, before: before.cloned(), after: after.cloned() }),
    }
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The object without what a Secret keeps.
pub(super) fn masked(kind: Kind, mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    if kind == Kind::Secret {
        for part in ["data", "stringData"] {
            for value in object.get_mut(part).and_then(Value::as_object_mut).into_iter().flat_map(|m| m.values_mut()) {
                let bytes = value.as_str().map_or(0, str::len);
                *value = Value::String(format!("<{bytes}>"));
            }
        }
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_that_differ_and_no_others() {
        let before = json!({"a": 1, "l": [1, {"x": 1}], "gone": true, "k/~": 1, "metadata": {"resourceVersion": "1"}});
        let after = json!({"a": 1, "l": [1, {"x": 2}, 3], "k/~": 2, "new": {}, "metadata": {"resourceVersion": "2"}});
        let paths: Vec<_> = between(&before, &after).into_iter().map(|d| d.path).collect();
        assert_eq!(paths, ["/gone", "/k~1~0", "/l/1/x", "/l/2", "/new"]);
        assert_eq!(between(&before, &before), []);
    }

    #[test]
    fn a_secret_shows_sizes_only() {
        let secret = masked(Kind::Secret, json!({"data": {"userdata": "aHVudGVyMg=="}}));
        assert_eq!(secret, json!({"data": {"userdata": "<12>"}}));
    }
}
