//! Seeded worlds are what walked lives end in.

use super::*;
use crate::behave::View;
use crate::behave::resources::{POD, PVC, VM, VMI};
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
