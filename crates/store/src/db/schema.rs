//! The schema: one portable set of migrations, and what a program may do with a database it did not make.
//!
//! Invariant: a program never writes to a schema that is newer than itself.

use super::{Db, Engine, StoreError, on};
use sqlx::migrate::{MigrateError, Migrator};

static MIGRATOR: Migrator = sqlx::migrate!("../../migrations");

/// How the schema of a database stands to this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaState {
    /// Neither has to do anything.
    Current,
    /// [`Db::migrate`] brings it up; `at` is 0 for an empty database.
    Behind {
        /// Version that it has.
        at: i64,
        /// Version that it should have.
        wants: i64,
    },
    /// A newer program was here: refuse to start.
    Ahead {
        /// Version that it has.
        at: i64,
        /// Newest version that this program knows.
        knows: i64,
    },
}

impl Db {
    /// How the schema stands.
    pub async fn schema(&self) -> Result<SchemaState, StoreError> {
        let knows = MIGRATOR.iter().map(|m| m.version).max().unwrap_or(0);
        let at = self.schema_version().await?;
        Ok(match at.cmp(&knows) {
            std::cmp::Ordering::Less => SchemaState::Behind { at, wants: knows },
            std::cmp::Ordering::Equal => SchemaState::Current,
            std::cmp::Ordering::Greater => SchemaState::Ahead { at, knows },
        })
    }

    /// Brings the schema up to this program's; nothing when it is there already. Several processes may try at once.
    pub async fn migrate(&self) -> Result<(), StoreError> {
        if let SchemaState::Ahead { at, knows } = self.schema().await? {
            return Err(StoreError::Ahead { at, knows });
        }
        let run = match &self.engine {
            Engine::Sqlite { writer, .. } => MIGRATOR.run(writer).await,
            Engine::Postgres(pool) => MIGRATOR.run(pool).await,
        };
        run.map_err(|error| match error {
            MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _) => source.into(),
            MigrateError::VersionMismatch(_) | MigrateError::Dirty(_) | MigrateError::VersionMissing(_) => {
                StoreError::Corrupt { what: "the record of migrations" }
            }
            other => StoreError::Other { source: sqlx::Error::Migrate(Box::new(other)) },
        })
    }

    async fn schema_version(&self) -> Result<i64, StoreError> {
        let tables = match &self.engine {
            Engine::Sqlite { readers, .. } => {
                let sql = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = '_sqlx_migrations'";
                sqlx::query_scalar::<_, i64>(sql).fetch_one(readers).await?
            }
            Engine::Postgres(pool) => {
                let sql = "SELECT COUNT(*) FROM information_schema.tables
                           WHERE table_schema = current_schema() AND table_name = '_sqlx_migrations'";
                sqlx::query_scalar::<_, i64>(sql).fetch_one(pool).await?
            }
        };
        if tables == 0 {
            return Ok(0);
        }
        let sql = "SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations";
        Ok(on!(self, |pool| sqlx::query_scalar::<_, i64>(sql).fetch_one(pool).await)?)
    }
}
