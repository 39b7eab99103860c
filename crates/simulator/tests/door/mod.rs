//! virt-api as virt-handler's port sees it: certificates, single calls, and the beginning of a stream.

use futures::StreamExt as _;
use http::header::{CONNECTION, HOST, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE};
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::path::Path;
use std::sync::Arc;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Role;

/// An authority, and what it issues.
pub(crate) struct Keys(CertifiedIssuer<'static, KeyPair>);

impl Keys {
    /// Makes an authority and writes virt-handler's folder.
    pub(crate) fn write(folder: &Path) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "test");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let keys =
            Self(CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority"));
        let (certificate, key) = keys.issue("kubevirt.io:system:node:virt-handler");
        std::fs::create_dir_all(folder).expect("a folder");
        for (name, content) in
            [("server.crt", certificate.pem()), ("server.key", key.serialize_pem()), ("ca.crt", keys.0.pem())]
        {
            std::fs::write(folder.join(name), content).expect("written");
        }
        keys
    }

    fn issue(&self, name: &str) -> (rcgen::Certificate, KeyPair) {
        let mut params = CertificateParams::new(vec!["handler".to_owned()]).expect("names");
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().expect("a key");
        (params.signed_by(&key, &self.0).expect("a certificate"), key)
    }

    fn builder(&self) -> rustls::ConfigBuilder<ClientConfig, rustls::client::WantsClientCert> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(self.0.der().to_vec())).expect("the authority");
        ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots)
    }

    /// Who shows a certificate of this name.
    pub(crate) fn client(&self, name: &str) -> ClientConfig {
        let (certificate, key) = self.issue(name);
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        self.builder().with_client_auth_cert(vec![certificate.der().clone()], key).expect("a client")
    }

    /// Who shows none.
    pub(crate) fn without_certificate(&self) -> ClientConfig {
        self.builder().with_no_client_auth()
    }
}

/// Somebody who calls a virt-handler.
pub(crate) struct Caller {
    pub(crate) address: String,
    tls: TlsConnector,
}

impl Caller {
    pub(crate) fn new(address: String, config: ClientConfig) -> Self {
        Self { address, tls: TlsConnector::from(Arc::new(config)) }
    }

    async fn connect(&self) -> anyhow::Result<http1::SendRequest<Full<bytes::Bytes>>> {
        let socket = tokio::net::TcpStream::connect(&self.address).await?;
        let stream = self.tls.connect(ServerName::try_from("handler")?, socket).await?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        #[expect(clippy::disallowed_methods, reason = "ends with the connection")]
        drop(tokio::spawn(connection.with_upgrades()));
        Ok(sender)
    }

    pub(crate) async fn try_call(&self, method: &str, path: &str) -> anyhow::Result<(u16, Vec<u8>)> {
        let request =
            Request::builder().method(Method::from_bytes(method.as_bytes())?).uri(path).header(HOST, "handler");
        let response = self.connect().await?.send_request(request.body(Full::default())?).await?;
        let code = response.status().as_u16();
        Ok((code, response.into_body().collect().await?.to_bytes().to_vec()))
    }

    pub(crate) async fn call(&self, method: &str, path: &str) -> (u16, Vec<u8>) {
        self.try_call(method, path).await.unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    /// The first bytes that a stream says.
    pub(crate) async fn banner(&self, path: &str) -> Vec<u8> {
        let request = Request::get(path)
            .header(HOST, "handler")
            .header(CONNECTION, "Upgrade")
            .header(UPGRADE, "websocket")
            .header(SEC_WEBSOCKET_VERSION, "13")
            .header(SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ==")
            .header(SEC_WEBSOCKET_PROTOCOL, "plain.kubevirt.io");
        let mut sender = self.connect().await.expect("a connection");
        let response = sender.send_request(request.body(Full::default()).expect("a request")).await.expect("an answer");
        assert_eq!(response.status(), 101);
        let upgraded = hyper::upgrade::on(response).await.expect("upgraded");
        let mut socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Client, None).await;
        let message = socket.next().await.expect("a frame").expect("a frame");
        assert!(message.is_binary());
        message.into_data().to_vec()
    }
}
