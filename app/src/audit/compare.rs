//! Before and after, compared field by field. Pure; what is not JSON is compared as one text.

use std::collections::BTreeMap;

use serde_json::Value;

/// Most fields that are shown of one act: an act is about a few.
const MOST: usize = 60;

/// One field of before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// `spec.memory`; empty for the whole.
    pub(super) field: String,
    /// Before, if it was there.
    pub(super) before: Option<String>,
    /// After, if it is there.
    pub(super) after: Option<String>,
}

impl Difference {
    /// Before and after are the same.
    pub(super) fn is_same(&self) -> bool {
        self.before == self.after
    }
}

/// All fields of both, by name, with the changed ones first.
pub(super) fn compare(before: Option<&str>, after: Option<&str>) -> Vec<Difference> {
    let (mut old, mut new) = (fields(before), fields(after));
    let mut names: Vec<String> = old.keys().chain(new.keys()).cloned().collect();
    names.sort();
    names.dedup();
    let mut all: Vec<Difference> = names
        .into_iter()
        .map(|field| Difference { before: old.remove(&field), after: new.remove(&field), field })
        .collect();
    all.sort_by_key(Difference::is_same);
    all.truncate(MOST);
    all
}

fn fields(text: Option<&str>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    if let Some(text) = text {
        match serde_json::from_str(text) {
            Ok(value) => flatten(String::new(), &value, &mut found),
            Err(_) => {
                found.insert(String::new(), text.to_owned());
            }
        }
    }
    found
}

fn flatten(path: String, value: &Value, into: &mut BTreeMap<String, String>) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            fields.iter().for_each(|(name, value)| flatten(below(name), value, into))
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(at, value)| flatten(below(&at.to_string()), value, into));
        }
        Value::Null => {}
        Value::String(text) => {
            into.insert(path, text.clone());
        }
        other => {
            into.insert(path, other.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(d: &Difference) -> String {
        format!("{}: {} -> {}", d.field, d.before.as_deref().unwrap_or("-"), d.after.as_deref().unwrap_or("-"))
    }

    #[test]
    fn changed_fields_come_first() {
        let found = compare(
            Some(r#"{"cpu":4,"spec":{"memory":"8Gi"},"node":null}"#),
            Some(r#"{"cpu":4,"spec":{"memory":"16Gi"},"node":"hv-1"}"#),
        );
        let lines: Vec<_> = found.iter().map(line).collect();
        assert_eq!(lines, ["node: - -> hv-1", "spec.memory: 8Gi -> 16Gi", "cpu: 4 -> 4"]);
    }

    #[test]
    fn what_is_not_json_is_one_text() {
        assert_eq!(
            compare(Some("running"), Some("stopped")).iter().map(line).collect::<Vec<_>>(),
            [": running -> stopped"]
        );
        assert!(compare(None, None).is_empty());
    }
}
