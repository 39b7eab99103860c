//! Whether the chain is whole.
//!
//! Invariant: the first broken record is named, whatever was done: changed, removed, put between, put in another order,
//! or cut off at the end. Who can write the database can rewrite the whole chain from some point on, so the head is to be
//! kept elsewhere too, now and then: the [`Anchor`].

use super::chain::Record;
use crate::db::on;
use crate::{Db, StoreError};
use model::audit::ChainReport;
use model::{Say, UnixMs, say};

/// Records read at a time: with the largest texts, some 100 MiB at the very most, mostly under 1 MiB.
const BATCH: i64 = 500;

/// The end of the chain at some time, kept outside the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// Sequence number of the last record; 0 for none.
    pub seq: i64,
    /// Its hash, as hex.
    pub hash: String,
}

#[derive(sqlx::FromRow)]
struct ChainRow {
    #[sqlx(flatten)]
    record: Record,
    prev: String,
    hash: String,
}

/// The end of the chain: keep it elsewhere, and give it to [`verify`] later.
pub async fn head(db: &Db) -> Result<Anchor, StoreError> {
    let sql = "SELECT seq, hash FROM audit_head WHERE id = 1";
    let row = on!(db, |pool| sqlx::query_as::<_, (i64, String)>(sql).fetch_optional(pool).await?);
    let (seq, hash) = row.ok_or(StoreError::Corrupt { what: "audit_head" })?;
    Ok(Anchor { seq, hash })
}

/// Reads the whole chain, in batches while others append, and tells the first broken record. `on_progress` gets the
/// number of records looked at. With an `anchor` a chain that was rewritten or cut before it is found out too.
pub async fn verify(
    db: &Db,
    anchor: Option<&Anchor>,
    now: UnixMs,
    mut on_progress: impl FnMut(i64) + Send,
) -> Result<ChainReport, StoreError> {
    let mut last = Anchor { seq: 0, hash: "0".repeat(64) };
    let mut report = ChainReport { records: 0, head: last.hash.clone(), broken: None, at: now };
    // The first batch has no lower bound, so that a record numbered 0 or less cannot hide.
    let mut after = i64::MIN;
    loop {
        // Read before the batch: a record that it counts must then be in this batch or an earlier one.
        let head = head(db).await?;
        let rows = batch(db, after).await?;
        for row in &rows {
            if let Some(broken) = fault(row, &last, anchor) {
                report.broken = Some(broken);
                return Ok(report);
            }
            last = Anchor { seq: row.record.seq, hash: row.hash.clone() };
            report.records += 1;
            report.head.clone_from(&last.hash);
        }
        on_progress(report.records);
        if rows.is_empty() {
            report.broken = end_fault(&last, &head, anchor);
            return Ok(report);
        }
        after = last.seq;
    }
}

/// What is wrong with a record, given the one before.
fn fault(row: &ChainRow, last: &Anchor, anchor: Option<&Anchor>) -> Option<(i64, Say)> {
    let (seq, expected) = (row.record.seq, last.seq + 1);
    if seq > expected {
        return Some((expected, say!("第 {expected} 条记录不见了", "record {expected} is missing")));
    }
    if seq < expected {
        return Some((seq, say!("第 {seq} 条记录是插进来的", "record {seq} was put in")));
    }
    if row.prev != last.hash || row.record.hash(&last.hash) != row.hash {
        return Some((
            seq,
            say!("第 {seq} 条记录被改过，或换了顺序", "record {seq} is not as it was written, or not in its place"),
        ));
    }
    if anchor.is_some_and(|anchor| anchor.seq == seq && anchor.hash != row.hash) {
        return Some((
            seq,
            say!("第 {seq} 条记录与库外锚点不符", "record {seq} differs from the anchor kept elsewhere"),
        ));
    }
    None
}

/// What is wrong with the end.
fn end_fault(last: &Anchor, head: &Anchor, anchor: Option<&Anchor>) -> Option<(i64, Say)> {
    let next = last.seq + 1;
    if head.seq > last.seq || anchor.is_some_and(|anchor| anchor.seq > last.seq) {
        return Some((next, say!("从第 {next} 条起的记录不见了", "records from {next} on are missing")));
    }
    if head.seq < last.seq || head.hash != last.hash {
        let seq = last.seq;
        return Some((seq, say!("链头与第 {seq} 条记录不符", "the head of the chain differs from record {seq}")));
    }
    None
}

async fn batch(db: &Db, after: i64) -> Result<Vec<ChainRow>, StoreError> {
    let sql = "SELECT seq, opens, at, actor, from_address, verb, act, object, reason, request, outcome, before_json,
                      after_json, detail, prev, hash
               FROM audit_record WHERE seq > $1 ORDER BY seq LIMIT $2";
    Ok(on!(db, |pool| sqlx::query_as::<_, ChainRow>(sql).bind(after).bind(BATCH).fetch_all(pool).await?))
}
