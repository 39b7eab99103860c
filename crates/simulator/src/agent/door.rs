//! virt-handler's port: what virt-api asks the node of an instance for.
//!
//! One listener a host, each on an address of its own, as its pod says ([`super::seed`]). Invariant: only who shows
//! virt-api's certificate is answered, and only about instances of that host.
//!
//! Source: K `cmd/virt-handler/virt-handler.go`, `pkg/virt-handler/rest/`, `pkg/util/tls/tls.go`.

use super::deed::{Bases, Hands};
use super::mirror::Mirror;
use super::seed::handler_address;
use crate::behave::resources::{VM, VMI};
use crate::behave::subresource::{self, Refusal};
use crate::behave::{Now, Role, View, object};
use crate::clock::Clock;
use crate::rest::socket::{self, Sessions};
use crate::scenario::hosts::host_name;
use crate::screen::Screens;
use crate::serve::{accept, spawn};
use anyhow::Context as _;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{Method, StatusCode, header::CONTENT_TYPE};
use rand::RngExt as _;
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

/// Name in the certificate of virt-api as a client.
const VIRT_API: &str = "kubevirt.io:system:client:virt-handler";
/// A body may be so long.
const BODY_BYTES: usize = 64 << 10;

/// Where virt-handler listens.
#[derive(Debug, Clone)]
pub struct Door {
    /// virt-api's `--console-server-port`.
    pub port: u16,
    /// Folder with `server.crt`, `server.key` (name `kubevirt.io:system:node:virt-handler`) and `ca.crt`.
    pub tls: PathBuf,
}

#[derive(Clone)]
struct Handler {
    node: String,
    hands: Hands,
    mirror: Mirror,
    clock: Clock,
    sessions: Sessions,
    screens: Screens,
}

impl Door {
    /// Listens for every host until `stop`.
    pub(super) async fn open(
        &self,
        hands: Hands,
        mirror: Mirror,
        clock: Clock,
        nodes: usize,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let acceptor = TlsAcceptor::from(Arc::new(self.config()?));
        let (sessions, screens) = (Sessions::default(), Screens::new(&mirror));
        for at in 0..nodes {
            let address = format!("{}:{}", handler_address(at), self.port);
            let listener = TcpListener::bind(&address).await.with_context(|| format!("listening on {address}"))?;
            let handler = Handler {
                node: host_name(at),
                hands: hands.clone(),
                mirror: mirror.clone(),
                clock: clock.clone(),
                sessions: sessions.clone(),
                screens: screens.clone(),
            };
            let router = Router::new().fallback(answer).with_state(handler);
            spawn(accept(listener, acceptor.clone(), router, stop.clone()));
        }
        Ok(())
    }

