//! Writes to an operation: all but its making and the nudge name the fencing token.

use super::{Entry, NewOperation};
use crate::db::on_tx;
use crate::text::{clean, to_json};
use crate::{StoreError, Tx};
use model::UnixMs;
use model::change::State;
use model::id::OperationId;

/// Begins an operation; [`StoreError::Unique`] when the id is there or the actor's key was used.
pub async fn insert(tx: &mut Tx, new: &NewOperation<'_>) -> Result<(), StoreError> {
    let sql = "INSERT INTO operation (id, kind, version, object, title, actor, account, data, state, began, audit_seq,
                                      key, due)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'running', $9, $10, $11, $9)";
    let title = to_json(new.title, "operation.title")?;
    on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(new.id.as_str()).bind(new.kind).bind(i64::from(new.version));
        let query = query.bind(clean(new.object)).bind(&title).bind(new.actor).bind(new.account.as_str());
        let query = query.bind(new.data_json).bind(new.at.0).bind(new.audit_seq);
        query.bind(new.key.map(|key| key.as_str())).execute(c).await?.rows_affected()
    });
    Ok(())
}

/// Adds a line to the journal.
pub async fn append(
    tx: &mut Tx,
    id: &OperationId,
    token: i64,
    step: &str,
    entry: Entry,
    at: UnixMs,
    note_json: Option<&str>,
) -> Result<(), StoreError> {
    hold(tx, id, token).await?;
    let sql = "INSERT INTO operation_entry (operation, place, step, entry, at, note)
               SELECT $1, COALESCE(MAX(place), 0) + 1, $2, $3, $4, $5 FROM operation_entry WHERE operation = $1";
    on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(id.as_str()).bind(step).bind(entry.word()).bind(at.0);
        query.bind(note_json.map(clean)).execute(c).await?.rows_affected()
    });
    Ok(())
}

/// Saves what the steps hand on.
pub async fn save_data(tx: &mut Tx, id: &OperationId, token: i64, data_json: &str) -> Result<(), StoreError> {
    let sql = "UPDATE operation SET data = $3 WHERE id = $1 AND token = $2";
    let written = on_tx!(tx, |c| {
        sqlx::query(sql).bind(id.as_str()).bind(token).bind(data_json).execute(c).await?.rows_affected()
    });
    fenced(written)
}

/// Puts an operation aside until `due`, free for any worker then.
pub async fn reschedule(
    tx: &mut Tx,
    id: &OperationId,
    token: i64,
    due: UnixMs,
    waits_for_json: Option<&str>,
) -> Result<(), StoreError> {
    let sql = "UPDATE operation SET due = $3, waits_for = $4, lease_until = 0 WHERE id = $1 AND token = $2";
    let written = on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(id.as_str()).bind(token).bind(due.0).bind(waits_for_json.map(clean));
        query.execute(c).await?.rows_affected()
    });
    fenced(written)
}

/// Keeps others away until `until`: for a step that takes longer than a lease.
pub async fn renew(tx: &mut Tx, id: &OperationId, token: i64, until: UnixMs) -> Result<(), StoreError> {
    let sql = "UPDATE operation SET lease_until = $3 WHERE id = $1 AND token = $2";
    let written = on_tx!(tx, |c| {
        sqlx::query(sql).bind(id.as_str()).bind(token).bind(until.0).execute(c).await?.rows_affected()
    });
    fenced(written)
}

/// Writes down how an operation stands; a final state ends it.
pub async fn set_state(tx: &mut Tx, id: &OperationId, token: i64, state: State, at: UnixMs) -> Result<(), StoreError> {
    let sql = "UPDATE operation SET state = $3, ended = $4, waits_for = NULL WHERE id = $1 AND token = $2";
    let ended = state.is_final().then_some(at.0);
    let written = on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(id.as_str()).bind(token).bind(state.word()).bind(ended);
        query.execute(c).await?.rows_affected()
    });
    fenced(written)
}

/// Takes a parked operation up again as running or undoing, due at once: a person looked. `false` when it is not parked.
pub async fn resume(tx: &mut Tx, id: &OperationId, state: State, now: UnixMs) -> Result<bool, StoreError> {
    let sql = "UPDATE operation SET state = $2, ended = NULL, due = $3, lease_until = 0
               WHERE id = $1 AND state = 'parked' AND $2 IN ('running', 'undoing')";
    let written = on_tx!(tx, |c| {
        sqlx::query(sql).bind(id.as_str()).bind(state.word()).bind(now.0).execute(c).await?.rows_affected()
    });
    Ok(written == 1)
}

/// Has an operation looked at no later than `now`: what it waits for may have come.
pub async fn nudge(tx: &mut Tx, id: &OperationId, now: UnixMs) -> Result<(), StoreError> {
    let sql = "UPDATE operation SET due = $2 WHERE id = $1 AND due > $2 AND ended IS NULL";
    on_tx!(tx, |c| sqlx::query(sql).bind(id.as_str()).bind(now.0).execute(c).await?.rows_affected());
    Ok(())
}

/// Proves that the token is the newest, and keeps it so until the transaction ends.
async fn hold(tx: &mut Tx, id: &OperationId, token: i64) -> Result<(), StoreError> {
    let sql = "UPDATE operation SET token = token WHERE id = $1 AND token = $2";
    let held = on_tx!(tx, |c| sqlx::query(sql).bind(id.as_str()).bind(token).execute(c).await?.rows_affected());
    fenced(held)
}

fn fenced(written: u64) -> Result<(), StoreError> {
    if written == 1 { Ok(()) } else { Err(StoreError::Fenced) }
}
