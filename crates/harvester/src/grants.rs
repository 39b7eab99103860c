//! The rights that we want, and which of them the credential has.

use crate::{Cluster, ClusterError};
use model::fleet::Grant;

/// What the least-privilege role wants against what the credential has.
pub async fn grants(cluster: &Cluster) -> Result<Vec<Grant>, ClusterError> {
    let _ = cluster;
    todo!()
}

/// The ClusterRole that has exactly those rights; `deploy/clusterrole.yaml` is this text.
pub fn cluster_role_yaml() -> String {
    todo!()
}
