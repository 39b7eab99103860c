//! One VM in full, read when its page asks.

use crate::{Cache, Cluster, ClusterError};
use model::UnixMs;
use model::id::VmRef;
use model::vm::VmDetail;

/// All that the page of a VM shows; `None` when there is none. The ledger's half of `truths` and `operations` are left for
/// `ops` to fill.
pub async fn vm_detail(
    cluster: &Cluster,
    cache: &Cache,
    vm: &VmRef,
    now: UnixMs,
) -> Result<Option<VmDetail>, ClusterError> {
    let _ = (cluster, cache, vm, now);
    todo!()
}

/// The VM as YAML, without `managedFields`; what looks like a secret in inline cloud-init data is masked.
pub async fn vm_yaml(cluster: &Cluster, vm: &VmRef) -> Result<String, ClusterError> {
    let _ = (cluster, vm);
    todo!()
}
