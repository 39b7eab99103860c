//! What happens to acts when a part of the world is missing: the cluster, the database, the answer. Each says so, and none
//! is done twice, half or later.
#![expect(clippy::unwrap_used, reason = "a helper that fails here fails its test")]

mod common;

use std::time::{Duration, Instant};

use common::{Answer, Browser, CLUSTER, Lab, Running, serve, settle};
use model::fleet::Health;
use model::id::{ClusterId, VmRef};
use model::vm::Power;
use serde_json::{Value, json};
use simulator::behave::View;
use simulator::behave::resources::VM;
use simulator::world::fault::{Fault, Harm};
use simulator::world::{By, Part};
use sqlx::Connection;

/// The product with one cluster, somebody who may act, and a VM that runs.
struct Scene {
    running: Running,
    lab: Lab,
    operator: Browser,
    vm: VmRef,
}

impl Scene {
    async fn start() -> Self {
        Self::of(Lab::start(10, 30.0).await).await
    }

    /// No watch lives long: those that were begun before the cluster goes away end too.
    async fn of_short_watches() -> Self {
        let lab = Lab::start(10, 30.0).await;
        lab.simulator.world().faults().add(Fault::always("watch", "*", Harm::CloseWatch { after_ms: 500 }));
        Self::of(lab).await
    }

    async fn of(lab: Lab) -> Self {
        let running = serve().await;
        settle(&running.ops, &lab).await;
        let operator = Browser::signed_in(running.address, "operator").await;
        let vm = running_vm(&running);
        Self { running, lab, operator, vm }
    }
}

/// A VM of the lab that runs.
fn running_vm(running: &Running) -> VmRef {
    let member = running.ops.fleet.member(&ClusterId::parse(CLUSTER).unwrap()).unwrap();
    let rows = member.running().unwrap().cache.rows();
    let row = rows.iter().find(|row| row.power == Power::Running && !row.name.contains("fault")).expect("one runs");
    row.reference().unwrap()
}

async fn power(browser: &Browser, vm: &VmRef, action: &str, key: &str) -> Answer {
    let vm = json!({ "cluster": vm.cluster, "namespace": vm.namespace, "name": vm.name });
    let command = json!({ "vm": vm, "action": action, "reason": "", "key": key });
    browser.json("/api/app/vm/api/change_power", &json!({ "command": command })).await
}

/// What the cluster itself holds of a VM.
fn run_strategy(lab: &Lab, vm: &VmRef) -> Value {
    let found = lab.simulator.world().get(VM, vm.namespace.as_str(), vm.name.as_str()).expect("the VM is there");
    found.pointer("/spec/runStrategy").cloned().unwrap_or_default()
}

/// Row 9 of the reliability list.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_to_an_absent_cluster_fails_at_once_and_does_not_come_later() {
    let Scene { running, lab, operator, vm } = Scene::of_short_watches().await;
    let before = run_strategy(&lab, &vm);
    let faults = lab.simulator.world().faults();
    faults.add(Fault::always("*", "*", Harm::Drop));
    let member = running.ops.fleet.member(&ClusterId::parse(CLUSTER).unwrap()).unwrap();
    common::until("the cluster is known to be away", || member.view().health == Health::Unreachable).await;

    let began = Instant::now();
    let refused = power(&operator, &vm, "stop", "away-1").await;
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert!(refused.text.contains("nothing was done"), "{}", refused.text);
    assert!(began.elapsed() < Duration::from_secs(1), "it took {:?}", began.elapsed());
    let list = operator.get("/vms").await;
    assert!(list.status == 200 && list.text.contains(vm.name.as_str()), "what was seen last is still shown");

    faults.clear();
    running
        .ops
        .fleet
        .refresh(&ops::Context::system("t", ops::Clock::machine().now()), &ClusterId::parse(CLUSTER).unwrap())
        .await
        .unwrap();
    common::until("the cluster is back", || member.view().health == Health::Reachable).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(run_strategy(&lab, &vm), before, "what was refused is not done later");
}

