//! Objects that could not be read: which, why; bounded. What was known of them before stays in the cache.

use crate::api::{Kind, Text};
use crate::view::clean;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Objects that are listed; more are only counted.
const MAX_LISTED: usize = 1_000;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Quarantine(Mutex<HashMap<(Kind, u64), String>>);

impl Quarantine {
    pub(crate) fn put(&self, kind: Kind, key: u64, namespace: &str, name: &str, why: &str) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() < MAX_LISTED || held.contains_key(&(kind, key)) {
            let whole = format!("{} {namespace}/{name}: {why}", kind.kind());
            held.insert((kind, key), clean::text(&whole, 500));
        }
    }

    /// The object could be read again, or is gone.
    pub(crate) fn take(&self, kind: Kind, key: u64) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !held.is_empty() {
            held.remove(&(kind, key));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(crate) fn list(&self) -> Vec<String> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<String> = held.values().cloned().collect();
        all.sort_unstable();
        all
    }
}

/// Namespace and name of an object that could not be read, as far as they can be made out.
pub(crate) fn whose(raw: &[u8]) -> (String, String) {
    #[derive(Deserialize)]
    struct Object<'a> {
        #[serde(borrow)]
        metadata: Names<'a>,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Names<'a> {
        #[serde(borrow)]
        namespace: Option<Text<'a>>,
        #[serde(borrow)]
        name: Option<Text<'a>>,
    }
    if let Ok(Object { metadata: m }) = serde_json::from_slice(raw) {
        let text = |t: Option<Text<'_>>| t.map(|t| t.to_string()).unwrap_or_default();
        return (text(m.namespace), text(m.name));
    }
    let text = String::from_utf8_lossy(&raw[..raw.len().min(16 << 10)]);
    let metadata = text.split_once("\"metadata\"").map_or(text.as_ref(), |(_, rest)| rest);
    let value = |key: &str| {
        let (_, rest) = metadata.split_once(key)?;
        let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        rest.split_once('"').map(|(value, _)| value.to_owned())
    };
    (value("\"namespace\"").unwrap_or_default(), value("\"name\"").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_out_of_what_cannot_be_read() {
        let named = (String::from("a"), String::from("b"));
        assert_eq!(whose(br#"{"metadata":{"namespace":"a","name":"b","uid":7}}"#), named);
        assert_eq!(whose(br#"{"x":NaN,"metadata":{"name" : "b","namespace":"a"}}"#), named);
        assert_eq!(whose(b"{\"metadata\":{\"name\":\"b\",\"namespace\":\"a\",\"x\":\"\xff\xfe"), named);
        assert_eq!(whose(b"garbage"), (String::new(), String::new()));
    }
}
