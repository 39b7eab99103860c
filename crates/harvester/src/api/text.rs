//! A text borrowed from the JSON where it has no escapes.
//!
//! serde borrows `Cow` only where it stands by itself, not inside `Option` or `Vec`; and upstream fields that are
//! int-or-string (quantities, ports) come as numbers from some writers. This type takes all of them.

use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A text, or a number or boolean as a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Text<'a>(Cow<'a, str>);

impl std::ops::Deref for Text<'_> {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Scalar;
        impl<'de> Visitor<'de> for Scalar {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a number")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
            fn visit_u64<E: de::Error>(self, n: u64) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(n.to_string())))
            }
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(n.to_string())))
            }
            fn visit_f64<E: de::Error>(self, n: f64) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(n.to_string())))
            }
            fn visit_bool<E: de::Error>(self, b: bool) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(b.to_string())))
            }
        }
        deserializer.deserialize_any(Scalar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_texts_are_borrowed_and_numbers_are_texts() {
        #[derive(serde::Deserialize)]
        struct Limits<'a> {
            #[serde(borrow)]
            cpu: Option<Text<'a>>,
            #[serde(borrow)]
            memory: Option<Text<'a>>,
        }
        let limits: Limits = serde_json::from_str(r#"{"cpu":4,"memory":"8Gi"}"#).unwrap();
        assert_eq!(limits.cpu.as_deref(), Some("4"));
        assert!(matches!(limits.memory, Some(Text(Cow::Borrowed("8Gi")))));
    }
}
