//! Checked, and then a crash or an answer that did not come: was it made?
//!
//! The crash may have come between the API server's yes and our note of it, so the live object is asked first, never a
//! second change made on suspicion. (`reliability.md` rows 18, 23, 27)

use super::check::{self, JSON};
use super::{Call, Checked, Committed, Desired, What};
use crate::{Cluster, ClusterError};
use http::Method;
use model::ownership;
use serde_json::Value;

/// Where a change that was interrupted after its check stands.
#[derive(Debug)]
pub enum Resumed {
    /// It has been made: wait for the receipt.
    Committed(Committed),
    /// It has not: check again.
    Again(Desired),
}

impl Checked {
    /// Looks for our change id on the live object.
    pub async fn resume(self, cluster: &Cluster) -> Result<Resumed, ClusterError> {
        let live: Option<Value> = cluster.read_opt(&self.desired.target.path()).await?;
        let has_note = live.as_ref().is_some_and(|live| self.is_noted_on(live));
        match (&self.desired.what, live) {
            (What::Delete, None) => Ok(Resumed::Committed(self.committed(&Value::Null))),
            (What::Delete, Some(live)) => {
                let is_going = live.pointer("/metadata/deletionTimestamp").is_some();
                let is_other = check::base(&live)?.uid != self.base.uid;
                let is_done = is_going || is_other;
                Ok(if is_done {
                    Resumed::Committed(self.committed(&Value::Null))
                } else {
                    Resumed::Again(self.desired)
                })
            }
            (What::Call(call), Some(live)) if has_note => {
                let call = *call;
                self.finish(call, cluster).await?;
                Ok(Resumed::Committed(self.committed(&live)))
            }
            (_, Some(live)) if has_note => Ok(Resumed::Committed(self.committed(&live))),
            _ => Ok(Resumed::Again(self.desired)),
        }
    }

    fn is_noted_on(&self, live: &Value) -> bool {
        let pointer = format!("/metadata/annotations/{}", ownership::CHANGE.replace('/', "~1"));
        live.pointer(&pointer).and_then(Value::as_str) == Some(self.desired.id.as_str())
    }

    /// The note is there; whether the call was made is not known. A second start, stop, pause or unpause does nothing, or is
    /// refused because it was done: both are fine. A second restart would be one too many, so it is made only while the old
    /// instance is still there. A soft reboot leaves no trace at all and is not repeated: none is better than two.
    async fn finish(&self, call: Call, cluster: &Cluster) -> Result<(), ClusterError> {
        match call {
            Call::SoftReboot => return Ok(()),
            Call::Restart if check::instance(cluster, &self.desired).await? != self.base.instance => return Ok(()),
            _ => {}
        }
        match cluster.write(Method::PUT, &call.path(&self.desired.target), JSON, &call.body()).await {
            Err(ClusterError::Refused { by, .. }) if by == "kubevirt" => Ok(()),
            other => other.map(drop),
        }
    }
}
