//! Bodies in and out: what was sent, what is accepted, how it is written.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers/negotiation`. JSON and YAML are spoken; protobuf is read for the few
//! kinds that kubectl sends ([`protobuf`](super::protobuf)) and never written, which every client copes with.

use crate::world::Status;
use crate::world::catalogue::Release;
use axum::body::{Body, Bytes};
use axum::response::Response;
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::Value;

/// Largest body that is taken, as etcd's limit makes it upstream.
pub(crate) const MAX_BODY_BYTES: usize = 3 * 1024 * 1024;

/// How the answer is to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Form {
    /// As it is.
    #[default]
    Plain,
    /// `meta.k8s.io/v1 Table`.
    Table,
    /// `meta.k8s.io/v1 PartialObjectMetadata`.
    Metadata,
    /// Aggregated discovery in that version: `v2` or `v2beta1`.
    Discovery(&'static str),
}

/// What the client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Accepts {
    pub(crate) form: Form,
    pub(crate) is_yaml: bool,
}

/// Reads `Accept`; the first that can be served wins. Kubernetes before 1.30 has aggregated discovery as `v2beta1` only.
/// Source: `endpoints/discovery/aggregated/handler.go` of both versions.
pub(crate) fn negotiate(headers: &HeaderMap, release: Release) -> Result<Accepts, Status> {
    let accept = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect::<Vec<_>>().join(",");
    if accept.trim().is_empty() {
        return Ok(Accepts::default());
    }
    for clause in accept.split(',') {
        let mut parts = clause.split(';').map(str::trim);
        let is_yaml = match parts.next().unwrap_or_default() {
            "application/json" | "*/*" | "application/*" => false,
            "application/yaml" => true,
            _ => continue,
        };
        // The parameters come in any order.
        let (mut kind, mut version) = (None, None);
        for part in parts {
            match part.split_once('=') {
                Some(("as", value)) => kind = Some(value),
                Some(("v", value)) => version = Some(value),
                _ => {}
            }
        }
        let form = match (kind, version) {
            (None, _) => Form::Plain,
            (Some("Table"), None | Some("v1")) => Form::Table,
            (Some("PartialObjectMetadata" | "PartialObjectMetadataList"), None | Some("v1")) => Form::Metadata,
            (Some("APIGroupDiscoveryList"), Some("v2")) if release >= Release::V1_6 => Form::Discovery("v2"),
            (Some("APIGroupDiscoveryList"), Some("v2beta1")) => Form::Discovery("v2beta1"),
            _ => continue,
        };
        return Ok(Accepts { form, is_yaml });
    }
    Err(Status::not_acceptable("application/json, application/yaml"))
}

/// The 406 of built-in kinds, which is the web service's own. Source: `github.com/emicklei/go-restful/v3` (`curly.go`).
pub(crate) fn no_representation() -> Status {
    let message = "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, \
                   application/vnd.kubernetes.protobuf, application/json;stream=watch, \
                   application/vnd.kubernetes.protobuf;stream=watch";
    let mut status = Status::new(406, "NotAcceptable", message);
    status.details = serde_json::json!({});
    status
}

/// An answer with a JSON or YAML body.
pub(crate) fn answer(code: u16, body: &Value, is_yaml: bool) -> Response {
    if is_yaml {
        let text = serde_saphyr::to_string(body).unwrap_or_default();
        return raw(code, "application/yaml", text.into());
    }
    raw(code, "application/json", serde_json::to_vec(body).unwrap_or_default().into())
}

/// An answer with any body.
pub(crate) fn raw(code: u16, content_type: &str, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if let Ok(value) = HeaderValue::from_str(content_type) {
        response.headers_mut().insert(CONTENT_TYPE, value);
    }
    response
}

/// A refusal.
pub(crate) fn refuse(status: &Status) -> Response {
    let mut response = answer(status.code, &status.body(), false);
    if let Some(secs) = status.retry_after_secs {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(secs));
    }
    response
}

/// The media type of the body, without parameters; JSON when absent.
pub(crate) fn content_type(headers: &HeaderMap) -> &str {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("application/json");
    value.split(';').next().unwrap_or_default().trim()
}

/// The whole body, up to the limit.
pub(crate) async fn read(body: Body) -> Result<Bytes, Status> {
    axum::body::to_bytes(body, MAX_BODY_BYTES).await.map_err(|error| {
        use std::error::Error;
        let is_long = error.source().is_some_and(|source| source.to_string().contains("length limit"));
        if is_long { Status::too_large() } else { Status::bad_request(format!("unable to read the body: {error}")) }
    })
}

/// Decodes JSON.
pub(crate) fn json(bytes: &[u8]) -> Result<Value, Status> {
    serde_json::from_slice(bytes).map_err(|error| {
        Status::bad_request(format!(
            "the object provided is unrecognized: couldn't get version/kind; json parse error: {error}"
        ))
    })
}

/// Decodes YAML, of which JSON is a part.
pub(crate) fn yaml(bytes: &[u8]) -> Result<Value, Status> {
    if bytes.trim_ascii_start().starts_with(b"{") {
        return json(bytes);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| Status::bad_request(error.to_string()))?;
    serde_saphyr::from_str(text).map_err(|error| Status::bad_request(format!("error decoding YAML: {error}")))
}

/// Decodes an object by its content type.
pub(crate) fn object(headers: &HeaderMap, bytes: &[u8]) -> Result<Value, Status> {
    match content_type(headers) {
        "application/json" | "" => json(bytes),
        "application/yaml" => yaml(bytes),
        "application/vnd.kubernetes.protobuf" => super::protobuf::decode(bytes),
        _ => Err(Status::unsupported_media_type("application/json, application/yaml")),
    }
}
