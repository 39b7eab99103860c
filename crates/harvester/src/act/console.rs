//! The screen and the serial line of a running VM. Source: kubevirt `pkg/virt-api/rest/vnc.go`, `console.go`
//! (`harvester-api.md` §2.1).

use crate::call::{Socket, segment};
use crate::{Cluster, ClusterError};
use model::console::Mode;
use model::id::VmRef;

/// KubeVirt's own subprotocol: raw bytes in binary messages, no channel byte.
const PROTOCOL: &str = "plain.kubevirt.io";

/// Opens the screen (RFB bytes) or the serial line (tty bytes): binary messages both ways.
///
/// A second client of the same screen ends the first: one per VM is all that KubeVirt serves. [`ClusterError::NotFound`]
/// when there is no instance, [`ClusterError::Refused`] when it does not run or has no such device.
pub async fn console(cluster: &Cluster, vm: &VmRef, mode: Mode) -> Result<Socket, ClusterError> {
    let (namespace, name) = (segment(vm.namespace.as_str()), segment(vm.name.as_str()));
    let sub = mode.subresource();
    let path = format!("/apis/subresources.kubevirt.io/v1/namespaces/{namespace}/virtualmachineinstances/{name}/{sub}");
    cluster.open(&path, PROTOCOL).await
}
