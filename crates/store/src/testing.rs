//! Databases for tests: each test on SQLite, and on PostgreSQL when `TEST_POSTGRES_URL` is set.
//!
//! Invariant: no two tests share a row, and nothing is left behind, whether a test passes or panics. For tests only:
//! what fails here panics.

use crate::{Db, OpenOptions};
use sqlx::postgres::PgPool;

/// The variable that names a PostgreSQL server on which schemas may be made.
pub const POSTGRES_URL: &str = "TEST_POSTGRES_URL";

/// Runs a test on a fresh, migrated database of each engine.
pub async fn each<F>(test: impl Fn(Db) -> F)
where
    F: Future<Output = ()>,
{
    test(memory().await).await;
    if let Some((db, _schema)) = postgres(OpenOptions::default()).await {
        test(db.clone()).await;
        // What a dropped transaction left for later must be over before its schema is dropped.
        db.close().await;
    }
}

/// A fresh, migrated SQLite database that goes with its last clone.
pub async fn memory() -> Db {
    let db = Db::open("sqlite::memory:", OpenOptions::default()).await.expect("open SQLite in memory");
    db.migrate().await.expect("migrate SQLite");
    db
}

/// A fresh, migrated schema on the PostgreSQL server, if one is named; it goes with the guard.
pub async fn postgres(options: OpenOptions) -> Option<(Db, Schema)> {
    let url = std::env::var(POSTGRES_URL).ok()?;
    let schema = Schema { name: format!("test_{:016x}", rand::random::<u64>()), url };
    schema.run("CREATE SCHEMA").await;
    let options = OpenOptions { schema: Some(schema.name.clone()), ..options };
    let db = Db::open(&schema.url, options).await.expect("open PostgreSQL");
    db.migrate().await.expect("migrate PostgreSQL");
    Some((db, schema))
}

/// A schema on the PostgreSQL server, dropped when this is.
pub struct Schema {
    name: String,
    url: String,
}

impl Schema {
    async fn run(&self, command: &str) {
        let end = if command.starts_with("DROP") { " CASCADE" } else { "" };
        let sql = format!("{command} {}{end}", self.name);
        let pool = PgPool::connect(&self.url).await.expect("connect to PostgreSQL");
        // The name is ours, of hex digits.
        sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&pool).await.expect("make or drop a schema");
        pool.close().await;
    }
}

impl Drop for Schema {
    /// On a thread of its own, since a test that panics has no runtime to wait on.
    fn drop(&mut self) {
        std::thread::scope(|scope| {
            let drop_it = || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.expect("start a runtime").block_on(self.run("DROP SCHEMA"));
            };
            // A failure here must not hide the test's own.
            let _ = scope.spawn(drop_it).join();
        });
    }
}
