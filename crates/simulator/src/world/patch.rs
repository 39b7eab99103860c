//! JSON patch, JSON merge patch, and as much of the strategic merge patch as clients use.
//!
//! Pure functions over JSON. Sources: RFC 6902, RFC 7386, `k8s.io/apimachinery/pkg/util/strategicpatch`.

use serde_json::{Map, Value};

/// Applies a JSON merge patch (RFC 7386).
pub fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(target) = target else { return };
    for (key, value) in patch {
        if value.is_null() {
            target.remove(key);
        } else {
            merge(target.entry(key.as_str()).or_insert(Value::Null), value);
        }
    }
}

/// Applies a JSON patch (RFC 6902); the error says which operation failed and why.
pub fn json(target: &mut Value, patch: &Value) -> Result<(), String> {
    let operations = patch.as_array().map(Vec::as_slice).unwrap_or_default();
    operations.iter().try_for_each(|operation| one(target, operation))
}

fn one(target: &mut Value, operation: &Value) -> Result<(), String> {
    let text = |field: &str| operation.get(field).and_then(Value::as_str);
    let path = text("path").ok_or("jsonpatch: an operation has no path")?;
    let value = || operation.get("value").cloned().unwrap_or(Value::Null);
    let from = || text("from").ok_or_else(|| "jsonpatch: an operation has no from".to_owned());
    let missing = |path: &str| format!("the server rejected our request due to an error in our request: {path}");
    match text("op").unwrap_or_default() {
        "add" => add(target, path, value()),
        "remove" => take(target, path).map(drop).ok_or_else(|| missing(path)),
        "replace" => {
            let parent = split(path).and_then(|(parent, _)| target.pointer(parent));
            // Upstream's library puts what is missing into a map. Source: `gopkg.in/evanphx/json-patch.v4` (`replace`).
            let is_put = parent.is_some_and(Value::is_object);
            match target.pointer_mut(path) {
                Some(place) => *place = value(),
                None if is_put => add(target, path, value())?,
                None => return Err(missing(path)),
            }
            Ok(())
        }
        "move" => {
            let from = from()?;
            let value = take(target, from).ok_or_else(|| missing(from))?;
            add(target, path, value)
        }
        "copy" => {
            let from = from()?;
            let value = target.pointer(from).cloned().ok_or_else(|| missing(from))?;
            add(target, path, value)
        }
        "test" if target.pointer(path) == operation.get("value") => Ok(()),
        "test" => Err(format!("testing path {path} failed: test failed")),
        other => Err(format!("Unexpected kind: {other}")),
    }
}

fn split(path: &str) -> Option<(&str, String)> {
    let (parent, last) = path.rsplit_once('/')?;
    Some((parent, last.replace("~1", "/").replace("~0", "~")))
}

fn add(target: &mut Value, path: &str, value: Value) -> Result<(), String> {
    let missing = || format!("add operation does not apply: doc is missing path: \"{path}\": missing value");
    let Some((parent, last)) = split(path) else {
        *target = value;
        return Ok(());
    };
    match target.pointer_mut(parent).ok_or_else(missing)? {
        Value::Object(map) => {
            map.insert(last, value);
        }
        Value::Array(list) if last == "-" => list.push(value),
        Value::Array(list) => {
            let at: usize = last.parse().map_err(|_| missing())?;
            if at > list.len() {
                return Err(format!("Unable to access invalid index: {at}: invalid index referenced"));
            }
            list.insert(at, value);
        }
        _ => return Err(missing()),
    }
    Ok(())
}

fn take(target: &mut Value, path: &str) -> Option<Value> {
    let (parent, last) = split(path)?;
    match target.pointer_mut(parent)? {
        Value::Object(map) => map.remove(&last),
        Value::Array(list) => {
            let at: usize = last.parse().ok()?;
            (at < list.len()).then(|| list.remove(at))
        }
        _ => None,
    }
}

/// Fields whose lists are merged by a key in built-in kinds. Source: `patchMergeKey` tags in `k8s.io/api/core/v1`.
const MERGE_KEYS: &[(&str, &str)] = &[
    ("containers", "name"),
    ("initContainers", "name"),
    ("volumes", "name"),
    ("env", "name"),
    ("volumeMounts", "mountPath"),
    ("ports", "port"),
    ("conditions", "type"),
    ("addresses", "type"),
    ("ownerReferences", "uid"),
    ("imagePullSecrets", "name"),
    ("hostAliases", "ip"),
    ("secrets", "name"),
];

