//! What is sent twice is done once, on both engines.

use super::*;
use crate::testing::each;
use crate::{Db, transact};

const NOW: UnixMs = UnixMs(1_700_000_000_000);
const LEASE_MS: i64 = 30_000;

fn key() -> IdempotencyKey {
    IdempotencyKey::parse("key-1").unwrap()
}

async fn claimed(db: &Db, actor: &str, verb: &str, body: &str, at: UnixMs) -> Claim {
    let key = key();
    let request = Request { key: &key, actor, verb, body_sha256: body };
    transact!(db, |tx| claim(tx, &request, at, LEASE_MS).await).unwrap_or_else(|e: StoreError| panic!("{e:?}"))
}

#[tokio::test]
async fn the_second_gets_the_first_ones_answer() {
    each(|db| async move {
        let again = |at| claimed(&db, "wang", "vm.create", "b1", at);
        assert_eq!(again(NOW).await, Claim::Fresh);
        assert_eq!(again(NOW).await, Claim::Running);
        assert_eq!(claimed(&db, "wang", "vm.create", "b2", NOW).await, Claim::OtherBody);
        assert_eq!(claimed(&db, "wang", "vm.power", "b1", NOW).await, Claim::OtherBody);
        assert_eq!(claimed(&db, "li", "vm.create", "b2", NOW).await, Claim::Fresh, "another's key is another key");

        let first = transact!(db, |tx| finish(tx, "wang", &key(), "{\"id\":1}").await);
        let second = transact!(db, |tx| finish(tx, "wang", &key(), "{\"id\":2}").await);
        assert_eq!((first.unwrap(), second.unwrap()), (true, false));
        let done = Claim::Done { response_json: "{\"id\":1}".into() };
        assert_eq!(again(UnixMs(NOW.0 + LEASE_MS * 2)).await, done);
        assert_eq!(claimed(&db, "wang", "vm.create", "b2", NOW).await, Claim::OtherBody);
        let after: Result<(), StoreError> = transact!(db, |tx| release(tx, "wang", &key()).await);
        after.unwrap();
        assert_eq!(again(NOW).await, done, "an answer is not released");
    })
    .await;
}

#[tokio::test]
async fn a_claim_is_fresh_again_when_released_or_left() {
    each(|db| async move {
        let at = |ms: i64| claimed(&db, "wang", "vm.create", "b1", UnixMs(NOW.0 + ms));
        assert_eq!(at(0).await, Claim::Fresh);
        transact!(db, |tx| release(tx, "wang", &key()).await).unwrap();
        assert_eq!(at(0).await, Claim::Fresh);
        assert_eq!(at(LEASE_MS - 1).await, Claim::Running);
        assert_eq!(at(LEASE_MS).await, Claim::Fresh);
        assert_eq!(at(LEASE_MS).await, Claim::Running);
        let purged = transact!(db, |tx| purge(tx, UnixMs(NOW.0 + LEASE_MS * 9)).await);
        assert_eq!(purged.unwrap(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_at_once_one_does_it_and_all_get_one_answer() {
    each(|db| async move {
        let mut all = tokio::task::JoinSet::new();
        for n in 0..40 {
            let db = db.clone();
            // Claim, deed and answer in one transaction: who waits gets the answer.
            all.spawn(async move {
                let key = key();
                let request = Request { key: &key, actor: "wang", verb: "vm.create", body_sha256: "b1" };
                transact!(db, |tx| {
                    let got = claim(tx, &request, NOW, LEASE_MS).await?;
                    if got == Claim::Fresh {
                        finish(tx, "wang", &key, &n.to_string()).await?;
                        return Ok::<_, StoreError>(Err(n.to_string()));
                    }
                    Ok(Ok(got))
                })
                .unwrap()
            });
        }
        let all = all.join_all().await;
        let fresh: Vec<_> = all.iter().filter_map(|got| got.as_ref().err()).collect();
        assert_eq!(fresh.len(), 1);
        let done = Claim::Done { response_json: fresh[0].clone() };
        assert!(all.iter().filter_map(|got| got.as_ref().ok()).all(|got| *got == done));
    })
    .await;
}
