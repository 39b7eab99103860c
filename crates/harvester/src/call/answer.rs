//! A refusal of the API server as a value.
//!
//! Kubernetes says what went wrong in a `Status` object; who said no (a role, a quota, a webhook, KubeVirt) stands only
//! in its text. Sources: k8s.io/apimachinery `pkg/apis/meta/v1/types.go` (Status), `pkg/api/errors/errors.go`,
//! k8s.io/apiserver `pkg/endpoints/handlers/responsewriters/errors.go`, `harvester-api.md` §10.

use crate::error::{ClusterError, causes, words};
use crate::view::clean;
use http::{HeaderMap, Method, header};
use serde::Deserialize;
use std::time::Duration;

/// When a 429 does not say for how long.
const DEFAULT_QUIET: Duration = Duration::from_secs(5);

/// Longest `Retry-After` that is believed.
const MAX_QUIET: Duration = Duration::from_secs(300);

/// What was asked, for errors that do not say it.
pub(super) struct Asked {
    verb: &'static str,
    path: String,
}

impl Asked {
    pub(super) fn new(method: &Method, path: &str) -> Self {
        let verb = match method.as_str() {
            "GET" => "get",
            "POST" => "create",
            "PUT" => "update",
            "PATCH" => "patch",
            "DELETE" => "delete",
            _ => "use",
        };
        Self { verb, path: path.to_owned() }
    }

    fn is_kubevirt(&self) -> bool {
        self.path.starts_with("/apis/subresources.kubevirt.io/")
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Status {
    message: String,
    reason: String,
    details: Option<Details>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Details {
    name: String,
    kind: String,
    retry_after_seconds: u64,
}

pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(MAX_QUIET))
}

pub(super) fn error(asked: &Asked, status: u16, retry_after: Option<Duration>, body: &[u8]) -> ClusterError {
    let said: Status = serde_json::from_slice(body)
        .unwrap_or_else(|_| Status { message: String::from_utf8_lossy(body).into_owned(), ..Status::default() });
    let message = words(&said.message);
    let details = said.details.unwrap_or_default();
    let webhook = webhook(&said.message);
    match status {
        401 => ClusterError::Unauthorised,
        403 => match rbac(&said.message) {
            Some((verb, resource)) => ClusterError::Forbidden { resource, verb, message },
            None if webhook.is_some() || said.message.contains("exceeded quota") => refused(webhook, "quota", message),
            None if asked.is_kubevirt() && !said.message.is_empty() => refused(None, "kubevirt", message),
            None if said.message.is_empty() => ClusterError::Forbidden {
                resource: clean::text(&asked.path, clean::MAX_NAME),
                verb: asked.verb.to_owned(),
                message,
            },
            None => refused(None, "api server", message),
        },
        404 => ClusterError::NotFound {
            what: match (details.kind.as_str(), details.name.as_str()) {
                ("", _) | (_, "") => clean::text(&asked.path, clean::MAX_NAME),
                (kind, name) => clean::text(&format!("{kind} {name}"), clean::MAX_NAME),
            },
        },
        409 if webhook.is_some() => refused(webhook, "", message),
        409 if said.reason == "AlreadyExists" => ClusterError::Exists { message },
        409 if asked.is_kubevirt() => refused(None, "kubevirt", message),
        409 => ClusterError::Conflict { message },
        410 => ClusterError::Expired,
        429 => {
            let said = Some(details.retry_after_seconds).filter(|&s| s > 0).map(Duration::from_secs);
            ClusterError::Throttled { retry_after: retry_after.or(said).unwrap_or(DEFAULT_QUIET).min(MAX_QUIET) }
        }
        500.. if asked.is_kubevirt() && said.message.ends_with("not found") => {
            ClusterError::NotFound { what: clean::text(&asked.path, clean::MAX_NAME) }
        }
        // The webhook itself failed: what it would have said, and sometimes what was stored, is not known.
        500.. if !is_a_no(asked, &said.message) => ClusterError::Broken { status, message },
        400.. => refused(webhook, if asked.is_kubevirt() { "kubevirt" } else { "schema" }, message),
        _ => ClusterError::garbled(format!("HTTP {status}; redirects are not followed")),
    }
}

/// Whether a 500 is a definite no: nothing was done. virt-api wraps what others refused, and what it refuses itself, into it
/// (KubeVirt 1.7.0 `pkg/virt-api/rest/{lifecycle,subresource}.go`; seen at the witness).
fn is_a_no(asked: &Asked, message: &str) -> bool {
    let kubevirts = ["Operation cannot be fulfilled", "stop/start already underway"];
    message.contains("denied the request")
        || asked.is_kubevirt() && kubevirts.iter().any(|words| message.contains(words))
}

fn refused(webhook: Option<String>, otherwise: &str, message: String) -> ClusterError {
    ClusterError::Refused { by: webhook.unwrap_or_else(|| otherwise.to_owned()), message }
}

/// `admission webhook "validator.harvesterhci.io" denied the request: …`
fn webhook(message: &str) -> Option<String> {
    let (_, rest) = message.split_once("admission webhook \"")?;
    let (name, rest) = rest.split_once('"')?;
    rest.starts_with(" denied the request").then(|| clean::text(name, clean::MAX_NAME))
}

/// `… is forbidden: User "x" cannot list resource "virtualmachines" in API group "kubevirt.io" at the cluster scope`
fn rbac(message: &str) -> Option<(String, String)> {
    let (_, rest) = message.split_once(" cannot ")?;
    let (verb, rest) = rest.split_once(" resource \"")?;
    let (resource, rest) = rest.split_once('"')?;
    let group =
        rest.split_once("API group \"").and_then(|(_, rest)| rest.split_once('"')).map_or("", |(group, _)| group);
    let resource = if group.is_empty() { resource.to_owned() } else { format!("{group}/{resource}") };
    Some((clean::text(verb, 20), clean::text(&resource, clean::MAX_NAME)))
}

/// Whether the TLS handshake failed because of who the server says it is.
pub(super) fn is_about_certificate(error: &(dyn std::error::Error + 'static)) -> bool {
    use rustls::Error::{InvalidCertificate, NoCertificatesPresented};
    causes(error).any(|cause| matches!(cause.downcast_ref(), Some(InvalidCertificate(_) | NoCertificatesPresented)))
}
