//! The database: SQLite in a file, or PostgreSQL, behind one type.
//!
//! Invariant: on SQLite there is one writing connection, so writers wait in a fair queue and never in SQLite's sleeping
//! busy handler, and readers cannot write. Must never know a noun.

mod error;
mod schema;
#[cfg(test)]
mod tests;
mod tries;

pub use error::StoreError;
pub use schema::SchemaState;
pub use tries::{MAX_TRIES, Tries};

use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Runs `$body` on whichever engine `$db` is; `$pool` names the pool to read from. A macro, since a query's type
/// differs by engine although its text does not.
macro_rules! on {
    ($db:expr, |$pool:ident| $body:expr) => {
        match &$db.engine {
            $crate::db::Engine::Sqlite { readers: $pool, .. } => $body,
            $crate::db::Engine::Postgres($pool) => $body,
        }
    };
}

/// Like `on!`, for a transaction; `$c` names its connection.
macro_rules! on_tx {
    ($tx:expr, |$c:ident| $body:expr) => {
        match &mut $tx.handle {
            $crate::db::Handle::Sqlite(t) => {
                let $c = &mut **t;
                $body
            }
            $crate::db::Handle::Postgres(t) => {
                let $c = &mut **t;
                $body
            }
        }
    };
}

pub(crate) use {on, on_tx};

/// How long SQLite waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// PostgreSQL gives up on a statement after this; none of ours comes near it.
const STATEMENT_TIMEOUT_MS: u32 = 30_000;
/// PostgreSQL gives up waiting for a row after this.
const LOCK_TIMEOUT_MS: u32 = 10_000;
/// PostgreSQL ends a transaction that was forgotten open after this.
const IDLE_TIMEOUT_MS: u32 = 60_000;

/// How to open a database.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Connections: readers beside the one writer on SQLite, all of them on PostgreSQL.
    pub connections: u32,
    /// How long a caller waits for a free connection.
    pub wait: Duration,
    /// PostgreSQL: the schema that the tables live in; `None` takes the role's default.
    pub schema: Option<String>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { connections: 8, wait: Duration::from_secs(10), schema: None }
    }
}

/// A database; clones share it.
#[derive(Clone)]
pub struct Db {
    pub(crate) engine: Engine,
}

#[derive(Clone)]
pub(crate) enum Engine {
    /// `home` is the folder of a database in memory; it goes when the last clone does.
    Sqlite {
        writer: SqlitePool,
        readers: SqlitePool,
        home: Option<Arc<TempDir>>,
    },
    Postgres(PgPool),
}

impl std::fmt::Debug for Db {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.engine())
    }
}

/// A transaction; dropped without [`Tx::commit`] it rolls back.
pub struct Tx {
    pub(crate) handle: Handle,
}

