//! What a schema demands of an object: defaults, no unknown fields, right types, required fields, proper names.
//!
//! Pure. Source: `apiextensions-apiserver/pkg/apiserver/{schema,validation}`; wording of
//! `apimachinery/pkg/util/validation/field/errors.go`.

use super::catalogue::Kind;
use super::catalogue::schema::{Merge, Scalar, Shape, Struct};
use super::{meta, rules};
use base64::Engine;
use serde_json::{Map, Value};

/// Faults that are reported at a time.
const MAX_FAULTS: usize = 16;

/// Fills in defaults and drops fields that the schema does not know.
pub(crate) fn default_and_prune(kind: &Kind, object: &mut Value) {
    rules::prune_metadata(object);
    let map = meta::map(object);
    if !kind.schema.is_open {
        map.retain(|key, _| is_type_or_meta(key) || kind.schema.fields.contains_key(key.as_str()));
    }
    default_struct(&kind.schema, map);
    for (name, field) in &kind.schema.fields {
        if let Some(value) = map.get_mut(*name) {
            default_shape(&field.shape, value);
        }
    }
}

fn is_type_or_meta(key: &str) -> bool {
    matches!(key, "apiVersion" | "kind" | "metadata")
}

fn default_struct(shape: &Struct, map: &mut Map<String, Value>) {
    for (name, field) in &shape.fields {
        if let Some(default) = &field.default
            && map.get(*name).is_none_or(Value::is_null)
        {
            map.insert((*name).into(), default.clone());
        }
    }
}

fn default_shape(shape: &Shape, value: &mut Value) {
    match (shape, value) {
        (Shape::Struct(shape), Value::Object(map)) => {
            if !shape.is_open {
                map.retain(|key, _| shape.fields.contains_key(key.as_str()));
            }
            default_struct(shape, map);
            for (name, field) in &shape.fields {
                if let Some(value) = map.get_mut(*name) {
                    default_shape(&field.shape, value);
                }
            }
        }
        (Shape::Map(of), Value::Object(map)) => map.values_mut().for_each(|value| default_shape(of, value)),
        (Shape::List(_, of), Value::Array(list)) => list.iter_mut().for_each(|value| default_shape(of, value)),
        _ => {}
    }
}

/// Paths of fields that the schema does not know, as `fieldValidation` reports them.
pub fn unknown_fields(kind: &Kind, object: &Value) -> Vec<String> {
    let mut unknown = Vec::new();
    for (key, value) in object.as_object().into_iter().flatten() {
        match kind.schema.shape(key) {
            Some(shape) => unknown_in(shape, value, key, &mut unknown),
            None if key == "metadata" => {
                let fields = value.as_object().into_iter().flatten().map(|(field, _)| field);
                unknown
                    .extend(fields.filter(|field| !rules::is_metadata(field)).map(|field| format!("metadata.{field}")));
            }
            None if is_type_or_meta(key) || kind.schema.is_open => {}
            None => unknown.push(key.clone()),
        }
    }
    unknown
}

fn unknown_in(shape: &Shape, value: &Value, path: &str, unknown: &mut Vec<String>) {
    match (shape, value) {
        (Shape::Struct(shape), Value::Object(map)) => {
            for (key, value) in map {
                let path = format!("{path}.{key}");
                match shape.shape(key) {
                    Some(inner) => unknown_in(inner, value, &path, unknown),
                    None if shape.is_open => {}
                    None => unknown.push(path),
                }
            }
        }
        (Shape::Map(of), Value::Object(map)) => {
            map.iter().for_each(|(key, value)| unknown_in(of, value, &format!("{path}.{key}"), unknown));
        }
        (Shape::List(_, of), Value::Array(list)) => {
            let each = list.iter().enumerate();
            each.for_each(|(at, value)| unknown_in(of, value, &format!("{path}[{at}]"), unknown));
        }
        _ => {}
    }
}

