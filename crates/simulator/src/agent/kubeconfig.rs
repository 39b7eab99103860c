//! Who the agent is towards an API server: server, its authority, and a token or a certificate, out of a kubeconfig.
//!
//! Only what such files hold for machines: no programs, no passwords, no proxies.

use crate::behave::object;
use anyhow::{Context, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Uri;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A kubeconfig file.
#[derive(Debug, Clone)]
pub(crate) struct Kubeconfig {
    content: Value,
    folder: PathBuf,
}

/// One identity at one server.
#[derive(Clone)]
pub(crate) struct Identity {
    /// `host:port`.
    pub(crate) authority: String,
    /// Name that the server's certificate must have.
    pub(crate) name: ServerName<'static>,
    /// TLS, with a client certificate when there is one.
    pub(crate) tls: Arc<ClientConfig>,
    /// Bearer token, if any.
    pub(crate) token: Option<String>,
}

impl Kubeconfig {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or is no YAML.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Self::parse(&text, folder).with_context(|| format!("in {}", path.display()))
    }

    /// Reads a text; relative paths in it start at `folder`.
    ///
    /// # Errors
    /// When it is no YAML.
    pub(crate) fn parse(text: &str, folder: PathBuf) -> anyhow::Result<Self> {
        let content: Value = serde_saphyr::from_str(text).context("not a kubeconfig")?;
        Ok(Self { content, folder })
    }

    fn entry(&self, list: &str, name: &str) -> Option<&Value> {
        object::items(&self.content, list).iter().find(|entry| entry["name"] == name)
    }

    /// The identity of the context of this name, or of the current one when there is none.
    ///
    /// # Errors
    /// When the file names what it does not have, or a certificate cannot be read.
    pub(crate) fn identity(&self, context: &str) -> anyhow::Result<Identity> {
        let current = object::text(&self.content, "/current-context");
        let entry = self.entry("/contexts", context).or_else(|| self.entry("/contexts", current));
        let context = &entry.context("no current context")?["context"];
        let cluster =
            self.entry("/clusters", object::text(context, "/cluster")).context("a context without cluster")?;
        let user = self.entry("/users", object::text(context, "/user")).context("a context without user")?;
        let (cluster, user) = (&cluster["cluster"], &user["user"]);
        let uri: Uri = object::text(cluster, "/server").parse().context("the server's URL")?;
        if uri.scheme_str() != Some("https") {
            bail!("{uri} is not https");
        }
        let host = uri.host().context("a server without host")?.trim_matches(['[', ']']).to_owned();
        let name = match object::text(cluster, "/tls-server-name") {
            "" => host.clone(),
            name => name.to_owned(),
        };
        let token = match (object::text(user, "/token"), object::text(user, "/tokenFile")) {
            ("", "") => None,
            ("", file) => Some(std::fs::read_to_string(self.folder.join(file))?.trim().to_owned()),
            (token, _) => Some(token.to_owned()),
        };
        Ok(Identity {
            authority: format!("{}:{}", uri.host().unwrap_or_default(), uri.port_u16().unwrap_or(443)),
            name: ServerName::try_from(name).context("the server's name")?,
            tls: Arc::new(self.tls(cluster, user)?),
            token,
        })
    }

    fn tls(&self, cluster: &Value, user: &Value) -> anyhow::Result<ClientConfig> {
        let authority = self.pem(cluster, "certificate-authority")?.context("a cluster without an authority")?;
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&authority) {
            roots.add(certificate?)?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots);
        let mut config = match (self.pem(user, "client-certificate")?, self.pem(user, "client-key")?) {
            (Some(certificate), Some(key)) => {
                let chain = CertificateDer::pem_slice_iter(&certificate).collect::<Result<Vec<_>, _>>()?;
                builder.with_client_auth_cert(chain, PrivateKeyDer::from_pem_slice(&key)?)?
            }
            _ => builder.with_no_client_auth(),
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }

    /// PEM from `field-data` (base64) or from the file that `field` names.
    fn pem(&self, of: &Value, field: &str) -> anyhow::Result<Option<Vec<u8>>> {
        if let Some(data) = of.get(format!("{field}-data")).and_then(Value::as_str) {
            return Ok(Some(STANDARD.decode(data.trim()).with_context(|| format!("{field}-data"))?));
        }
        let Some(file) = of.get(field).and_then(Value::as_str) else { return Ok(None) };
        let path = self.folder.join(file);
        Ok(Some(std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?))
    }
}
