//! The steps of a delivery, and how each is taken back.

use super::cloud_init;
use super::data::Delivery;
use crate::audit::Audit;
use crate::fleet::{Fleet, Running};
use crate::ipam::Ipam;
use crate::workflow::{Did, Run, Undid, Workflow};
use crate::{Error, Result};
use harvester::ClusterError;
use harvester::api::{Kind, ObjectRef};
use harvester::change::{Desired, Resumed, What};
use harvester::make;
use model::audit::Outcome;
use model::change::State;
use model::id::ChangeId;
use model::ipam::{Mac, QUARANTINE_MS};
use model::provisioning::Step;
use model::vm::{Power, VmRow};
use model::{Say, say};
use std::sync::Arc;
use store::audit::Closing;
use store::ipam::Owner;
use store::journal::OperationRecord;
use store::{Db, Tx};

/// How long each waiting step may take, in milliseconds, before the delivery is taken back.
const DISK_MS: i64 = 15 * 60 * 1000;
const SCHEDULE_MS: i64 = 10 * 60 * 1000;
const BOOT_MS: i64 = 10 * 60 * 1000;
/// How long an agent is waited for before it counts as not there; the VM runs all the same.
const AGENT_MS: i64 = 5 * 60 * 1000;
/// How long a wrong address may stand before a person must look.
const ADDRESS_MS: i64 = 3 * 60 * 1000;
/// Draws of a MAC before something else is wrong.
const MAC_DRAWS: u32 = 8;

/// The workflow.
pub struct Deliveries {
    pub(super) db: Db,
    pub(super) fleet: Arc<Fleet>,
    pub(super) ipam: Arc<Ipam>,
    pub(super) audit: Audit,
}

impl Workflow for Deliveries {
    type Step = Step;
    type Data = Delivery;
    const KIND: &'static str = "delivery";
    const VERSION: u32 = 1;
    const PLAN: &'static [Step] = &Step::ALL;

    fn word(step: Step) -> &'static str {
        step.word()
    }

    async fn act(&self, step: Step, data: &mut Delivery, run: &Run) -> Result<Did> {
        if self.is_cancelled(run).await? {
            return Ok(Did::Failed(Say::fixed("已要求撤销", "asked to be undone")));
        }
        match step {
            Step::Reserve => self.reserve(data).await,
            Step::CloudInit => self.cloud_init(data).await,
            Step::Rehearse => self.rehearse(data).await,
            Step::Create => self.create(data).await,
            Step::Disk => self.disk(data, run).await,
            Step::Schedule => self.schedule(data, run),
            Step::Boot => self.boot(data, run),
            Step::Agent => self.agent(data, run),
            Step::Address => self.address(data, run),
            Step::Record => self.record(data, run).await,
        }
    }

    async fn undo(&self, step: Step, data: &mut Delivery, run: &Run) -> Result<Undid> {
        match step {
            Step::Create => self.undo_create(data).await,
            Step::CloudInit => self.undo_cloud_init(data).await,
            Step::Reserve => self.undo_reserve(data, run).await,
            // These looked and made nothing.
            Step::Rehearse | Step::Disk | Step::Schedule | Step::Boot | Step::Agent | Step::Address | Step::Record => {
                Ok(Undid::Undone)
            }
        }
    }

    async fn ended(
        &self,
        tx: &mut Tx,
        record: &OperationRecord,
        data: &Delivery,
        state: State,
        why: Option<&Say>,
    ) -> Result<()> {
        let outcome = match state {
            State::Succeeded => Outcome::Done,
            State::Undone => Outcome::Undone,
            _ => Outcome::Failed,
        };
        let after =
            serde_json::json!({ "vm": data.vm.to_string(), "uid": data.uid, "address": data.address, "mac": data.mac });
        let after = after.to_string();
        let closing = Closing {
            at: self.audit.now(),
            outcome,
            before: None,
            after: (state == State::Succeeded).then_some(after.as_str()),
            detail: why.map(|say| say.en.as_ref()),
        };
        store::audit::close(tx, record.audit_seq, &closing).await?;
        Ok(())
    }
}

