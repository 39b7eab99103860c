//! Tickets on both engines: for one purpose, for a short time, once.

use super::*;
use crate::testing::each;
use crate::transact;

const NOW: UnixMs = UnixMs(1_700_000_000_000);

async fn issued(db: &crate::Db, secret: &str) -> (TokenHash, AccountId, VmRef) {
    let account = crate::access::tests::saved(db, "a1", "wang").await;
    let (hash, vm) = (TokenHash::of(secret), VmRef::parse("bj-1", "erp", "app-01").unwrap());
    let new =
        NewTicket { hash: &hash, account: &account, vm: &vm, mode: Mode::Serial, expires: UnixMs(NOW.0 + 30_000) };
    transact!(db, |tx| insert(tx, &new).await).unwrap_or_else(|e: StoreError| panic!("{e:?}"));
    (hash, account, vm)
}

#[tokio::test]
async fn a_ticket_opens_what_it_was_made_for_and_not_after_its_time() {
    each(|db| async move {
        let (hash, account, vm) = issued(&db, "secret").await;
        let late = transact!(db, |tx| redeem(tx, &hash, UnixMs(NOW.0 + 30_000)).await);
        assert_eq!(late.unwrap(), None);
        let other = TokenHash::of("guess");
        assert_eq!(transact!(db, |tx| redeem(tx, &other, NOW).await).unwrap(), None);
        let opened = transact!(db, |tx| redeem(tx, &hash, NOW).await).unwrap();
        assert_eq!(opened, Some(Admission { account, vm, mode: Mode::Serial }));
        assert_eq!(transact!(db, |tx| redeem(tx, &hash, NOW).await).unwrap(), None);
        assert_eq!(transact!(db, |tx| purge(tx, UnixMs(NOW.0 + 30_000)).await).unwrap(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_who_redeem_one_ticket_one_gets_in() {
    each(|db| async move {
        let (hash, ..) = issued(&db, "secret").await;
        let mut all = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let (db, hash) = (db.clone(), hash.clone());
            all.spawn(async move { transact!(db, |tx| redeem(tx, &hash, NOW).await).unwrap() });
        }
        assert_eq!(all.join_all().await.into_iter().flatten().count(), 1);
    })
    .await;
}
