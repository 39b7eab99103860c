//! The claim: which operation a worker runs next.

use super::{OperationRecord, OperationRow};
use crate::db::{Engine, on, on_tx};
use crate::{Db, StoreError};
use model::UnixMs;

/// Claims the operation that is due longest and free, for `lease_ms` from `now`; it comes with a new fencing token. On
/// both engines no operation is claimed twice, and `None` means that nothing free is due.
pub async fn claim_due(
    db: &Db,
    worker: &str,
    now: UnixMs,
    lease_ms: i64,
) -> Result<Option<OperationRecord>, StoreError> {
    // Two texts: PostgreSQL's workers would all wait for the same row and come back empty (stack.md §8).
    let sql = match db.engine {
        Engine::Sqlite { .. } => {
            "UPDATE operation SET worker = $1, lease_until = $2, token = token + 1
             WHERE ended IS NULL AND due <= $3 AND lease_until <= $3 AND id = (
                 SELECT id FROM operation WHERE ended IS NULL AND due <= $3 AND lease_until <= $3
                 ORDER BY due, id LIMIT 1)
             RETURNING id, kind, version, object, title, actor, account, data, state, waits_for, began, ended,
                       audit_seq, key, due, worker, lease_until, token"
        }
        Engine::Postgres(_) => {
            "UPDATE operation SET worker = $1, lease_until = $2, token = token + 1
             WHERE ended IS NULL AND due <= $3 AND lease_until <= $3 AND id = (
                 SELECT id FROM operation WHERE ended IS NULL AND due <= $3 AND lease_until <= $3
                 ORDER BY due, id LIMIT 1 FOR UPDATE SKIP LOCKED)
             RETURNING id, kind, version, object, title, actor, account, data, state, waits_for, began, ended,
                       audit_seq, key, due, worker, lease_until, token"
        }
    };
    let mut tx = db.begin().await?;
    let row = on_tx!(tx, |c| {
        let query = sqlx::query_as::<_, OperationRow>(sql).bind(worker).bind(now.0.saturating_add(lease_ms));
        query.bind(now.0).fetch_optional(c).await?
    });
    tx.commit().await?;
    row.map(OperationRow::record).transpose()
}

/// Ends the leases of a worker that is known to be gone; its tokens stay spent.
pub async fn free(db: &Db, worker: &str) -> Result<(), StoreError> {
    let sql = "UPDATE operation SET lease_until = 0 WHERE ended IS NULL AND worker = $1";
    let mut tx = db.begin().await?;
    on_tx!(tx, |c| sqlx::query(sql).bind(worker).execute(c).await?.rows_affected());
    tx.commit().await
}

/// When the next operation can be claimed, if nothing changes: a runner may sleep until then, or until it is nudged.
pub async fn next_due(db: &Db) -> Result<Option<UnixMs>, StoreError> {
    let sql = "SELECT MIN(CASE WHEN due > lease_until THEN due ELSE lease_until END) FROM operation
               WHERE ended IS NULL";
    let due = on!(db, |pool| sqlx::query_scalar::<_, Option<i64>>(sql).fetch_one(pool).await?);
    Ok(due.map(UnixMs))
}