impl Deliveries {
    async fn is_cancelled(&self, run: &Run) -> Result<bool> {
        super::cancel::is_asked(&self.db, &run.operation).await
    }

    async fn reserve(&self, data: &mut Delivery) -> Result<Did> {
        let subnet = self.ipam.subnet(&data.subnet).await?;
        let mut draws = 0;
        let lease = loop {
            match self.ipam.allocate(&subnet, data.wanted, &data.vm, &data.operation, data.mac).await {
                Ok(lease) => break lease,
                // Somebody has that MAC: draw another.
                Err(Error::Conflict(_)) if draws < MAC_DRAWS => {
                    draws += 1;
                    data.mac = Mac::ours(rand::random());
                }
                Err(error) => return Err(error),
            }
        };
        data.address = Some(lease.address);
        let (address, mac) = (lease.address, data.mac);
        Ok(Did::Done(Some(Say::verbatim(format!("{address} · {mac}")))))
    }

    fn address_of(data: &Delivery) -> Result<std::net::IpAddr> {
        data.address.ok_or_else(|| Error::Broken("a delivery without an address".into()))
    }

    async fn cloud_init(&self, data: &mut Delivery) -> Result<Did> {
        let subnet = self.ipam.subnet(&data.subnet).await?;
        let texts = cloud_init::render(
            &data.template,
            data.vm.name.as_str(),
            &data.keys,
            &subnet,
            Self::address_of(data)?,
            data.mac,
        )
        .map_err(Error::Broken)?;
        let texts = make::CloudInit { user_data: texts.user_data, network_data: texts.network_data };
        let object = make::cloud_init_secret(&data.spec(), &texts);
        let name = make::cloud_init_name(&data.vm.name);
        let target = ObjectRef { kind: Kind::Secret, namespace: data.vm.namespace.to_string(), name: name.clone() };
        self.make(data, target, object, "secret").await?;
        Ok(Did::Done(Some(say!("Secret {name}", "Secret {name}"))))
    }

    async fn rehearse(&self, data: &mut Delivery) -> Result<Did> {
        let member = self.fleet.member(&data.vm.cluster)?;
        let running = member.writable()?;
        // After a crash the VM may be there already; a rehearsal of it would say "exists".
        if self.is_ours(running, data).await? {
            return Ok(Did::Done(None));
        }
        match self.desired_vm(data).check(&running.cluster).await {
            Ok(_) => Ok(Did::Done(Some(Say::fixed("集群接受", "the cluster would take it")))),
            Err(error) => Err(error.into()),
        }
    }

    fn desired_vm(&self, data: &Delivery) -> Desired {
        let target = ObjectRef::vm(data.vm.namespace.as_str(), data.vm.name.as_str());
        let what = What::Create(make::virtual_machine(&data.spec()));
        Desired { id: data.change.clone(), operation: Some(data.operation.clone()), target, what }
    }

    async fn create(&self, data: &mut Delivery) -> Result<Did> {
        let target = ObjectRef::vm(data.vm.namespace.as_str(), data.vm.name.as_str());
        let object = make::virtual_machine(&data.spec());
        self.make(data, target, object, "vm").await?;
        let running_member = self.fleet.member(&data.vm.cluster)?;
        let running = running_member.writable()?;
        let live = harvester::change::live(
            &running.cluster,
            &ObjectRef::vm(data.vm.namespace.as_str(), data.vm.name.as_str()),
        )
        .await?;
        data.uid = live.as_ref().and_then(|o| o.pointer("/metadata/uid")).and_then(|u| u.as_str()).map(str::to_owned);
        if let Some(uid) = &data.uid {
            self.bind_secret(running, data, uid).await?;
        }
        Ok(Did::Done(None))
    }

