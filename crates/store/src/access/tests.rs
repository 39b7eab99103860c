//! Accounts, sessions and lock-out on both engines.

use super::*;
use crate::testing::each;
use crate::transact;

const NOW: UnixMs = UnixMs(1_700_000_000_000);

fn later(ms: i64) -> UnixMs {
    UnixMs(NOW.0 + ms)
}

/// An account for tests, saved.
pub(crate) async fn saved(db: &Db, id: &str, login: &str) -> AccountId {
    let id = AccountId::parse(id).unwrap();
    let new = NewAccount {
        id: &id,
        login,
        name: "王工",
        number: Some("E10432"),
        role: Role::Operator,
        password_hash: "$argon2id$secret",
        created: NOW,
    };
    transact!(db, |tx| insert_account(tx, &new).await).unwrap();
    id
}

async fn signed_in(db: &Db, account: &AccountId, token: &str, ends: UnixMs) -> TokenHash {
    let hash = TokenHash::of(token);
    let new = NewSession {
        hash: &hash,
        account,
        csrf: "csrf",
        began: NOW,
        ends,
        from: "10.1.2.3",
        user_agent: &"M".repeat(9_000),
    };
    transact!(db, |tx| insert_session(tx, &new).await).unwrap();
    hash
}

#[tokio::test]
async fn a_login_is_one_account_whatever_its_case() {
    each(|db| async move {
        assert_eq!(count_accounts(&db).await.unwrap(), 0);
        let id = saved(&db, "a1", "Wang.Ärmel").await;
        let found = account_by_login(&db, " wang.äRMEL ").await.unwrap().unwrap();
        assert_eq!((&found.id, found.login.as_str(), found.role), (&id, "Wang.Ärmel", Role::Operator));
        assert!(!format!("{found:?}").contains("secret"));
        let second = NewAccount {
            id: &AccountId::parse("a2").unwrap(),
            login: "WANG.ÄRMEL",
            name: "",
            number: None,
            role: Role::Viewer,
            password_hash: "",
            created: NOW,
        };
        let taken = transact!(db, |tx| insert_account(tx, &second).await);
        assert!(matches!(taken, Err(StoreError::Unique { .. })));
        assert_eq!(accounts(&db, 10).await.unwrap(), [found]);
        assert_eq!(account_by_login(&db, "nul\0").await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn the_fifth_wrong_password_locks_and_a_right_one_forgets() {
    each(|db| async move {
        let id = saved(&db, "a1", "wang").await;
        let wrong = || async { transact!(db, |tx| record_wrong(tx, &id, NOW).await) };
        for n in 1..u64::from(MAX_WRONG) {
            assert_eq!(wrong().await.unwrap(), Some(Wrong { count: n, locked_until: None }));
        }
        assert_eq!(wrong().await.unwrap(), Some(Wrong { count: 0, locked_until: Some(later(LOCK_MS)) }));
        assert_eq!(account(&db, &id).await.unwrap().unwrap().locked_until, Some(later(LOCK_MS)));
        transact!(db, |tx| clear_wrong(tx, &id).await).unwrap();
        let after = account(&db, &id).await.unwrap().unwrap();
        assert_eq!((after.wrong, after.locked_until), (0, None));
        let nobody = AccountId::parse("nobody").unwrap();
        assert_eq!(transact!(db, |tx| record_wrong(tx, &nobody, NOW).await).unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_session_lives_until_it_ends_and_is_touched_once_a_minute() {
    each(|db| async move {
        let id = saved(&db, "a1", "wang").await;
        let hash = signed_in(&db, &id, "token", later(3_600_000)).await;
        let find = |at| session_by_hash(&db, &hash, at);
        let session = find(later(1)).await.unwrap().unwrap();
        assert_eq!((&session.account.id, session.csrf.as_str(), session.used), (&id, "csrf", NOW));
        assert!(session.user_agent.len() <= 256 && !format!("{session:?}").contains("csrf"));

        touch(&db, &session, later(59_999)).await.unwrap();
        assert_eq!(find(later(1)).await.unwrap().unwrap().used, NOW);
        touch(&db, &session, later(60_000)).await.unwrap();
        assert_eq!(find(later(1)).await.unwrap().unwrap().used, later(60_000));

        assert_eq!(find(later(3_600_000)).await.unwrap(), None);
        assert!(transact!(db, |tx| end_session(tx, &hash).await).unwrap());
        assert!(!transact!(db, |tx| end_session(tx, &hash).await).unwrap());
        assert_eq!(find(later(1)).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn all_sessions_end_but_the_one_that_asks() {
    each(|db| async move {
        let (id, other) = (saved(&db, "a1", "wang").await, saved(&db, "a2", "li").await);
        let ends = later(1_000);
        let mine = signed_in(&db, &id, "1", ends).await;
        signed_in(&db, &id, "2", ends).await;
        let third = signed_in(&db, &id, "3", ends).await;
        let foreign = signed_in(&db, &other, "4", ends).await;
        assert_eq!(sessions_of(&db, &id, NOW).await.unwrap().len(), 3);
        let not_mine = transact!(db, |tx| end_session_of(tx, &id, foreign.id()).await).unwrap();
        assert!(!not_mine);
        assert!(transact!(db, |tx| end_session_of(tx, &id, third.id()).await).unwrap());
        assert_eq!(transact!(db, |tx| end_all(tx, &id, Some(&mine)).await).unwrap(), 1);
        assert_eq!(sessions_of(&db, &id, NOW).await.unwrap()[0].hash, mine);
        assert_eq!(transact!(db, |tx| end_all(tx, &id, None).await).unwrap(), 1);
        assert!(session_by_hash(&db, &foreign, NOW).await.unwrap().is_some());
        assert_eq!(transact!(db, |tx| purge_sessions(tx, ends).await).unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_disabled_account_has_no_sessions() {
    each(|db| async move {
        let id = saved(&db, "a1", "wang").await;
        let before = signed_in(&db, &id, "1", later(1_000)).await;
        assert!(transact!(db, |tx| disable(tx, &id).await).unwrap());
        let after = signed_in(&db, &id, "2", later(1_000)).await;
        for hash in [&before, &after] {
            assert_eq!(session_by_hash(&db, hash, NOW).await.unwrap(), None);
        }
        transact!(db, |tx| enable(tx, &id).await).unwrap();
        assert!(session_by_hash(&db, &after, NOW).await.unwrap().is_some());
        transact!(db, |tx| set_role(tx, &id, Role::Admin).await).unwrap();
        transact!(db, |tx| set_password(tx, &id, "new").await).unwrap();
        let now = account(&db, &id).await.unwrap().unwrap();
        assert_eq!((now.role, now.password_hash.as_str(), now.is_disabled), (Role::Admin, "new", false));
    })
    .await;
}