    fn config(&self) -> anyhow::Result<rustls::ServerConfig> {
        let read = |name: &str| {
            let path = self.tls.join(name);
            std::fs::read(&path).with_context(|| format!("reading {}", path.display()))
        };
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&read("ca.crt")?) {
            roots.add(certificate?)?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let known = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build()?;
        let chain = CertificateDer::pem_slice_iter(&read("server.crt")?).collect::<Result<Vec<_>, _>>()?;
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(Arc::new(OnlyVirtApi(known)))
            .with_single_cert(chain, PrivateKeyDer::from_pem_slice(&read("server.key")?)?)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

/// A client certificate must be the authority's, and virt-api's.
#[derive(Debug)]
struct OnlyVirtApi(Arc<dyn ClientCertVerifier>);

impl ClientCertVerifier for OnlyVirtApi {
    fn root_hint_subjects(&self) -> &[rustls::DistinguishedName] {
        self.0.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        let verified = self.0.verify_client_cert(end_entity, intermediates, now)?;
        match common_name(end_entity) {
            Some(name) if name == VIRT_API.as_bytes() => Ok(verified),
            _ => Err(rustls::Error::InvalidCertificate(rustls::CertificateError::NotValidForName)),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &rustls::DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &rustls::DigitallySignedStruct,
    ) -> Result<rustls::client::danger::HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// What a DER value holds, and what follows it.
fn value(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// The common name of a certificate's subject. Source: RFC 5280 §4.1.
fn common_name(der: &[u8]) -> Option<&[u8]> {
    /// `id-at-commonName` as a DER value.
    const COMMON_NAME: &[u8] = &[0x06, 0x03, 0x55, 0x04, 0x03];
    let (_, certificate, _) = value(der)?;
    let (_, mut fields, _) = value(certificate)?;
    if fields.first() == Some(&0xa0) {
        fields = value(fields)?.2;
    }
    // Serial number, algorithm, issuer, validity.
    for _ in 0..4 {
        fields = value(fields)?.2;
    }
    let (_, mut names, _) = value(fields)?;
    while let Some((_, set, rest)) = value(names) {
        let (_, pair, _) = value(set)?;
        if let Some(text) = pair.strip_prefix(COMMON_NAME) {
            return value(text).map(|(_, text, _)| text);
        }
        names = rest;
    }
    None
}

async fn answer(State(handler): State<Handler>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let Some((namespace, name, sub)) = target(&path) else { return said(StatusCode::NOT_FOUND, "404: Page Not Found") };
    let vmi = handler.mirror.get(VMI, namespace, name);
    let Some(vmi) = vmi.filter(|vmi| object::text(vmi, "/status/nodeName") == handler.node) else {
        return said(StatusCode::NOT_FOUND, &format!("VMI {namespace}/{name} does not exist"));
    };
    let is_read = matches!(sub, "console" | "vnc" | "vnc/screenshot" | "guestosinfo" | "userlist" | "filesystemlist");
    if parts.method != if is_read { Method::GET } else { Method::PUT } {
        return said(StatusCode::METHOD_NOT_ALLOWED, "405: Method Not Allowed");
    }
    let preserves = parts.uri.query().is_some_and(|query| query.split('&').any(|pair| pair == "preserveSession=true"));
    if matches!(sub, "vnc" | "console") {
        let opened = socket::open(
            &mut parts,
            (&handler.sessions, &handler.screens),
            sub == "vnc" && preserves,
            sub,
            (namespace, name),
        );
        return opened.await.unwrap_or_else(|status| said(StatusCode::SERVICE_UNAVAILABLE, &status.message));
    }
    if sub == "vnc/screenshot" {
        return match handler.screens.screenshot(namespace, name, false).await {
            Some(picture) => ([(CONTENT_TYPE, "image/png")], picture).into_response(),
            None => said(StatusCode::INTERNAL_SERVER_ERROR, "the screen does not answer"),
        };
    }
    let body = match axum::body::to_bytes(body, BODY_BYTES).await {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_default(),
        Err(error) => return said(StatusCode::BAD_REQUEST, &error.to_string()),
    };
    handler.call(sub, &vmi, body).await
}

/// Namespace, name and subresource of `/v1/namespaces/{}/virtualmachineinstances/{}/{}`.
fn target(path: &str) -> Option<(&str, &str, &str)> {
    let (namespace, rest) = path.strip_prefix("/v1/namespaces/")?.split_once('/')?;
    let (name, sub) = rest.strip_prefix("virtualmachineinstances/")?.split_once('/')?;
    Some((namespace, name, sub))
}

/// go-restful writes errors as plain text.
fn said(code: StatusCode, text: &str) -> Response {
    (code, [(CONTENT_TYPE, "text/plain; charset=utf-8")], Body::from(text.to_owned())).into_response()
}

impl Handler {
    async fn call(&self, sub: &str, vmi: &Value, body: Value) -> Response {
        let (namespace, name) = object::key(vmi);
        let now = Now { unix_ms: self.clock.unix_ms(), random: rand::rng().random() };
        let vm = self.mirror.get(VM, &namespace, &name);
        let decided = subresource::call((false, sub), (vm.as_deref(), Some(vmi)), &name, &body, &self.mirror, now);
        let answer = match decided {
            Ok(answer) => answer,
            Err(Refusal { code, message, .. }) => {
                return said(StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), &message);
            }
        };
        let bases = Bases::of(&answer.effects, &self.mirror);
        // What was written comes back by the watch, which wakes whom it must.
        let mut written = Vec::new();
        let done = self.hands.perform(Role::VirtHandler, &answer.effects, bases, now.unix_ms, &mut written).await;
        match done {
            Ok(()) if answer.body.is_null() => StatusCode::ACCEPTED.into_response(),
            Ok(()) => axum::Json(answer.body).into_response(),
            Err(error) => said(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, DnType, KeyPair};

    #[test]
    fn the_subjects_name_is_read_and_nothing_else() {
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).expect("names");
        params.distinguished_name.push(DnType::OrganizationName, "someone");
        params.distinguished_name.push(DnType::CommonName, VIRT_API);
        let key = KeyPair::generate().expect("a key");
        let made = params.self_signed(&key).expect("a certificate");
        assert_eq!(common_name(made.der()), Some(VIRT_API.as_bytes()));
        for at in 0..made.der().len() {
            // A certificate that is cut off anywhere has a name or none, and never panics.
            let _ = common_name(&made.der()[..at]);
        }
    }

    #[test]
    fn a_path_is_taken_apart() {
        let path = "/v1/namespaces/team-a/virtualmachineinstances/web/vnc/screenshot";
        assert_eq!(target(path), Some(("team-a", "web", "vnc/screenshot")));
        assert_eq!(target("/v1/namespaces/team-a/virtualmachines/web/pause"), None);
    }
}