    /// The Secret goes when the VM goes, whoever removes it: it may hold a password, and the next VM of that name needs its place.
    async fn bind_secret(&self, running: &Running, data: &Delivery, uid: &str) -> Result<()> {
        let name = make::cloud_init_name(&data.vm.name);
        let target = ObjectRef { kind: Kind::Secret, namespace: data.vm.namespace.to_string(), name };
        let what = What::Patch(make::owner_patch(&data.vm.name, uid));
        let id = ChangeId::parse(&format!("{}-owner", data.change))?;
        let desired = Desired { id, operation: Some(data.operation.clone()), target, what };
        desired.check(&running.cluster).await?.commit(&running.cluster).await?;
        Ok(())
    }

    /// Makes an object that carries our operation; one that is there and carries it is ours from before a crash.
    async fn make(&self, data: &Delivery, target: ObjectRef, object: serde_json::Value, part: &str) -> Result<()> {
        let member = self.fleet.member(&data.vm.cluster)?;
        let running = member.writable()?;
        let id = if part == "vm" { data.change.clone() } else { ChangeId::parse(&format!("{}-{part}", data.change))? };
        let desired =
            Desired { id, operation: Some(data.operation.clone()), target: target.clone(), what: What::Create(object) };
        let checked = match desired.check(&running.cluster).await {
            Ok(checked) => checked,
            Err(ClusterError::Exists { message }) => return self.adopt(running, data, &target, message).await,
            Err(error) => return Err(error.into()),
        };
        match checked.clone().commit(&running.cluster).await {
            Ok(_) => Ok(()),
            Err(ClusterError::Exists { message }) => self.adopt(running, data, &target, message).await,
            // Created, but the answer was lost: look before doing it again (`reliability.md` row 18).
            Err(error) if error.is_unsure() => match checked.resume(&running.cluster).await? {
                Resumed::Committed(_) => Ok(()),
                Resumed::Again(_) => Err(error.into()),
            },
            Err(error) => Err(error.into()),
        }
    }

    async fn adopt(&self, running: &Running, data: &Delivery, target: &ObjectRef, message: String) -> Result<()> {
        let live = harvester::change::live(&running.cluster, target).await?;
        if live.is_some_and(|object| carries(&object, data)) {
            Ok(())
        } else {
            Err(ClusterError::Exists { message }.into())
        }
    }

    async fn is_ours(&self, running: &Running, data: &Delivery) -> Result<bool> {
        let target = ObjectRef::vm(data.vm.namespace.as_str(), data.vm.name.as_str());
        Ok(harvester::change::live(&running.cluster, &target).await?.is_some_and(|object| carries(&object, data)))
    }

    /// The VM's row, if the cache shows the VM that this delivery made. An error while the cache does not know.
    fn row(&self, data: &Delivery) -> Result<Option<Arc<VmRow>>> {
        let member = self.fleet.member(&data.vm.cluster)?;
        let row = member.seen()?.cache.row(data.vm.namespace.as_str(), data.vm.name.as_str());
        Ok(row.filter(|row| data.uid.as_deref().is_none_or(|uid| uid == &*row.uid)))
    }

    async fn disk(&self, data: &Delivery, run: &Run) -> Result<Did> {
        let Some(row) = self.row(data)? else {
            return Ok(waits(run, DISK_MS, Say::fixed("等缓存看到虚拟机", "waiting to see the VM")));
        };
        let claim = make::root_claim_name(&data.spec());
        let member = self.fleet.member(&data.vm.cluster)?;
        let target = ObjectRef {
            kind: Kind::PersistentVolumeClaim,
            namespace: data.vm.namespace.to_string(),
            name: claim.clone(),
        };
        let live = harvester::change::live(&member.running()?.cluster, &target).await?;
        let phase = live.as_ref().and_then(|o| o.pointer("/status/phase")).and_then(|p| p.as_str()).map(str::to_owned);
        // A VM that runs has its disk, whatever the claim's watch says.
        if phase.as_deref() == Some("Bound") || matches!(row.power, Power::Running | Power::Paused | Power::Migrating) {
            return Ok(Did::Done(Some(say!("PVC {claim} 已绑定", "PVC {claim} is bound"))));
        }
        let phase = phase.unwrap_or_else(|| "—".into());
        Ok(waits(run, DISK_MS, say!("PVC {claim}：{phase}", "PVC {claim}: {phase}")))
    }

