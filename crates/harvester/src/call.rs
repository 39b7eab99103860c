//! How requests are made: limits of time, size and number, `Retry-After`, and answers turned into values.
//!
//! Nothing here retries: whoever asked decides. It must never know what an object means.

mod answer;
mod socket;
mod traffic;

pub use socket::Socket;
pub use traffic::Traffic;

use crate::cluster::Cluster;
use crate::error::ClusterError;
use crate::network::refusal_in;
use bytes::{Bytes, BytesMut};
use http::{Method, Request, Response, header};
use http_body_util::BodyExt as _;
use kube::client::Body;
use serde::de::DeserializeOwned;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

/// How long one request may take from asking to the last byte: virt-api's slowest calls take a few seconds, admission
/// webhooks give up after ten.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// Largest answer of a call that is not a list: etcd holds no object above 1.5 MiB; OpenAPI documents reach 4 MiB.
const MAX_ANSWER: usize = 8 << 20;

/// Largest body of an error.
const MAX_ERROR: usize = 64 << 10;

/// JSON, and whatever else there is: calls of virt-api's that answer with nothing are refused with 406 when JSON alone will do.
const ACCEPT: &str = "application/json, */*";
/// Requests to one cluster at a time; more wait, and give up after [`ANSWER_WITHIN`].
const AT_ONCE: usize = 24;

/// What a cluster's requests share.
pub(crate) struct Calls {
    room: Semaphore,
    quiet_until: Mutex<Option<Instant>>,
    tally: traffic::Tally,
}

impl Default for Calls {
    fn default() -> Self {
        Self { room: Semaphore::new(AT_ONCE), quiet_until: Mutex::new(None), tally: traffic::Tally::default() }
    }
}

impl Calls {
    /// Time that is left of a `Retry-After`.
    fn quiet(&self) -> Option<Duration> {
        let until = *self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.and_then(|until| until.checked_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }

    fn be_quiet(&self, retry_after: Duration) {
        let until = Instant::now() + retry_after;
        let mut quiet_until = self.quiet_until.lock().unwrap_or_else(PoisonError::into_inner);
        *quiet_until = Some(quiet_until.map_or(until, |old| old.max(until)));
    }
}

impl Cluster {
    /// GET, decoded.
    pub(crate) async fn read<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClusterError> {
        let body = self.get(path).await?;
        serde_json::from_slice(&body).map_err(|e| ClusterError::garbled(format!("{path}: {e}")))
    }

    /// GET, decoded; `None` when there is no such thing.
    pub(crate) async fn read_opt<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, ClusterError> {
        match self.read(path).await {
            Ok(found) => Ok(Some(found)),
            Err(ClusterError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// GET of at most [`MAX_ANSWER`] bytes.
    pub(crate) async fn get(&self, path: &str) -> Result<Bytes, ClusterError> {
        self.call(Method::GET, path, "", Vec::new()).await
    }

    /// A whole exchange. Writes come from `change` only (and reviews of our own rights from `grants`).
    pub(crate) async fn call(
        &self,
        method: Method,
        path: &str,
        content_type: &str,
        body: Vec<u8>,
    ) -> Result<Bytes, ClusterError> {
        let exchange = async {
            let _room = self.0.calls.room.acquire().await.map_err(ClusterError::away)?;
            let mut request = Request::builder().method(method).uri(path).header(header::ACCEPT, ACCEPT);
            if !content_type.is_empty() {
                request = request.header(header::CONTENT_TYPE, content_type);
            }
            let request = request.body(Body::from(body)).map_err(|e| ClusterError::garbled(e.to_string()))?;
            let response = self.send(request).await?;
            collect(response.into_body(), MAX_ANSWER).await
        };
        timeout(ANSWER_WITHIN, exchange).await.unwrap_or_else(|late| Err(ClusterError::away(late)))
    }

    /// GET whose body is read by the caller as it comes; the answer's head has the usual time limit.
    pub(crate) async fn stream(&self, path: &str) -> Result<Body, ClusterError> {
        let request = Request::get(path)
            .header(header::ACCEPT, ACCEPT)
            .body(Body::empty())
            .map_err(|e| ClusterError::garbled(e.to_string()))?;
        let answer = timeout(ANSWER_WITHIN, self.send(request)).await;
        Ok(answer.unwrap_or_else(|late| Err(ClusterError::away(late)))?.into_body())
    }

    /// How requests went so far.
    pub fn traffic(&self) -> Traffic {
        self.0.calls.tally.read(AT_ONCE.saturating_sub(self.0.calls.room.available_permits()))
    }

    /// Sends; anything but 2xx and 101 becomes an error.
    pub(crate) async fn send(&self, request: Request<Body>) -> Result<Response<Body>, ClusterError> {
        let counted = self.0.calls.tally.begin();
        let answer = self.exchange(request).await;
        counted.end(&answer);
        answer
    }

    async fn exchange(&self, request: Request<Body>) -> Result<Response<Body>, ClusterError> {
        if let Some(retry_after) = self.0.calls.quiet() {
            return Err(ClusterError::Throttled { retry_after });
        }
        let asked = answer::Asked::new(request.method(), request.uri().path());
        let response = self.0.client.send(request).await.map_err(unsent)?;
        let status = response.status();
        if status.is_success() || status.as_u16() == 101 {
            return Ok(response);
        }
        let retry_after = answer::retry_after(response.headers());
        let body = collect(response.into_body(), MAX_ERROR).await.unwrap_or_default();
        let error = answer::error(&asked, status.as_u16(), retry_after, &body);
        if let ClusterError::Throttled { retry_after } = error {
            self.0.calls.be_quiet(retry_after);
        }
        Err(error)
    }
}

/// Why no answer came.
fn unsent(error: kube::Error) -> ClusterError {
    if let Some(say) = refusal_in(&error) {
        return ClusterError::NotAllowed { say };
    }
    if answer::is_about_certificate(&error) {
        return ClusterError::Certificate { source: error.into() };
    }
    ClusterError::away(error)
}

async fn collect(mut body: Body, max: usize) -> Result<Bytes, ClusterError> {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(ClusterError::away)?.into_data() else { continue };
        if whole.len() + data.len() > max {
            return Err(ClusterError::garbled(format!("an answer of more than {max} bytes")));
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole.freeze())
}

/// A part of a path: everything but unreserved characters is escaped, since names may come from a hostile object.
pub(crate) fn segment(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => out.push(char::from(byte)),
            b'.' if name.bytes().any(|b| b != b'.') => out.push('.'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests;
