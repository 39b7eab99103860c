//! The cache against a simulated cluster that misbehaves. Numbers are rows of `reliability.md` §2.

use super::*;
use crate::testing::fault::{Fault, Harm};
use crate::testing::{World, until, vm};
use model::fleet::Health;
use model::vm::Power;

const VMS: &str = "virtualmachines";

fn names(cache: &Cache) -> Vec<String> {
    cache.rows().iter().map(|row| row.name.to_string()).collect()
}

async fn ready(cache: &Cache, vms: usize) {
    until("the first lists", || cache.rows().len() == vms && cache.status().health == Health::Reachable).await;
}

/// A cluster with the VM `a`, followed by watches that end every 200 ms: what goes wrong is noticed soon.
async fn with_short_watches() -> (World, Arc<Cache>) {
    let world = World::new();
    world.put_vm("a", "Running");
    world.always("watch", "*", Harm::CloseWatch { after_ms: 200 });
    let cache = world.cache();
    ready(&cache, 1).await;
    (world, cache)
}

/// What has happened to the watch of VMs.
fn counts(cache: &Cache) -> Counts {
    cache.counts().iter().find(|w| w.resource == "virtualmachines.kubevirt.io").map(|w| w.counts).unwrap()
}

fn lists(cache: &Cache) -> u64 {
    counts(cache).lists
}

#[tokio::test]
async fn rows_follow_the_cluster() {
    let world = World::new();
    world.put_vm("b", "Running");
    let cache = world.cache();
    ready(&cache, 1).await;
    world.put_vm("a", "Stopped");
    world.put_vmi("b", "node-1", "10.0.0.7");
    until("both halves", || names(&cache) == ["a", "b"] && cache.rows()[1].node.is_some()).await;
    let row = cache.row("team-a", "b").unwrap();
    assert_eq!(
        (row.power, row.addresses.as_slice(), row.has_agent),
        (Power::Running, &["10.0.0.7".parse().unwrap()][..], true)
    );
    assert_eq!(row.owner.as_deref(), Some("E10432"));
    world.delete_vm("a");
    until("a is gone", || names(&cache) == ["b"]).await;
    cache.stop();
    world.tasks.close();
    world.tasks.wait().await;
}

#[tokio::test]
async fn a_row_tells_when_it_was_seen_to_change_and_keeps_silent_about_noise() {
    let world = World::new();
    world.put_vm("a", "Running");
    let cache = world.cache();
    ready(&cache, 1).await;
    let before = cache.row("team-a", "a").unwrap();
    world.modify_vm("a", |vm| vm["metadata"]["annotations"]["harvesterhci.io/timestamp"] = "now".into());
    world.put_vm("marker", "Stopped");
    until("the watch went on", || cache.rows().len() == 2).await;
    assert!(Arc::ptr_eq(&before, &cache.row("team-a", "a").unwrap()), "an update that shows nothing is no change");
    world.modify_vm("a", |vm| vm["metadata"]["labels"]["ops.example.com/owner"] = "E2".into());
    until("the owner", || cache.row("team-a", "a").unwrap().owner.as_deref() == Some("E2")).await;
    assert!(cache.row("team-a", "a").unwrap().changed > before.changed);
}

/// 1
#[tokio::test]
async fn a_watch_that_is_too_old_lists_once_and_no_row_flickers() {
    let world = World::new();
    (0..20).for_each(|n| world.put_vm(&format!("vm-{n:02}"), "Running"));
    world.once("watch", VMS, Harm::Gone);
    let cache = world.cache();
    let mut changed = cache.changed();
    ready(&cache, 20).await;
    until("the second list", || lists(&cache) == 2).await;
    world.put_vm("late", "Stopped");
    while cache.rows().len() < 21 {
        assert!(cache.rows().len() >= 20, "a row vanished");
        tokio::time::timeout(Duration::from_secs(5), changed.changed()).await.unwrap().unwrap();
    }
    assert_eq!((lists(&cache), counts(&cache).resyncs), (2, 1));
}