/// Row 16: somebody else's changes between the check and the write make it look again, a few times; then it says so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conflict_is_looked_at_again() {
    let Scene { running, lab, operator, vm } = Scene::start().await;
    let faults = lab.simulator.world().faults();
    let conflicts = |times| faults.add(Fault::times(times, "patch", "virtualmachines", Harm::Refuse { code: 409 }));
    conflicts(4);
    let done = power(&operator, &vm, "stop", "conflict-1").await;
    assert_eq!((done.status, faults.list().len()), (200, 0), "{}", done.text);
    common::until("it stops", || running.ops.fleet.row(&vm).is_ok_and(|row| row.power == Power::Stopped)).await;
    conflicts(5);
    let somebody = async {
        // What is there after the first one is what the others' changes are told against.
        let is_refused = || faults.list().iter().any(|fault| matches!(fault.times, Some(..=3)));
        common::until("the second conflict", is_refused).await;
        let (namespace, name) = (vm.namespace.as_str(), vm.name.as_str());
        let changed = lab.simulator.world().modify(VM, (namespace, name), Part::Main, &By::seed(), |object| {
            let mut object = object.clone();
            object["metadata"]["labels"]["team"] = "theirs".into();
            Ok(object)
        });
        changed.map(drop).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    };
    let (given_up, ()) = tokio::join!(power(&operator, &vm, "start", "conflict-2"), somebody);
    assert_eq!((given_up.status, faults.list().len()), (409, 0), "{}", given_up.text);
    assert!(given_up.text.contains("changed the object"), "{}", given_up.text);
    assert!(
        given_up.text.contains("/metadata/labels/team: — → \\\"theirs\\\""),
        "what they changed is told: {}",
        given_up.text
    );
    assert_eq!(power(&operator, &vm, "start", "conflict-3").await.status, 200);
}

/// Row 20: the same key at the same time is one effect with one answer; another body under it is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_key_is_one_act_whoever_asks_how_often() {
    let Scene { running, lab: _lab, operator, vm } = Scene::start().await;
    let same = || power(&operator, &vm, "stop", "same-key-1");
    let (a, b, c) = tokio::join!(same(), same(), same());
    assert_eq!(a.status, 200, "{}", a.text);
    assert_eq!((&b.text, &c.text), (&a.text, &a.text), "the answer is the same too");
    let other = power(&operator, &vm, "force-stop", "same-key-1").await;
    assert_eq!(other.status, 422, "{}", other.text);
    let admin = Browser::signed_in(running.address, "admin").await;
    let trail = admin.get(&format!("/api/app/audit/api/search_audit?query[text]={}", vm.name)).await;
    assert_eq!(trail.text.matches("\"act\":\"stop\"").count(), 1, "{}", trail.text);
}

/// Row 26: what cannot be written into the trail is not done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_an_audit_line_nothing_is_done() {
    let Scene { running, lab, operator, vm } = Scene::start().await;
    let before = run_strategy(&lab, &vm);
    let url = format!("sqlite://{}", running.database().display());
    let mut database = sqlx::SqliteConnection::connect(&url).await.unwrap();
    let lose = "CREATE TRIGGER lost BEFORE INSERT ON audit_record BEGIN SELECT RAISE(ABORT, 'the disk is gone'); END";
    sqlx::query(lose).execute(&mut database).await.unwrap();

    let failed = power(&operator, &vm, "stop", "lost-1").await;
    assert_eq!(failed.status, 500, "{}", failed.text);
    assert!(!failed.text.contains("disk is gone"), "what broke inside stays inside: {}", failed.text);
    assert!(failed.text.contains("reference"), "{}", failed.text);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(run_strategy(&lab, &vm), before);

    sqlx::query("DROP TRIGGER lost").execute(&mut database).await.unwrap();
    let done = power(&operator, &vm, "stop", "lost-2").await;
    assert_eq!(done.status, 200, "once the trail can be written it is done: {}", done.text);
}