pub(crate) enum Handle {
    Sqlite(sqlx::Transaction<'static, sqlx::Sqlite>),
    Postgres(sqlx::Transaction<'static, sqlx::Postgres>),
}

impl Tx {
    /// Makes everything in it last.
    pub async fn commit(self) -> Result<(), StoreError> {
        match self.handle {
            Handle::Sqlite(tx) => tx.commit().await?,
            Handle::Postgres(tx) => tx.commit().await?,
        }
        Ok(())
    }

    /// Takes everything in it back now, where dropping it does so when the connection is next looked at: nobody waits
    /// for its locks any longer. When it fails, the connection is given up, and the transaction with it.
    pub async fn rollback(self) {
        let done = match self.handle {
            Handle::Sqlite(tx) => tx.rollback().await,
            Handle::Postgres(tx) => tx.rollback().await,
        };
        if let Err(error) = done {
            tracing::debug!(%error, "rollback failed");
        }
    }
}

impl Db {
    /// Opens `sqlite://PATH` (made when it is not there, readable by its owner only), `sqlite::memory:` (a database of
    /// this process, gone with the last clone) or `postgres://…`. The schema is not touched: see [`Db::migrate`].
    pub async fn open(url: &str, options: OpenOptions) -> Result<Self, StoreError> {
        let engine = if url == "sqlite::memory:" {
            // A temporary file: two pools see it, and it locks like a real one, which SQLite's shared cache does not.
            let home = TempDir::with_prefix("harvester-admin-").map_err(StoreError::unavailable)?;
            let path = home.path().join("memory.db");
            let mut engine = open_sqlite(&path, SqliteSynchronous::Off, &options).await?;
            if let Engine::Sqlite { home: slot, .. } = &mut engine {
                *slot = Some(Arc::new(home));
            }
            engine
        } else if let Some(path) = url.strip_prefix("sqlite://") {
            open_sqlite(Path::new(path), SqliteSynchronous::Full, &options).await?
        } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            open_postgres(url, &options).await?
        } else {
            // The URL may hold a password, so it is not repeated.
            return Err(StoreError::BadUrl);
        };
        Ok(Self { engine })
    }

    /// `sqlite` or `postgres`.
    pub fn engine(&self) -> &'static str {
        match self.engine {
            Engine::Sqlite { .. } => "sqlite",
            Engine::Postgres(_) => "postgres",
        }
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        on!(self, |pool| sqlx::query("SELECT 1").execute(pool).await.map(drop)).map_err(StoreError::from)
    }

    /// Begins a transaction that will write; on SQLite nobody else writes until it ends (`BEGIN IMMEDIATE`), so never
    /// hold it across a call to a cluster.
    pub async fn begin(&self) -> Result<Tx, StoreError> {
        let handle = match &self.engine {
            Engine::Sqlite { writer, .. } => Handle::Sqlite(writer.begin_with("BEGIN IMMEDIATE").await?),
            Engine::Postgres(pool) => Handle::Postgres(pool.begin().await?),
        };
        Ok(Tx { handle })
    }

    /// Ends all connections once they are free; SQLite folds its log into the file.
    pub async fn close(&self) {
        match &self.engine {
            Engine::Sqlite { writer, readers, .. } => {
                readers.close().await;
                writer.close().await;
            }
            Engine::Postgres(pool) => pool.close().await,
        }
    }
}

async fn open_sqlite(path: &Path, sync: SqliteSynchronous, options: &OpenOptions) -> Result<Engine, StoreError> {
    make_private(path).map_err(StoreError::unavailable)?;
    let connect = SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(sync)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true);
    let pool = || SqlitePoolOptions::new().acquire_timeout(options.wait).max_lifetime(None).idle_timeout(None);
    // On a full disk SQLite ends the transaction itself, sqlx's ROLLBACK fails and its count of open transactions stays
    // wrong: such a connection is replaced by a new one. (The pool pings first, so a ROLLBACK under way is counted.)
    let writer = pool().max_connections(1).before_acquire(|c, _| Box::pin(async { Ok(!c.is_in_transaction()) }));
    let writer = writer.connect_with(connect.clone()).await?;
    let readers = pool().max_connections(options.connections.max(1)).connect_with(connect.pragma("query_only", "1"));
    Ok(Engine::Sqlite { writer, readers: readers.await?, home: None })
}

/// Makes the file before SQLite does, so that password hashes and sealed secrets are nobody else's to read; its log
/// files take over the mode.
fn make_private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

async fn open_postgres(url: &str, options: &OpenOptions) -> Result<Engine, StoreError> {
    let mut connect = PgConnectOptions::from_str(url)?.application_name("harvester-admin").options([
        ("statement_timeout", STATEMENT_TIMEOUT_MS),
        ("lock_timeout", LOCK_TIMEOUT_MS),
        ("idle_in_transaction_session_timeout", IDLE_TIMEOUT_MS),
    ]);
    if let Some(schema) = &options.schema {
        connect = connect.options([("search_path", schema)]);
    }
    let pool = PgPoolOptions::new().max_connections(options.connections.max(1)).acquire_timeout(options.wait);
    Ok(Engine::Postgres(pool.connect_with(connect).await?))
}
