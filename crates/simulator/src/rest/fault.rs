//! Carrying out the faults that were ordered, on the wire.
//!
//! The script is `world::fault`; watches carry out theirs in `watch`. Delays are real time: a test of time limits needs them.

use super::access::Wanted;
use super::{Call, wire};
use crate::world::fault::{Fault, Harm};
use crate::world::{Status, World};
use axum::body::{Body, Bytes};
use axum::response::Response;
use futures::StreamExt;
use http::Method;
use http::header::CONTENT_LENGTH;
use serde_json::{Value, json};
use std::io;
use std::time::Duration;

/// What happens before the request is looked at; gives back what is to happen to the answer.
pub(super) async fn before(world: &World, wanted: &Wanted) -> Result<Vec<Harm>, Status> {
    let mut later = Vec::new();
    for harm in world.faults().take(&wanted.verb, &wanted.resource) {
        match harm {
            Harm::Delay { ms } => tokio::time::sleep(Duration::from_millis(ms)).await,
            Harm::Gone => return Err(Status::expired("The resourceVersion for the provided list is too old.")),
            Harm::TooMany { retry_after_secs } => return Err(Status::too_many_requests(retry_after_secs)),
            Harm::Refuse { code } => return Err(refusal(code)),
            other => later.push(other),
        }
    }
    Ok(later)
}

fn refusal(code: u16) -> Status {
    match code {
        503 => Status::new(503, "ServiceUnavailable", "the server is currently unable to handle the request"),
        504 => Status::new(504, "Timeout", "Timeout: request did not complete within the allotted timeout"),
        _ => {
            let mut status = Status::internal("ordered by the simulator's fault script");
            status.code = code;
            status
        }
    }
}

/// What happens to the answer.
pub(super) fn after(response: Response, harms: &[Harm]) -> Response {
    harms.iter().fold(response, |response, harm| match harm {
        Harm::Drop => cut(response, 0),
        Harm::Cut { after_bytes } => cut(response, *after_bytes),
        Harm::Truncate { bytes } => whole(response, *bytes, None),
        Harm::Bloat { bytes } => whole(response, 0, Some(*bytes)),
        Harm::Trickle { chunk_bytes, pause_ms } => trickle(response, *chunk_bytes, *pause_ms),
        Harm::LoseEvents { .. } | Harm::RepeatEvents | Harm::SwapEvents => {
            super::watch::distort(response, harm.clone())
        }
        Harm::CloseWatch { after_ms } => close(response, *after_ms),
        _ => response,
    })
}

/// Ends the body with an error after so many bytes; over HTTP/1 the connection breaks.
fn cut(response: Response, after_bytes: usize) -> Response {
    response.map(|body| {
        let mut left = after_bytes;
        let mut is_over = false;
        let chunks = body.into_data_stream().map(move |chunk| {
            let Ok(mut chunk) = chunk else { return Some(chunk) };
            if is_over {
                return None;
            }
            if chunk.len() > left {
                is_over = true;
                chunk.truncate(left);
            }
            left -= chunk.len();
            Some(Ok(chunk))
        });
        let broken = || axum::Error::new(io::Error::from(io::ErrorKind::ConnectionReset));
        let stream = chunks
            .take_while(|chunk| std::future::ready(chunk.is_some()))
            .map(move |chunk| chunk.unwrap_or_else(|| Err(broken())))
            .chain(futures::stream::once(async move { Err(broken()) }));
        Body::from_stream(stream)
    })
}

fn close(response: Response, after_ms: u64) -> Response {
    response.map(|body| {
        let end = tokio::time::sleep(Duration::from_millis(after_ms));
        Body::from_stream(body.into_data_stream().take_until(end))
    })
}

fn trickle(response: Response, chunk_bytes: usize, pause_ms: u64) -> Response {
    response.map(|body| {
        let size = chunk_bytes.max(1);
        let pieces = body.into_data_stream().flat_map(move |chunk| {
            let pieces = match chunk {
                Ok(chunk) => {
                    (0..chunk.len()).step_by(size).map(|at| Ok(chunk.slice(at..chunk.len().min(at + size)))).collect()
                }
                Err(error) => vec![Err(error)],
            };
            futures::stream::iter(pieces)
        });
        Body::from_stream(pieces.then(move |piece| async move {
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
            piece
        }))
    })
}

/// Changes a body that must be known whole.
fn whole(response: Response, missing: usize, bloat: Option<usize>) -> Response {
    let (mut parts, body) = response.into_parts();
    parts.headers.remove(CONTENT_LENGTH);
    let change = async move {
        let bytes = axum::body::to_bytes(body, usize::MAX).await?;
        let bytes = match bloat {
            Some(size) => bloated(&bytes, size).unwrap_or(bytes),
            None => bytes.slice(..bytes.len().saturating_sub(missing)),
        };
        Ok::<_, axum::Error>(bytes)
    };
    Response::from_parts(parts, Body::from_stream(futures::stream::once(change)))
}

fn bloated(bytes: &[u8], size: usize) -> Option<Bytes> {
    let mut body: Value = serde_json::from_slice(bytes).ok()?;
    let ballast = json!({ "simulator/ballast": "x".repeat(size) });
    let grow = |object: &mut Value| {
        if let Some(Value::Object(meta)) = object.get_mut("metadata") {
            meta.insert("annotations".into(), ballast.clone());
        }
    };
    match body.get_mut("items").and_then(Value::as_array_mut) {
        Some(items) => items.iter_mut().for_each(grow),
        None => grow(&mut body),
    }
    serde_json::to_vec(&body).ok().map(Bytes::from)
}

/// `/simulator/faults`: GET the script, POST a line, DELETE all.
pub(super) async fn control(call: &Call<'_>, body: Body) -> Result<Response, Status> {
    let faults = call.world.faults();
    match call.parts.method {
        Method::GET => {}
        Method::DELETE => faults.clear(),
        Method::POST => {
            let fault: Fault = serde_json::from_value(wire::json(&wire::read(body).await?)?)
                .map_err(|error| Status::bad_request(error.to_string()))?;
            faults.add(fault);
        }
        _ => return Err(Status::method_not_allowed()),
    }
    Ok(wire::answer(200, &json!(faults.list()), false))
}
