//! The write path against a simulated cluster. Numbers are rows of `reliability.md` §2.

use super::*;
use crate::testing::fault::Harm;
use crate::testing::{World, until, vm, vm_ref};
use crate::{Cache, ClusterError, act};
use model::vm::{Action, Power};
use serde_json::json;
use std::time::Duration;

fn change(id: &str) -> ChangeId {
    ChangeId::parse(id).unwrap()
}

fn creation(name: &str, id: &str) -> Desired {
    let mut object = vm(name, "Stopped");
    object.as_object_mut().unwrap().remove("status");
    Desired {
        id: change(id),
        operation: OperationId::parse("op-1").ok(),
        target: ObjectRef::vm("team-a", name),
        what: What::Create(object),
    }
}

fn patch(name: &str, id: &str) -> Desired {
    let what = What::Patch(json!({"metadata": {"labels": {"ops.example.com/owner": "E2"}}}));
    Desired { id: change(id), operation: None, target: ObjectRef::vm("team-a", name), what }
}

/// As `ops` would: every stage saved and read back.
fn saved<T: Serialize + serde::de::DeserializeOwned>(stage: T) -> T {
    serde_json::from_str(&serde_json::to_string(&stage).unwrap()).unwrap()
}

async fn ready(world: &World) -> std::sync::Arc<Cache> {
    let cache = world.cache();
    until("the first lists", || cache.status().as_of.is_some()).await;
    cache
}

#[tokio::test]
async fn a_change_goes_through_its_stages_and_leaves_a_receipt() {
    let world = World::new();
    world.put_vm("a", "Stopped");
    let cache = ready(&world).await;
    let checked = saved(saved(patch("a", "ch-1")).check(&world.cluster).await.unwrap());
    // What the webhooks would add is a difference too.
    let difference: Vec<_> = checked.difference().iter().filter(|d| d.path.starts_with("/metadata")).collect();
    assert_eq!(difference.len(), 1, "{difference:?}");
    assert_eq!(
        (difference[0].path.as_str(), &difference[0].after),
        ("/metadata/labels/ops.example.com~1owner", &Some(json!("E2")))
    );
    assert_eq!(cache.row("team-a", "a").unwrap().owner.as_deref(), Some("E10432"), "a rehearsal keeps nothing");
    let committed = saved(checked.commit(&world.cluster).await.unwrap());
    let observed = committed.observe(&cache, Duration::from_secs(5)).await.unwrap();
    assert_eq!(observed.row.unwrap().owner.as_deref(), Some("E2"));
}

/// 16
#[tokio::test]
async fn an_object_that_moved_on_is_a_conflict_and_not_overwritten() {
    let world = World::new();
    world.put_vm("a", "Stopped");
    let checked = patch("a", "ch-1").check(&world.cluster).await.unwrap();
    world.modify_vm("a", |vm| vm["metadata"]["labels"]["ops.example.com/owner"] = "E3".into());
    let error = checked.commit(&world.cluster).await.unwrap_err();
    assert!(matches!(error, ClusterError::Conflict { .. }), "{error:?}");
    let error = act::power(&world.cluster, &vm_ref("a"), Action::Start, change("ch-2"))
        .await
        .unwrap()
        .check(&world.cluster)
        .await
        .unwrap();
    world.modify_vm("a", |vm| vm["metadata"]["labels"]["ops.example.com/owner"] = "E4".into());
    assert!(matches!(error.commit(&world.cluster).await, Err(ClusterError::Conflict { .. })));
}

/// 17
#[tokio::test]
async fn a_webhook_that_says_no_is_heard_before_anything_is_made() {
    let world = World::new();
    let error = creation("web-fault-denied-1", "ch-1").check(&world.cluster).await.unwrap_err();
    let ClusterError::Refused { by, message } = error else { panic!("{error:?}") };
    assert!(message.contains("denied the request"), "{message}");
    assert!(by.contains('.'), "{by}");
}

/// 18
#[tokio::test]
async fn a_creation_without_an_answer_is_found_again_and_not_made_twice() {
    let world = World::new();
    let checked = creation("web-1", "ch-1").check(&world.cluster).await.unwrap();
    // Stored, but the answer is cut off.
    world.once("create", "virtualmachines", Harm::Cut { after_bytes: 10 });
    let error = checked.clone().commit(&world.cluster).await.unwrap_err();
    assert!(error.is_unsure(), "{error:?}");
    let Resumed::Committed(committed) = saved(checked).resume(&world.cluster).await.unwrap() else {
        panic!("not found")
    };
    assert!(!committed.uid.is_empty());
    let cache = ready(&world).await;
    let row = committed.observe(&cache, Duration::from_secs(5)).await.unwrap().row.unwrap();
    assert_eq!((row.change.as_deref(), cache.rows().len()), (Some("ch-1"), 1));
}

