//! OpenAPI documents: enough for `kubectl explain`, `apply`, `edit` and for probing fields.
//!
//! Version 3 has a document a group and version, with the kinds' schemas and, of the paths, those that kubectl reads.
//! Version 2 is a list of kinds only and comes as JSON; clients that want it as protobuf get 406 and fall back.
//! Source: `k8s.io/kube-openapi/pkg/handler3`.

use super::{Call, wire};
use crate::world::Status;
use crate::world::catalogue::{Kind, definition};
use axum::response::Response;
use serde_json::{Map, Value, json};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// Answers a path under `/openapi/`.
pub(super) fn serve(call: &Call<'_>, path: &str) -> Result<Response, Status> {
    let body = match path {
        "/openapi/v2" => second(call)?,
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

fn second(call: &Call<'_>) -> Result<Value, Status> {
    let accept =
        call.parts.headers.get(http::header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if !accept.is_empty() && !accept.contains("json") && !accept.contains("*/*") {
        return Err(Status::not_acceptable("application/json"));
    }
    let mut definitions = Map::new();
    for kind in call.world.catalogue().kinds() {
        let version = kind.resource.version;
        let gvk = json!([gvk(kind, version)]);
        definitions
            .insert(schema_name(kind, version), json!({ "type": "object", "x-kubernetes-group-version-kind": gvk }));
    }
    Ok(json!({
        "swagger": "2.0", "info": { "title": "Kubernetes", "version": "unversioned" }, "paths": {}, "definitions": definitions,
    }))
}
