//! Who asks, in which request, at what moment: the first argument of every service method.

use model::UnixMs;
use model::access::{Me, Role};
use model::id::AccountId;

/// Who acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person who is signed in.
    Account(Me),
    /// The platform itself: reconcilers and resumed work. Never made from a request.
    System,
    /// Nobody: not signed in.
    Nobody,
}

impl Actor {
    /// The name in audit lines.
    pub fn login(&self) -> &str {
        match self {
            Self::Account(me) => &me.login,
            Self::System => "system",
            Self::Nobody => "nobody",
        }
    }

    /// The account, if it is one.
    pub fn account(&self) -> Option<&AccountId> {
        match self {
            Self::Account(me) => Some(&me.id),
            Self::System | Self::Nobody => None,
        }
    }

    /// The role, if it has one; the system may do all.
    pub fn role(&self) -> Option<Role> {
        match self {
            Self::Account(me) => Some(me.role),
            Self::System => Some(Role::Admin),
            Self::Nobody => None,
        }
    }
}

/// The circumstances of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// Who asks.
    pub actor: Actor,
    /// The request, to find log lines by.
    pub request: String,
    /// The address that it came from.
    pub from: String,
    /// The moment.
    pub now: UnixMs,
}

impl Context {
    /// The platform's own work.
    pub fn system(request: impl Into<String>, now: UnixMs) -> Self {
        Self { actor: Actor::System, request: request.into(), from: "local".into(), now }
    }
}

/// A new id for a request: sortable by time, unique without asking anybody.
pub fn request_id() -> String {
    uuid::Uuid::now_v7().simple().to_string()
}
