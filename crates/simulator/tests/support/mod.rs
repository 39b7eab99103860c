//! One request to an in-process simulator, for all tests of the REST API.
#![allow(dead_code, reason = "each test file uses a part")]

use axum::Router;
use axum::body::Body;
use http::{HeaderMap, Request};
use serde_json::Value;
use simulator::behave::Resource;
use simulator::clock::Clock;
use simulator::rest::Api;
use simulator::world::catalogue::Release;
use simulator::world::{By, World};
use tower::ServiceExt;

pub(crate) const VM: Resource = Resource { group: "kubevirt.io", version: "v1", plural: "virtualmachines" };
pub(crate) const CONFIGMAP: Resource = Resource { group: "", version: "v1", plural: "configmaps" };

/// A world with one namespace, `team-a`, and nothing that moves by itself.
pub(crate) fn world() -> World {
    let world = World::new(Release::V1_8, Clock::explicit(), 7);
    let namespaces = Resource { group: "", version: "v1", plural: "namespaces" };
    world
        .create(namespaces, "", serde_json::json!({ "metadata": { "name": "team-a" } }), &By::seed())
        .expect("namespace");
    world
}

/// The API as its administrator sees it.
pub(crate) fn router(world: &World) -> Router {
    Api::trusting(world.clone(), world.access().admin_token()).router()
}

/// An answer, read whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
    /// Lines of a watch.
    pub(crate) fn events(&self) -> Vec<Value> {
        self.text.lines().map(|line| serde_json::from_str(line).expect("an event a line")).collect()
    }
    /// `409 Conflict: the message`.
    pub(crate) fn gist(&self) -> String {
        let body = self.json();
        format!(
            "{} {}: {}",
            self.code,
            body["reason"].as_str().unwrap_or_default(),
            body["message"].as_str().unwrap_or_default()
        )
    }
}

/// `send(&router, "GET /api/v1/nodes", &[("accept", "…")], json!(null))`.
pub(crate) async fn send(router: &Router, line: &str, headers: &[(&str, &str)], body: Value) -> Answer {
    let (method, path) = line.split_once(' ').expect("method and path");
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = match body {
        Value::Null => Body::empty(),
        Value::String(text) => Body::from(text),
        other => Body::from(other.to_string()),
    };
    let response = router.clone().oneshot(request.body(body).expect("request")).await.expect("infallible");
    let (parts, body) = response.into_parts();
    let bytes = axum::body::to_bytes(body, usize::MAX).await.expect("body");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Answer { code: parts.status.as_u16(), headers: parts.headers, text, bytes: bytes.to_vec() }
}

/// The same without headers.
pub(crate) async fn plain(router: &Router, line: &str, body: Value) -> Answer {
    send(router, line, &[], body).await
}

/// A PATCH of some format.
pub(crate) async fn patch(router: &Router, path: &str, format: &str, body: Value) -> Answer {
    let format = match format {
        "apply" => "application/apply-patch+yaml",
        "merge" => "application/merge-patch+json",
        "json" => "application/json-patch+json",
        _ => "application/strategic-merge-patch+json",
    };
    send(router, &format!("PATCH {path}"), &[("content-type", format)], body).await
}
