//! What can go wrong with a cluster, as values with a sentence each.
//!
//! One enum for the whole crate, since one API server stands behind all of it. It never carries a token, a URL with
//! credentials or a whole answer: foreign texts are cleaned and cut at [`model::fault::MAX_DETAIL`].

use crate::view::clean;
use model::fault::{Code, MAX_DETAIL};
use model::{Say, say};
use std::time::Duration;

/// The error below, for the log.
pub(crate) type Source = Box<dyn std::error::Error + Send + Sync>;

/// Why a cluster did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// It does not answer: no route, refused, timed out, cut off. Whether a write happened is not known.
    #[error("the cluster does not answer")]
    Away {
        /// Why.
        #[source]
        source: Source,
    },
    /// Its certificate is not the one that the kubeconfig trusts.
    #[error("the cluster's certificate is not trusted")]
    Certificate {
        /// What the verifier said.
        #[source]
        source: Source,
    },
    /// The address is one that registered clusters must not have ([`crate::NetworkPolicy`]).
    #[error("the address is not allowed: {say}")]
    NotAllowed {
        /// Which, and why.
        say: Say,
    },
    /// The token or certificate is not accepted (any more).
    #[error("the credential is not accepted")]
    Unauthorised,
    /// The role lacks a right.
    #[error("not permitted: {verb} {resource}")]
    Forbidden {
        /// `kubevirt.io/virtualmachines`.
        resource: String,
        /// `list`, `patch`, …
        verb: String,
        /// The API server's words.
        message: String,
    },
    /// There is no such object, or the cluster does not have its kind.
    #[error("not found: {what}")]
    NotFound {
        /// What was looked for.
        what: String,
    },
    /// The object moved on since it was read.
    #[error("conflict: {message}")]
    Conflict {
        /// The API server's words.
        message: String,
    },
    /// An object of that name is there already.
    #[error("exists already: {message}")]
    Exists {
        /// The API server's words.
        message: String,
    },
    /// A webhook, a quota, the schema or a subresource's rule said no.
    #[error("refused by {by}: {message}")]
    Refused {
        /// Name of the webhook, or `quota`, `schema`, `kubevirt`, `api server`.
        by: String,
        /// Its words, cleaned, at most [`MAX_DETAIL`] characters.
        message: String,
    },
    /// Too many requests; nothing is sent before that time has passed.
    #[error("asked to wait {} s", retry_after.as_secs())]
    Throttled {
        /// How long to wait.
        retry_after: Duration,
    },
    /// The resourceVersion or continue token is too old: list again.
    #[error("the resource version is too old")]
    Expired,
    /// The API server itself failed (5xx).
    #[error("the API server answered {status}: {message}")]
    Broken {
        /// HTTP status.
        status: u16,
        /// Its words.
        message: String,
    },
    /// The answer could not be read.
    #[error("garbled answer: {what}")]
    Garbled {
        /// What was being read, and what was wrong with it.
        what: String,
    },
}

impl ClusterError {
    pub(crate) fn away(source: impl Into<Source>) -> Self {
        Self::Away { source: source.into() }
    }

    pub(crate) fn garbled(what: impl Into<String>) -> Self {
        Self::Garbled { what: what.into() }
    }

