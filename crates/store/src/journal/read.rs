//! Reading operations and their journals.

use super::{Entry, JournalLine, OperationRecord, OperationRow};
use crate::db::on;
use crate::text::known;
use crate::{Db, StoreError};
use model::UnixMs;
use model::id::{IdempotencyKey, OperationId};

/// Longest journal that is read: a plan of ten steps, each tried and undone a hundred times.
const MAX_ENTRIES: i64 = 4_000;

/// The operation with that id.
pub async fn get(db: &Db, id: &OperationId) -> Result<Option<OperationRecord>, StoreError> {
    let sql = "SELECT id, kind, version, object, title, actor, account, data, state, waits_for, began, ended,
                      audit_seq, key, due, worker, lease_until, token
               FROM operation WHERE id = $1";
    let row = on!(db, |pool| sqlx::query_as::<_, OperationRow>(sql).bind(id.as_str()).fetch_optional(pool).await?);
    row.map(OperationRow::record).transpose()
}

/// The operation that an actor's request with that key began.
pub async fn by_key(db: &Db, actor: &str, key: &IdempotencyKey) -> Result<Option<OperationRecord>, StoreError> {
    let sql = "SELECT id, kind, version, object, title, actor, account, data, state, waits_for, began, ended,
                      audit_seq, key, due, worker, lease_until, token
               FROM operation WHERE actor = $1 AND key = $2";
    let row = on!(db, |pool| {
        sqlx::query_as::<_, OperationRow>(sql).bind(actor).bind(key.as_str()).fetch_optional(pool).await?
    });
    row.map(OperationRow::record).transpose()
}

/// Operations that are going on, the oldest first; at most `limit`.
pub async fn running(db: &Db, limit: u32) -> Result<Vec<OperationRecord>, StoreError> {
    let sql = "SELECT id, kind, version, object, title, actor, account, data, state, waits_for, began, ended,
                      audit_seq, key, due, worker, lease_until, token
               FROM operation WHERE ended IS NULL ORDER BY began, id LIMIT $1";
    records(on!(db, |pool| sqlx::query_as::<_, OperationRow>(sql).bind(i64::from(limit)).fetch_all(pool).await?))
}

/// Operations, the newest first; at most `limit`.
pub async fn recent(db: &Db, limit: u32) -> Result<Vec<OperationRecord>, StoreError> {
    let sql = "SELECT id, kind, version, object, title, actor, account, data, state, waits_for, began, ended,
                      audit_seq, key, due, worker, lease_until, token
               FROM operation ORDER BY began DESC, id DESC LIMIT $1";
    records(on!(db, |pool| sqlx::query_as::<_, OperationRow>(sql).bind(i64::from(limit)).fetch_all(pool).await?))
}

/// Operations of an object, the newest first; at most `limit`.
pub async fn of_object(db: &Db, object: &str, limit: u32) -> Result<Vec<OperationRecord>, StoreError> {
    let sql = "SELECT id, kind, version, object, title, actor, account, data, state, waits_for, began, ended,
                      audit_seq, key, due, worker, lease_until, token
               FROM operation WHERE object = $1 ORDER BY began DESC, id DESC LIMIT $2";
    records(on!(db, |pool| {
        sqlx::query_as::<_, OperationRow>(sql).bind(object).bind(i64::from(limit)).fetch_all(pool).await?
    }))
}

/// The journal of an operation, in order.
pub async fn entries(db: &Db, id: &OperationId) -> Result<Vec<JournalLine>, StoreError> {
    let sql = "SELECT step, entry, at, note FROM operation_entry WHERE operation = $1 ORDER BY place LIMIT $2";
    let rows = on!(db, |pool| {
        let query = sqlx::query_as::<_, (String, String, i64, Option<String>)>(sql).bind(id.as_str());
        query.bind(MAX_ENTRIES).fetch_all(pool).await?
    });
    let line = |(step, entry, at, note_json): (String, String, i64, Option<String>)| {
        let entry = known(Entry::parse(&entry), "operation_entry.entry")?;
        Ok(JournalLine { step, entry, at: UnixMs(at), note_json })
    };
    rows.into_iter().map(line).collect()
}

fn records(rows: Vec<OperationRow>) -> Result<Vec<OperationRecord>, StoreError> {
    rows.into_iter().map(OperationRow::record).collect()
}
