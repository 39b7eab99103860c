//! The address ledger on both engines: who gets which address, also when a thousand ask at once.

use super::*;
use crate::testing::{each, memory, postgres};
use crate::{Db, OpenOptions, StoreError, journal, transact};
use model::UnixMs;
use model::change::State;
use model::id::{ClusterId, OperationId, SubnetId};
use model::ipam::{Cidr, Mac, Range, RangeKind, Serves, Subnet};
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Instant;

const NOW: UnixMs = UnixMs(1_700_000_000_000);
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
static NOTHING: BTreeSet<IpAddr> = BTreeSet::new();

fn later(ms: i64) -> UnixMs {
    UnixMs(NOW.0 + ms)
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn operation(id: &str) -> OperationId {
    OperationId::parse(id).unwrap()
}

/// A subnet of that network without anything else.
pub(super) fn subnet_of(cidr: &str) -> Subnet {
    Subnet {
        id: SubnetId::parse("subnet-1").unwrap(),
        name: "office".into(),
        cidr: Cidr::parse(cidr).unwrap(),
        gateway: None,
        vlan: None,
        dns: vec![],
        search: vec![],
        ranges: vec![],
        serves: vec![],
    }
}

fn ask(holder: &str) -> Ask<'_> {
    Ask { wanted: None, holder, operation: None, mac: None, avoid: &NOTHING, now: NOW, until: later(DAY_MS) }
}

async fn planned(db: &Db, subnet: Subnet) -> Subnet {
    transact!(db, |tx| insert_subnet(tx, &subnet, NOW).await).unwrap_or_else(|e: SubnetError| panic!("{e:?}"));
    subnet
}

async fn taken(db: &Db, subnet: &Subnet, ask: &Ask<'_>) -> Result<Lease, AllocateError> {
    transact!(db, |tx| allocate(tx, subnet, ask).await)
}

async fn next(db: &Db, subnet: &Subnet, holder: &str) -> String {
    taken(db, subnet, &ask(holder)).await.unwrap().address.to_string()
}

async fn given_back(db: &Db, at: &str, holder: &str, quarantine_ms: i64) -> bool {
    let at = ip(at);
    transact!(db, |tx| release(tx, at, Owner::Holder(holder), NOW, quarantine_ms).await)
        .unwrap_or_else(|e: StoreError| panic!("{e:?}"))
}

