//! Who owns which field: `metadata.managedFields`.

use super::catalogue::Kind;
use serde_json::Value;

/// Notes what a write changed. Stub.
pub(crate) fn record(_kind: &Kind, _new: &mut Value, _old: Option<&Value>, _manager: &str, _sub: &str, _now_ms: i64) {}