/// Wrong types and missing fields as `(field, fault)`.
pub(crate) fn faults(kind: &Kind, object: &Value) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    let Some(map) = object.as_object() else { return faults };
    struct_faults(&kind.schema, map, "", &mut faults);
    faults.truncate(MAX_FAULTS);
    faults
}

fn struct_faults(shape: &Struct, map: &Map<String, Value>, path: &str, faults: &mut Vec<(String, String)>) {
    for (name, field) in &shape.fields {
        let path = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
        match map.get(*name) {
            Some(Value::Null) | None => {}
            Some(value) => shape_faults(&field.shape, value, &path, faults),
        }
    }
    // What is missing is told of after what is wrong.
    for (name, _) in
        shape.fields.iter().filter(|(name, field)| field.is_required && map.get(**name).is_none_or(Value::is_null))
    {
        let path = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
        faults.push((path, "Required value".into()));
    }
}

fn shape_faults(shape: &Shape, value: &Value, path: &str, faults: &mut Vec<(String, String)>) {
    match (shape, value) {
        (Shape::Any, _) => {}
        (Shape::Struct(shape), Value::Object(map)) => struct_faults(shape, map, path, faults),
        (Shape::Map(of), Value::Object(map)) => {
            for (key, value) in map.iter().filter(|(_, value)| !value.is_null()) {
                shape_faults(of, value, &format!("{path}.{key}"), faults);
            }
        }
        (Shape::List(merge, of), Value::Array(list)) => {
            for (at, value) in list.iter().enumerate() {
                shape_faults(of, value, &format!("{path}[{at}]"), faults);
                if is_repeated(merge, list, at) {
                    let text = identity(merge, value);
                    faults.push((format!("{path}[{at}]"), format!("Duplicate value: {text}")));
                }
            }
        }
        (Shape::Scalar(scalar), value) => scalar_fault(scalar, value, path, faults),
        (shape, value) => faults.push((path.into(), wrong_type(shape_name(shape), value, path))),
    }
}

fn identity(merge: &Merge, value: &Value) -> Value {
    match merge {
        Merge::ByKeys(keys) => {
            let own = keys.iter().filter_map(|key| Some(((*key).to_owned(), value.get(*key)?.clone())));
            Value::Object(own.collect())
        }
        _ => value.clone(),
    }
}

/// Why Go could not decode an object of a built-in kind. Source: `encoding/json`, `k8s.io/apimachinery/pkg/runtime/serializer/json`.
pub(crate) fn undecodable(kind: &Kind, object: &Value) -> Option<String> {
    if kind.resource.plural == "secrets" {
        let data = object["data"].as_object().into_iter().flatten();
        let bad = data.filter_map(|(_, value)| value.as_str()).find_map(bad_base64_at);
        if let Some(at) = bad {
            return Some(format!("illegal base64 data at input byte {at}"));
        }
    }
    let mut faults = Vec::new();
    struct_faults(&kind.schema, object.as_object()?, "", &mut faults);
    let (field, fault) = faults.into_iter().find(|(_, fault)| fault.contains(" in body must be of type "))?;
    let (found, wanted) = (between(&fault, "Invalid value: \"", "\"")?, between(&fault, "must be of type ", ":")?);
    let found = match found {
        "integer" => "number",
        "boolean" => "bool",
        other => other,
    };
    // A map's values are told of by the map's name.
    let field = match kind.schema.shape(field.split('.').next()?) {
        Some(Shape::Map(_)) => field.split('.').next()?,
        _ => &field,
    };
    let wanted = if wanted == "integer" { "int" } else { wanted };
    Some(format!("json: cannot unmarshal {found} into Go struct field {}.{field} of type {wanted}", kind.kind))
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}

/// Where a text stops being base64.
fn bad_base64_at(text: &str) -> Option<usize> {
    let is_good = base64::engine::general_purpose::STANDARD.decode(text).is_ok();
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    (!is_good).then(|| text.bytes().position(|byte| !is_letter(byte)).unwrap_or(text.len()))
}

