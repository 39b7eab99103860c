//! Labels and annotations that say whose a VM is. Keys are `model::ownership`'s.

use super::VmSpec;
use model::ownership;
use serde_json::{Map, Value};

/// A label value, if the text can be one: at most 63 of `[A-Za-z0-9._-]`, beginning and ending with a letter or digit.
///
/// Source: k8s.io/apimachinery `pkg/util/validation/validation.go`.
pub(super) fn value(text: &str) -> Option<&str> {
    let fine = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'-');
    let ends = |c: Option<&u8>| c.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    (bytes.len() <= 63 && bytes.iter().all(|&c| fine(c)) && ends(bytes.first()) && ends(bytes.last())).then_some(text)
}

/// Labels of ownership; a text that is no label value is left out here and stands in the annotation.
pub(super) fn labels(spec: &VmSpec) -> Map<String, Value> {
    let mut labels = Map::new();
    let mut put = |key: &str, text: &str| {
        if let Some(text) = value(text) {
            labels.insert(key.to_owned(), text.into());
        }
    };
    put(ownership::MANAGED_BY, ownership::MANAGED_BY_US);
    put(ownership::OWNER, &spec.owner.number);
    put(ownership::SERVICE, &spec.service.0);
    put(ownership::ENVIRONMENT, spec.environment.word());
    labels
}

/// Names of people and services, which labels cannot carry; the operation and the change.
pub(super) fn annotations(spec: &VmSpec) -> Map<String, Value> {
    let mut annotations = Map::new();
    let mut put = |key: &str, text: &str| {
        if !text.is_empty() {
            annotations.insert(key.to_owned(), text.into());
        }
    };
    put(ownership::OWNER_NAME, &spec.owner.name);
    put(ownership::SERVICE_NAME, &spec.service.1);
    put(ownership::OPERATION, spec.operation.as_str());
    put(ownership::CHANGE, spec.change.as_str());
    annotations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_label_values_become_labels() {
        for fine in ["E10432", "order-app", "a.b_c"] {
            assert_eq!(value(fine), Some(fine));
        }
        for bad in ["", "张伟", "-a", "a-", "a b", &"x".repeat(64)] {
            assert_eq!(value(bad), None, "{bad}");
        }
    }
}
