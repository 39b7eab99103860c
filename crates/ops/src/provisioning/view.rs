//! Deliveries as pages show them: the journal read as a parcel's way.

use super::Delivery;
use super::steps::Deliveries;
use crate::workflow::{Workflow, broken};
use crate::{Error, Result};
use model::change::{OperationKind, OperationView, State};
use model::provisioning::{DeliveryView, Step, StepState, StepView};
use model::{Say, UnixMs};
use store::Db;
use store::journal::{Entry, JournalLine, OperationRecord};

/// As a line of the task drawer.
pub(crate) async fn operation_view(db: &Db, record: &OperationRecord) -> Result<OperationView> {
    let lines = store::journal::entries(db, &record.id).await?;
    let done = lines.iter().filter(|l| matches!(l.entry, Entry::Done | Entry::Skipped)).count() as u32;
    Ok(OperationView {
        id: record.id.clone(),
        kind: OperationKind::Delivery,
        title: record.title.clone(),
        object: record.object.clone(),
        state: record.state,
        steps: (done, Deliveries::PLAN.len() as u32),
        now: waits_for(record)?.or_else(|| problem(&lines)),
        actor: record.actor.clone(),
        began: record.began,
        ended: record.ended,
    })
}

/// As its page.
pub(super) async fn delivery_view(db: &Db, record: &OperationRecord, now: UnixMs) -> Result<DeliveryView> {
    let data: Delivery = serde_json::from_str(&record.data_json).map_err(broken)?;
    let lines = store::journal::entries(db, &record.id).await?;
    let steps: Vec<StepView> = Step::ALL.iter().map(|&step| step_view(step, &lines)).collect();
    let handed_over =
        steps.iter().find(|s| s.step == Step::Create).filter(|s| s.state == StepState::Done).and_then(|s| s.ended);
    let vm = &data.vm;
    let (zh, en, version) = (data.template.name.zh, data.template.name.en, data.template.version);
    Ok(DeliveryView {
        id: record.id.clone(),
        state: record.state,
        vm: (vm.cluster.to_string(), vm.namespace.to_string(), vm.name.to_string()),
        template: model::say!("{zh} v{version}", "{en} v{version}"),
        flavour: data.flavour.label(),
        network: format!("{} · {}", data.subnet_name, data.network),
        address: data.address,
        mac: Some(data.mac.to_string()),
        owner: format!("{} {}", data.owner.name, data.owner.number).trim().to_owned(),
        service: data.service,
        environment: data.environment.word().to_owned(),
        reason: data.reason,
        actor: record.actor.clone(),
        began: record.began,
        ended: record.ended,
        handed_over,
        waits_for: waits_for(record)?,
        problem: problem(&lines).or_else(|| (record.state == State::Parked).then(|| State::Parked.say())),
        steps,
        as_of: now,
    })
}

fn step_view(step: Step, lines: &[JournalLine]) -> StepView {
    let mine = || lines.iter().filter(move |l| l.step == step.word());
    let at = |entry: Entry| mine().find(|l| l.entry == entry).map(|l| l.at);
    let last = mine().next_back();
    let state = match last.map(|l| l.entry) {
        None => StepState::Waiting,
        Some(Entry::Began) => StepState::Running,
        Some(Entry::Done) => StepState::Done,
        Some(Entry::Skipped) => StepState::Skipped,
        Some(Entry::Failed) => StepState::Failed,
        Some(Entry::Undone) => StepState::Undone,
    };
    let note = mine().rev().find_map(|l| l.note_json.as_deref()).and_then(|json| serde_json::from_str(json).ok());
    let ended = at(Entry::Done).or(at(Entry::Skipped)).or(at(Entry::Failed));
    StepView { step, state, began: at(Entry::Began), ended, note }
}

fn waits_for(record: &OperationRecord) -> Result<Option<Say>> {
    let json = record.waits_for_json.as_deref().filter(|_| !record.state.is_final());
    json.map(|json| serde_json::from_str(json).map_err(|e| Error::Broken(e.to_string()))).transpose()
}

fn problem(lines: &[JournalLine]) -> Option<Say> {
    let failed = lines.iter().find(|l| l.entry == Entry::Failed)?;
    failed.note_json.as_deref().and_then(|json| serde_json::from_str(json).ok())
}