/// 2
#[tokio::test]
async fn an_error_event_in_the_stream_is_the_same_as_an_error() {
    let world = World::new();
    world.put_vm("a", "Running");
    world.once("watch", VMS, Harm::CloseWatch { after_ms: 300 });
    let cache = world.cache();
    ready(&cache, 1).await;
    // While no watch is open the history moves on and is compacted.
    world.once("watch", VMS, Harm::Delay { ms: 500 });
    tokio::time::sleep(Duration::from_millis(400)).await;
    world.put_vm("b", "Running");
    world.put_vm("c", "Running");
    world.delete_vm("a");
    world.simulator.world().compact(world.simulator.world().version());
    until("what was missed", || names(&cache) == ["b", "c"]).await;
    assert_eq!((lists(&cache), counts(&cache).resyncs), (2, 1));
}

/// 4: a kind in which nothing happens keeps up by bookmarks, so that its watch goes on from a version that is not too old.
#[tokio::test]
async fn bookmarks_carry_a_silent_watch_along() {
    let world = World::new();
    world.put_vm("a", "Running");
    // A bookmark comes every ten seconds; the watch ends after the first one.
    world.once("watch", VMS, Harm::CloseWatch { after_ms: 11_500 });
    let cache = world.cache();
    ready(&cache, 1).await;
    (0..50).for_each(|n| world.put_vmi(&format!("other-{n}"), "node-1", "10.0.0.9"));
    let since = world.simulator.world().version();
    tokio::time::sleep(Duration::from_millis(10_800)).await;
    world.simulator.world().compact(since);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    world.put_vm("b", "Running");
    until("the second watch tells", || names(&cache) == ["a", "b"]).await;
    assert_eq!(lists(&cache), 1, "the history before the bookmark is gone, and nobody missed it");
    assert!(counts(&cache).bookmarks > 0);
}

/// 5
#[tokio::test]
async fn lost_events_are_found_by_comparing_and_counted() {
    let world = World::new();
    world.put_vm("a", "Running");
    world.always("watch", VMS, Harm::LoseEvents { one_in: 2 });
    let cache = world.cache();
    ready(&cache, 1).await;
    (0..10).for_each(|n| world.put_vm(&format!("vm-{n}"), "Running"));
    until("half of them", || cache.rows().len() >= 5).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(cache.rows().len() < 11);
    cache.compare();
    until("all of them", || cache.rows().len() == 11).await;
    until("counted", || counts(&cache).repairs > 0).await;
}

/// 6
#[tokio::test]
async fn events_told_twice_or_the_wrong_way_round_change_nothing() {
    for harm in [Harm::RepeatEvents, Harm::SwapEvents] {
        let world = World::new();
        world.always("watch", VMS, harm.clone());
        let cache = world.cache();
        ready(&cache, 0).await;
        for name in ["a", "b", "c", "d"] {
            world.put_vm(name, "Running");
        }
        for (name, owner) in [("a", "E1"), ("b", "E2"), ("a", "E3")] {
            world.modify_vm(name, |vm| vm["metadata"]["labels"]["ops.example.com/owner"] = owner.into());
        }
        world.delete_vm("c");
        world.delete_vm("d");
        world.put_vm("d", "Stopped");
        // A pair that is told the wrong way round is told when its second half is there; so the last one is of no interest.
        world.put_vm("z-1", "Stopped");
        world.put_vm("z-2", "Stopped");
        let owner = |name: &str| cache.row("team-a", name).and_then(|row| row.owner.as_deref().map(str::to_owned));
        let state = || {
            (owner("a"), owner("b"), cache.row("team-a", "c").is_none(), cache.row("team-a", "d").map(|row| row.power))
        };
        let wanted = (Some("E3".to_owned()), Some("E2".to_owned()), true, Some(Power::Stopped));
        until(&format!("{harm:?}"), || state() == wanted && cache.row("team-a", "z-1").is_some()).await;
        let stale = counts(&cache).stale;
        assert!(stale > 0, "{harm:?}: {:?}", counts(&cache));
        // What was told wrong stays told wrong no longer than until the next comparison.
        cache.compare();
        until("all of them", || names(&cache) == ["a", "b", "d", "z-1", "z-2"]).await;
        assert_eq!(state(), wanted, "{harm:?}");
    }
}