/// Row 69: a ticket is for one look, by one account, and no address carries it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_console_ticket_opens_once_and_only_for_whom_it_was_given() {
    let Scene { running, lab: _lab, operator, vm } = Scene::start().await;
    let admin = Browser::signed_in(running.address, "admin").await;
    let ticket = async |browser: &Browser| {
        let open = json!({ "vm": { "cluster": vm.cluster, "namespace": vm.namespace, "name": vm.name }, "mode": "vnc", "reason": "look" });
        let answer = browser.json("/api/app/console/api/ask_ticket", &json!({ "open": open })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        serde_json::from_str::<Value>(&answer.text).unwrap()["given"]["secret"].as_str().unwrap().to_owned()
    };
    let own = ticket(&operator).await;
    assert_eq!(operator.console(&own).await, Ok("RFB".to_owned()), "the screen greets");
    assert_eq!(operator.console(&own).await, Err(4401), "used twice");
    let others = ticket(&operator).await;
    assert_eq!(admin.console(&others).await, Err(4401), "another account's");
    assert_eq!(operator.console("made-up").await, Err(4401));
    let nobody = Browser::nobody(running.address);
    assert_eq!(nobody.console(&ticket(&operator).await).await, Err(401), "not signed in");
}

/// Row 10: calls of one cluster that does not answer take nothing from the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_cluster_slows_no_other() {
    let Scene { running, lab: _lab, operator, vm: ours } = Scene::start().await;
    let slow = Lab::of("1.8", 10, 30.0, 8).await;
    let ctx = ops::Context::system("test", ops::Clock::machine().now());
    let (id, kubeconfig) = ("slow-1".to_owned(), slow.served.admin_kubeconfig());
    let register = model::fleet::Register { id: id.clone(), name: id.clone(), kubeconfig, is_observe_only: false };
    running.ops.fleet.register(&ctx, register).await.unwrap();
    let member = running.ops.fleet.member(&ClusterId::parse(&id).unwrap()).unwrap();
    let runs = || {
        let rows = member.running().ok()?.cache.rows();
        rows.iter().find(|row| row.power == Power::Running && !row.name.contains("fault")).cloned()
    };
    common::until("the slow one is seen too", || runs().is_some()).await;
    let theirs = runs().unwrap().reference().unwrap();
    slow.simulator.world().faults().add(Fault::always("*", "*", Harm::Delay { ms: 60_000 }));
    let hung: Vec<_> = (0..40)
        .map(|n| {
            let (operator, theirs) = (operator.clone(), theirs.clone());
            #[expect(clippy::disallowed_methods, reason = "what hangs ends with the test's runtime")]
            tokio::spawn(async move { power(&operator, &theirs, "pause", &format!("hung-{n}")).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    for n in 0..5 {
        for action in ["pause", "unpause"] {
            let done = power(&operator, &ours, action, &format!("free-{n}-{action}")).await;
            assert_eq!(done.status, 200, "{}", done.text);
            let then = if action == "pause" { Power::Paused } else { Power::Running };
            common::until("it is done", || running.ops.fleet.row(&ours).is_ok_and(|row| row.power == then)).await;
        }
        assert_eq!(operator.get("/vms").await.status, 200);
    }
    assert!(hung.iter().any(|call| !call.is_finished()), "the slow cluster has answered: this test has shown nothing");
}

/// Row 12: another certificate at the old address is not trusted, whoever signed it; what was seen stays.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_certificate_is_not_trusted() {
    let Scene { running, lab, operator, vm } = Scene::of_short_watches().await;
    let address = lab.served.address;
    lab.served.stop();
    let impostor = loop {
        // The port is free a moment after the old door has closed.
        match lab.simulator.serve(&address.to_string()).await {
            Ok(served) => break served,
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    };
    let member = running.ops.fleet.member(&ClusterId::parse(CLUSTER).unwrap()).unwrap();
    let problem = || member.view().problem.map(|say| say.en.into_owned()).unwrap_or_default();
    common::until("the certificate is told of", || problem().contains("certificate changed")).await;
    assert_eq!(member.view().health, Health::Unreachable);
    assert_eq!(member.running().unwrap().cache.away_because(), Some("certificate"));
    let refused = power(&operator, &vm, "stop", "impostor").await;
    assert!(refused.status == 503 && refused.text.contains("nothing was done"), "{}", refused.text);
    let page = operator.get(&format!("/clusters/{CLUSTER}")).await;
    assert!(page.status == 200 && operator.get("/vms").await.text.contains(vm.name.as_str()));
    drop(impostor);
}