    fn schedule(&self, data: &Delivery, run: &Run) -> Result<Did> {
        let Some(row) = self.row(data)? else { return Ok(Did::Failed(gone())) };
        if let Some(node) = &row.node {
            return Ok(Did::Done(Some(Say::verbatim(node.to_string()))));
        }
        let why = row.problem.as_deref().unwrap_or(&row.status).to_owned();
        Ok(waits(run, SCHEDULE_MS, say!("等待调度：{why}", "waiting for a host: {why}")))
    }

    fn boot(&self, data: &Delivery, run: &Run) -> Result<Did> {
        let Some(row) = self.row(data)? else { return Ok(Did::Failed(gone())) };
        match row.power {
            Power::Running | Power::Paused | Power::Migrating => Ok(Did::Done(None)),
            _ => {
                let status = row.problem.as_deref().unwrap_or(&row.status).to_owned();
                Ok(waits(run, BOOT_MS, say!("启动中：{status}", "booting: {status}")))
            }
        }
    }

    fn agent(&self, data: &Delivery, run: &Run) -> Result<Did> {
        let Some(row) = self.row(data)? else { return Ok(Did::Failed(gone())) };
        if row.has_agent {
            return Ok(Did::Done(row.os.as_ref().map(|os| Say::verbatim(os.to_string()))));
        }
        if run.now.since(run.began) > AGENT_MS {
            return Ok(Did::Skipped(Say::fixed(
                "镜像里没有来宾代理，或它没有启动",
                "the image has no guest agent, or it did not start",
            )));
        }
        Ok(Did::Wait(Say::fixed("等来宾代理应答", "waiting for the guest agent")))
    }

    fn address(&self, data: &Delivery, run: &Run) -> Result<Did> {
        let Some(row) = self.row(data)? else { return Ok(Did::Failed(gone())) };
        let expected = Self::address_of(data)?;
        if row.addresses.contains(&expected) {
            return Ok(Did::Done(Some(Say::verbatim(expected.to_string()))));
        }
        if !row.has_agent {
            return Ok(Did::Skipped(Say::fixed(
                "没有代理，看不到客户机里的地址",
                "without an agent the address in the guest cannot be seen",
            )));
        }
        let seen: Vec<String> = row.addresses.iter().map(ToString::to_string).collect();
        let seen = if seen.is_empty() { "—".to_owned() } else { seen.join(" ") };
        if run.now.since(run.began) > ADDRESS_MS {
            return Ok(Did::Parked(say!(
                "客户机报告 {seen}，台账是 {expected}",
                "the guest reports {seen}, the ledger has {expected}"
            )));
        }
        Ok(Did::Wait(say!(
            "等客户机报告 {expected}，现在是 {seen}",
            "waiting for the guest to report {expected}, now {seen}"
        )))
    }

    async fn record(&self, data: &Delivery, run: &Run) -> Result<Did> {
        let (address, operation) = (Self::address_of(data)?, &data.operation);
        let is_held = store::transact!(self.db, |tx| crate::error::ok(
            store::ipam::confirm(tx, address, operation, run.now).await?
        ))?;
        if !is_held {
            return Ok(Did::Parked(say!(
                "台账里 {address} 不再属于这次交付",
                "the ledger does not give {address} to this delivery any more"
            )));
        }
        Ok(Did::Done(Some(say!("台账 {address} 已确认", "the ledger has {address} as held"))))
    }