    /// Its kind in one word, for those who count.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Away { .. } => "away",
            Self::Certificate { .. } => "certificate",
            Self::NotAllowed { .. } => "not_allowed",
            Self::Unauthorised => "unauthorised",
            Self::Forbidden { .. } => "forbidden",
            Self::NotFound { .. } => "not_found",
            Self::Conflict { .. } => "conflict",
            Self::Exists { .. } => "exists",
            Self::Refused { .. } => "refused",
            Self::Throttled { .. } => "throttled",
            Self::Expired => "expired",
            Self::Broken { .. } => "broken",
            Self::Garbled { .. } => "garbled",
        }
    }

    /// What to tell a person.
    pub fn say(&self) -> Say {
        match self {
            Self::Away { source } => {
                let why = clean::text(&chain(source.as_ref()), 200);
                say!("集群连接不上：{why}", "the cluster cannot be reached: {why}")
            }
            Self::Certificate { .. } => Say::fixed(
                "集群的证书变了，或不是登记时信任的那张；核实后重新登记",
                "the cluster's certificate changed or is not the trusted one; verify it, then register again",
            ),
            Self::NotAllowed { say } => say.clone(),
            Self::Unauthorised => Say::fixed(
                "集群不接受这份凭据：可能已过期或被吊销，换一份",
                "the cluster does not accept the credential: it expired or was revoked, replace it",
            ),
            Self::Forbidden { resource, verb, .. } => {
                say!("集群角色缺少权限：{verb} {resource}", "the cluster role lacks the right to {verb} {resource}")
            }
            Self::NotFound { what } => say!("集群里没有 {what}", "the cluster has no {what}"),
            Self::Conflict { .. } => Say::fixed(
                "对象刚被别人改过，重新读取后再试",
                "somebody else changed the object just now, read it again and retry",
            ),
            Self::Exists { .. } => Say::fixed("集群里已有同名对象", "the cluster has an object of that name already"),
            Self::Refused { by, .. } => say!("集群拒绝了（{by}）", "the cluster refused ({by})"),
            Self::Throttled { retry_after } => {
                let s = retry_after.as_secs().max(1);
                say!("集群请我们 {s} 秒后再来", "the cluster asks us to come back in {s} s")
            }
            Self::Expired => Say::fixed("列表过期，正在重新读取", "the list expired and is being read again"),
            Self::Broken { status, message } => match deaf_webhook(message) {
                Some(name) => say!(
                    "集群的准入 webhook 不应答：{name}",
                    "an admission webhook of the cluster does not answer: {name}"
                ),
                None => say!("集群的 API 出错（{status}）", "the cluster's API failed ({status})"),
            },
            Self::Garbled { what } => say!("看不懂集群的回答：{what}", "the cluster's answer cannot be read: {what}"),
        }
    }

    /// The cluster's own words, to be shown as text.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Forbidden { message, .. }
            | Self::Conflict { message }
            | Self::Exists { message }
            | Self::Refused { message, .. }
            | Self::Broken { message, .. } => Some(message),
            _ => None,
        }
    }

    /// The code that a client may be told.
    pub fn code(&self) -> Code {
        match self {
            Self::Away { .. } | Self::Certificate { .. } | Self::Broken { .. } | Self::Unauthorised => Code::Away,
            Self::Forbidden { .. } | Self::NotAllowed { .. } | Self::Refused { .. } => Code::Refused,
            Self::NotFound { .. } => Code::NotFound,
            Self::Conflict { .. } | Self::Exists { .. } | Self::Expired => Code::Conflict,
            Self::Throttled { .. } => Code::TooMany,
            Self::Garbled { .. } => Code::Internal,
        }
    }

    /// Whether the request may have been carried out although no answer came: look before doing it again.
    pub fn is_unsure(&self) -> bool {
        matches!(self, Self::Away { .. } | Self::Broken { .. } | Self::Garbled { .. })
    }
}

/// An error and all that it is made of. `io::Error` hides the error in it from `source`, so that one is opened.
pub(crate) fn causes<'e>(
    error: &'e (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'e (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |&error| {
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        inner.map(|inner| inner as &(dyn std::error::Error + 'static)).or_else(|| error.source())
    })
}

/// An error and its causes in one line.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = String::new();
    for cause in causes(error) {
        let words = cause.to_string();
        if text.is_empty() {
            text = words;
        } else if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
    }
    text
}

/// Foreign words for a [`ClusterError`].
pub(crate) fn words(text: &str) -> String {
    clean::text(text, MAX_DETAIL)
}

/// The webhook that the API server could not call, by its words. Source: `k8s.io/apiserver/pkg/admission/plugin/webhook/errors`.
fn deaf_webhook(message: &str) -> Option<&str> {
    message.split_once("failed calling webhook \"")?.1.split_once('"').map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As kube-apiserver 1.34 says it while virt-api is stopped.
    #[test]
    fn a_webhook_that_does_not_answer_is_named() {
        let message = "Internal error occurred: failed calling webhook \"virtualmachines-mutator.kubevirt.io\": failed to call webhook: \
            Post \"https://virt-api.harvester-system.svc:443/virtualmachines-mutate?timeout=10s\": context deadline exceeded";
        let error = ClusterError::Broken { status: 500, message: message.to_owned() };
        assert!(error.say().en.ends_with("does not answer: virtualmachines-mutator.kubevirt.io"), "{}", error.say().en);
        let other = ClusterError::Broken { status: 500, message: "etcdserver: no leader".to_owned() };
        assert_eq!(other.say().en, "the cluster's API failed (500)");
    }
}
