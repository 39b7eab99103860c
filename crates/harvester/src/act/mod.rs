//! Subresources: power, consoles, what the guest says.

use crate::call::Socket;
use crate::change::Desired;
use crate::{Cluster, ClusterError};
use model::console::Mode;
use model::id::{ChangeId, VmRef};
use model::vm::Action;

/// What to ask for so that a VM's power changes: reads the VM's run strategy, then decides.
pub async fn power(cluster: &Cluster, vm: &VmRef, action: Action, id: ChangeId) -> Result<Desired, ClusterError> {
    let _ = (cluster, vm, action, id);
    todo!()
}

/// Opens the screen (RFB bytes) or the serial line (tty bytes) of a running VM: binary messages both ways.
pub async fn console(cluster: &Cluster, vm: &VmRef, mode: Mode) -> Result<Socket, ClusterError> {
    let _ = (cluster, vm, mode);
    todo!()
}