#[tokio::test]
async fn a_subnet_reads_as_it_was_written_and_overlaps_are_refused() {
    each(|db| async move {
        let mut subnet = subnet_of("10.20.0.0/22");
        subnet.gateway = Some(ip("10.20.0.1"));
        subnet.vlan = Some(120);
        subnet.dns = vec![ip("10.0.0.53"), ip("2001:db8::53")];
        subnet.search = vec!["corp.example".into()];
        let range = |kind, from, to| Range { kind, from: ip(from), to: ip(to), note: "备".into() };
        subnet.ranges = vec![
            range(RangeKind::Static, "10.20.0.10", "10.20.0.99"),
            range(RangeKind::Dhcp, "10.20.1.0", "10.20.1.255"),
        ];
        let bj = ClusterId::parse("bj-1").unwrap();
        subnet.serves = vec![Serves { cluster: bj.clone(), network: "default/vlan120".into() }];
        let subnet = planned(&db, subnet).await;
        assert_eq!(super::subnet(&db, &subnet.id).await.unwrap().as_ref(), Some(&subnet));
        assert_eq!(serving(&db, &bj, "default/vlan120").await.unwrap(), std::slice::from_ref(&subnet));
        assert!(serving(&db, &bj, "default/other").await.unwrap().is_empty());

        let second = |cidr: &str| Subnet { id: SubnetId::parse("subnet-2").unwrap(), ..subnet_of(cidr) };
        for cidr in ["10.0.0.0/8", "10.20.3.0/24", "10.20.0.0/22"] {
            let refused = transact!(db, |tx| insert_subnet(tx, &second(cidr), NOW).await);
            assert!(matches!(refused, Err(SubnetError::Overlaps { .. })), "{cidr}: {refused:?}");
        }
        // The same number in the other family is another address.
        planned(&db, second("::a14:0/118")).await;
        assert_eq!(subnets(&db).await.unwrap().len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_subnet_in_use_keeps_its_network_and_its_place() {
    each(|db| async move {
        let mut subnet = planned(&db, subnet_of("10.20.0.0/24")).await;
        subnet.name = "renamed".into();
        transact!(db, |tx| update_subnet(tx, &subnet).await).unwrap();
        assert_eq!(super::subnet(&db, &subnet.id).await.unwrap().unwrap().name, "renamed");
        next(&db, &subnet, "a").await;
        let moved = Subnet { cidr: Cidr::parse("10.30.0.0/24").unwrap(), ..subnet.clone() };
        let refused = transact!(db, |tx| update_subnet(tx, &moved).await);
        assert!(matches!(refused, Err(SubnetError::InUse { leases: 1 })));
        let refused = transact!(db, |tx| remove_subnet(tx, &subnet.id).await);
        assert!(matches!(refused, Err(SubnetError::InUse { leases: 1 })));

        given_back(&db, "10.20.0.1", "a", 0).await;
        transact!(db, |tx| purge_quarantine(tx, NOW).await).unwrap();
        transact!(db, |tx| update_subnet(tx, &moved).await).unwrap();
        assert_eq!(next(&db, &moved, "a").await, "10.30.0.1");
        given_back(&db, "10.30.0.1", "a", 0).await;
        transact!(db, |tx| purge_quarantine(tx, NOW).await).unwrap();
        transact!(db, |tx| remove_subnet(tx, &subnet.id).await).unwrap();
        let gone = transact!(db, |tx| remove_subnet(tx, &subnet.id).await);
        assert!(matches!(gone, Err(SubnetError::NotFound)));
        assert!(matches!(taken(&db, &subnet, &ask("a")).await, Err(AllocateError::NoSubnet)));
    })
    .await;
}

#[tokio::test]
async fn the_lowest_free_static_address_is_taken() {
    each(|db| async move {
        let mut subnet = subnet_of("10.20.0.0/28");
        subnet.gateway = Some(ip("10.20.0.1"));
        subnet.ranges =
            vec![Range { kind: RangeKind::Reserved, from: ip("10.20.0.4"), to: ip("10.20.0.12"), note: String::new() }];
        let subnet = planned(&db, subnet).await;
        for expected in ["10.20.0.2", "10.20.0.3", "10.20.0.13", "10.20.0.14"] {
            assert_eq!(next(&db, &subnet, expected).await, expected);
        }
        let full = taken(&db, &subnet, &ask("x")).await.unwrap_err();
        assert!(matches!(full, AllocateError::Exhausted { subnet } if subnet == "office"));
        assert!(given_back(&db, "10.20.0.3", "10.20.0.3", 0).await);
        assert_eq!(next(&db, &subnet, "again").await, "10.20.0.3");

        let mut wider = subnet.clone();
        wider.ranges.clear();
        transact!(db, |tx| update_subnet(tx, &wider).await).unwrap();
        assert_eq!(next(&db, &wider, "y").await, "10.20.0.4");
        assert_eq!(count(&db, &wider.id).await.unwrap(), Count { held: 5, reserved: 0, quarantined: 0 });
    })
    .await;
}

#[tokio::test]
async fn a_wanted_address_is_given_or_the_reason_why_not() {
    each(|db| async move {
        let mut subnet = subnet_of("10.20.0.0/24");
        subnet.gateway = Some(ip("10.20.0.1"));
        subnet.ranges =
            vec![Range { kind: RangeKind::Reserved, from: ip("10.20.0.9"), to: ip("10.20.0.9"), note: String::new() }];
        let subnet = planned(&db, subnet).await;
        let seen = BTreeSet::from([ip("10.20.0.30")]);
        let want = async |at: &str, holder: &str| {
            taken(&db, &subnet, &Ask { wanted: Some(ip(at)), avoid: &seen, ..ask(holder) }).await
        };
        for at in ["10.20.0.9", "10.20.0.20", "10.20.0.2"] {
            assert_eq!(want(at, "a").await.unwrap().address, ip(at));
        }
        for at in ["10.20.0.1", "10.20.0.0", "10.20.0.255", "10.21.0.5", "2001:db8::1"] {
            assert!(matches!(want(at, "a").await, Err(AllocateError::Forbidden { .. })), "{at}");
        }
        assert!(matches!(want("10.20.0.20", "b").await, Err(AllocateError::Held { by, .. }) if by == "a"));
        assert!(matches!(want("10.20.0.30", "b").await, Err(AllocateError::Seen { .. })));
        given_back(&db, "10.20.0.20", "a", DAY_MS).await;
        let resting = want("10.20.0.20", "b").await;
        assert!(matches!(resting, Err(AllocateError::Quarantined { until, .. }) if until == later(DAY_MS)));
        assert_eq!(next(&db, &subnet, "c").await, "10.20.0.3");
    })
    .await;
}

#[tokio::test]
async fn what_is_seen_in_clusters_is_passed_over_and_found_again_when_it_is_gone() {
    each(|db| async move {
        let subnet = planned(&db, subnet_of("10.20.0.0/24")).await;
        let seen: BTreeSet<_> = ["10.20.0.1", "10.20.0.2", "10.20.0.4"].map(ip).into();
        let avoiding = Ask { avoid: &seen, ..ask("a") };
        for expected in ["10.20.0.3", "10.20.0.5"] {
            assert_eq!(taken(&db, &subnet, &avoiding).await.unwrap().address, ip(expected));
        }
        for expected in ["10.20.0.1", "10.20.0.2", "10.20.0.4", "10.20.0.6"] {
            assert_eq!(next(&db, &subnet, "b").await, expected);
        }
    })
    .await;
}

#[tokio::test]
async fn an_address_rests_after_its_release_and_its_mac_does_not() {
    each(|db| async move {
        let subnet = planned(&db, subnet_of("10.20.0.0/29")).await;
        let mac = Some(Mac::ours(1));
        let first = taken(&db, &subnet, &Ask { mac, ..ask("a") }).await.unwrap();
        let stolen = taken(&db, &subnet, &Ask { mac, ..ask("b") }).await;
        assert!(matches!(stolen, Err(AllocateError::MacTaken { by, .. }) if by == "a"));
        let twice = taken(&db, &subnet, &Ask { mac, ..ask("a") }).await;
        assert!(matches!(twice, Err(AllocateError::MacTaken { .. })), "one address of a family for a NIC");

        assert!(!given_back(&db, "10.20.0.1", "b", DAY_MS).await, "not the holder");
        assert!(given_back(&db, "10.20.0.1", "a", DAY_MS).await);
        assert!(!given_back(&db, "10.20.0.1", "a", DAY_MS).await, "twice");
        let lease = lease_of(&db, first.address).await.unwrap().unwrap();
        assert_eq!((lease.state, lease.mac, lease.until), (LeaseState::Quarantined, None, Some(later(DAY_MS))));
        assert!(leases_of_holder(&db, "a").await.unwrap().is_empty());

        assert_eq!(taken(&db, &subnet, &Ask { mac, ..ask("b") }).await.unwrap().address, ip("10.20.0.2"));
        let tomorrow = Ask { now: later(DAY_MS), ..ask("c") };
        assert_eq!(taken(&db, &subnet, &tomorrow).await.unwrap().address, ip("10.20.0.1"));
    })
    .await;
}

#[tokio::test]
async fn a_repeated_step_gets_the_same_address() {
    each(|db| async move {
        let subnet = planned(&db, subnet_of("10.20.0.0/24")).await;
        let id = operation("o1");
        let reserve = Ask { operation: Some(&id), mac: Some(Mac::ours(1)), ..ask("vm") };
        let first = taken(&db, &subnet, &reserve).await.unwrap();
        assert_eq!((first.state, first.until), (LeaseState::Reserved, Some(later(DAY_MS))));
        assert_eq!(taken(&db, &subnet, &reserve).await.unwrap(), first);
        let second_nic = Ask { mac: Some(Mac::ours(2)), ..reserve };
        assert_eq!(taken(&db, &subnet, &second_nic).await.unwrap().address, ip("10.20.0.2"));
        assert_eq!(leases_of_operation(&db, &id).await.unwrap().len(), 2);

        let settle = async |by: &OperationId| transact!(db, |tx| confirm(tx, first.address, by, later(5)).await);
        assert!(!settle(&operation("o2")).await.unwrap());
        assert!(settle(&id).await.unwrap() && settle(&id).await.unwrap());
        let held = taken(&db, &subnet, &reserve).await.unwrap();
        assert_eq!((held.address, held.state, held.until), (first.address, LeaseState::Held, None));

        let undo = async || transact!(db, |tx| release(tx, first.address, Owner::Operation(&id), NOW, 0).await);
        assert!(undo().await.unwrap());
        assert!(!undo().await.unwrap());
    })
    .await;
}

/// A reservation past its time is free again once its operation is over; a running or parked one keeps it.
#[tokio::test]
async fn a_late_reservation_is_kept_while_its_operation_may_need_it() {
    each(|db| async move {
        let subnet = planned(&db, subnet_of("10.20.0.0/24")).await;
        let id = journal::tests::saved(&db, "o1", None).await.unwrap();
        taken(&db, &subnet, &Ask { operation: Some(&id), until: later(10), ..ask("vm") }).await.unwrap();
        let after = |ms| Ask { now: later(ms), ..ask("other") };
        assert_eq!(taken(&db, &subnet, &after(20)).await.unwrap().address, ip("10.20.0.2"));

        let token = journal::claim_due(&db, "p", NOW, 1).await.unwrap().unwrap().token;
        transact!(db, |tx| journal::set_state(tx, &id, token, State::Parked, NOW).await).unwrap();
        assert_eq!(taken(&db, &subnet, &after(20)).await.unwrap().address, ip("10.20.0.3"));
        transact!(db, |tx| journal::set_state(tx, &id, token, State::Undone, NOW).await).unwrap();
        assert_eq!(taken(&db, &subnet, &after(9)).await.unwrap().address, ip("10.20.0.4"));
        assert_eq!(taken(&db, &subnet, &after(10)).await.unwrap().address, ip("10.20.0.1"));

        // An operation that is not in this database (restored from a backup) needs nothing either.
        let unknown = operation("o9");
        taken(&db, &subnet, &Ask { operation: Some(&unknown), until: later(10), ..ask("vm") }).await.unwrap();
        assert_eq!(transact!(db, |tx| extend(tx, &unknown, later(30)).await).unwrap(), 1);
        assert_eq!(taken(&db, &subnet, &after(29)).await.unwrap().address, ip("10.20.0.6"));
        assert_eq!(taken(&db, &subnet, &after(30)).await.unwrap().address, ip("10.20.0.5"));
    })
    .await;
}

#[tokio::test]
async fn ipv6_and_a_huge_ipv4_network_are_searched_in_no_time() {
    each(|db| async move {
        let v6 = planned(&db, subnet_of("2001:db8:20::/64")).await;
        let mac = Some(Mac::ours(7));
        let first = taken(&db, &v6, &Ask { mac, ..ask("a") }).await.unwrap();
        assert_eq!(first.address, ip("2001:db8:20::1"));
        assert_eq!(next(&db, &v6, "a").await, "2001:db8:20::2");
        let far = Ask { wanted: Some(ip("2001:db8:20:0:ffff:ffff:ffff:ffff")), ..ask("b") };
        taken(&db, &v6, &far).await.unwrap();
        let found = leases_in(&db, &v6.id, v6.cidr.network(), v6.cidr.last()).await.unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!(leases_after(&db, Some(first.address), false).await.unwrap(), found[1..]);

        // Both families on one NIC.
        let v4 = Subnet { id: SubnetId::parse("v4").unwrap(), ..subnet_of("10.0.0.0/8") };
        let v4 = planned(&db, v4).await;
        assert_eq!(taken(&db, &v4, &Ask { mac, ..ask("a") }).await.unwrap().address, ip("10.0.0.1"));
        assert_eq!(leases_of_holder(&db, "a").await.unwrap().len(), 3);
    })
    .await;
}

/// A thousand at once, in a subnet that has room for 1,021.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_at_once_get_a_thousand_addresses() {
    a_thousand(memory().await).await;
    // Waiting for a connection is part of the race.
    let options = OpenOptions { wait: std::time::Duration::from_secs(60), ..OpenOptions::default() };
    if let Some((db, _schema)) = postgres(options).await {
        a_thousand(db.clone()).await;
        db.close().await;
    }
}

async fn a_thousand(db: Db) {
    let mut subnet = subnet_of("10.20.0.0/22");
    subnet.gateway = Some(ip("10.20.0.1"));
    let subnet = planned(&db, subnet).await;
    let began = Instant::now();
    let mut all = tokio::task::JoinSet::new();
    for n in 0..1000u32 {
        let (db, subnet) = (db.clone(), subnet.clone());
        all.spawn(async move {
            let (holder, id) = (format!("vm-{n}"), operation(&format!("o{n}")));
            let ask = Ask { operation: Some(&id), mac: Some(Mac::ours(n)), ..ask(&holder) };
            taken(&db, &subnet, &ask).await.unwrap().address
        });
    }
    let addresses: BTreeSet<_> = all.join_all().await.into_iter().collect();
    println!("{db:?}: 1,000 allocations at once in {:?}", began.elapsed());
    assert_eq!(addresses.len(), 1000);
    assert!(addresses.iter().all(|&at| subnet.kind_of(at) == RangeKind::Static));
    assert_eq!(addresses.last(), Some(&ip("10.20.3.233")), "no gap was left");
    assert_eq!(count(&db, &subnet.id).await.unwrap().reserved, 1000);
}

/// What lies below the place where a search begins is found again when it is given back.
#[tokio::test]
async fn a_hole_far_below_is_found_again() {
    each(|db| async move {
        let subnet = planned(&db, subnet_of("10.20.0.0/24")).await;
        for n in 0..200 {
            next(&db, &subnet, &n.to_string()).await;
        }
        given_back(&db, "10.20.0.8", "7", DAY_MS).await;
        given_back(&db, "10.20.0.4", "3", 0).await;
        let far = Ask { wanted: Some(ip("10.20.0.250")), ..ask("x") };
        taken(&db, &subnet, &far).await.unwrap();
        for expected in ["10.20.0.4", "10.20.0.201"] {
            assert_eq!(next(&db, &subnet, "y").await, expected);
        }
        assert_eq!(transact!(db, |tx| purge_quarantine(tx, later(DAY_MS)).await).unwrap(), 1);
        for expected in ["10.20.0.8", "10.20.0.202"] {
            assert_eq!(next(&db, &subnet, "z").await, expected);
        }
    })
    .await;
}
