//! Orders, from the form's meaning to a VM that runs at the ledger's address, or to nothing left behind.

mod common;

use common::orders::{draft, ended, operator, order};
use common::{Lab, serve, settle};
use model::change::State;
use model::provisioning::{CheckVerdict, Draft, StepState};
use ops::Error;
use std::time::Duration;

#[tokio::test]
async fn an_order_becomes_a_vm_at_the_ledgers_address() {
    let (running, lab) = (serve().await, Lab::start(5, 30.0).await);
    settle(&running.ops, &lab).await;
    let ctx = operator(&running).await;
    let draft = draft(&running, &ctx).await;
    let preview = running.ops.provisioning.preview(&ctx, draft.clone()).await.unwrap();
    assert!(preview.is_fine(), "{preview:#?}");
    assert_eq!(preview.name.as_deref(), Some("test-order-web-01"));
    assert!(preview.checks.iter().any(|c| c.key == "rehearsal" && c.verdict == CheckVerdict::Fine));
    let id = running.ops.provisioning.order(&ctx, order(&draft, "k1")).await.unwrap();
    let view = ended(&running, &ctx, &id).await;
    assert_eq!(view.state, State::Succeeded, "{view:#?}");
    assert_eq!(view.address, preview.address);
    assert!(view.steps.iter().all(|s| matches!(s.state, StepState::Done | StepState::Skipped)), "{:#?}", view.steps);
    let vm = model::id::VmRef::parse(&view.vm.0, &view.vm.1, &view.vm.2).unwrap();
    let row = running.ops.fleet.row(&vm).unwrap();
    assert!(row.addresses.contains(&view.address.unwrap()), "{row:?}");
    assert_eq!((row.owner.as_deref(), row.environment.as_deref()), (Some("E10432"), Some("test")));
}

/// Sent twice at the same moment, done once; the same key with another order is refused.
#[tokio::test]
async fn one_key_is_one_order() {
    let (running, lab) = (serve().await, Lab::start(0, 30.0).await);
    settle(&running.ops, &lab).await;
    let ctx = operator(&running).await;
    let draft = draft(&running, &ctx).await;
    let same = || running.ops.provisioning.order(&ctx, order(&draft, "same"));
    let (a, b, c) = tokio::join!(same(), same(), same());
    let id = a.unwrap();
    assert_eq!((b.unwrap(), c.unwrap()), (id.clone(), id));
    assert_eq!(running.ops.provisioning.recent(&ctx).await.unwrap().len(), 1);
    let other = Draft { service: "billing".into(), ..draft.clone() };
    assert!(matches!(running.ops.provisioning.order(&ctx, order(&other, "same")).await, Err(Error::KeyReused)));
}

/// A VM that never comes up leaves nothing: no VM, no Secret, no claim, no address.
#[tokio::test]
async fn an_undone_delivery_leaves_nothing() {
    let (running, lab) = (serve().await, Lab::start(0, 30.0).await);
    settle(&running.ops, &lab).await;
    let ctx = operator(&running).await;
    let draft = Draft { name: "test-fault-unschedulable-01".into(), ..draft(&running, &ctx).await };
    let id = running.ops.provisioning.order(&ctx, order(&draft, "k2")).await.unwrap();
    // It waits for a host that does not come; the person gives up.
    for _ in 0..300 {
        let view = running.ops.provisioning.delivery(&ctx, &id).await.unwrap();
        if view.steps.iter().any(|s| s.step == model::provisioning::Step::Schedule && s.state == StepState::Running) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    running.ops.provisioning.undo(&ctx, &id, "不等了").await.unwrap();
    let view = ended(&running, &ctx, &id).await;
    assert_eq!(view.state, State::Undone, "{view:#?}");
    let vm = model::id::VmRef::parse(&view.vm.0, &view.vm.1, &view.vm.2).unwrap();
    common::until("the VM is gone from the cache", || running.ops.fleet.row(&vm).is_err()).await;
    let subnet = &running.ops.ipam.subnets(&ctx).await.unwrap()[0];
    assert_eq!(subnet.held, 0, "the address was given back");
}

/// What the cluster's webhook says reaches the person in its own words.
#[tokio::test]
async fn a_refusal_of_the_cluster_is_told_verbatim() {
    let (running, lab) = (serve().await, Lab::start(0, 30.0).await);
    settle(&running.ops, &lab).await;
    let ctx = operator(&running).await;
    let draft = Draft { name: "test-fault-denied-01".into(), ..draft(&running, &ctx).await };
    let preview = running.ops.provisioning.preview(&ctx, draft).await.unwrap();
    let rehearsal = preview.checks.iter().find(|c| c.key == "rehearsal").unwrap();
    assert_eq!(rehearsal.verdict, CheckVerdict::Refused, "{rehearsal:?}");
    assert!(rehearsal.say.en.contains("denied"), "{rehearsal:?}");
}