/// 7
#[tokio::test]
async fn a_vm_made_again_under_its_name_is_another_vm() {
    let world = World::new();
    world.put_vm("a", "Running");
    world.put_vmi("a", "node-1", "10.0.0.7");
    let cache = world.cache();
    until("the first", || cache.row("team-a", "a").is_some_and(|r| r.node.is_some())).await;
    let first = cache.row("team-a", "a").unwrap();
    world.delete_vm("a");
    let mut second = vm("a", "Stopped");
    second["metadata"]["labels"] = serde_json::json!({});
    let made = world.simulator.world().create(
        simulator::behave::resources::VM,
        "team-a",
        second,
        &simulator::world::By::seed(),
    );
    made.unwrap();
    until("the second", || cache.row("team-a", "a").is_some_and(|r| r.uid != first.uid)).await;
    let row = cache.row("team-a", "a").unwrap();
    assert_eq!((row.owner.as_deref(), row.power), (None, Power::Stopped));
    assert!(row.changed > first.changed);
    // The deletion was told as an event of its own.
    assert_eq!(counts(&cache).replaced, 0);
}

/// 8
#[tokio::test]
async fn a_list_whose_token_expires_in_the_middle_is_begun_again() {
    let world = World::new();
    (0..1_100).for_each(|n| world.put_vm(&format!("vm-{n:04}"), "Stopped"));
    world.fault(Fault { skip: 2, ..Fault::times(1, "list", VMS, Harm::Gone) });
    let cache = world.cache();
    ready(&cache, 1_100).await;
    assert_eq!((lists(&cache), counts(&cache).resyncs), (2, 1), "the third page was refused once");
    let held = names(&cache);
    assert!(held.is_sorted() && held.len() == 1_100 && held.windows(2).all(|pair| pair[0] != pair[1]));
}

/// 9
#[tokio::test]
async fn rows_stay_while_the_cluster_is_away_and_it_comes_back_on_demand() {
    let (world, cache) = with_short_watches().await;
    world.always("*", "*", Harm::Drop);
    until("it is away", || cache.status().health == Health::Unreachable).await;
    let status = cache.status();
    assert!(status.as_of.is_some() && status.problem.is_some(), "{status:?}");
    assert_eq!((cache.away_because(), cache.closings()), (Some("away"), BTreeMap::from([("away", 1)])));
    assert_eq!(names(&cache), ["a"]);
    until("the next try is announced", || cache.status().retry_at.is_some()).await;
    assert!(cache.cluster().get("/version").await.is_err(), "no queue of requests: they fail at once");
    world.simulator.world().faults().clear();
    world.put_vm("b", "Running");
    until("it is back", || {
        cache.refresh();
        names(&cache) == ["a", "b"] && cache.status().health == Health::Reachable
    })
    .await;
}

/// A server that hangs says nothing and closes nothing: whoever asks to look again learns it.
#[tokio::test]
async fn a_cluster_that_hangs_is_away_once_somebody_knocks() {
    let world = World::new();
    world.put_vm("a", "Running");
    let cache = world.cache();
    ready(&cache, 1).await;
    until("it is well", || cache.status().health == Health::Reachable).await;
    world.always("*", "*", Harm::Delay { ms: 120_000 });
    cache.refresh();
    until("it is away", || cache.status().health == Health::Unreachable).await;
    assert_eq!(names(&cache), ["a"]);
    world.simulator.world().faults().clear();
    until("it is back", || {
        cache.refresh();
        cache.status().health == Health::Reachable
    })
    .await;
}

