//! Operations and their journal on both engines: claimed once, written by who holds the claim.

use super::*;
use crate::testing::each;
use crate::{Db, transact};
use std::collections::BTreeSet;

const NOW: UnixMs = UnixMs(1_700_000_000_000);
const LEASE_MS: i64 = 30_000;

fn later(ms: i64) -> UnixMs {
    UnixMs(NOW.0 + ms)
}

/// An operation for tests, saved.
pub(crate) async fn saved(db: &Db, id: &str, key: Option<&str>) -> Result<OperationId, StoreError> {
    let id = OperationId::parse(id).unwrap();
    let key = key.map(|key| IdempotencyKey::parse(key).unwrap());
    let new = NewOperation {
        id: &id,
        kind: "delivery",
        version: 1,
        object: "bj-1/erp/app-01",
        title: &Say::fixed("交付 app-01", "deliver app-01"),
        actor: "wang",
        account: &AccountId::parse("a1").unwrap(),
        data_json: "{}",
        at: NOW,
        audit_seq: 7,
        key: key.as_ref(),
    };
    transact!(db, |tx| insert(tx, &new).await)?;
    Ok(id)
}

async fn claimed(db: &Db, worker: &str, at: UnixMs) -> Option<OperationRecord> {
    claim_due(db, worker, at, LEASE_MS).await.unwrap()
}

#[tokio::test]
async fn a_journal_reads_as_it_was_written() {
    each(|db| async move {
        let id = saved(&db, "o1", None).await.unwrap();
        let token = claimed(&db, "p1", NOW).await.unwrap().token;
        let lines =
            [("reserve", Entry::Began, None), ("reserve", Entry::Done, Some("{}")), ("boot", Entry::Skipped, None)];
        for (n, (step, entry, note)) in (0..).zip(lines) {
            transact!(db, |tx| append(tx, &id, token, step, entry, later(n), note).await).unwrap();
        }
        let read = entries(&db, &id).await.unwrap();
        let read: Vec<_> = read.iter().map(|l| (l.step.as_str(), l.entry, l.note_json.as_deref())).collect();
        assert_eq!(read, lines);
        transact!(db, |tx| save_data(tx, &id, token, "{\"a\":1}").await).unwrap();
        let record = get(&db, &id).await.unwrap().unwrap();
        assert_eq!((record.data_json.as_str(), record.title.zh.as_ref()), ("{\"a\":1}", "交付 app-01"));
        assert_eq!((record.state, record.version, record.worker.as_deref()), (State::Running, 1, Some("p1")));
    })
    .await;
}

/// A worker that starts anew goes on at once; others' leases and its own old tokens are worth what they were.
#[tokio::test]
async fn a_worker_that_starts_anew_takes_its_own_work_back() {
    each(|db| async move {
        let (mine, theirs) = (saved(&db, "o1", None).await.unwrap(), saved(&db, "o2", None).await.unwrap());
        let first = claimed(&db, "p1", NOW).await.unwrap();
        assert_eq!(claimed(&db, "p2", NOW).await.unwrap().id, theirs);
        free(&db, "p1").await.unwrap();
        let again = claimed(&db, "p1", NOW).await.unwrap();
        assert_eq!((&again.id, again.token), (&mine, first.token + 1));
        assert!(claimed(&db, "p1", NOW).await.is_none());
        let stale = transact!(db, |tx| save_data(tx, &mine, first.token, "{}").await);
        assert!(matches!(stale, Err(StoreError::Fenced)));
    })
    .await;
}

#[tokio::test]
async fn who_slept_through_its_lease_cannot_write() {
    each(|db| async move {
        let id = saved(&db, "o1", None).await.unwrap();
        let old = claimed(&db, "p1", NOW).await.unwrap().token;
        assert_eq!(claimed(&db, "p2", later(LEASE_MS - 1)).await, None);
        let new = claimed(&db, "p2", later(LEASE_MS)).await.unwrap().token;
        assert_eq!((old, new), (1, 2));

        let tries = [
            transact!(db, |tx| append(tx, &id, old, "boot", Entry::Done, NOW, None).await),
            transact!(db, |tx| save_data(tx, &id, old, "{\"late\":1}").await),
            transact!(db, |tx| reschedule(tx, &id, old, NOW, None).await),
            transact!(db, |tx| renew(tx, &id, old, NOW).await),
            transact!(db, |tx| set_state(tx, &id, old, State::Succeeded, NOW).await),
        ];
        assert!(tries.iter().all(|late| matches!(late, Err(StoreError::Fenced))), "{tries:?}");
        assert!(entries(&db, &id).await.unwrap().is_empty());
        assert_eq!(get(&db, &id).await.unwrap().unwrap().data_json, "{}");
        transact!(db, |tx| append(tx, &id, new, "boot", Entry::Done, NOW, None).await).unwrap();
    })
    .await;
}