fn is_repeated(merge: &Merge, list: &[Value], at: usize) -> bool {
    *merge != Merge::Atomic && {
        let own = identity(merge, &list[at]);
        list[..at].iter().any(|other| identity(merge, other) == own)
    }
}

fn scalar_fault(scalar: &Scalar, value: &Value, path: &str, faults: &mut Vec<(String, String)>) {
    let is_right = match scalar {
        Scalar::Text(_) | Scalar::Time | Scalar::Bytes => value.is_string(),
        Scalar::Integer(_) => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0),
        Scalar::Number => value.is_number(),
        Scalar::Bool => value.is_boolean(),
        Scalar::IntOrText => value.is_string() || value.is_number(),
    };
    if !is_right {
        faults.push((path.into(), wrong_type(scalar_name(scalar), value, path)));
        return;
    }
    if let (Scalar::Text(words), Some(text)) = (scalar, value.as_str())
        && !words.is_empty()
        && !words.contains(&text)
    {
        let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let fault = format!("Unsupported value: \"{text}\": supported values: {}", words.join(", "));
        faults.push((path.into(), fault));
    }
}

fn wrong_type(wanted: &str, value: &Value, path: &str) -> String {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    format!("Invalid value: \"{found}\": {path} in body must be of type {wanted}: \"{found}\"")
}

fn shape_name(shape: &Shape) -> &'static str {
    match shape {
        Shape::List(..) => "array",
        Shape::Scalar(scalar) => scalar_name(scalar),
        _ => "object",
    }
}

fn scalar_name(scalar: &Scalar) -> &'static str {
    match scalar {
        Scalar::Text(_) | Scalar::Time | Scalar::Bytes => "string",
        Scalar::Integer(_) => "integer",
        Scalar::Number => "number",
        Scalar::Bool => "boolean",
        Scalar::IntOrText => "integer,string",
    }
}

/// Why a name is not a DNS subdomain. Source: `apimachinery/pkg/util/validation` (`IsDNS1123Subdomain`).
pub(crate) fn name_fault(name: &str) -> Option<String> {
    let is_label = |label: &str| {
        let edges = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        label.starts_with(edges) && label.ends_with(edges) && label.chars().all(|c| edges(c) || c == '-')
    };
    // RBAC names are path segments, which may hold colons.
    let is_path = name.contains(':') && !name.contains('/');
    if name.len() > 253 {
        return Some(format!("Invalid value: \"{name}\": must be no more than 253 characters"));
    }
    (!is_path && !name.split('.').all(is_label)).then(|| {
        format!(
            "Invalid value: \"{name}\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
             characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex \
             used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
        )
    })
}

/// No finalizer may be added once deletion was asked for. Source: `apimachinery/pkg/api/validation/objectmeta.go`.
pub(crate) fn finalizer_fault(old: &Value, new: &Value) -> Option<(String, String)> {
    if !meta::is_terminating(old) {
        return None;
    }
    let before = meta::finalizers(old);
    let added: Vec<_> = meta::finalizers(new).into_iter().filter(|finalizer| !before.contains(finalizer)).collect();
    let fault = "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers";
    let added: Vec<_> = added.iter().map(|finalizer| format!("{finalizer:?}")).collect();
    (!added.is_empty()).then(|| ("metadata.finalizers".into(), format!("{fault} []string{{{}}}", added.join(", "))))
}

/// `stringData` becomes base64 in `data`. Source: `pkg/registry/core/secret/strategy.go`.
pub(crate) fn fold_string_data(secret: &mut Value) {
    let Some(Value::Object(plain)) = meta::map(secret).remove("stringData") else { return };
    let data = meta::map(secret).entry("data").or_insert_with(|| Value::Object(Map::new()));
    for (key, value) in plain {
        let text = base64::engine::general_purpose::STANDARD.encode(value.as_str().unwrap_or_default());
        meta::map(data).insert(key, text.into());
    }
}
