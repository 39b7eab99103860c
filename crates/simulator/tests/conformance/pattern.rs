//! Patterns: what a case expects of an answer. Pure; `README.md` says how they are written.

use regex::Regex;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Values that a case has saved, by name.
pub(crate) type Saved = BTreeMap<String, Value>;

/// A value in a message is cut after so many characters.
const SHOWN_CHARS: usize = 600;

/// Says where a value is not what a pattern wants; nothing when it fits.
pub(crate) fn faults(pattern: &Value, found: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    compare(pattern, found, "", &mut faults);
    faults
}

/// A value for a message.
pub(crate) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

fn compare(pattern: &Value, found: &Value, path: &str, faults: &mut Vec<String>) {
    let fits = match pattern {
        Value::String(text) => fits_text(text, found),
        Value::Object(map) if is_operator(map) => {
            map.iter().for_each(|(operator, of)| operate(operator, of, found, path, faults));
            return;
        }
        Value::Object(map) if found.is_object() => {
            for (name, pattern) in map {
                let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
                compare(pattern, found.get(name).unwrap_or(&Value::Null), &path, faults);
            }
            return;
        }
        // Of nothing, a tree that only says what is absent holds.
        Value::Object(map) if found.is_null() && !map.is_empty() => {
            let each = map.iter().map(|(name, pattern)| (format!("{path}/{name}"), pattern));
            each.for_each(|(path, pattern)| compare(pattern, &Value::Null, &path, faults));
            return;
        }
        Value::Array(patterns) => match found {
            Value::Array(items) if items.len() == patterns.len() => {
                let pairs = patterns.iter().zip(items).enumerate();
                pairs.for_each(|(at, (pattern, item))| compare(pattern, item, &format!("{path}/{at}"), faults));
                return;
            }
            _ => false,
        },
        other => other == found,
    };
    if !fits {
        faults.push(format!(
            "{}: wanted {}, got {}",
            if path.is_empty() { "/" } else { path },
            shown(pattern),
            shown(found)
        ));
    }
}

fn fits_text(pattern: &str, found: &Value) -> bool {
    match (pattern, found) {
        ("?", found) => !found.is_null(),
        ("!absent", found) => found.is_null(),
        (pattern, found) => match (pattern.strip_prefix('~'), found) {
            (Some(expression), Value::String(text)) => finds(expression, text),
            (Some(expression), Value::Number(number)) => finds(expression, &number.to_string()),
            (Some(_), _) => false,
            (None, found) => found.as_str() == Some(pattern),
        },
    }
}

fn finds(expression: &str, text: &str) -> bool {
    Regex::new(expression).unwrap_or_else(|error| panic!("the pattern ~{expression}: {error}")).is_match(text)
}

fn is_operator(map: &Map<String, Value>) -> bool {
    !map.is_empty() && map.keys().all(|key| key.starts_with('$'))
}

fn operate(operator: &str, of: &Value, found: &Value, path: &str, errors: &mut Vec<String>) {
    let items = found.as_array().map(Vec::as_slice).unwrap_or_default();
    let patterns = of.as_array().map(Vec::as_slice).unwrap_or_default();
    let holds = |pattern: &Value, value: &Value| faults(pattern, value).is_empty();
    let fault = match operator {
        "$has" => {
            let missing = patterns.iter().find(|pattern| !items.iter().any(|item| holds(pattern, item)));
            missing.map(|missing| format!("no item is {}", shown(missing)))
        }
        "$hasNot" => {
            let there = items.iter().find(|item| patterns.iter().any(|pattern| holds(pattern, item)));
            there.map(|item| format!("there should be no {}", shown(item)))
        }
        "$each" if items.is_empty() => Some("nothing in it".to_owned()),
        "$each" => {
            items.iter().find(|item| !holds(of, item)).map(|item| format!("{} is not {}", shown(item), shown(of)))
        }
        "$size" => {
            let size = found.as_object().map_or(items.len(), Map::len);
            (of.as_u64() != u64::try_from(size).ok()).then(|| format!("wanted {of} items, got {size}"))
        }
        "$not" => holds(of, found).then(|| format!("wanted anything but {}", shown(of))),
        "$any" => (!patterns.iter().any(|pattern| holds(pattern, found))).then(|| format!("none of {}", shown(of))),
        "$json" => match found.as_str().map(serde_json::from_str::<Value>) {
            Some(Ok(inner)) => {
                compare(of, &inner, &format!("{path}/$json"), errors);
                return;
            }
            _ => Some("not JSON in a text".to_owned()),
        },
        other => panic!("there is no pattern {other}"),
    };
    errors.extend(fault.map(|fault| format!("{path}: {fault}, got {}", shown(found))));
}

