//! Allocations, audit records and claims a second on each engine: `cargo bench -p store`.
//!
//! SQLite is a file with `synchronous=FULL`, as in production; PostgreSQL is measured when `TEST_POSTGRES_URL` is set.

use model::id::{AccountId, OperationId, SubnetId};
use model::ipam::{Cidr, Mac, Subnet};
use model::{Say, UnixMs};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use store::audit::NewAudit;
use store::ipam::{AllocateError, Ask};
use store::journal::NewOperation;
use store::{Db, OpenOptions, StoreError, audit, ipam, journal, testing, transact};
use tokio::task::JoinSet;

const NOW: UnixMs = UnixMs(1_700_000_000_000);
/// Callers at once.
const CALLERS: u32 = 8;
/// Of each thing, by all callers together.
const TOTAL: u32 = 2_000;

#[tokio::main]
async fn main() {
    let dir = tempfile::tempdir().expect("a folder");
    let options = OpenOptions { wait: Duration::from_secs(60), ..OpenOptions::default() };
    let url = format!("sqlite://{}", dir.path().join("bench.db").display());
    let sqlite = Db::open(&url, options.clone()).await.expect("open SQLite");
    sqlite.migrate().await.expect("migrate SQLite");
    run(&sqlite).await;
    if let Some((postgres, _schema)) = testing::postgres(options).await {
        run(&postgres).await;
        postgres.close().await;
    }
}

async fn run(db: &Db) {
    let audited = rate(db, append).await;
    let subnet = plan(db).await;
    let allocated = rate(db, move |db, n| allocate(db, subnet.clone(), n)).await;
    rate(db, begin).await;
    let claimed = rate(db, claim).await;
    let began = Instant::now();
    let report = audit::verify(db, None, NOW, |_| {}).await.expect("verify");
    let verified = report.records as f64 / began.elapsed().as_secs_f64();
    println!("{db:?}, {CALLERS} callers: {audited:.0} audit records/s, {allocated:.0} allocations/s,");
    println!("  {claimed:.0} claims/s, {verified:.0} records verified/s");
}

/// How often a second `each` is done.
async fn rate<F: Future<Output = ()> + Send + 'static>(
    db: &Db,
    each: impl Fn(Db, u32) -> F + Clone + Send + 'static,
) -> f64 {
    let began = Instant::now();
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let (db, each) = (db.clone(), each.clone());
        callers.spawn(async move {
            for n in 0..TOTAL / CALLERS {
                each(db.clone(), caller * 100_000 + n).await;
            }
        });
    }
    callers.join_all().await;
    f64::from(TOTAL) / began.elapsed().as_secs_f64()
}

async fn append(db: Db, n: u32) {
    let object = format!("bj-1/erp/app-{n}");
    let act = NewAudit {
        at: NOW,
        actor: "wang",
        from: "10.1.2.3",
        verb: "vm.power",
        act: "restart",
        object: &object,
        reason: "because",
        request: "req-1",
        before: Some("{\"power\":\"running\"}"),
    };
    let opened: Result<_, StoreError> = transact!(db, |tx| audit::open(tx, &act).await);
    opened.expect("open an act");
}

async fn plan(db: &Db) -> Subnet {
    let subnet = Subnet {
        id: SubnetId::parse("subnet-1").expect("an id"),
        name: "bench".into(),
        cidr: Cidr::parse("10.20.0.0/16").expect("a network"),
        gateway: None,
        vlan: None,
        dns: vec![],
        search: vec![],
        ranges: vec![],
        serves: vec![],
    };
    let planned: Result<_, ipam::SubnetError> = transact!(db, |tx| ipam::insert_subnet(tx, &subnet, NOW).await);
    planned.expect("plan a subnet");
    subnet
}

async fn allocate(db: Db, subnet: Subnet, n: u32) {
    let (holder, avoid) = (format!("bj-1/erp/app-{n}"), BTreeSet::new());
    let operation = OperationId::parse(&format!("o-{n}")).expect("an id");
    let ask = Ask {
        wanted: None,
        holder: &holder,
        operation: Some(&operation),
        mac: Some(Mac::ours(n)),
        avoid: &avoid,
        now: NOW,
        until: UnixMs(NOW.0 + 60_000),
    };
    let lease: Result<_, AllocateError> = transact!(db, |tx| ipam::allocate(tx, &subnet, &ask).await);
    lease.expect("an address");
}

async fn begin(db: Db, n: u32) {
    let id = OperationId::parse(&format!("o-{n}")).expect("an id");
    let new = NewOperation {
        id: &id,
        kind: "delivery",
        version: 1,
        object: "bj-1/erp/app",
        title: &Say::fixed("交付", "deliver"),
        actor: "wang",
        account: &AccountId::parse("a1").expect("an id"),
        data_json: "{}",
        at: NOW,
        audit_seq: 1,
        key: None,
    };
    let begun: Result<_, StoreError> = transact!(db, |tx| journal::insert(tx, &new).await);
    begun.expect("begin an operation");
}

async fn claim(db: Db, n: u32) {
    let claimed = journal::claim_due(&db, &n.to_string(), NOW, 60_000).await.expect("claim");
    assert!(claimed.is_some(), "nobody comes back empty");
}
