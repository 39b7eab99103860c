//! Changes saved at each stage, and who may write them, on both engines.

use super::*;
use crate::testing::each;
use crate::transact;
use std::collections::BTreeSet;

const NOW: UnixMs = UnixMs(1_700_000_000_000);
const LEASE_MS: i64 = 30_000;

fn later(ms: i64) -> UnixMs {
    UnixMs(NOW.0 + ms)
}

async fn saved(db: &Db, id: &str) -> ChangeId {
    let id = ChangeId::parse(id).unwrap();
    let cluster = ClusterId::parse("bj-1").unwrap();
    let new = NewChange {
        id: &id,
        cluster: &cluster,
        object: "bj-1/erp/app-01",
        kind_json: "{\"power\":\"stop\"}",
        actor: "wang",
        verb: "vm.power",
        audit_seq: 7,
        data_json: "{}",
        created: NOW,
        worker: "p1",
        lease_ms: LEASE_MS,
    };
    transact!(db, |tx| insert(tx, &new).await).unwrap_or_else(|e: StoreError| panic!("{e:?}"));
    id
}

async fn advanced(db: &Db, id: &ChangeId, token: i64, stage: Stage) -> Result<(), StoreError> {
    let to = Advance { stage, base_version: (stage == Stage::Checked).then_some("41"), data_json: "[1]", at: later(1) };
    transact!(db, |tx| advance(tx, id, token, &to).await)
}

#[tokio::test]
async fn a_change_is_saved_at_each_stage_and_ends() {
    each(|db| async move {
        let id = saved(&db, "c1").await;
        for stage in [Stage::Checked, Stage::Committed, Stage::Observed] {
            advanced(&db, &id, FIRST_TOKEN, stage).await.unwrap();
        }
        let change = get(&db, &id).await.unwrap().unwrap();
        assert_eq!((change.stage, change.base_version.as_deref()), (Stage::Observed, Some("41")));
        assert_eq!((change.data_json.as_str(), change.updated), ("[1]", later(1)));
        assert_eq!(unfinished(&db, 10).await.unwrap(), [change]);

        transact!(db, |tx| finish(tx, &id, FIRST_TOKEN, Outcome::Done, later(2)).await).unwrap();
        assert!(unfinished(&db, 10).await.unwrap().is_empty());
        let change = of_object(&db, "bj-1/erp/app-01", 10).await.unwrap().remove(0);
        assert_eq!((change.outcome, change.ended), (Some(Outcome::Done), Some(later(2))));
        assert!(matches!(advanced(&db, &id, FIRST_TOKEN, Stage::Checked).await, Err(StoreError::Fenced)));
    })
    .await;
}

#[tokio::test]
async fn who_slept_through_its_lease_cannot_write() {
    each(|db| async move {
        let id = saved(&db, "c1").await;
        assert!(claim_due(&db, "p2", later(LEASE_MS - 1), LEASE_MS, 10).await.unwrap().is_empty());
        free(&db, "somebody else").await.unwrap();
        assert!(claim_due(&db, "p2", later(LEASE_MS - 1), LEASE_MS, 10).await.unwrap().is_empty());
        let taken = claim_due(&db, "p2", later(LEASE_MS), LEASE_MS, 10).await.unwrap().remove(0);
        assert_eq!((&taken.id, taken.token), (&id, FIRST_TOKEN + 1));
        assert!(matches!(advanced(&db, &id, FIRST_TOKEN, Stage::Checked).await, Err(StoreError::Fenced)));
        let late = transact!(db, |tx| renew(tx, &id, FIRST_TOKEN, later(0)).await);
        assert!(matches!(late, Err(StoreError::Fenced)));
        let late = transact!(db, |tx| finish(tx, &id, FIRST_TOKEN, Outcome::Failed, NOW).await);
        assert!(matches!(late, Err(StoreError::Fenced)));
        advanced(&db, &id, taken.token, Stage::Checked).await.unwrap();
        transact!(db, |tx| renew(tx, &id, taken.token, later(LEASE_MS * 9)).await).unwrap();
        assert!(claim_due(&db, "p3", later(LEASE_MS * 3), LEASE_MS, 10).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_processes_share_what_was_left_without_overlap() {
    each(|db| async move {
        for n in 0..40 {
            saved(&db, &format!("c{n}")).await;
        }
        let mut all = tokio::task::JoinSet::new();
        for worker in 0..8 {
            let db = db.clone();
            all.spawn(async move {
                let mut mine = vec![];
                loop {
                    let batch = claim_due(&db, &worker.to_string(), later(LEASE_MS), LEASE_MS, 3).await.unwrap();
                    if batch.is_empty() {
                        return mine;
                    }
                    mine.extend(batch.into_iter().map(|change| change.id));
                }
            });
        }
        let claimed = all.join_all().await.concat();
        assert_eq!(claimed.len(), 40);
        assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>().len(), 40);
    })
    .await;
}
