//! What a client may be told when something did not work: a code, a sentence to act on, a reference for the log.
//!
//! Errors become faults in one place (`app::backend`). A fault never carries a chain, a secret or a file name.

use crate::Say;
use serde::{Deserialize, Serialize};

/// The kind of a fault; decides the HTTP status and how a page shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// Nobody is signed in, or the session ended.
    Unauthenticated,
    /// The role may not do this here.
    Forbidden,
    /// There is no such thing, or it may not be seen.
    NotFound,
    /// Somebody else changed it meanwhile.
    Conflict,
    /// It makes no sense now: the state, a rule, the cluster's admission.
    Refused,
    /// The input is wrong; `field` says where.
    Invalid,
    /// Too many tries, or a quota.
    TooMany,
    /// The cluster cannot be reached, so nothing was done.
    Away,
    /// The same idempotency key came with another body.
    KeyReused,
    /// The browser has no connection to the server.
    Offline,
    /// Something broke on our side; the reference finds it in the log.
    Internal,
}

impl Code {
    /// The HTTP status that goes with it.
    pub fn status(self) -> u16 {
        match self {
            Self::Unauthenticated => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::Conflict => 409,
            Self::Refused | Self::Invalid | Self::KeyReused => 422,
            Self::TooMany => 429,
            Self::Away | Self::Offline => 503,
            Self::Internal => 500,
        }
    }

    /// The word for links and logs, for example `not-found`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unauthenticated => "unauthenticated",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not-found",
            Self::Conflict => "conflict",
            Self::Refused => "refused",
            Self::Invalid => "invalid",
            Self::TooMany => "too-many",
            Self::Away => "away",
            Self::KeyReused => "key-reused",
            Self::Offline => "offline",
            Self::Internal => "internal",
        }
    }
}

/// What a client may be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{say}")]
pub struct Fault {
    /// The kind.
    pub code: Code,
    /// What happened and what to do next.
    pub say: Say,
    /// The form field that it is about.
    #[serde(default)]
    pub field: Option<String>,
    /// The cluster's own words, shown as text.
    #[serde(default)]
    pub detail: Option<String>,
    /// Finds the log line.
    #[serde(default)]
    pub reference: Option<String>,
}

impl Fault {
    /// A fault of `code` with a sentence.
    pub fn new(code: Code, say: Say) -> Self {
        Self { code, say, field: None, detail: None, reference: None }
    }

    /// Wrong input.
    pub fn invalid(say: Say) -> Self {
        Self::new(Code::Invalid, say)
    }

    /// There is no such thing, or it may not be seen: one sentence for both.
    pub fn not_found() -> Self {
        Self::new(
            Code::NotFound,
            Say::fixed("没有这个对象，或者你看不到它", "there is no such thing, or you may not see it"),
        )
    }

    /// Names the form field.
    #[must_use]
    pub fn at(mut self, field: &str) -> Self {
        self.field = Some(field.to_owned());
        self
    }

    /// Adds the cluster's own words, cut to a length that a page can bear.
    #[must_use]
    pub fn detail(mut self, text: &str) -> Self {
        self.detail = Some(text.chars().take(MAX_DETAIL).collect());
        self
    }
}

/// Longest foreign text that a fault carries, in characters: webhooks have been seen to answer with whole objects.
pub const MAX_DETAIL: usize = 2_000;

/// What the framework of server functions says by itself becomes one of our codes; its own texts are for nobody.
#[cfg(feature = "server-fn")]
impl server_fn::error::FromServerFnError for Fault {
    type Encoder = server_fn::codec::JsonEncoding;

    fn from_server_fn_error(error: server_fn::error::ServerFnErrorErr) -> Self {
        use server_fn::error::ServerFnErrorErr as Error;
        match error {
            Error::Request(_) => Self::new(
                Code::Offline,
                Say::fixed(
                    "没有连上服务器，什么都没有发出；网络恢复后再试",
                    "the server was not reached, nothing was sent; try again when the network is back",
                ),
            ),
            Error::Args(_) | Error::MissingArg(_) => Self::invalid(Say::fixed(
                "这一页与服务器对不上，重新加载后再试",
                "this page and the server do not fit, load it again and retry",
            )),
            _ => Self::new(
                Code::Internal,
                Say::fixed(
                    "服务器的回答看不懂，重新加载后再试",
                    "the server's answer cannot be read, load the page again and retry",
                ),
            ),
        }
    }
}
