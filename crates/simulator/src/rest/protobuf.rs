//! Reading the few objects that kubectl's typed clients send as protobuf.
//!
//! A message is described by its fields' numbers, names and kinds; unknown fields are skipped. Pure. Sources: the
//! `generated.proto` files of `k8s.io/api` and `k8s.io/apimachinery`; the envelope is `runtime.Unknown` behind `k8s\0`.

use crate::world::Status;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// What a field holds.
#[derive(Clone, Copy)]
enum Holds {
    Text,
    Number,
    Flag,
    Texts,
    Message(&'static [Field]),
    Messages(&'static [Field]),
    /// Map of texts.
    Labels,
    /// Map of bytes, which JSON has as base64.
    Bytes,
}

type Field = (u64, &'static str, Holds);

const META: &[Field] = &[
    (1, "name", Holds::Text),
    (2, "generateName", Holds::Text),
    (3, "namespace", Holds::Text),
    (5, "uid", Holds::Text),
    (6, "resourceVersion", Holds::Text),
    (11, "labels", Holds::Labels),
    (12, "annotations", Holds::Labels),
    (14, "finalizers", Holds::Texts),
];
const DELETE_OPTIONS: &[Field] = &[
    (1, "gracePeriodSeconds", Holds::Number),
    (2, "preconditions", Holds::Message(&[(1, "uid", Holds::Text), (2, "resourceVersion", Holds::Text)])),
    (3, "orphanDependents", Holds::Flag),
    (4, "propagationPolicy", Holds::Text),
    (5, "dryRun", Holds::Texts),
];
const RESOURCE: &[Field] = &[
    (1, "namespace", Holds::Text),
    (2, "verb", Holds::Text),
    (3, "group", Holds::Text),
    (4, "version", Holds::Text),
    (5, "resource", Holds::Text),
    (6, "subresource", Holds::Text),
    (7, "name", Holds::Text),
];
const PATH: &[Field] = &[(1, "path", Holds::Text), (2, "verb", Holds::Text)];

/// Kinds that can be read.
const KINDS: &[(&str, &[Field])] = &[
    (
        "SelfSubjectAccessReview",
        &[(
            2,
            "spec",
            Holds::Message(&[
                (1, "resourceAttributes", Holds::Message(RESOURCE)),
                (2, "nonResourceAttributes", Holds::Message(PATH)),
            ]),
        )],
    ),
    ("SelfSubjectRulesReview", &[(2, "spec", Holds::Message(&[(1, "namespace", Holds::Text)]))]),
    ("SelfSubjectReview", &[(1, "metadata", Holds::Message(META))]),
    ("TokenReview", &[(2, "spec", Holds::Message(&[(1, "token", Holds::Text), (2, "audiences", Holds::Texts)]))]),
    ("DeleteOptions", DELETE_OPTIONS),
    ("Eviction", &[(1, "metadata", Holds::Message(META)), (2, "deleteOptions", Holds::Message(DELETE_OPTIONS))]),
    ("Namespace", &[(1, "metadata", Holds::Message(META))]),
    (
        "ConfigMap",
        &[
            (1, "metadata", Holds::Message(META)),
            (2, "data", Holds::Labels),
            (3, "binaryData", Holds::Bytes),
            (4, "immutable", Holds::Flag),
        ],
    ),
    (
        "Secret",
        &[
            (1, "metadata", Holds::Message(META)),
            (2, "data", Holds::Bytes),
            (3, "type", Holds::Text),
            (4, "stringData", Holds::Labels),
            (5, "immutable", Holds::Flag),
        ],
    ),
    (
        "ServiceAccount",
        &[(1, "metadata", Holds::Message(META)), (2, "secrets", Holds::Messages(&[(3, "name", Holds::Text)]))],
    ),
];

/// Decodes an object in its envelope; 415 for a kind that is not known here.
pub(super) fn decode(bytes: &[u8]) -> Result<Value, Status> {
    let unknown = || Status::unsupported_media_type("application/json, application/yaml");
    let envelope = bytes.strip_prefix(b"k8s\0").ok_or_else(unknown)?;
    let mut api_version = String::new();
    let mut kind = String::new();
    let mut raw: &[u8] = &[];
    for (number, part) in parts(envelope).ok_or_else(unknown)? {
        match (number, part) {
            (1, Part::Bytes(type_meta)) => {
                for (number, part) in parts(type_meta).ok_or_else(unknown)? {
                    match (number, part) {
                        (1, Part::Bytes(text)) => api_version = String::from_utf8_lossy(text).into_owned(),
                        (2, Part::Bytes(text)) => kind = String::from_utf8_lossy(text).into_owned(),
                        _ => {}
                    }
                }
            }
            (2, Part::Bytes(body)) => raw = body,
            _ => {}
        }
    }
    let (_, fields) = KINDS.iter().find(|(known, _)| *known == kind).ok_or_else(unknown)?;
    let mut object = message(raw, fields).ok_or_else(|| Status::bad_request("unable to decode the protobuf body"))?;
    object["apiVersion"] = api_version.into();
    object["kind"] = kind.into();
    Ok(object)
}

enum Part<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn message(bytes: &[u8], fields: &[Field]) -> Option<Value> {
    let mut made = Map::new();
    for (number, part) in parts(bytes)? {
        let Some((_, name, holds)) = fields.iter().find(|(known, _, _)| *known == number) else { continue };
        let text = |bytes: &[u8]| Value::from(String::from_utf8_lossy(bytes).into_owned());
        match (holds, part) {
            // Protobuf of the API writes empty texts too; JSON leaves them out.
            (Holds::Text, Part::Bytes(b"")) => {}
            (Holds::Text, Part::Bytes(bytes)) => {
                made.insert((*name).into(), text(bytes));
            }
            (Holds::Number, Part::Number(number)) => {
                made.insert((*name).into(), json!(number.cast_signed()));
            }
            (Holds::Flag, Part::Number(number)) => {
                made.insert((*name).into(), (number != 0).into());
            }
            (Holds::Texts, Part::Bytes(bytes)) => push(&mut made, name, text(bytes)),
            (Holds::Message(fields), Part::Bytes(bytes)) => {
                made.insert((*name).into(), message(bytes, fields)?);
            }
            (Holds::Messages(fields), Part::Bytes(bytes)) => push(&mut made, name, message(bytes, fields)?),
            (Holds::Labels | Holds::Bytes, Part::Bytes(bytes)) => {
                let (mut key, mut value) = (String::new(), Value::from(""));
                for (number, part) in parts(bytes)? {
                    match (number, part) {
                        (1, Part::Bytes(bytes)) => key = String::from_utf8_lossy(bytes).into_owned(),
                        (2, Part::Bytes(bytes)) if matches!(holds, Holds::Bytes) => {
                            value = STANDARD.encode(bytes).into()
                        }
                        (2, Part::Bytes(bytes)) => value = text(bytes),
                        _ => {}
                    }
                }
                if let Value::Object(map) = made.entry(*name).or_insert_with(|| json!({})) {
                    map.insert(key, value);
                }
            }
            _ => {}
        }
    }
    Some(Value::Object(made))
}

fn push(made: &mut Map<String, Value>, name: &str, value: Value) {
    if let Value::Array(list) = made.entry(name).or_insert_with(|| json!([])) {
        list.push(value);
    }
}

/// Field numbers with their raw values.
fn parts(mut bytes: &[u8]) -> Option<Vec<(u64, Part<'_>)>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        let part = match tag & 7 {
            0 => Part::Number(varint(&mut bytes)?),
            2 => {
                let len = usize::try_from(varint(&mut bytes)?).ok()?;
                let (head, rest) = bytes.split_at_checked(len)?;
                bytes = rest;
                Part::Bytes(head)
            }
            fixed @ (1 | 5) => {
                bytes = bytes.get(if fixed == 1 { 8 } else { 4 }..)?;
                continue;
            }
            _ => return None,
        };
        found.push((tag >> 3, part));
    }
    Some(found)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::decode;
    use serde_json::json;

    #[test]
    fn an_envelope_holds_a_kind_and_its_fields() {
        let bytes = b"k8s\0\x0a\x13\x0a\x02v1\x12\x0dDeleteOptions\x12\x02\x08\x05";
        let expected = json!({"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 5});
        assert_eq!(decode(bytes), Ok(expected));
        for len in 0..bytes.len() {
            // Cut anywhere it is refused or shorter, never a panic.
            let _ = decode(&bytes[..len]);
        }
    }
}
