//! Who asks, in which request, at what moment: the first argument of every service method.

use model::UnixMs;
use model::access::{Me, Role, Verb};
use model::id::AccountId;
use std::sync::{Arc, Mutex, PoisonError};

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

    /// What people call them; the login where no name is known.
    pub fn name(&self) -> &str {
        match self {
            Self::Account(me) if !me.name.is_empty() => &me.name,
            other => other.login(),
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
#[derive(Debug, Clone)]
pub struct Context {
    /// Who asks.
    pub actor: Actor,
    /// The request, to find log lines by.
    pub request: String,
    /// The address that it came from.
    pub from: String,
    /// The moment.
    pub now: UnixMs,
    /// What a role did not permit while the request was served.
    pub denials: Denials,
}

impl Context {
    /// Of a request.
    pub fn new(actor: Actor, request: impl Into<String>, from: impl Into<String>, now: UnixMs) -> Self {
        Self { actor, request: request.into(), from: from.into(), now, denials: Denials::default() }
    }

    /// The platform's own work.
    pub fn system(request: impl Into<String>, now: UnixMs) -> Self {
        Self::new(Actor::System, request, "local", now)
    }
}

/// Acts that a request asked for and its role did not permit: noted where they are refused, written into the trail when the
/// request has been answered. Clones are the same list.
#[derive(Debug, Clone, Default)]
pub struct Denials(Arc<Mutex<Vec<(Verb, String)>>>);

/// Most denials that one request leaves: it asks for one thing, seldom for a few.
const MOST_DENIALS: usize = 8;

impl Denials {
    /// Notes one, once.
    pub(crate) fn note(&self, verb: Verb, object: String) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let denial = (verb, object);
        if all.len() < MOST_DENIALS && !all.contains(&denial) {
            all.push(denial);
        }
    }

    /// Those noted since they were taken last.
    pub fn take(&self) -> Vec<(Verb, String)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A new id for a request: sortable by time, unique without asking anybody.
pub fn request_id() -> String {
    uuid::Uuid::now_v7().simple().to_string()
}
