//! Seeded worlds are what walked lives end in.

use super::*;
use crate::behave::View;
use crate::behave::resources::{NAD, NODE, POD, PVC, VM, VMI};
use crate::clock::Clock;
use crate::drive::Drive;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

fn words(world: &World) -> BTreeMap<String, usize> {
    let mut count = BTreeMap::new();
    for vm in world.list(VM, None) {
        *count.entry(vm["status"]["printableStatus"].as_str().unwrap_or("none").to_owned()).or_default() += 1;
    }
    count
}

#[test]
fn the_large_demo_shows_every_state_and_comes_to_rest() {
    let world = World::new(Release::V1_8, Clock::explicit(), 1);
    Scenario::Large.seed(&world);
    let mut drive = Drive::new(&world);
    drive.advance(Duration::from_secs(60)).unwrap();
    let seen = words(&world);
    for word in ["Running", "Stopped", "Paused", "ErrorUnschedulable", "CrashLoopBackOff"] {
        assert!(seen.contains_key(word), "no {word} in {seen:?}");
    }
    assert!(seen["Running"] > 200, "{seen:?}");
    let vmis = world.list(VMI, None);
    let addresses: Vec<&str> =
        vmis.iter().filter_map(|vmi| vmi.pointer("/status/interfaces/0/ipAddress")?.as_str()).collect();
    assert_eq!(addresses.iter().collect::<BTreeSet<_>>().len(), addresses.len(), "addresses are unique");
    assert!(addresses.len() > 150);
    let hostile = world.get(VMI, "team-erp", hostile::NAME).unwrap();
    assert!(hostile["status"]["guestOSInfo"]["prettyName"].as_str().unwrap().contains("<b>"));
}

#[test]
fn a_seeded_machine_stays_as_it_is_when_time_passes() {
    let world = World::new(Release::V1_8, Clock::explicit(), 1);
    Scenario::Many { vms: 50 }.seed(&world);
    let before: Vec<_> = [VM, VMI, POD, PVC].map(|kind| world.list(kind, None)).concat();
    let mut drive = Drive::new(&world);
    drive.advance(Duration::from_secs(300)).unwrap();
    let after: Vec<_> = [VM, VMI, POD, PVC].map(|kind| world.list(kind, None)).concat();
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before, after);
    }
}

#[test]
fn the_small_demo_is_a_1_4() {
    let world = World::new(Release::V1_4, Clock::explicit(), 1);
    Scenario::Small.seed(&world);
    Drive::new(&world).advance(Duration::from_secs(60)).unwrap();
    assert!(world.list(VM, None).len() > 60);
    assert!(words(&world)["Running"] > 40);
}

#[test]
fn background_life_leaves_every_machine_running() {
    let world = World::new(Release::V1_8, Clock::explicit(), 5);
    Scenario::Many { vms: 30 }.seed(&world);
    let mut drive = Drive::new(&world);
    let before = words(&world);
    for _ in 0..12 {
        assert!(life::beat(&world).is_some());
        drive.advance(Duration::from_secs(20)).unwrap();
    }
    drive.advance(Duration::from_secs(300)).unwrap();
    assert_eq!(words(&world), before);
}

/// Networks, addresses, MACs and hosts of a world with this seed.
fn plan(seed: u64) -> BTreeMap<&'static str, BTreeSet<String>> {
    let world = World::new(Release::V1_8, Clock::explicit(), seed);
    Scenario::Many { vms: 40 }.seed(&world);
    let texts = |resource, pointer: &str| -> BTreeSet<String> {
        let found = world.list(resource, None);
        found.iter().filter_map(|object| object.pointer(pointer)?.as_str().map(str::to_owned)).collect()
    };
    BTreeMap::from([
        ("networks", texts(NAD, "/metadata/annotations/network.harvesterhci.io~1route")),
        ("vlans", texts(NAD, "/metadata/labels/network.harvesterhci.io~1vlan-id")),
        ("addresses", texts(VMI, "/status/interfaces/0/ipAddress")),
        ("macs", texts(VMI, "/status/interfaces/0/mac")),
        ("hosts", texts(NODE, "/status/addresses/0/address")),
    ])
}

#[test]
fn clusters_of_different_seeds_share_no_network_address_or_mac() {
    // The demonstration's two, and some neighbours.
    let seeds = [18, 14, 15, 16, 0, 47];
    let plans = seeds.map(plan);
    for (at, ours) in plans.iter().enumerate() {
        for (other, theirs) in plans.iter().enumerate().skip(at + 1) {
            for (what, ours) in ours {
                assert!(ours.len() >= 3, "{what} of seed {}: {ours:?}", seeds[at]);
                let shared: Vec<_> = ours.intersection(&theirs[what]).collect();
                assert!(shared.is_empty(), "seeds {} and {} share {what}: {shared:?}", seeds[at], seeds[other]);
            }
        }
    }
    assert_eq!(plan(14), plans[1], "a seed's plan is stable");
    assert_eq!(plans[0]["vlans"], ["120", "130", "140", "150"].map(str::to_owned).into());
}

#[test]
fn all_sites_have_networks_of_their_own() {
    let sites = (1..=48).map(Site::of).filter(|site| *site != Site::of(1)).chain([Site::of(1)]);
    let vlans: Vec<_> = sites.flat_map(Site::vlans).collect();
    let (ids, cidrs): (BTreeSet<u16>, BTreeSet<String>) = vlans.iter().map(|vlan| (vlan.id, vlan.cidr())).unzip();
    assert_eq!((ids.len(), cidrs.len()), (vlans.len(), vlans.len()));
    assert!(ids.iter().all(|id| (1..=4094).contains(id)));
    let platform = ["10.10.0.0/16", "10.52.0.0/16", "10.53.0.0/16"];
    assert!(platform.iter().all(|cidr| !cidrs.contains(*cidr)), "hosts, pods and services are elsewhere");
}

/// By hand: `cargo test -p simulator --release --lib hundred_thousand -- --ignored --nocapture`.
#[test]
#[ignore = "takes a minute and some gigabytes"]
fn a_hundred_thousand_machines_at_rest_cost_nothing() {
    let world = World::new(Release::V1_8, Clock::explicit(), 1);
    let begun = std::time::Instant::now();
    Scenario::Many { vms: 100_000 }.seed(&world);
    println!("seeded in {:?}", begun.elapsed());
    let begun = std::time::Instant::now();
    let mut drive = Drive::new(&world);
    let steps = drive.settle().unwrap();
    println!("first look: {steps} steps in {:?}", begun.elapsed());
    let begun = std::time::Instant::now();
    let version = world.version();
    drive.advance(Duration::from_secs(60)).unwrap();
    println!("a minute at rest: {} changes in {:?}", world.version() - version, begun.elapsed());
}