#[tokio::test]
async fn what_was_put_aside_is_due_at_its_time_or_when_nudged() {
    each(|db| async move {
        let id = saved(&db, "o1", None).await.unwrap();
        assert_eq!(next_due(&db).await.unwrap(), Some(NOW));
        let token = claimed(&db, "p1", NOW).await.unwrap().token;
        assert_eq!(next_due(&db).await.unwrap(), Some(later(LEASE_MS)));
        transact!(db, |tx| reschedule(tx, &id, token, later(60_000), Some("{\"disk\":1}")).await).unwrap();
        assert_eq!(next_due(&db).await.unwrap(), Some(later(60_000)));
        assert_eq!(claimed(&db, "p2", later(59_999)).await, None);
        let record = get(&db, &id).await.unwrap().unwrap();
        assert_eq!(record.waits_for_json.as_deref(), Some("{\"disk\":1}"));
        transact!(db, |tx| nudge(tx, &id, later(5)).await).unwrap();
        transact!(db, |tx| nudge(tx, &id, later(9)).await).unwrap();
        assert_eq!(claimed(&db, "p2", later(5)).await.unwrap().token, 2);
    })
    .await;
}

#[tokio::test]
async fn a_final_state_ends_it_and_a_person_can_resume_a_parked_one() {
    each(|db| async move {
        let id = saved(&db, "o1", Some("k1")).await.unwrap();
        let token = claimed(&db, "p1", NOW).await.unwrap().token;
        assert_eq!(running(&db, 10).await.unwrap().len(), 1);
        transact!(db, |tx| set_state(tx, &id, token, State::Undoing, later(1)).await).unwrap();
        transact!(db, |tx| set_state(tx, &id, token, State::Parked, later(2)).await).unwrap();
        assert_eq!(claimed(&db, "p1", later(LEASE_MS * 2)).await, None);
        assert_eq!(next_due(&db).await.unwrap(), None);
        assert!(running(&db, 10).await.unwrap().is_empty());

        assert!(!transact!(db, |tx| resume(tx, &id, State::Succeeded, later(3)).await).unwrap());
        assert!(transact!(db, |tx| resume(tx, &id, State::Undoing, later(3)).await).unwrap());
        assert!(!transact!(db, |tx| resume(tx, &id, State::Undoing, later(3)).await).unwrap());
        let token = claimed(&db, "p2", later(3)).await.unwrap().token;
        transact!(db, |tx| set_state(tx, &id, token, State::Undone, later(4)).await).unwrap();
        let by_object = of_object(&db, "bj-1/erp/app-01", 10).await.unwrap();
        assert_eq!((by_object[0].state, by_object[0].ended), (State::Undone, Some(later(4))));
        assert_eq!(recent(&db, 10).await.unwrap(), by_object);
        let key = IdempotencyKey::parse("k1").unwrap();
        assert_eq!(by_key(&db, "wang", &key).await.unwrap().as_ref(), by_object.first());
        assert!(matches!(saved(&db, "o2", Some("k1")).await, Err(StoreError::Unique { .. })));
    })
    .await;
}

/// Two replicas pick the same job at the same instant: one runs. And on no engine does a worker come back empty while
/// there is something that nobody has.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_workers_claim_each_operation_once() {
    const OPERATIONS: usize = 200;
    each(|db| async move {
        for n in 0..OPERATIONS {
            saved(&db, &format!("o{n}"), None).await.unwrap();
        }
        let began = std::time::Instant::now();
        let mut all = tokio::task::JoinSet::new();
        for worker in 0..8 {
            let db = db.clone();
            all.spawn(async move {
                let mut mine = vec![];
                while let Some(record) = claimed(&db, &worker.to_string(), NOW).await {
                    assert_eq!(record.token, 1);
                    mine.push(record.id);
                }
                mine
            });
        }
        let shares = all.join_all().await;
        println!("{db:?}: {OPERATIONS} claims by 8 workers in {:?}", began.elapsed());
        let claimed: Vec<_> = shares.concat();
        assert_eq!(claimed.len(), OPERATIONS);
        assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>().len(), OPERATIONS);
    })
    .await;
}
