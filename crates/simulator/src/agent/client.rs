//! HTTP/1.1 over TLS to an API server, as one identity: single requests and streams of lines.
//!
//! Connections of single requests are kept and used again; a stream has its own. It never retries: who asks knows whether
//! it may be asked twice.

use super::kubeconfig::Identity;
use crate::behave::object;
use crate::serve::spawn;
use bytes::Bytes;
use futures::Stream;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, USER_AGENT};
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// A request that takes longer is given up; long enough for slow webhooks.
const LIMIT: Duration = Duration::from_secs(30);
/// Connections that wait for the next request.
const IDLE: usize = 16;
/// An answer of a single request may be so long.
const ANSWER_BYTES: usize = 64 << 20;
/// A watched object may be so long.
const LINE_BYTES: usize = 16 << 20;

/// Why there is no answer, or a bad one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    /// The server refused.
    #[error("{code} {reason}: {message}")]
    Refused {
        /// HTTP code.
        code: u16,
        /// `Status.reason`.
        reason: String,
        /// `Status.message`.
        message: String,
    },
    /// No connection, or it broke.
    #[error("connection: {0}")]
    Broken(String),
    /// No answer in time.
    #[error("no answer within {}s", LIMIT.as_secs())]
    Late,
}

impl ClientError {
    /// HTTP code of a refusal, 0 for everything else.
    pub(crate) fn code(&self) -> u16 {
        match self {
            Self::Refused { code, .. } => *code,
            Self::Broken(_) | Self::Late => 0,
        }
    }

    fn broken(error: impl std::fmt::Display) -> Self {
        Self::Broken(error.to_string())
    }
}

/// Another's name to act under: a service account, as its pod on a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Disguise<'a> {
    /// User name.
    pub(crate) user: &'a str,
    /// The pod's node.
    pub(crate) node: &'a str,
}

type Body = Full<Bytes>;

/// A client of one identity; cheap to clone.
#[derive(Clone)]
pub(crate) struct Client {
    identity: Identity,
    idle: Arc<Mutex<Vec<SendRequest<Body>>>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("authority", &self.identity.authority).finish_non_exhaustive()
    }
}

impl Client {
    pub(crate) fn new(identity: Identity) -> Self {
        Self { identity, idle: Arc::default() }
    }

    async fn connect(&self) -> Result<SendRequest<Body>, ClientError> {
        let socket = TcpStream::connect(&self.identity.authority).await.map_err(ClientError::broken)?;
        // A socket without this option works too, only slower.
        let _ = socket.set_nodelay(true);
        let tls = TlsConnector::from(self.identity.tls.clone());
        let stream = tls.connect(self.identity.name.clone(), socket).await.map_err(ClientError::broken)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(ClientError::broken)?;
        spawn(async move {
            // Its error reaches whoever waits for the answer.
            let _ = connection.await;
        });
        Ok(sender)
    }

