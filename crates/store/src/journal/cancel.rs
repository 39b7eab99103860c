//! Asking a running operation to be undone: a mark that whichever worker runs it sees at its next look.

use crate::db::{on, on_tx};
use crate::{Db, StoreError, Tx};
use model::UnixMs;
use model::id::OperationId;

/// Marks a running operation; `false` when it does not run (any more). Marking twice keeps the first moment.
pub async fn ask_cancel(tx: &mut Tx, id: &OperationId, now: UnixMs) -> Result<bool, StoreError> {
    let sql =
        "UPDATE operation SET cancel_asked = COALESCE(cancel_asked, $2), due = CASE WHEN due > $2 THEN $2 ELSE due END
               WHERE id = $1 AND state = 'running'";
    let marked = on_tx!(tx, |c| sqlx::query(sql).bind(id.as_str()).bind(now.0).execute(c).await?.rows_affected());
    Ok(marked == 1)
}

/// Whether an operation is marked.
pub async fn is_cancel_asked(db: &Db, id: &OperationId) -> Result<bool, StoreError> {
    let sql = "SELECT COUNT(*) FROM operation WHERE id = $1 AND cancel_asked IS NOT NULL";
    let marked = on!(db, |pool| sqlx::query_scalar::<_, i64>(sql).bind(id.as_str()).fetch_one(pool).await?);
    Ok(marked > 0)
}
