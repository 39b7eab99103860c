//! Schemas and transactions on both engines, and files that fail.

use super::{MAX_TRIES, on_tx};
use crate::testing::{each, memory};
use crate::transact;
use crate::{Db, OpenOptions, SchemaState, StoreError};
use model::UnixMs;
use std::sync::atomic::{AtomicU32, Ordering};

async fn execute(db: &Db, sql: &'static str) -> Result<u64, StoreError> {
    let mut tx = db.begin().await?;
    let affected = on_tx!(tx, |c| sqlx::query(sql).execute(c).await?.rows_affected());
    tx.commit().await?;
    Ok(affected)
}

#[tokio::test]
async fn migrating_twice_changes_nothing() {
    each(|db| async move {
        assert_eq!(db.schema().await.unwrap(), SchemaState::Current);
        db.migrate().await.unwrap();
        assert_eq!(db.schema().await.unwrap(), SchemaState::Current);
        db.ping().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn an_empty_database_is_behind() {
    let db = Db::open("sqlite::memory:", OpenOptions::default()).await.unwrap();
    assert!(matches!(db.schema().await.unwrap(), SchemaState::Behind { at: 0, wants } if wants > 0));
}

#[tokio::test]
async fn an_old_program_refuses_a_newer_schema() {
    each(|db| async move {
        let sql = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                   SELECT 9999, 'from the future', success, checksum, 0 FROM _sqlx_migrations WHERE version = 1";
        assert_eq!(execute(&db, sql).await.unwrap(), 1);
        assert!(matches!(db.schema().await.unwrap(), SchemaState::Ahead { at: 9999, .. }));
        assert!(matches!(db.migrate().await, Err(StoreError::Ahead { at: 9999, .. })));
    })
    .await;
}

#[tokio::test]
async fn a_migration_that_was_edited_is_refused() {
    each(|db| async move {
        let sql = "UPDATE _sqlx_migrations SET checksum = (SELECT checksum FROM _sqlx_migrations WHERE version = 2)
                   WHERE version = 1";
        execute(&db, sql).await.unwrap();
        assert!(matches!(db.migrate().await, Err(StoreError::Corrupt { .. })));
    })
    .await;
}

#[tokio::test]
async fn a_dropped_transaction_leaves_nothing() {
    each(|db| async move {
        let mut tx = db.begin().await.unwrap();
        on_tx!(tx, |c| sqlx::query("UPDATE audit_head SET seq = 7").execute(c).await.map(drop)).unwrap();
        drop(tx);
        assert_eq!(crate::audit::head(&db).await.unwrap().seq, 0);
    })
    .await;
}

#[tokio::test]
async fn readers_of_sqlite_cannot_write() {
    let db = memory().await;
    let super::Engine::Sqlite { readers, .. } = &db.engine else { unreachable!("memory is SQLite") };
    assert!(sqlx::query("UPDATE audit_head SET seq = 7").execute(readers).await.is_err());
}

#[tokio::test]
async fn a_lost_race_is_tried_again_and_not_for_ever() {
    each(|db| async move {
        let tries = AtomicU32::new(0);
        let done: Result<u32, StoreError> = transact!(db, |_tx| match tries.fetch_add(1, Ordering::SeqCst) {
            0..2 => Err(StoreError::Conflict { source: None }),
            n => Ok(n),
        });
        assert_eq!(done.unwrap(), 2);

        tries.store(0, Ordering::SeqCst);
        let lost: Result<(), StoreError> = transact!(db, |_tx| {
            tries.fetch_add(1, Ordering::SeqCst);
            Err(StoreError::Conflict { source: None })
        });
        assert!(lost.unwrap_err().is_retryable());
        assert_eq!(tries.load(Ordering::SeqCst), MAX_TRIES);
    })
    .await;
}

/// PostgreSQL ends one of the two with 40P01; SQLite has one writer, so the second waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_that_lock_crosswise_both_come_through() {
    each(|db| async move {
        let mut both = tokio::task::JoinSet::new();
        for turn in [0, 1] {
            let db = db.clone();
            both.spawn(async move {
                let sqls = ["UPDATE audit_head SET seq = seq + 1", "UPDATE subnet_plan SET revision = revision + 1"];
                transact!(db, |tx| {
                    for n in [turn, 1 - turn] {
                        on_tx!(tx, |c| sqlx::query(sqls[n]).execute(c).await?.rows_affected());
                        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
                    }
                    Ok::<_, StoreError>(())
                })
            });
        }
        both.join_all().await.into_iter().for_each(|done| done.unwrap());
        assert_eq!(crate::audit::head(&db).await.unwrap().seq, 2);
    })
    .await;
}

#[tokio::test]
async fn another_process_that_holds_the_file_is_a_lost_race() {
    let dir = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", dir.path().join("a.db").display());
    let ours = Db::open(&url, OpenOptions::default()).await.unwrap();
    ours.migrate().await.unwrap();
    let theirs = Db::open(&url, OpenOptions::default()).await.unwrap();
    let _held = theirs.begin().await.unwrap();
    // Five seconds of SQLite's own patience are too long for a test.
    let super::Engine::Sqlite { writer, .. } = &ours.engine else { unreachable!("it is SQLite") };
    sqlx::query("PRAGMA busy_timeout = 20").execute(writer).await.unwrap();
    assert!(matches!(ours.begin().await, Err(StoreError::Conflict { .. })));
}

#[tokio::test]
async fn a_full_disk_takes_no_half_record_and_recovers() {
    let db = memory().await;
    let super::Engine::Sqlite { writer, .. } = &db.engine else { unreachable!("memory is SQLite") };
    let pages: i64 = sqlx::query_scalar("PRAGMA page_count").fetch_one(writer).await.unwrap();
    let limit = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {}", pages + 4));
    sqlx::query(limit).execute(writer).await.unwrap();

    let big = "x".repeat(60_000);
    let line = crate::audit::tests::line("fill", Some(&big));
    let open = || async { transact!(db, |tx| crate::audit::open(tx, &line).await) };
    assert!(matches!(open().await, Err(StoreError::Full { .. })));
    let report = crate::audit::verify(&db, None, UnixMs(0), |_| {}).await.unwrap();
    assert_eq!((report.records, report.broken), (0, None));

    // The connection that met the limit is gone, and the limit with it: as after somebody made room.
    assert_eq!(open().await.unwrap().seq, 1);
}

#[tokio::test]
async fn a_file_is_private_and_survives_its_closing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    let url = format!("sqlite://{}", path.display());
    let db = Db::open(&url, OpenOptions::default()).await.unwrap();
    db.migrate().await.unwrap();
    let opened = async { transact!(db, |tx| crate::audit::open(tx, &crate::audit::tests::line("a", None)).await) };
    opened.await.unwrap();
    db.close().await;
    assert!(matches!(db.ping().await, Err(StoreError::Unavailable { .. })));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let again = Db::open(&url, OpenOptions::default()).await.unwrap();
    assert_eq!(crate::audit::head(&again).await.unwrap().seq, 1);
}

#[tokio::test]
async fn what_is_no_database_is_said_so_without_its_password() {
    let error = Db::open("mysql://root:secret@db/x", OpenOptions::default()).await.unwrap_err();
    assert!(matches!(error, StoreError::BadUrl) && !error.to_string().contains("secret"));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    std::fs::write(&path, "not a database, but long enough to be taken for one".repeat(100)).unwrap();
    let error = Db::open(&format!("sqlite://{}", path.display()), OpenOptions::default()).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
}
