//! OpenAPI documents: enough for `kubectl explain`, `apply`, `edit` and for probing fields.
//!
//! Version 3 has a document a group and version, with the kinds' schemas and, of the paths, those that kubectl reads.
//! Version 2 is a list of kinds only, as JSON or as protobuf: kubectl asks for it where an object is none of a kind's own, as
//! a `List` is. Source: `k8s.io/kube-openapi/pkg/handler3`, `pkg/handler`.

use super::{Call, wire};
use crate::world::Status;
use crate::world::catalogue::{Kind, definition};
use axum::body::Body;
use axum::response::Response;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use serde_json::{Map, Value, json};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// Answers a path under `/openapi/`.
pub(super) fn serve(call: &Call<'_>, path: &str) -> Result<Response, Status> {
    let body = match path {
        "/openapi/v2" => return second(call),
        "/openapi/v3" => index(call),
        _ => {
            let place = path.strip_prefix("/openapi/v3/").ok_or_else(Status::no_such_path)?;
            document(call, place).ok_or_else(Status::no_such_path)?
        }
    };
    Ok(wire::answer(200, &body, false))
}

fn place(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

fn index(call: &Call<'_>) -> Value {
    let release = call.world.catalogue().release().harvester();
    let mut paths = Map::new();
    for kind in call.world.catalogue().kinds() {
        for version in &kind.versions {
            let place = place(kind.resource.group, version);
            let url = format!("/openapi/v3/{place}?hash={release}");
            paths.insert(place, json!({ "serverRelativeURL": url }));
        }
    }
    json!({ "paths": paths })
}

/// `io.kubevirt.v1.VirtualMachine`. Source: `apiextensions-apiserver/pkg/controller/openapi/builder`.
fn schema_name(kind: &Kind, version: &str) -> String {
    let group = match kind.resource.group {
        "" => "io.k8s.api.core".to_owned(),
        group if !kind.is_custom => format!("io.k8s.api.{}", group.split('.').next().unwrap_or(group)),
        group => group.split('.').rev().collect::<Vec<_>>().join("."),
    };
    format!("{group}.{version}.{}", kind.kind)
}

fn gvk(kind: &Kind, version: &str) -> Value {
    json!({ "group": kind.resource.group, "version": version, "kind": kind.kind })
}

fn document(call: &Call<'_>, wanted: &str) -> Option<Value> {
    let catalogue = call.world.catalogue();
    let mut schemas = Map::new();
    let mut paths = Map::new();
    for kind in catalogue.kinds() {
        for version in kind.versions.iter().filter(|version| place(kind.resource.group, version) == wanted) {
            let metadata = json!({ "allOf": [{ "$ref": format!("#/components/schemas/{META}") }], "default": {} });
            let mut schema = definition::object_schema(kind, metadata);
            schema["x-kubernetes-group-version-kind"] = json!([gvk(kind, version)]);
            schemas.insert(schema_name(kind, version), schema);
            let scope = if kind.namespaced { "namespaces/{namespace}/" } else { "" };
            let path = format!("/{wanted}/{scope}{}/{{name}}", kind.resource.plural);
            paths.insert(path, operations(kind, version));
        }
    }
    if schemas.is_empty() {
        return None;
    }
    schemas.insert(META.into(), object_meta());
    Some(json!({
        "openapi": "3.0.0", "info": { "title": "Kubernetes", "version": "unversioned" }, "paths": paths,
        "components": { "schemas": schemas },
    }))
}

fn operations(kind: &Kind, version: &str) -> Value {
    let parameter =
        |name: &str| json!({ "name": name, "in": "query", "schema": { "type": "string", "uniqueItems": true } });
    let parameters: Vec<_> = ["dryRun", "fieldManager", "fieldValidation", "force"].map(parameter).into();
    let operation = |action: &str| {
        json!({
            "parameters": parameters, "responses": { "200": { "description": "OK" } },
            "x-kubernetes-action": action, "x-kubernetes-group-version-kind": gvk(kind, version),
        })
    };
    json!({ "get": operation("get"), "put": operation("put"), "patch": operation("patch"), "delete": operation("delete") })
}

fn object_meta() -> Value {
    let text = json!({ "type": "string" });
    let time = json!({ "type": "string", "format": "date-time" });
    let words = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    json!({
        "type": "object", "description": "Metadata that all objects have.",
        "properties": {
            "name": text, "generateName": text, "namespace": text, "uid": text, "resourceVersion": text, "selfLink": text,
            "generation": { "type": "integer", "format": "int64" },
            "creationTimestamp": time, "deletionTimestamp": time,
            "deletionGracePeriodSeconds": { "type": "integer", "format": "int64" },
            "labels": words, "annotations": words,
            "finalizers": { "type": "array", "items": text, "x-kubernetes-list-type": "set", "x-kubernetes-patch-strategy": "merge" },
            "ownerReferences": {
                "type": "array", "items": open, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"],
                "x-kubernetes-patch-merge-key": "uid", "x-kubernetes-patch-strategy": "merge",
            },
            "managedFields": { "type": "array", "items": open, "x-kubernetes-list-type": "atomic" },
        },
    })
}

/// What clients ask for; the answer says it with a dot for the `@`. Source: `k8s.io/kube-openapi/pkg/handler/handler.go`.
const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2";

fn second(call: &Call<'_>) -> Result<Response, Status> {
    let accept =
        call.parts.headers.get(http::header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let names = call.world.catalogue().kinds().iter().map(|kind| {
        let version = kind.resource.version;
        (schema_name(kind, version), json!([gvk(kind, version)]))
    });
    if accept.contains(PROTOBUF) {
        let mut response = Response::new(Body::from(protobuf::document(names)));
        let kind = HeaderValue::from_static("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
        response.headers_mut().insert(CONTENT_TYPE, kind);
        return Ok(response);
    }
    if !accept.is_empty() && !accept.contains("json") && !accept.contains("*/*") {
        return Err(Status::not_acceptable("application/json"));
    }
    let definitions: Map<_, _> =
        names.map(|(name, gvk)| (name, json!({ "type": "object", "x-kubernetes-group-version-kind": gvk }))).collect();
    let document = json!({
        "swagger": "2.0", "info": { "title": "Kubernetes", "version": "unversioned" }, "paths": {}, "definitions": definitions,
    });
    Ok(wire::answer(200, &document, false))
}

/// The document as protobuf: fields with a length only, so it needs no library. Numbers are those of `openapiv2/OpenAPIv2.proto`
/// of `github.com/google/gnostic-models`.
mod protobuf {
    use serde_json::Value;

    /// A field that is a text or a message.
    fn field(number: u32, content: impl AsRef<[u8]>, into: &mut Vec<u8>) {
        let content = content.as_ref();
        varint(u64::from(number << 3 | 2), into);
        varint(content.len() as u64, into);
        into.extend_from_slice(content);
    }

    fn varint(mut value: u64, into: &mut Vec<u8>) {
        while value >= 0x80 {
            into.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        into.push(value as u8);
    }

    fn message(fields: &[(u32, &[u8])]) -> Vec<u8> {
        let mut whole = Vec::new();
        fields.iter().for_each(|(number, content)| field(*number, content, &mut whole));
        whole
    }

    pub(super) fn document(definitions: impl Iterator<Item = (String, Value)>) -> Vec<u8> {
        let mut all = Vec::new();
        for (name, gvk) in definitions {
            // An extension's value is YAML, and so JSON.
            let value = message(&[(2, gvk.to_string().as_bytes())]);
            let extension = message(&[(1, b"x-kubernetes-group-version-kind"), (2, &value)]);
            let schema = message(&[(22, &message(&[(1, b"object")])), (31, &extension)]);
            field(1, message(&[(1, name.as_bytes()), (2, &schema)]), &mut all);
        }
        let info = message(&[(1, b"Kubernetes"), (2, b"unversioned")]);
        message(&[(1, b"2.0"), (2, &info), (8, &[]), (9, &all)])
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn lengths_beyond_a_byte_take_two() {
            assert_eq!(message(&[(1, b"2.0")]), b"\x0a\x032.0");
            let long = message(&[(31, &[b'x'; 300])]);
            assert_eq!(long[..4], [0xfa, 0x01, 0xac, 0x02]);
            assert_eq!(long.len(), 304);
        }
    }
}
