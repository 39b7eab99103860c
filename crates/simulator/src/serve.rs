//! Doors to the API that need more than a router: TLS on a socket, and HTTP/1 over an in-memory pipe.
//!
//! Certificates are made anew at each start and live in memory only. A kubeconfig from here holds a server, its CA and a
//! token, nothing else: no files, no programs.

use crate::behave::Role;
use crate::behave::role::Side;
use crate::rest::Api;
use crate::world::World;
use crate::world::access::Rule;
use anyhow::Context as _;
use axum::Router;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, Request, Response, header::HOST};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::json;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Bytes that wait in a pipe before the writer does.
const PIPE_BYTES: usize = 64 * 1024;
/// A TLS handshake that takes longer is given up.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);

/// The one place that spawns for connections; each ends with its peer or with the listener's token.
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) {
    #[expect(clippy::disallowed_methods, reason = "a task a connection, ended by its peer or by the listener's token")]
    drop(tokio::spawn(task));
}

/// A listening API server.
#[derive(Debug)]
pub struct Served {
    /// Where it listens.
    pub address: SocketAddr,
    /// `https://127.0.0.1:port`.
    pub url: String,
    /// Certificate of its authority, PEM.
    pub ca_pem: String,
    world: World,
    stop: CancellationToken,
    _guard: DropGuard,
}

impl Served {
    /// A kubeconfig for the holder of a token.
    pub fn kubeconfig(&self, token: &str) -> String {
        let ca = STANDARD.encode(&self.ca_pem);
        format!(
            "apiVersion: v1\nkind: Config\nclusters:\n- name: simulator\n  cluster:\n    server: {url}\n    \
             certificate-authority-data: {ca}\nusers:\n- name: simulator\n  user:\n    token: {token}\ncontexts:\n\
             - name: simulator\n  context:\n    cluster: simulator\n    user: simulator\ncurrent-context: simulator\n",
            url = self.url
        )
    }

    /// A kubeconfig for the administrator.
    pub fn admin_kubeconfig(&self) -> String {
        self.kubeconfig(self.world.access().admin_token())
    }

    /// A kubeconfig for the node agent ([`crate::agent`]): a context for each role that is not upstream's own, with the
    /// service account that upstream's program has.
    pub fn agent_kubeconfig(&self) -> String {
        let all = Rule { verbs: words("*"), api_groups: words("*"), resources: words("*"), ..Rule::default() };
        let roles: Vec<Role> = Role::all().filter(|role| role.side() == Side::Node && *role != Role::Guest).collect();
        let (mut users, mut contexts) = (Vec::new(), Vec::new());
        for role in roles {
            let token = self.world.access().admin_token().replace("admin", role.name());
            // KubeVirt knows its own by this name.
            let program = if role == Role::VirtHandler { "kubevirt-handler" } else { role.program() };
            let user = format!("system:serviceaccount:harvester-system:{program}");
            self.world.access().grant(&token, &user, &["system:serviceaccounts"], vec![all.clone()]);
            users.push(json!({"name": role.name(), "user": {"token": token}}));
            contexts.push(json!({"name": role.name(), "context": {"cluster": "simulator", "user": role.name()}}));
        }
        let cluster = json!({"server": self.url, "certificate-authority-data": STANDARD.encode(&self.ca_pem)});
        json!({
            "apiVersion": "v1", "kind": "Config", "current-context": Role::Kubelet.name(),
            "clusters": [{"name": "simulator", "cluster": cluster}], "users": users, "contexts": contexts,
        })
        .to_string()
    }

    /// Ends the listener and its connections.
    pub fn stop(&self) {
        self.stop.cancel();
    }
}

fn words(word: &str) -> Vec<String> {
    vec![word.to_owned()]
}

struct Certificates {
    ca_pem: String,
    config: rustls::ServerConfig,
}