#[tokio::test]
async fn only_a_change_that_was_not_made_is_checked_again() {
    let world = World::new();
    world.put_vm("a", "Stopped");
    let checked = patch("a", "ch-1").check(&world.cluster).await.unwrap();
    let Resumed::Again(desired) = checked.clone().resume(&world.cluster).await.unwrap() else { panic!("made?") };
    assert_eq!(desired, patch("a", "ch-1"));
    // Made, but the connection broke before the answer.
    world.once("patch", "virtualmachines", Harm::Drop);
    assert!(checked.clone().commit(&world.cluster).await.unwrap_err().is_unsure());
    assert!(matches!(checked.resume(&world.cluster).await.unwrap(), Resumed::Committed(_)));
}

#[tokio::test]
async fn a_second_object_of_a_name_is_refused_as_such() {
    let world = World::new();
    world.put_vm("a", "Stopped");
    let error = creation("a", "ch-1").check(&world.cluster).await.unwrap_err();
    assert!(matches!(error, ClusterError::Exists { .. }), "{error:?}");
}

#[tokio::test]
async fn a_start_is_noted_on_the_vm_and_called() {
    let world = World::new();
    world.put_vm("a", "Stopped");
    let cache = ready(&world).await;
    let desired = act::power(&world.cluster, &vm_ref("a"), Action::Start, change("ch-1")).await.unwrap();
    let checked = desired.check(&world.cluster).await.unwrap();
    assert_eq!(checked.difference()[0].path, "/power");
    let committed = checked.clone().commit(&world.cluster).await.unwrap();
    committed.observe(&cache, Duration::from_secs(5)).await.unwrap();
    let live: Value = world.cluster.read(&ObjectRef::vm("team-a", "a").path()).await.unwrap();
    assert_ne!(live["spec"]["runStrategy"], "Halted", "{live}");
    // A crash right after: the note is there, so it is not started a second time, nor is that an error.
    assert!(matches!(checked.resume(&world.cluster).await.unwrap(), Resumed::Committed(_)));
}

#[tokio::test]
async fn a_stop_halts_and_remembers_the_strategy() {
    let world = World::new();
    world.put_vm("a", "Running");
    let cache = ready(&world).await;
    let desired = act::power(&world.cluster, &vm_ref("a"), Action::Stop, change("ch-1")).await.unwrap();
    let committed = desired.check(&world.cluster).await.unwrap().commit(&world.cluster).await.unwrap();
    committed.observe(&cache, Duration::from_secs(5)).await.unwrap();
    let live: Value = world.cluster.read(&ObjectRef::vm("team-a", "a").path()).await.unwrap();
    assert_eq!(
        (&live["spec"]["runStrategy"], &live["metadata"]["annotations"]["harvesterhci.io/vmRunStrategy"]),
        (&json!("Halted"), &json!("RerunOnFailure"))
    );
}

#[tokio::test]
async fn a_call_that_makes_no_sense_is_refused_by_kubevirt_in_the_rehearsal() {
    let world = World::new();
    world.put_vm("a", "Stopped");
    for action in [Action::Restart, Action::Pause] {
        let desired = act::power(&world.cluster, &vm_ref("a"), action, change("ch-1")).await.unwrap();
        let error = desired.check(&world.cluster).await.unwrap_err();
        assert!(matches!(error, ClusterError::Refused { .. } | ClusterError::NotFound { .. }), "{action:?}: {error:?}");
    }
}

#[tokio::test]
async fn a_deletion_is_of_that_vm_and_no_other() {
    let world = World::new();
    world.put_vm("a", "Stopped");
    let cache = ready(&world).await;
    let delete =
        Desired { id: change("ch-1"), operation: None, target: ObjectRef::vm("team-a", "a"), what: What::Delete };
    let checked = delete.check(&world.cluster).await.unwrap();
    assert!(cache.row("team-a", "a").is_some());
    let committed = checked.clone().commit(&world.cluster).await.unwrap();
    let observed = committed.observe(&cache, Duration::from_secs(5)).await.unwrap();
    assert!(observed.row.is_none());
    assert!(matches!(checked.resume(&world.cluster).await.unwrap(), Resumed::Committed(_)));
}

#[tokio::test]
async fn a_secret_is_written_and_never_shown() {
    let world = World::new();
    let object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "team-a"}, "data": {"userdata": "aHVudGVyMg=="}});
    let target = ObjectRef { kind: crate::api::Kind::Secret, namespace: "team-a".into(), name: "s".into() };
    let desired = Desired { id: change("ch-1"), operation: None, target, what: What::Create(object) };
    assert!(!format!("{desired:?}").contains("aHVu"));
    let checked = desired.check(&world.cluster).await.unwrap();
    assert!(!format!("{:?} {:?}", checked.difference(), checked.outcome()).contains("aHVu"));
    let committed = checked.commit(&world.cluster).await.unwrap();
    let cache = world.cache();
    committed.observe(&cache, Duration::from_secs(5)).await.unwrap();
}

#[tokio::test]
async fn a_power_change_is_seen_as_power() {
    let world = World::new();
    world.put_vm("a", "Running");
    let cache = ready(&world).await;
    until("it runs", || cache.row("team-a", "a").is_some_and(|r| r.power == Power::Running)).await;
}