    async fn undo_create(&self, data: &Delivery) -> Result<Undid> {
        let target = ObjectRef::vm(data.vm.namespace.as_str(), data.vm.name.as_str());
        let removed = make::root_claim_name(&data.spec());
        self.unmake(data, target, Some(removed)).await
    }

    async fn undo_cloud_init(&self, data: &Delivery) -> Result<Undid> {
        let name = make::cloud_init_name(&data.vm.name);
        let target = ObjectRef { kind: Kind::Secret, namespace: data.vm.namespace.to_string(), name };
        self.unmake(data, target, None).await
    }

    /// Removes an object if it carries our operation, and waits until it is gone. Claims named go with a VM only if its
    /// annotation says so first (`harvester-api.md` §1.4).
    async fn unmake(&self, data: &Delivery, target: ObjectRef, claim: Option<String>) -> Result<Undid> {
        let member = self.fleet.member(&data.vm.cluster)?;
        let running = member.running()?;
        let Some(object) = harvester::change::live(&running.cluster, &target).await? else { return Ok(Undid::Undone) };
        if !carries(&object, data) {
            return Ok(Undid::Undone);
        }
        let name = target.name.clone();
        if object.pointer("/metadata/deletionTimestamp").is_some() {
            return Ok(Undid::Wait(say!("等 {name} 删除完", "waiting for {name} to be gone")));
        }
        let id = |part: &str| ChangeId::parse(&format!("{}-{part}", data.change));
        let desired = |part: &str, what| -> Result<Desired> {
            Ok(Desired { id: id(part)?, operation: Some(data.operation.clone()), target: target.clone(), what })
        };
        if let Some(claim) = claim {
            let patch = serde_json::json!({ "metadata": { "annotations": { "harvesterhci.io/removedPersistentVolumeClaims": claim } } });
            desired("claims", What::Patch(patch))?.check(&running.cluster).await?.commit(&running.cluster).await?;
        }
        match desired("delete", What::Delete)?.check(&running.cluster).await {
            Ok(checked) => {
                checked.commit(&running.cluster).await?;
            }
            Err(ClusterError::NotFound { .. }) => return Ok(Undid::Undone),
            Err(error) => return Err(error.into()),
        }
        Ok(Undid::Wait(say!("删除 {name}", "deleting {name}")))
    }

    async fn undo_reserve(&self, data: &mut Delivery, run: &Run) -> Result<Undid> {
        // An address that a guest may have used rests; one that no VM ever had is free again at once.
        let quarantine = if data.uid.is_some() { QUARANTINE_MS } else { 0 };
        let operation = &data.operation;
        for lease in store::ipam::leases_of_operation(&self.db, operation).await? {
            let owner = Owner::Operation(operation);
            store::transact!(self.db, |tx| crate::error::ok(
                store::ipam::release(tx, lease.address, owner, run.now, quarantine).await?
            ))?;
        }
        Ok(Undid::Undone)
    }
}

/// Whether an object was made by this delivery.
fn carries(object: &serde_json::Value, data: &Delivery) -> bool {
    let annotations = object.pointer("/metadata/annotations");
    annotations.and_then(|a| a.get(model::ownership::OPERATION)).and_then(|v| v.as_str())
        == Some(data.operation.as_str())
}

fn gone() -> Say {
    Say::fixed("虚拟机不见了，有人删除了它", "the VM is gone, somebody deleted it")
}

/// Waits, until it has taken too long.
fn waits(run: &Run, most_ms: i64, what: Say) -> Did {
    if run.now.since(run.began) <= most_ms {
        return Did::Wait(what);
    }
    let minutes = most_ms / 60_000;
    let (zh, en) = (what.zh, what.en);
    Did::Failed(say!("等了 {minutes} 分钟仍未完成（{zh}）", "not done after {minutes} min ({en})"))
}