fn certificates(address: SocketAddr) -> anyhow::Result<Certificates> {
    let mut ca = CertificateParams::default();
    ca.distinguished_name.push(DnType::CommonName, "simulator-ca");
    ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    ca.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    let issuer = CertifiedIssuer::self_signed(ca, KeyPair::generate()?)?;
    let names = vec!["localhost".to_owned(), "kubernetes".to_owned(), address.ip().to_string(), "127.0.0.1".to_owned()];
    let mut leaf = CertificateParams::new(names)?;
    leaf.distinguished_name.push(DnType::CommonName, "kube-apiserver");
    let key = KeyPair::generate()?;
    let certificate = leaf.signed_by(&key, &issuer)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let chain = vec![CertificateDer::from(certificate.der().to_vec())];
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    // HTTP/1 only: each watch has its own connection, and an upgrade is always possible.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Certificates { ca_pem: issuer.pem(), config })
}

/// Listens until `stop`.
pub(crate) async fn serve(api: Api, listen: &str, stop: CancellationToken) -> anyhow::Result<Served> {
    let listener = TcpListener::bind(listen).await.with_context(|| format!("listening on {listen}"))?;
    let address = listener.local_addr()?;
    let certificates = certificates(address).context("making certificates")?;
    let acceptor = TlsAcceptor::from(Arc::new(certificates.config));
    let world = api.world().clone();
    let router = api.router();
    spawn(accept(listener, acceptor, router, stop.clone()));
    let ip = if address.ip().is_unspecified() { "127.0.0.1".to_owned() } else { address.ip().to_string() };
    Ok(Served {
        address,
        url: format!("https://{ip}:{}", address.port()),
        ca_pem: certificates.ca_pem,
        world,
        stop: stop.clone(),
        _guard: stop.drop_guard(),
    })
}

pub(crate) async fn accept(listener: TcpListener, acceptor: TlsAcceptor, router: Router, stop: CancellationToken) {
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((socket, _)) => spawn(connection(socket, acceptor.clone(), router.clone(), stop.clone())),
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn connection(socket: TcpStream, acceptor: TlsAcceptor, router: Router, stop: CancellationToken) {
    // A socket without this option works too, only slower.
    let _ = socket.set_nodelay(true);
    let stream = match tokio::time::timeout(HANDSHAKE_LIMIT, acceptor.accept(socket)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return tracing::debug!(%error, "no TLS"),
        Err(_) => return tracing::debug!("a TLS handshake took too long"),
    };
    let builder = auto::Builder::new(TokioExecutor::new());
    let served = builder.serve_connection_with_upgrades(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::select! {
        () = stop.cancelled() => {}
        ended = served => if let Err(error) = ended { tracing::debug!(%error, "a connection ended") },
    }
}

/// A tower service that puts each request on an HTTP/1 connection of its own over an in-memory pipe.
#[derive(Debug, Clone)]
pub struct DuplexService {
    router: Router,
}

impl DuplexService {
    pub(crate) fn new(router: Router) -> Self {
        Self { router }
    }
}

impl<B> tower::Service<Request<B>> for DuplexService
where
    B: hyper::body::Body + Send + Unpin + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<Incoming>;
    type Error = hyper::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let router = self.router.clone();
        Box::pin(async move {
            let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
            spawn(async move {
                let builder = auto::Builder::new(TokioExecutor::new());
                let service = TowerToHyperService::new(router);
                // The peer sees a broken pipe as an error of its own.
                let _ = builder.serve_connection_with_upgrades(TokioIo::new(theirs), service).await;
            });
            let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(ours)).await?;
            spawn(async move {
                // Its error reaches whoever reads the response.
                let _ = connection.with_upgrades().await;
            });
            request.headers_mut().entry(HOST).or_insert(HeaderValue::from_static("simulator"));
            // An absolute URI would go onto the wire as it is.
            let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
            if let Ok(path) = path.parse() {
                *request.uri_mut() = path;
            }
            sender.send_request(request).await
        })
    }
}