    fn idle(&self) -> Option<SendRequest<Body>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(SendRequest::is_ready);
        idle.pop()
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        media: &str,
        body: Option<&Value>,
        disguise: Option<Disguise<'_>>,
    ) -> Result<Request<Body>, ClientError> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, &self.identity.authority)
            .header(USER_AGENT, "harvester-sim")
            .header(ACCEPT, "application/json");
        if let Some(token) = &self.identity.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        if let Some(Disguise { user, node }) = disguise {
            request = request
                .header("Impersonate-User", user)
                .header("Impersonate-Extra-authentication.kubernetes.io%2Fnode-name", node);
        }
        if body.is_some() {
            request = request.header(CONTENT_TYPE, media);
        }
        let body = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        request.body(Full::new(body)).map_err(ClientError::broken)
    }

    /// Sends a request and reads the answer whole.
    ///
    /// # Errors
    /// A refusal, a broken connection, or no answer in time.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        media: &str,
        body: Option<&Value>,
    ) -> Result<Value, ClientError> {
        self.send_as(method, path, media, body, None).await
    }

    /// The same under another's name.
    ///
    /// # Errors
    /// As [`send`](Self::send); 403 when that is not allowed.
    pub(crate) async fn send_as(
        &self,
        method: Method,
        path: &str,
        media: &str,
        body: Option<&Value>,
        disguise: Option<Disguise<'_>>,
    ) -> Result<Value, ClientError> {
        let asked = async {
            let mut sender = match self.idle() {
                Some(sender) => sender,
                None => self.connect().await?,
            };
            let response = sender.send_request(self.request(method, path, media, body, disguise)?).await;
            let answer = read(response.map_err(ClientError::broken)?).await;
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < IDLE {
                idle.push(sender);
            }
            answer
        };
        tokio::time::timeout(LIMIT, asked).await.unwrap_or(Err(ClientError::Late))
    }

    /// Reads an object or a list.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub(crate) async fn get(&self, path: &str) -> Result<Value, ClientError> {
        self.send(Method::GET, path, "", None).await
    }

    /// The name that the server knows this identity by.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub(crate) async fn user(&self) -> Result<String, ClientError> {
        let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
        let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
        let answer = self.send(Method::POST, path, "application/json", Some(&review)).await?;
        Ok(object::text(&answer, "/status/userInfo/username").to_owned())
    }

    /// Follows a path that answers with one JSON document a line, until the server ends it.
    ///
    /// # Errors
    /// As [`send`](Self::send), until the first line.
    pub(crate) async fn lines(
        &self,
        path: &str,
    ) -> Result<impl Stream<Item = Result<Value, ClientError>> + Send + use<>, ClientError> {
        let asked = async {
            let mut sender = self.connect().await?;
            let response = sender.send_request(self.request(Method::GET, path, "", None, None)?).await;
            Ok((sender, response.map_err(ClientError::broken)?))
        };
        let (sender, response) = tokio::time::timeout(LIMIT, asked).await.unwrap_or(Err(ClientError::Late))?;
        if !response.status().is_success() {
            return Err(refusal(read(response).await));
        }
        // The connection ends with its sender, so that is kept as long as the stream.
        let state = (sender, response.into_body(), Vec::<u8>::new());
        Ok(futures::stream::unfold(state, |(sender, mut body, mut buffer)| async move {
            loop {
                if let Some(at) = buffer.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = buffer.drain(..=at).collect();
                    let parsed = serde_json::from_slice(&line).map_err(ClientError::broken);
                    return Some((parsed, (sender, body, buffer)));
                }
                match body.frame().await? {
                    Ok(frame) => buffer.extend(frame.into_data().unwrap_or_default()),
                    Err(error) => return Some((Err(ClientError::broken(error)), (sender, body, buffer))),
                }
                if buffer.len() > LINE_BYTES {
                    let error = ClientError::Broken(format!("a line longer than {LINE_BYTES} bytes"));
                    return Some((Err(error), (sender, body, Vec::new())));
                }
            }
        }))
    }
}

fn refusal(read: Result<Value, ClientError>) -> ClientError {
    read.err().unwrap_or_else(|| ClientError::Broken("a refusal without a status".to_owned()))
}

async fn read(response: Response<Incoming>) -> Result<Value, ClientError> {
    let code = response.status().as_u16();
    let body =
        Limited::new(response.into_body(), ANSWER_BYTES).collect().await.map_err(ClientError::broken)?.to_bytes();
    let parsed: Value = serde_json::from_slice(&body).unwrap_or_default();
    if code < 400 {
        return Ok(parsed);
    }
    let text = |field: &str| parsed[field].as_str().unwrap_or_default().to_owned();
    let message = if parsed.is_object() { text("message") } else { String::from_utf8_lossy(&body).into_owned() };
    Err(ClientError::Refused { code, reason: text("reason"), message })
}