/// A connection can die without a word while the cluster is away: what it was to tell is told by a new one. Nobody asks to
/// look again here, so it takes as long as the scout takes.
#[tokio::test]
async fn watches_of_a_cluster_that_was_away_are_begun_anew() {
    let world = World::new();
    world.put_vm("a", "Running");
    // The connection stands, and nothing comes over it any more: no event, no bookmark.
    world.always("watch", "*", Harm::Trickle { chunk_bytes: 1, pause_ms: 600_000 });
    let cache = world.cache();
    ready(&cache, 1).await;
    until("it is well", || cache.status().health == Health::Reachable).await;
    let faults = world.simulator.world().faults();
    faults.clear();
    world.put_vm("b", "Running");
    world.always("*", "*", Harm::Delay { ms: 120_000 });
    until("it is away", || cache.status().health == Health::Unreachable).await;
    assert_eq!(names(&cache), ["a"], "the watch has told nothing");
    faults.clear();
    until("it is back", || cache.status().health == Health::Reachable).await;
    until("the change is seen", || names(&cache) == ["a", "b"]).await;
}

/// 11
#[tokio::test]
async fn a_throttled_list_waits_as_long_as_it_is_told() {
    let world = World::new();
    world.put_vm("a", "Running");
    world.once("list", VMS, Harm::TooMany { retry_after_secs: 1 });
    let began = std::time::Instant::now();
    let cache = world.cache();
    until("the list", || cache.rows().len() == 1).await;
    assert!(began.elapsed() >= Duration::from_millis(990), "{:?}", began.elapsed());
    assert_eq!(counts(&cache).failures, 1);
    let traffic = cache.cluster().traffic();
    // The others are kept from asking by the first answer, and are counted too.
    assert!(traffic.outcomes["throttled"] >= 1 && traffic.outcomes["ok"] >= 1, "{traffic:?}");
}

/// 13
#[tokio::test]
async fn broken_lists_are_read_again_and_nothing_vanishes() {
    for harm in [Harm::Cut { after_bytes: 900 }, Harm::Truncate { bytes: 40 }, Harm::Refuse { code: 500 }] {
        let world = World::new();
        (0..5).for_each(|n| world.put_vm(&format!("vm-{n}"), "Running"));
        world.once("list", VMS, harm.clone());
        let cache = world.cache();
        until(&format!("{harm:?}"), || cache.rows().len() == 5).await;
        assert_eq!((counts(&cache).failures, counts(&cache).lists), (1, 2), "{harm:?}");
    }
}

/// 13
#[tokio::test]
async fn an_object_beyond_all_measure_is_listed_and_the_others_go_on() {
    let world = World::new();
    world.put_vm("a", "Running");
    world.once("list", VMS, Harm::Bloat { bytes: 6 << 20 });
    let cache = world.cache();
    until("it is in quarantine", || cache.status().quarantined == 1).await;
    assert!(
        cache.quarantine()[0].starts_with("VirtualMachine team-a/a: larger than 4 MiB"),
        "{:?}",
        cache.quarantine()
    );
    assert_eq!(counts(&cache).unreadable, 1);
    world.put_vm("b", "Running");
    until("the others go on", || names(&cache) == ["b"]).await;
    cache.compare();
    until("it is let out", || names(&cache) == ["a", "b"] && cache.status().quarantined == 0).await;
}

/// 13
#[tokio::test]
async fn an_object_of_the_wrong_shape_is_listed_and_its_old_row_stays() {
    let world = World::new();
    world.put_vm("a", "Running");
    world.put_vm("b", "Running");
    let cache = world.cache();
    ready(&cache, 2).await;
    world.modify_vm("a", |vm| vm["spec"]["template"]["spec"]["domain"]["cpu"]["cores"] = "four".into());
    until("it is in quarantine", || cache.status().quarantined == 1).await;
    assert_eq!(names(&cache), ["a", "b"]);
}

/// 14
#[tokio::test]
async fn an_older_cluster_is_followed_just_the_same() {
    let world = World::of(simulator::Simulator::builder().harvester("1.4").build());
    world.put_vm("a", "Running");
    let cache = world.cache();
    ready(&cache, 1).await;
    assert!(cache.status().version.is_some_and(|v| v.starts_with("v1.4")), "{:?}", cache.status());
}

