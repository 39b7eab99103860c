//! The write path's cluster half: stages as types, so that the compiler checks their order.
//!
//! [`Desired`] → [`Checked`] → [`Committed`] → [`Observed`]; recording is `ops`' part. Each stage consumes the one before
//! and can be saved (serde), so a restarted server goes on where the old one stopped: Desired → check again; Checked →
//! [`Checked::resume`], which first looks for our change id on the live object; Committed → observe. A conflict is a value,
//! never a retry: whoever wanted the change has to look at the object anew.
//!
//! These are the only writes to a cluster in the whole product.

mod call;
mod check;
mod commit;
mod diff;
mod live;
mod observe;
mod resume;

pub use call::Call;
pub use diff::{Difference, told};
pub use observe::{NotYet, Observed};
pub use resume::Resumed;

use crate::api::ObjectRef;
pub use live::live;
use model::id::{ChangeId, OperationId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// What is wanted. To be saved before anything is sent.
///
/// A change that creates a Secret holds its content: seal what is saved, or make the change anew from its sources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Desired {
    /// Rides along on the object as an annotation (`model::ownership::CHANGE`).
    pub id: ChangeId,
    /// The operation that it belongs to, noted on objects that it creates.
    #[serde(default)]
    pub operation: Option<OperationId>,
    /// The object.
    pub target: ObjectRef,
    /// What is to become of it.
    pub what: What,
}

/// What is to become of an object.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// It is to exist, as this object.
    Create(Value),
    /// A JSON merge patch (RFC 7386).
    Patch(Value),
    /// A subresource of a VM is to be called (power). The target is the VM.
    Call(Call),
    /// It is to be gone.
    Delete,
}

impl fmt::Debug for What {
    /// Without contents: they may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create(_) => f.write_str("Create"),
            Self::Patch(_) => f.write_str("Patch"),
            Self::Call(call) => write!(f, "Call({call:?})"),
            Self::Delete => f.write_str("Delete"),
        }
    }
}

/// The object as it was when the change was checked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Base {
    /// uid; empty when there was none.
    pub uid: String,
    /// resourceVersion; empty when there was none.
    pub version: String,
    /// uid of the running instance, where a restart is to be told from none.
    #[serde(default)]
    pub instance: Option<String>,
}

/// What the API server would do. Made by [`Desired::check`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    desired: Desired,
    base: Base,
    difference: Vec<Difference>,
    outcome: Option<Value>,
}

impl Checked {
    /// The change as it was wanted.
    pub fn desired(&self) -> &Desired {
        &self.desired
    }

    /// What it would be made on.
    pub fn base(&self) -> &Base {
        &self.base
    }

    /// What would differ; contents of Secrets are masked.
    pub fn difference(&self) -> &[Difference] {
        &self.difference
    }

    /// The object as it would be, where the API server says that; contents of Secrets are masked.
    pub fn outcome(&self) -> Option<&Value> {
        self.outcome.as_ref()
    }
}

/// The API server did it. Made by [`Checked::commit`] or [`Checked::resume`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Committed {
    /// The change.
    pub id: ChangeId,
    /// The object.
    pub target: ObjectRef,
    /// Its uid.
    pub uid: String,
    /// Its resourceVersion right after.
    pub version: String,
    /// It is to be gone.
    pub is_deletion: bool,
}

#[cfg(test)]
mod tests;
