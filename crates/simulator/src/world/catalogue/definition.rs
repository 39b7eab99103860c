//! CustomResourceDefinitions and OpenAPI schemas, written out from the catalogue.
//!
//! Pure. Descriptions are few: upstream's texts are not ours. Source of the shape: `apiextensions.k8s.io/v1`.

use super::schema::{Field, Merge, Scalar, Shape, Struct};
use super::{Catalogue, Kind};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// OpenAPI v3 schema of a shape.
pub fn schema(shape: &Shape) -> Value {
    match shape {
        Shape::Any => json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true }),
        Shape::Scalar(scalar) => scalar_schema(scalar),
        Shape::Struct(inner) => struct_schema(inner),
        Shape::Map(of) => json!({ "type": "object", "additionalProperties": schema(of) }),
        Shape::List(merge, of) => {
            let mut list = json!({ "type": "array", "items": schema(of) });
            match merge {
                Merge::Atomic => list["x-kubernetes-list-type"] = "atomic".into(),
                Merge::Set => list["x-kubernetes-list-type"] = "set".into(),
                Merge::ByKeys(keys) => {
                    list["x-kubernetes-list-type"] = "map".into();
                    list["x-kubernetes-list-map-keys"] = json!(keys);
                }
            }
            list
        }
    }
}

fn scalar_schema(scalar: &Scalar) -> Value {
    match scalar {
        Scalar::Text(words) if words.is_empty() => json!({ "type": "string" }),
        Scalar::Text(words) => json!({ "type": "string", "enum": words }),
        Scalar::Time => json!({ "type": "string", "format": "date-time" }),
        Scalar::Bytes => json!({ "type": "string", "format": "byte" }),
        Scalar::Integer("") => json!({ "type": "integer" }),
        Scalar::Integer(format) => json!({ "type": "integer", "format": format }),
        Scalar::Number => json!({ "type": "number" }),
        Scalar::Bool => json!({ "type": "boolean" }),
        Scalar::IntOrText => json!({
            "anyOf": [{ "type": "integer" }, { "type": "string" }], "x-kubernetes-int-or-string": true,
        }),
    }
}

fn struct_schema(inner: &Struct) -> Value {
    let mut made = json!({ "type": "object" });
    let properties: Map<String, Value> =
        inner.fields.iter().map(|(name, field)| ((*name).to_owned(), field_schema(field))).collect();
    if !properties.is_empty() {
        made["properties"] = Value::Object(properties);
    }
    let required: Vec<_> = inner.fields.iter().filter(|(_, field)| field.is_required).map(|(name, _)| *name).collect();
    if !required.is_empty() {
        made["required"] = json!(required);
    }
    if inner.is_open {
        made["x-kubernetes-preserve-unknown-fields"] = true.into();
    }
    if inner.is_atomic {
        made["x-kubernetes-map-type"] = "atomic".into();
    }
    made
}

fn field_schema(field: &Field) -> Value {
    let mut made = schema(&field.shape);
    if let Some(default) = &field.default {
        made["default"] = default.clone();
    }
    made
}

/// Schema of whole objects of a kind, with `apiVersion`, `kind` and `metadata` as given.
pub fn object_schema(kind: &Kind, metadata: Value) -> Value {
    let mut made = struct_schema(&kind.schema);
    made["description"] = format!("{} of the simulated cluster.", kind.kind).into();
    let properties = made.as_object_mut().map(|made| made.entry("properties").or_insert_with(|| json!({})));
    if let Some(Value::Object(properties)) = properties {
        properties.insert("apiVersion".into(), json!({ "type": "string" }));
        properties.insert("kind".into(), json!({ "type": "string" }));
        properties.insert("metadata".into(), metadata);
    }
    made
}

/// The definition of a custom kind without its schemas; those are large, and [`with_schemas`] puts them in.
pub fn definition(kind: &Kind) -> Value {
    let mut names = json!({
        "plural": kind.resource.plural, "singular": kind.singular, "kind": kind.kind,
        "listKind": format!("{}List", kind.kind),
    });
    if !kind.short.is_empty() {
        names["shortNames"] = json!(kind.short);
    }
    if !kind.categories.is_empty() {
        names["categories"] = json!(kind.categories);
    }
    let columns: Vec<_> = kind
        .columns
        .iter()
        .map(|column| {
            let mut made = json!({ "name": column.name, "type": column.kind, "jsonPath": column.path });
            if column.priority != 0 {
                made["priority"] = column.priority.into();
            }
            made
        })
        .collect();
    let versions: Vec<_> = kind
        .versions
        .iter()
        .map(|version| {
            let is_stored = *version == kind.resource.version;
            let mut made = json!({ "name": version, "served": true, "storage": is_stored });
            let subs: Map<String, Value> = kind.subresources.iter().map(|sub| ((*sub).to_owned(), json!({}))).collect();
            if !subs.is_empty() {
                made["subresources"] = Value::Object(subs);
            }
            if !columns.is_empty() {
                made["additionalPrinterColumns"] = json!(columns);
            }
            made
        })
        .collect();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": kind.qualified() },
        "spec": {
            "group": kind.resource.group, "names": names, "versions": versions, "conversion": { "strategy": "None" },
            "scope": if kind.namespaced { "Namespaced" } else { "Cluster" },
        },
        "status": {
            "acceptedNames": names, "storedVersions": [kind.resource.version],
            "conditions": [
                { "type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found" },
                { "type": "Established", "status": "True", "reason": "InitialNamesAccepted",
                  "message": "the initial names have been accepted" },
            ],
        },
    })
}

/// A stored definition with its schemas.
pub fn with_schemas(catalogue: &Catalogue, stored: &Value) -> Value {
    let mut whole = stored.clone();
    let group = stored["spec"]["group"].as_str().unwrap_or_default();
    let plural = stored["spec"]["names"]["plural"].as_str().unwrap_or_default();
    let Some(kind) = catalogue.find(group, plural) else { return whole };
    let schema = cached(catalogue, kind);
    for version in whole["spec"]["versions"].as_array_mut().into_iter().flatten() {
        version["schema"] = json!({ "openAPIV3Schema": *schema });
    }
    whole
}

/// Schemas never change, so each is written out once in a process.
fn cached(catalogue: &Catalogue, kind: &Kind) -> Arc<Value> {
    type Made = HashMap<(super::Release, usize), Arc<Value>>;
    static MADE: OnceLock<Mutex<Made>> = OnceLock::new();
    let mut made = MADE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let entry = made.entry((catalogue.release(), kind.id));
    entry.or_insert_with(|| Arc::new(object_schema(kind, json!({ "type": "object" })))).clone()
}