/// Waits until the credential is refused and the next try is a minute away; gives how often it was refused till then.
async fn refused_for_a_minute(cache: &Cache) -> u64 {
    until("it is said", || cache.status().health == Health::Unauthorised).await;
    let far = |at: model::UnixMs| at.since((crate::testing::clock())()) >= 40_000;
    until("the next try is a minute away", || cache.status().retry_at.is_some_and(far)).await;
    assert_eq!(cache.closings(), BTreeMap::from([("unauthorised", 1)]));
    refusals(cache)
}

fn refusals(cache: &Cache) -> u64 {
    cache.cluster().traffic().outcomes["unauthorised"]
}

/// 15
#[tokio::test]
async fn a_credential_that_ends_while_it_watches_is_tried_once_a_minute() {
    let (world, cache) = with_short_watches().await;
    world.always("*", "*", Harm::Refuse { code: 401 });
    let first = refused_for_a_minute(&cache).await;
    // Watches that ended in the same moment; then nobody asks.
    assert!(first <= 12, "{first} tries");
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(refusals(&cache), first);
    assert_eq!(names(&cache), ["a"], "what is known stays");
    world.simulator.world().faults().clear();
    cache.refresh();
    until("it is back when somebody asks", || cache.status().health == Health::Reachable).await;
    assert_eq!(cache.away_because(), None);
}

/// 15: from the start
#[tokio::test]
async fn a_credential_that_nobody_knows_is_tried_once_a_minute() {
    let world = World::new().seen_by("nobody's");
    let tries = refused_for_a_minute(&world.cache()).await;
    // Eleven lists, and what is read once.
    assert!(tries <= 12, "{tries} tries");
}

/// An API server that comes up knows no accounts yet: what it says then is asked again soon.
#[tokio::test]
async fn a_refusal_by_a_server_that_was_just_away_is_not_believed_at_once() {
    let (world, cache) = with_short_watches().await;
    world.always("*", "*", Harm::Refuse { code: 503 });
    until("it is away", || cache.status().health == Health::Unreachable).await;
    let faults = world.simulator.world().faults();
    faults.clear();
    world.always("*", "*", Harm::Refuse { code: 401 });
    until("it is refused", || cache.status().health == Health::Unauthorised).await;
    faults.clear();
    let began = std::time::Instant::now();
    until("it is back", || cache.status().health == Health::Reachable).await;
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}: it would have been a minute", began.elapsed());
}

#[tokio::test]
async fn capacity_and_nodes_add_up_and_a_witness_counts_nothing() {
    let world = World::new();
    world.put_vm("a", "Running");
    let cache = world.cache();
    ready(&cache, 1).await;
    let node = cache.nodes()[0].name.clone();
    world.put_vmi("a", &node, "10.0.0.7");
    until("the load", || cache.nodes()[0].vms == 1 && cache.status().capacity.cpu_used.0 > 0).await;
    let capacity = cache.status().capacity;
    assert_eq!((capacity.cpu_used.0, capacity.cpu_requested.0), (2_000, 200));
    assert_eq!(
        (capacity.memory_used, capacity.memory_requested),
        (model::quantity::Bytes::gib(4), model::quantity::Bytes::gib(2))
    );
    let sum: u64 =
        cache.nodes().iter().filter(|n| !n.roles.iter().any(|r| r == "witness")).map(|n| n.allocatable_cpu.0).sum();
    assert_eq!(capacity.cpu.0, sum);
    assert!(capacity.cpu.0 > 0 && capacity.storage.0 > 0, "{capacity:?}");
}

#[tokio::test]
async fn waiting_for_a_row_ends_with_what_was_seen() {
    let world = World::new();
    world.put_vm("a", "Stopped");
    let cache = world.cache();
    ready(&cache, 1).await;
    let late = cache.await_row("team-a", "a", |row| row.is_none(), Duration::from_millis(50)).await;
    assert_eq!(late.unwrap_err().map(|row| row.name.to_string()).as_deref(), Some("a"));
    world.delete_vm("a");
    let gone = cache.await_row("team-a", "a", |row| row.is_none(), Duration::from_secs(5)).await;
    assert_eq!(gone.unwrap(), None);
}