/// Fields whose lists are merged as sets.
const MERGE_SETS: &[&str] = &["finalizers"];

/// Applies a strategic merge patch to an object of a built-in kind.
pub fn strategic(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(target) = target else { return };
    if patch.get("$patch").and_then(Value::as_str) == Some("replace") {
        target.clear();
    }
    for (key, value) in patch {
        if let Some(field) = key.strip_prefix("$deleteFromPrimitiveList/") {
            if let (Some(Value::Array(list)), Some(gone)) = (target.get_mut(field), value.as_array()) {
                list.retain(|item| !gone.contains(item));
            }
        } else if let Some(field) = key.strip_prefix("$retainKeys").map(|_| key) {
            let _ = field; // Unions are told apart by the fields that stay; a merge keeps them already.
        } else if key.starts_with("$setElementOrder/") || key == "$patch" {
            // Order of merged lists: the target's own order, then what is new.
        } else if value.is_null() {
            target.remove(key);
        } else {
            let place = target.entry(key.as_str()).or_insert(Value::Null);
            match value {
                Value::Array(items) => list(place, items, key),
                _ => strategic(place, value),
            }
        }
    }
}

fn list(place: &mut Value, items: &[Value], field: &str) {
    if MERGE_SETS.contains(&field)
        && let Value::Array(old) = place
    {
        let new: Vec<_> = items.iter().filter(|item| !old.contains(item)).cloned().collect();
        old.extend(new);
        return;
    }
    let key = MERGE_KEYS.iter().find(|(name, _)| *name == field).map(|(_, key)| *key);
    // Container ports are found by containerPort, those of a service by port.
    let key = match key {
        Some("port") if items.iter().any(|item| item.get("containerPort").is_some()) => Some("containerPort"),
        other => other,
    };
    let (Some(key), true) = (key, items.iter().all(Value::is_object)) else {
        *place = Value::Array(items.to_vec());
        return;
    };
    if !place.is_array() {
        *place = Value::Array(Vec::new());
    }
    let Value::Array(old) = place else { return };
    if items.iter().any(|item| item.get("$patch").and_then(Value::as_str) == Some("replace")) {
        old.clear();
    }
    for item in items {
        let at = old.iter().position(|old| old.get(key).is_some() && old.get(key) == item.get(key));
        match (item.get("$patch").and_then(Value::as_str), at) {
            (Some("delete"), Some(at)) => {
                old.remove(at);
            }
            (Some("delete" | "replace"), _) => {}
            (_, Some(at)) => strategic(&mut old[at], item),
            (_, None) => {
                let mut made = Value::Null;
                strategic(&mut made, item);
                old.push(made);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    #[test]
    fn patches_do_what_their_standards_say() {
        type Apply = fn(&mut Value, &Value);
        let cases: &[(Apply, Value, Value, Value)] = &[
            (
                super::merge,
                json!({"a": {"b": 1, "c": 2}}),
                json!({"a": {"b": null, "d": 3}}),
                json!({"a": {"c": 2, "d": 3}}),
            ),
            (super::merge, json!({"a": [1]}), json!({"a": {"b": {"c": null}}}), json!({"a": {"b": {}}})),
            (
                |target, patch| super::json(target, patch).expect("fits"),
                json!({"a": ["x"], "b/c": 1}),
                json!([{"op": "add", "path": "/a/-", "value": "y"}, {"op": "move", "from": "/b~1c", "path": "/d"}]),
                json!({"a": ["x", "y"], "d": 1}),
            ),
            (
                super::strategic,
                json!({"conditions": [{"type": "A", "status": "1"}, {"type": "B", "status": "1"}]}),
                json!({"conditions": [{"type": "B", "status": "2"}, {"$patch": "delete", "type": "A"}]}),
                json!({"conditions": [{"type": "B", "status": "2"}]}),
            ),
        ];
        for (apply, target, patch, expected) in cases {
            let mut changed = target.clone();
            apply(&mut changed, patch);
            assert_eq!(&changed, expected, "{patch}");
        }
    }
}
