//! Objects as they go over the wire: in the version that was asked for, whole or metadata only.

use crate::world::catalogue::{Catalogue, Kind, definition};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};
use std::borrow::Cow;

/// An object in a served version; items of built-in lists come without `apiVersion` and `kind`, as upstream's typed
/// lists do.
pub(super) struct Shown<'a> {
    pub(super) object: &'a Value,
    pub(super) kind: &'a Kind,
    pub(super) version: &'a str,
    pub(super) is_item: bool,
    pub(super) is_metadata: bool,
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Value::Object(fields) = self.object else { return self.object.serialize(serializer) };
        let mut map = serializer.serialize_map(None)?;
        if self.is_metadata {
            map.serialize_entry("apiVersion", "meta.k8s.io/v1")?;
            map.serialize_entry("kind", "PartialObjectMetadata")?;
            map.serialize_entry("metadata", &fields.get("metadata"))?;
            return map.end();
        }
        let is_bare = self.is_item && !self.kind.is_custom;
        for (name, value) in fields {
            match name.as_str() {
                "apiVersion" | "kind" if is_bare => {}
                "apiVersion" if self.version != self.kind.resource.version => {
                    map.serialize_entry(name, &self.kind.api_version_in(self.version))?;
                }
                _ => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}

/// CustomResourceDefinitions stand in the world without their schemas; here they get them.
pub(super) fn whole<'a>(catalogue: &Catalogue, kind: &Kind, object: &'a Value) -> Cow<'a, Value> {
    if kind.resource.plural == "customresourcedefinitions" {
        return Cow::Owned(definition::with_schemas(catalogue, object));
    }
    Cow::Borrowed(object)
}

/// The same as a value.
pub(super) fn value(shown: &Shown<'_>) -> Value {
    serde_json::to_value(shown).unwrap_or(Value::Null)
}

/// `metadata` of a list.
pub(super) fn list_meta(version: u64, next: Option<String>, remaining: Option<usize>, is_custom: bool) -> Value {
    let mut meta = json!({ "resourceVersion": version.to_string() });
    if next.is_some() || is_custom {
        meta["continue"] = next.unwrap_or_default().into();
    }
    if let Some(remaining) = remaining {
        meta["remainingItemCount"] = remaining.into();
    }
    meta
}
