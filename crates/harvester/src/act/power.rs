//! Which call or patch changes a VM's power: it depends on the run strategy.
//!
//! Source: `harvester-api.md` §1.2, §2.1, §2.2. Harvester keeps the strategy that the user chose in an annotation while the
//! VM is halted, and puts it back when it is started.

use crate::api::ObjectRef;
use crate::api::kubevirt::Vm;
use crate::change::{Call, Desired, What};
use crate::{Cluster, ClusterError};
use model::id::{ChangeId, VmRef};
use model::vm::Action;
use serde_json::json;

/// Where Harvester keeps the user's strategy.
const STRATEGY: &str = "harvesterhci.io/vmRunStrategy";

/// What to ask for so that a VM's power changes: reads the VM's run strategy, then decides. Whether the action makes sense
/// in the VM's state is [`Action::refusal`]'s matter, and the cluster's when it is checked.
pub async fn power(cluster: &Cluster, vm: &VmRef, action: Action, id: ChangeId) -> Result<Desired, ClusterError> {
    let target = ObjectRef::vm(vm.namespace.as_str(), vm.name.as_str());
    let body = cluster.get(&target.path()).await?;
    let live: Vm<'_> = serde_json::from_slice(&body).map_err(|e| ClusterError::garbled(format!("{target}: {e}")))?;
    let strategy = live.spec.as_ref().and_then(|s| s.run_strategy.as_deref());
    Ok(Desired { id, operation: None, target, what: decide(action, strategy) })
}

/// `strategy` is `spec.runStrategy`; `None` for a VM that still has the old `spec.running`.
fn decide(action: Action, strategy: Option<&str>) -> What {
    match (action, strategy) {
        // What Harvester's own "stop" does: one patch with the version that was checked, and no stop request that stays
        // behind and keeps the VM from starting (§14 row 2). A manual one would have to be started by hand twice.
        (Action::Stop, Some(strategy @ ("Always" | "RerunOnFailure" | "Once"))) => What::Patch(json!({
            "metadata": { "annotations": { STRATEGY: strategy } },
            "spec": { "runStrategy": "Halted" },
        })),
        (Action::Stop, _) => What::Call(Call::Stop),
        (Action::Start, _) => What::Call(Call::Start),
        (Action::ForceStop, _) => What::Call(Call::ForceStop),
        (Action::Restart, _) => What::Call(Call::Restart),
        (Action::SoftReboot, _) => What::Call(Call::SoftReboot),
        (Action::Pause, _) => What::Call(Call::Pause),
        (Action::Unpause, _) => What::Call(Call::Unpause),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stopping_halts_what_would_be_started_again() {
        for strategy in ["Always", "RerunOnFailure", "Once"] {
            let What::Patch(patch) = decide(Action::Stop, Some(strategy)) else { panic!("{strategy}") };
            assert_eq!(patch["metadata"]["annotations"][STRATEGY], strategy);
            assert_eq!(patch["spec"]["runStrategy"], "Halted");
        }
        for strategy in [Some("Manual"), Some("Halted"), None] {
            assert_eq!(decide(Action::Stop, strategy), What::Call(Call::Stop));
        }
    }

    #[test]
    fn everything_else_is_a_call() {
        for action in Action::ALL.into_iter().filter(|&a| a != Action::Stop) {
            assert!(matches!(decide(action, Some("RerunOnFailure")), What::Call(_)), "{action:?}");
        }
    }
}
