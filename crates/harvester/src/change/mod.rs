//! The write path's cluster half: five stages, a type each, so that the compiler checks their order.

use crate::api::ObjectRef;
use crate::{Cache, Cluster, ClusterError};
use model::id::{ChangeId, OperationId};
use model::vm::VmRow;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// What is wanted. Saved before anything is sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Desired {
    /// Rides along on the object as an annotation.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// It is to exist, as this object.
    Create(Value),
    /// A JSON merge patch (RFC 7386).
    Patch(Value),
    /// A subresource is to be called (power).
    Call(Call),
    /// It is to be gone.
    Delete,
}

/// A call of KubeVirt's subresource API about a VM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Call {
    /// `virtualmachines/start`
    Start,
    /// `virtualmachines/stop`, gracefully
    Stop,
    /// `virtualmachines/stop` with no grace
    ForceStop,
    /// `virtualmachines/restart`
    Restart,
    /// `virtualmachineinstances/softreboot`
    SoftReboot,
    /// `virtualmachineinstances/pause`
    Pause,
    /// `virtualmachineinstances/unpause`
    Unpause,
}

/// One place that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// JSON pointer (RFC 6901).
    pub path: String,
    /// Before; absent when it is added.
    #[serde(default)]
    pub before: Option<Value>,
    /// After; absent when it is removed.
    #[serde(default)]
    pub after: Option<Value>,
}

/// What the API server would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    desired: Desired,
}

/// The API server did it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Committed {
    /// The change.
    pub id: ChangeId,
}

/// Our cache has seen it.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The change.
    pub id: ChangeId,
    /// The row, when the object is a VM that is still there.
    pub row: Option<Arc<VmRow>>,
}

/// The receipt did not come in time; the change is made all the same.
#[derive(Debug, Clone, thiserror::Error)]
#[error("change {} was not seen in time", committed.id)]
pub struct NotYet {
    /// To wait on.
    pub committed: Box<Committed>,
}

/// Where a change that was interrupted after its check stands.
#[derive(Debug)]
pub enum Resumed {
    /// It had been made: wait for the receipt.
    Committed(Committed),
    /// It had not: check again.
    Again(Desired),
}

/// The object as it stands now, `None` when there is none. `ops` uses it to find what an interrupted step has made.
pub async fn live(_cluster: &Cluster, _target: &ObjectRef) -> Result<Option<Value>, ClusterError> {
    todo!()
}

impl Desired {
    /// Asks the API server (`dryRun=All`) what the change would do; nothing is kept there.
    pub async fn check(self, _cluster: &Cluster) -> Result<Checked, ClusterError> {
        todo!()
    }
}

impl Checked {
    /// What would differ.
    pub fn difference(&self) -> &[Difference] {
        todo!()
    }

    /// The object as it would be.
    pub fn outcome(&self) -> Option<&Value> {
        todo!()
    }

    /// The change as it was wanted.
    pub fn desired(&self) -> &Desired {
        &self.desired
    }

    /// Makes the change; [`ClusterError::Conflict`] when the object moved on since the check.
    pub async fn commit(self, _cluster: &Cluster) -> Result<Committed, ClusterError> {
        todo!()
    }

    /// After a crash or an unsure answer: first looks for our change id on the live object.
    pub async fn resume(self, _cluster: &Cluster) -> Result<Resumed, ClusterError> {
        todo!()
    }
}

impl Committed {
    /// Waits until the cache shows it.
    pub async fn observe(self, _cache: &Cache, _within: Duration) -> Result<Observed, NotYet> {
        todo!()
    }
}
