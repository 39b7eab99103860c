//! Checked → Committed: the same change, for real.

use super::check::{JSON, MERGE, deletion};
use super::{Call, Checked, Committed, What};
use crate::{Cluster, ClusterError};
use http::Method;
use serde_json::Value;

impl Checked {
    /// Makes the change, on exactly the version that was checked: [`ClusterError::Conflict`] when the object moved on.
    ///
    /// After an error that [`ClusterError::is_unsure`], look with [`Checked::resume`] before anything else. Keep a copy for
    /// that.
    pub async fn commit(self, cluster: &Cluster) -> Result<Committed, ClusterError> {
        let desired = &self.desired;
        let answer = match &desired.what {
            What::Create(_) => {
                cluster.write(Method::POST, &desired.create_path(false), JSON, &desired.created()).await?
            }
            What::Patch(_) => {
                cluster.write(Method::PATCH, &desired.path(false), MERGE, &desired.patched(&self.base)).await?
            }
            What::Call(call) => self.note_and_call(*call, cluster).await?,
            What::Delete => cluster.write(Method::DELETE, &desired.path(false), JSON, &deletion(&self.base)).await?,
        };
        Ok(self.committed(&answer))
    }

    /// KubeVirt's calls take neither an annotation nor a resourceVersion, so the VM gets our note first, by a patch that
    /// demands the checked version: that is where a conflict shows, and where a resumed change finds out that it came this
    /// far. The call itself follows.
    async fn note_and_call(&self, call: Call, cluster: &Cluster) -> Result<Value, ClusterError> {
        let note = self.desired.patched(&self.base);
        let noted = cluster.write(Method::PATCH, &self.desired.path(false), MERGE, &note).await?;
        cluster.write(Method::PUT, &call.path(&self.desired.target), JSON, &call.body()).await?;
        Ok(noted)
    }

    pub(super) fn committed(&self, object: &Value) -> Committed {
        let text = |path| object.pointer(path).and_then(Value::as_str).map(str::to_owned);
        Committed {
            id: self.desired.id.clone(),
            target: self.desired.target.clone(),
            uid: text("/metadata/uid").unwrap_or_else(|| self.base.uid.clone()),
            version: text("/metadata/resourceVersion").unwrap_or_else(|| self.base.version.clone()),
            is_deletion: self.desired.what == What::Delete,
        }
    }
}
