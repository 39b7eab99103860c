//! A kubeconfig that is only data: what it may contain, and a refusal by name for everything else.
//!
//! A kubeconfig is code: `exec` runs programs, `tokenFile` and certificate paths read files of whoever opens it. Here a
//! pasted text may carry an address, a trusted certificate and an inline credential, nothing more, and the whole text is
//! held to that, since the whole text is what gets stored. It must never open a file, an environment variable or a
//! connection. Source: k8s.io/client-go `tools/clientcmd/api/v1/types.go`.

mod expiry;
mod refusal;

pub use refusal::KubeconfigRefusal;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Uri;
use model::UnixMs;
use refusal::{broken, missing, too_long};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Map, Value};

/// Longest text: a kubeconfig with a certificate chain is 10 KiB.
const MAX_TEXT: usize = 256 * 1024;

/// How to reach one cluster, and as whom.
#[derive(Clone)]
pub struct Access {
    pub(crate) server: Uri,
    pub(crate) roots: Option<Vec<Vec<u8>>>,
    pub(crate) tls_server_name: Option<String>,
    pub(crate) credential: Credential,
    expires: Option<UnixMs>,
}

/// Who we are.
#[derive(Clone)]
pub(crate) enum Credential {
    Token(String),
    /// Certificate chain and key, PEM in base64 as in the kubeconfig.
    Certificate {
        chain: String,
        key: String,
    },
}

impl Access {
    /// Parses a pasted kubeconfig; the refusal names the key and says what to do.
    pub fn parse(text: &str) -> Result<Self, KubeconfigRefusal> {
        if text.len() > MAX_TEXT {
            return Err(too_long());
        }
        let root: Value =
            serde_saphyr::from_str_with_options(text, limits()).map_err(|e| broken("", &e.to_string()))?;
        refusal::refuse_unknown(&root)?;
        let context = context(&root)?;
        let cluster = named(&root, "clusters", "cluster", text_of(context, "cluster").as_deref())?;
        let user = named(&root, "users", "user", text_of(context, "user").as_deref())?;

        let credential = credential(user)?;
        Ok(Self {
            server: server(cluster)?,
            roots: roots(cluster)?,
            tls_server_name: text_of(cluster, "tls-server-name"),
            expires: expiry::of(&credential),
            credential,
        })
    }

    /// The API server's address, for people: scheme, host, port and path; it carries no secret.
    pub fn server(&self) -> String {
        self.server.to_string().trim_end_matches('/').to_owned()
    }

    /// When the credential expires, if it says so: `exp` of a JWT (not verified, the API server does that) or the end of
    /// the client certificate.
    pub fn expires(&self) -> Option<UnixMs> {
        self.expires
    }
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let how = match self.credential {
            Credential::Token(_) => "token",
            Credential::Certificate { .. } => "client certificate",
        };
        write!(f, "Access {{ server: {:?}, credential: <{how}> }}", self.server())
    }
}

/// Limits of the YAML reader: no aliases at all (nobody needs them here, bombs do), little depth, no quoting of the text
/// in errors (it may be a secret).
fn limits() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_aliases: 0, max_anchors: 0, max_depth: 24, max_nodes: 1_000, max_events: 4_000 },
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::Error,
        with_snippet: false,
        strict_booleans: true,
    }
}

fn context(root: &Value) -> Result<&Map<String, Value>, KubeconfigRefusal> {
    let current = root.get("current-context").and_then(scalar).filter(|name| !name.is_empty());
    named(root, "contexts", "context", current.as_deref())
}

/// The entry of a list of `{name, <what>: {…}}`: the one of that name, or the only one.
fn named<'a>(
    root: &'a Value,
    list: &str,
    what: &str,
    name: Option<&str>,
) -> Result<&'a Map<String, Value>, KubeconfigRefusal> {
    let entries = root.get(list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let found = match (name, entries) {
        (Some(name), _) => entries.iter().find(|e| e.get("name").and_then(scalar).as_deref() == Some(name)),
        (None, [only]) => Some(only),
        (None, _) => None,
    };
    found.and_then(|entry| entry.get(what)).and_then(Value::as_object).ok_or_else(|| missing(list, name))
}

fn server(cluster: &Map<String, Value>) -> Result<Uri, KubeconfigRefusal> {
    let text = text_of(cluster, "server").ok_or_else(|| missing("clusters[].cluster.server", None))?;
    let uri: Uri = text.parse().map_err(|_| broken("server", "not a URL"))?;
    let is_plain = matches!(uri.scheme_str(), Some("https" | "http"))
        && uri.host().is_some_and(|h| !h.is_empty())
        && uri.query().is_none()
        && !uri.authority().is_some_and(|a| a.as_str().contains('@'));
    if is_plain { Ok(uri) } else { Err(broken("server", "https://host:port, without user, query or other scheme")) }
}

fn roots(cluster: &Map<String, Value>) -> Result<Option<Vec<Vec<u8>>>, KubeconfigRefusal> {
    const KEY: &str = "certificate-authority-data";
    let Some(data) = text_of(cluster, KEY) else { return Ok(None) };
    let pem = decode(KEY, &data)?;
    let roots: Result<Vec<_>, _> =
        CertificateDer::pem_slice_iter(&pem).map(|c| c.map(|c| c.as_ref().to_vec())).collect();
    match roots {
        Ok(roots) if !roots.is_empty() => Ok(Some(roots)),
        _ => Err(broken(KEY, "no PEM certificate in it")),
    }
}

fn credential(user: &Map<String, Value>) -> Result<Credential, KubeconfigRefusal> {
    let (chain, key) = (text_of(user, "client-certificate-data"), text_of(user, "client-key-data"));
    match (text_of(user, "token"), chain, key) {
        (Some(token), None, None) => {
            let token = token.trim().to_owned();
            let is_header = !token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic());
            if is_header { Ok(Credential::Token(token)) } else { Err(broken("token", "not a token")) }
        }
        (None, Some(chain), Some(key)) => {
            if CertificateDer::from_pem_slice(&decode("client-certificate-data", &chain)?).is_err() {
                return Err(broken("client-certificate-data", "no PEM certificate in it"));
            }
            if PrivateKeyDer::from_pem_slice(&decode("client-key-data", &key)?).is_err() {
                return Err(broken("client-key-data", "no PEM private key in it"));
            }
            let strip = |text: String| text.split_ascii_whitespace().collect();
            Ok(Credential::Certificate { chain: strip(chain), key: strip(key) })
        }
        (Some(_), _, _) => Err(broken("token", "a token and a client certificate; keep one")),
        _ => Err(missing("users[].user: token, or client-certificate-data and client-key-data", None)),
    }
}

fn decode(key: &str, base64: &str) -> Result<Vec<u8>, KubeconfigRefusal> {
    let packed: String = base64.split_ascii_whitespace().collect();
    STANDARD.decode(packed).map_err(|_| broken(key, "not base64"))
}

fn text_of(map: &Map<String, Value>, key: &str) -> Option<String> {
    map.get(key).and_then(scalar).filter(|text| !text.is_empty())
}

/// A name or token without quotes may read as a number or a boolean.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is) => Some(is.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