/// Fills in what was saved, everywhere in a tree.
pub(crate) fn fill(tree: &Value, saved: &Saved) -> Value {
    match tree {
        Value::String(text) => match text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) if saved.contains_key(name) => saved[name].clone(),
            _ => Value::String(fill_text(text, saved)),
        },
        Value::Array(items) => Value::Array(items.iter().map(|item| fill(item, saved)).collect()),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(name, value)| (fill_text(name, saved), fill(value, saved))).collect())
        }
        other => other.clone(),
    }
}

/// The same in a text; braces around other things stay.
pub(crate) fn fill_text(text: &str, saved: &Saved) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        filled.push_str(&rest[..open]);
        rest = &rest[open..];
        let value = rest.find('}').and_then(|close| Some((close, saved.get(&rest[1..close])?)));
        match value {
            Some((close, Value::String(value))) => {
                filled.push_str(value);
                rest = &rest[close + 1..];
            }
            Some((close, value)) => {
                filled.push_str(&value.to_string());
                rest = &rest[close + 1..];
            }
            None => {
                filled.push('{');
                rest = &rest[1..];
            }
        }
    }
    filled + rest
}

/// Lays a JSON merge patch over a tree.
pub(crate) fn lay_over(tree: &mut Value, patch: &Value) {
    match (tree, patch) {
        (Value::Object(tree), Value::Object(patch)) => {
            for (name, value) in patch {
                if value.is_null() {
                    tree.remove(name);
                } else {
                    lay_over(tree.entry(name.as_str()).or_insert(Value::Null), value);
                }
            }
        }
        (tree, Value::Object(patch)) => {
            *tree = Value::Object(Map::new());
            if !patch.is_empty() {
                lay_over(tree, &Value::Object(patch.clone()));
            }
        }
        (tree, patch) => *tree = patch.clone(),
    }
}

#[test]
fn patterns_fit_what_they_say_and_nothing_else() {
    use serde_json::json;
    let cases = [
        (json!({"a": 1}), json!({"a": 1, "b": 2}), true),
        (json!({"a": "~^x[0-9]{2}$"}), json!({"a": "x12"}), true),
        (json!({"a": "~^x[0-9]{2}$"}), json!({"a": "x123"}), false),
        (json!({"a": "!absent"}), json!({}), true),
        (json!({"a": "!absent"}), json!({"a": 0}), false),
        (json!({"a": {"b": "!absent"}}), json!({}), true),
        (json!({"a": "?"}), json!({"a": false}), true),
        (json!([1, 2]), json!([1, 2, 3]), false),
        (json!({"$has": [2]}), json!([1, 2]), true),
        (json!({"$hasNot": [2]}), json!([1, 2]), false),
        (json!({"$each": {"a": 1}}), json!([{"a": 1}, {"a": 2}]), false),
        (json!({"$size": 2}), json!({"a": 1, "b": 1}), true),
        (json!({"$json": {"a": 1}}), json!("{\"a\": 1}"), true),
        (json!({"$any": [1, 2]}), json!(3), false),
        (json!({"$not": 1}), json!(1), false),
    ];
    for (pattern, found, fits) in cases {
        assert_eq!(faults(&pattern, &found).is_empty(), fits, "{pattern} and {found}");
    }
}

#[test]
fn only_what_was_saved_is_filled_in() {
    use serde_json::json;
    let saved = Saved::from([("ns".to_owned(), json!("team")), ("n".to_owned(), json!(3))]);
    assert_eq!(fill(&json!({"{ns}": ["{n}", "x{n}", "{other}{5}"]}), &saved), json!({"team": [3, "x3", "{other}{5}"]}));
}
