//! Texts on their way into and out of columns.

use crate::StoreError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::borrow::Cow;

/// PostgreSQL's TEXT cannot hold NUL, and what people and guests send can: it becomes U+FFFD on both engines.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(text) }
}

/// At most `max` bytes of a clean `text`; what was cut says so and how long it was.
pub(crate) fn cut(text: &str, max: usize) -> Cow<'_, str> {
    let text = clean(text);
    if text.len() <= max {
        return text;
    }
    let mark = format!("…[cut, {} bytes in all]", text.len());
    let end = text.floor_char_boundary(max.saturating_sub(mark.len()));
    Cow::Owned(format!("{}{mark}", &text[..end]))
}

/// Reads a column that we wrote; `what` names it when it cannot be read.
pub(crate) fn read<T, E>(parsed: Result<T, E>, what: &'static str) -> Result<T, StoreError> {
    parsed.map_err(|_| StoreError::Corrupt { what })
}

/// The same for parsers that answer with an `Option`.
pub(crate) fn known<T>(parsed: Option<T>, what: &'static str) -> Result<T, StoreError> {
    parsed.ok_or(StoreError::Corrupt { what })
}

/// A value as the JSON of a column.
pub(crate) fn to_json<T: Serialize>(value: &T, what: &'static str) -> Result<String, StoreError> {
    read(serde_json::to_string(value), what)
}

/// A value from the JSON of a column.
pub(crate) fn from_json<T: DeserializeOwned>(text: &str, what: &'static str) -> Result<T, StoreError> {
    read(serde_json::from_str(text), what)
}

/// A row count or a sequence as the unsigned number that `model` wants.
pub(crate) fn count(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_a_character_and_says_so() {
        let long = "汉".repeat(100);
        let short = cut(&long, 64);
        assert!(short.len() <= 64 && short.ends_with("…[cut, 300 bytes in all]"), "{short}");
        assert_eq!(cut("a\0b", 64), "a\u{fffd}b");
        assert!(matches!(cut("as it is", 64), Cow::Borrowed(_)));
    }
}
