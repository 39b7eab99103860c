//! The audit trail: a chain of records, each carrying the hash of the one before.
//!
//! Invariant: records are only added, one after the other: `audit_head` is the lock and remembers the end. An act is
//! opened before anything happens and closed once. Must never know what an act means.
//!
//! Lock order: opening or closing holds `audit_head` until the transaction ends, so do it as the last thing in one.

mod chain;
mod search;
#[cfg(test)]
pub(crate) mod tests;
mod verify;

pub use search::{search, unclosed};
pub use verify::{Anchor, head, verify};

use crate::db::on_tx;
use crate::text::cut;
use crate::{StoreError, Tx};
use chain::Record;
use model::UnixMs;
use model::audit::Outcome;

/// Longest actor, verb, object and so on that is kept, in bytes; longer ones are cut with a mark.
pub const MAX_WORD: usize = 512;
/// Longest reason and detail that is kept, in bytes.
pub const MAX_SENTENCE: usize = 4 * 1024;
/// Longest before and after that is kept, in bytes: a VM object with its managed fields has 30 KiB.
pub const MAX_JSON: usize = 64 * 1024;

/// An act about to happen.
#[derive(Debug, Clone, Copy)]
pub struct NewAudit<'a> {
    /// When.
    pub at: UnixMs,
    /// Sign-in name of who does it.
    pub actor: &'a str,
    /// Address that it comes from.
    pub from: &'a str,
    /// Verb, for example `vm.power`.
    pub verb: &'a str,
    /// What exactly, for example `restart`.
    pub act: &'a str,
    /// Object, for example `bj-1/erp-prod/prod-order-app-03`.
    pub object: &'a str,
    /// Why, as typed.
    pub reason: &'a str,
    /// Request that it came with.
    pub request: &'a str,
    /// Before, as JSON.
    pub before: Option<&'a str>,
}

/// How an act ended.
#[derive(Debug, Clone, Copy)]
pub struct Closing<'a> {
    /// When.
    pub at: UnixMs,
    /// How.
    pub outcome: Outcome,
    /// Before, as JSON, if it was not known at the opening.
    pub before: Option<&'a str>,
    /// After, as JSON.
    pub after: Option<&'a str>,
    /// What the cluster or the rule said.
    pub detail: Option<&'a str>,
}

/// An opened act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// Its sequence number.
    pub seq: i64,
    /// Its hash, as hex.
    pub hash: String,
}

/// Writes down an act before it happens. Nothing may happen unless this was committed.
pub async fn open(tx: &mut Tx, new: &NewAudit<'_>) -> Result<Opened, StoreError> {
    let (seq, prev) = next(tx).await?;
    let record = Record {
        seq,
        opens: None,
        at: new.at.0,
        actor: cut(new.actor, MAX_WORD).into_owned(),
        from_address: cut(new.from, MAX_WORD).into_owned(),
        verb: cut(new.verb, MAX_WORD).into_owned(),
        act: cut(new.act, MAX_WORD).into_owned(),
        object: cut(new.object, MAX_WORD).into_owned(),
        reason: cut(new.reason, MAX_SENTENCE).into_owned(),
        request: cut(new.request, MAX_WORD).into_owned(),
        outcome: Outcome::Open.word().to_owned(),
        before_json: new.before.map(|json| cut(json, MAX_JSON).into_owned()),
        after_json: None,
        detail: None,
    };
    let hash = append(tx, &record, &prev).await?;
    Ok(Opened { seq, hash })
}

/// Writes down how the act opened as `opened` ended; `false` when that was written down before, or there is no such act.
pub async fn close(tx: &mut Tx, opened: i64, closing: &Closing<'_>) -> Result<bool, StoreError> {
    let sql = "SELECT o.actor, o.verb, o.act, o.object FROM audit_record o
               WHERE o.seq = $1 AND o.opens IS NULL
               AND NOT EXISTS (SELECT 1 FROM audit_record c WHERE c.opens = o.seq)";
    // The head is taken first: who waits for it must see what the one before wrote.
    let (seq, prev) = next(tx).await?;
    let found = on_tx!(tx, |c| {
        sqlx::query_as::<_, (String, String, String, String)>(sql).bind(opened).fetch_optional(c).await?
    });
    let Some((actor, verb, act, object)) = found else {
        give_back(tx).await?;
        return Ok(false);
    };
    let record = Record {
        seq,
        opens: Some(opened),
        at: closing.at.0,
        actor,
        verb,
        act,
        object,
        outcome: closing.outcome.word().to_owned(),
        before_json: closing.before.map(|json| cut(json, MAX_JSON).into_owned()),
        after_json: closing.after.map(|json| cut(json, MAX_JSON).into_owned()),
        detail: closing.detail.map(|text| cut(text, MAX_SENTENCE).into_owned()),
        ..Record::default()
    };
    append(tx, &record, &prev).await?;
    Ok(true)
}

/// Takes the next number and the hash before it, and with them the right to append.
async fn next(tx: &mut Tx) -> Result<(i64, String), StoreError> {
    let sql = "UPDATE audit_head SET seq = seq + 1 WHERE id = 1 RETURNING seq, hash";
    let row = on_tx!(tx, |c| sqlx::query_as::<_, (i64, String)>(sql).fetch_optional(c).await?);
    row.ok_or(StoreError::Corrupt { what: "audit_head" })
}

async fn give_back(tx: &mut Tx) -> Result<(), StoreError> {
    let sql = "UPDATE audit_head SET seq = seq - 1 WHERE id = 1";
    on_tx!(tx, |c| sqlx::query(sql).execute(c).await?.rows_affected());
    Ok(())
}

async fn append(tx: &mut Tx, record: &Record, prev: &str) -> Result<String, StoreError> {
    let hash = record.hash(prev);
    let sql = "INSERT INTO audit_record (seq, opens, at, actor, from_address, verb, act, object, reason, request,
                                         outcome, before_json, after_json, detail, prev, hash)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(record.seq).bind(record.opens).bind(record.at).bind(&record.actor);
        let query = query.bind(&record.from_address).bind(&record.verb).bind(&record.act).bind(&record.object);
        let query = query.bind(&record.reason).bind(&record.request).bind(&record.outcome);
        let query = query.bind(&record.before_json).bind(&record.after_json).bind(&record.detail);
        query.bind(prev).bind(&hash).execute(c).await?.rows_affected()
    });
    let sql = "UPDATE audit_head SET hash = $1 WHERE id = 1";
    on_tx!(tx, |c| sqlx::query(sql).bind(&hash).execute(c).await?.rows_affected());
    Ok(hash)
}
