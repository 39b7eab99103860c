//! Power: one command, the five stages of the write path, done once however often it is sent.

use super::Vms;
use crate::access::Permit;
use crate::audit::Act;
use crate::change::Wanted;
use crate::idempotency::{self, Asked};
use crate::{Context, Error, Result};
use model::access::Verb;
use model::change::OperationView;
use model::id::ChangeId;
use model::say;
use model::vm::PowerCommand;

/// Longest reason, in characters.
pub(crate) const MAX_REASON: usize = 500;

impl Vms {
    /// Changes a VM's power. Returns once the cluster has taken it; the receipt is waited for in the background.
    pub async fn power(&self, ctx: &Context, command: PowerCommand) -> Result<OperationView> {
        let permit = Permit::ask(ctx, Verb::VmPower, command.vm.to_string())?;
        if command.reason.chars().count() > MAX_REASON {
            return Err(Error::invalid(
                "reason",
                say!("原因最多 {MAX_REASON} 个字符", "a reason has at most {MAX_REASON} characters"),
            ));
        }
        let body = serde_json::to_string(&(&command.vm, command.action, &command.reason))
            .map_err(|e| Error::Broken(e.to_string()))?;
        match idempotency::ask(&self.db, ctx, &command.key, Verb::VmPower, &body).await? {
            Asked::Before(answer) => Ok(answer),
            Asked::First(claim) => claim.settle(self.power_once(ctx, permit, &command).await).await,
        }
    }

    async fn power_once(&self, ctx: &Context, permit: Permit, command: &PowerCommand) -> Result<OperationView> {
        let (vm, action) = (&command.vm, command.action);
        let member = self.fleet.member(&vm.cluster)?;
        let row = self.fleet.row(vm)?;
        let before =
            serde_json::json!({ "power": row.power.word(), "status": &*row.status, "node": row.node.as_deref() })
                .to_string();
        let act = Act { act: action.word(), reason: &command.reason, before: Some(before) };
        // A refusal is an audited act too: who tried what, and why not.
        let checked = member.writable().and_then(|running| match action.refusal(row.power) {
            Some(say) => Err(Error::Refused(say)),
            None => Ok(running),
        });
        let running = match checked {
            Ok(running) => running,
            Err(error) => return self.audit.around(ctx, &permit, act, async || Err(error)).await,
        };
        let id = ChangeId::parse(&uuid::Uuid::now_v7().simple().to_string())?;
        let desired = match harvester::act::power(&running.cluster, vm, action, id).await {
            Ok(desired) => desired,
            Err(error) => return self.audit.around(ctx, &permit, act, async || Err(error.into())).await,
        };
        let (label, name) = (action.say(), vm.name.as_str());
        let (zh, en) = (label.zh, label.en);
        let wanted = Wanted { vm: vm.clone(), title: say!("{zh} {name}", "{en} {name}"), desired };
        let may_still = || match action.refusal(self.fleet.row(vm)?.power) {
            Some(say) => Err(Error::Refused(say)),
            None => Ok(()),
        };
        self.changes.make(ctx, &permit, act, wanted, &may_still).await
    }
}
