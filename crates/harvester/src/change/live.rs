//! Looking at an object as it stands, for whoever must find out what an interrupted step has made.

use crate::api::ObjectRef;
use crate::{Cluster, ClusterError};
use serde_json::Value;

/// The object as it stands now; `None` when there is none.
pub async fn live(cluster: &Cluster, target: &ObjectRef) -> Result<Option<Value>, ClusterError> {
    cluster.read_opt(&target.path()).await
}
