//! HTTP/1.1 over TLS to one API server, with whatever token a step asks as; answers whole or line by line.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// An answer that takes longer does not come.
const LIMIT: Duration = Duration::from_secs(60);
/// Connections that wait for the next request.
const IDLE: usize = 16;

type Body = Full<Bytes>;

/// What is asked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ask {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) token: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) media: String,
    pub(crate) body: Option<Bytes>,
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// A client of one server; cheap to clone.
#[derive(Clone)]
pub(crate) struct Client {
    authority: Arc<str>,
    tls: Arc<ClientConfig>,
    idle: Arc<Mutex<Vec<SendRequest<Body>>>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("authority", &self.authority).finish_non_exhaustive()
    }
}

impl Client {
    /// A client, and the token of the file's only user.
    pub(crate) fn of_kubeconfig(text: &str) -> (Self, String) {
        let config: Value = serde_saphyr::from_str(text).expect("a kubeconfig");
        let cluster = &config["clusters"][0]["cluster"];
        let server = cluster["server"].as_str().expect("a server");
        let authority = server.strip_prefix("https://").expect("an https URL").trim_end_matches('/');
        let pem =
            STANDARD.decode(cluster["certificate-authority-data"].as_str().expect("an authority")).expect("base64");
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&pem) {
            roots.add(certificate.expect("PEM")).expect("a certificate");
        }
        let tls = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("TLS versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let token = config["users"][0]["user"]["token"].as_str().expect("a token").to_owned();
        (Self { authority: authority.into(), tls: Arc::new(tls), idle: Arc::default() }, token)
    }

    async fn connect(&self) -> Result<SendRequest<Body>, String> {
        let socket = TcpStream::connect(&*self.authority).await.map_err(|error| format!("no connection: {error}"))?;
        // A socket without this option works too, only slower.
        let _ = socket.set_nodelay(true);
        let name = ServerName::try_from("localhost").map_err(|error| error.to_string())?;
        let tls = TlsConnector::from(self.tls.clone()).connect(name, socket).await;
        let stream = tls.map_err(|error| format!("no TLS: {error}"))?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
        #[expect(
            clippy::disallowed_methods,
            reason = "ends with its connection; its error reaches who waits for the answer"
        )]
        tokio::spawn(async move { drop(connection.await) });
        Ok(sender)
    }

    fn idle(&self) -> Option<SendRequest<Body>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(SendRequest::is_ready);
        idle.pop()
    }

    fn request(&self, ask: &Ask) -> Result<Request<Body>, String> {
        let mut request = Request::builder()
            .method(ask.method)
            .uri(&ask.path)
            .header(HOST, &*self.authority)
            .header(USER_AGENT, "conformance/1");
        for (name, value) in &ask.headers {
            request = request.header(name, value);
        }
        if let Some(token) = &ask.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        if ask.body.is_some() && !ask.media.is_empty() {
            request = request.header(CONTENT_TYPE, &ask.media);
        }
        request.body(Full::new(ask.body.clone().unwrap_or_default())).map_err(|error| format!("{}: {error}", ask.path))
    }

    /// Asks, and reads the answer whole.
    pub(crate) async fn send(&self, ask: &Ask) -> Result<Answer, String> {
        let asked = async {
            // A kept connection may be closed at the other end by now; a new one may not.
            if let Some(mut sender) = self.idle() {
                match sender.send_request(self.request(ask)?).await {
                    Ok(response) => return self.read(sender, response).await,
                    Err(error) if error.is_canceled() || error.is_incomplete_message() => {}
                    Err(error) => return Err(error.to_string()),
                }
            }
            let mut sender = self.connect().await?;
            let response = sender.send_request(self.request(ask)?).await.map_err(|error| error.to_string())?;
            self.read(sender, response).await
        };
        tokio::time::timeout(LIMIT, asked).await.unwrap_or_else(|_| Err(format!("no answer in {LIMIT:?}")))
    }

    async fn read(&self, sender: SendRequest<Body>, response: Response<Incoming>) -> Result<Answer, String> {
        let (parts, body) = response.into_parts();
        let body = body.collect().await.map_err(|error| format!("the body broke off: {error}"))?.to_bytes();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.push(sender);
        }
        Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body })
    }

    /// Asks, and reads the answer line by line.
    pub(crate) async fn open(&self, ask: &Ask) -> Result<Lines, String> {
        let mut sender = self.connect().await?;
        let sent = tokio::time::timeout(LIMIT, sender.send_request(self.request(ask)?)).await;
        let response = sent.map_err(|_| format!("no answer in {LIMIT:?}"))?.map_err(|error| error.to_string())?;
        let (parts, body) = response.into_parts();
        Ok(Lines { status: parts.status.as_u16(), headers: parts.headers, body, held: Vec::new() })
    }
}

/// An answer that goes on.
pub(crate) struct Lines {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    body: Incoming,
    held: Vec<u8>,
}

impl Lines {
    /// The next line as JSON; `None` when the server has ended the stream.
    pub(crate) async fn next(&mut self) -> Result<Option<Value>, String> {
        loop {
            if let Some(end) = self.held.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.held.drain(..=end).collect();
                return serde_json::from_slice(&line).map(Some).map_err(|error| format!("no event: {error}"));
            }
            match self.body.frame().await {
                Some(Ok(frame)) => self.held.extend(frame.into_data().unwrap_or_default()),
                Some(Err(error)) => return Err(format!("the stream broke: {error}")),
                None if self.held.is_empty() => return Ok(None),
                None => return Err("the stream ended within an event".to_owned()),
            }
        }
    }

    /// The rest, whole.
    pub(crate) async fn rest(self) -> Result<Answer, String> {
        let read = tokio::time::timeout(LIMIT, self.body.collect()).await;
        let body = read.map_err(|_| format!("no end in {LIMIT:?}"))?.map_err(|error| error.to_string())?.to_bytes();
        Ok(Answer { status: self.status, headers: self.headers, body: [self.held.into(), body].concat().into() })
    }
}
