//! What this cluster can do, and how we know.

use crate::{Cluster, ClusterError};
use model::UnixMs;
use model::fleet::Probe;

/// Looks for every capability of the matrix; a row that could not be looked for is `Unknown`, not an error.
pub async fn probe(cluster: &Cluster, now: UnixMs) -> Result<Probe, ClusterError> {
    let _ = (cluster, now);
    todo!()
}
