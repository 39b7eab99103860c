//! Looking things up in the trail: an opening record with its closing one is a line.

use crate::db::on;
use crate::text::{clean, known};
use crate::{Db, StoreError};
use model::UnixMs;
use model::audit::{AuditLine, AuditQuery, Outcome};
use model::page::{MAX_ROWS, Page};

/// Digits of the hash that a line shows.
const SHOWN_DIGITS: usize = 12;

#[derive(sqlx::FromRow)]
struct LineRow {
    seq: i64,
    at: i64,
    actor: String,
    from_address: String,
    verb: String,
    act: String,
    object: String,
    reason: String,
    request: String,
    before_json: Option<String>,
    hash: String,
    closed_seq: Option<i64>,
    closed: Option<i64>,
    outcome: Option<String>,
    closed_before: Option<String>,
    after_json: Option<String>,
    detail: Option<String>,
}

impl LineRow {
    fn line(self) -> Result<AuditLine, StoreError> {
        let outcome = match &self.outcome {
            Some(word) => known(Outcome::parse(word), "audit_record.outcome")?,
            None => Outcome::Open,
        };
        Ok(AuditLine {
            seq: self.seq,
            at: UnixMs(self.at),
            closed: self.closed.map(UnixMs),
            closed_seq: self.closed_seq,
            actor: self.actor,
            from: self.from_address,
            verb: self.verb,
            act: self.act,
            object: self.object,
            reason: self.reason,
            request: self.request,
            outcome,
            before: self.closed_before.or(self.before_json),
            after: self.after_json,
            detail: self.detail,
            hash: self.hash.chars().take(SHOWN_DIGITS).collect(),
        })
    }
}

/// Lines that match, the newest first; at most `limit` and [`MAX_ROWS`]. The text may be in any case (ASCII letters;
/// others must match as they are) and stands for itself: `%` and `_` are no wildcards.
pub async fn search(db: &Db, query: &AuditQuery, limit: u32) -> Result<Page<AuditLine>, StoreError> {
    let sql = "SELECT o.seq, o.at, o.actor, o.from_address, o.verb, o.act, o.object, o.reason, o.request,
                      o.before_json, o.hash, c.seq AS closed_seq, c.at AS closed, c.outcome,
                      c.before_json AS closed_before, c.after_json, c.detail
               FROM audit_record o LEFT JOIN audit_record c ON c.opens = o.seq
               WHERE o.opens IS NULL
               AND ($1 IS NULL OR o.seq < $1)
               AND ($2 IS NULL OR COALESCE(c.outcome, 'open') = $2)
               AND ($3 IS NULL
                    OR LOWER(o.actor) LIKE LOWER($3) ESCAPE '!' OR LOWER(o.verb) LIKE LOWER($3) ESCAPE '!'
                    OR LOWER(o.act) LIKE LOWER($3) ESCAPE '!' OR LOWER(o.object) LIKE LOWER($3) ESCAPE '!'
                    OR LOWER(o.reason) LIKE LOWER($3) ESCAPE '!')
               ORDER BY o.seq DESC LIMIT $4";
    let limit = limit.clamp(1, MAX_ROWS);
    let outcome = query.outcome.map(Outcome::word);
    let rows = on!(db, |pool| {
        let find = sqlx::query_as::<_, LineRow>(sql).bind(query.before).bind(outcome).bind(pattern(&query.text));
        // One more than asked for tells whether there is a next page.
        find.bind(i64::from(limit) + 1).fetch_all(pool).await?
    });
    let is_more = rows.len() > limit as usize;
    let rows = rows.into_iter().take(limit as usize).map(LineRow::line).collect::<Result<Vec<_>, _>>()?;
    let next = rows.last().filter(|_| is_more).map(|line| line.seq.to_string());
    Ok(Page { rows, next })
}

/// Acts that were opened before `before` and never closed, the oldest first: what a crash left behind.
pub async fn unclosed(db: &Db, before: UnixMs, limit: u32) -> Result<Vec<AuditLine>, StoreError> {
    let sql = "SELECT o.seq, o.at, o.actor, o.from_address, o.verb, o.act, o.object, o.reason, o.request,
                      o.before_json, o.hash, c.seq AS closed_seq, c.at AS closed, c.outcome,
                      c.before_json AS closed_before, c.after_json, c.detail
               FROM audit_record o LEFT JOIN audit_record c ON c.opens = o.seq
               WHERE o.opens IS NULL AND c.seq IS NULL AND o.at < $1 ORDER BY o.seq LIMIT $2";
    let rows = on!(db, |pool| {
        sqlx::query_as::<_, LineRow>(sql).bind(before.0).bind(i64::from(limit)).fetch_all(pool).await?
    });
    rows.into_iter().map(LineRow::line).collect()
}

fn pattern(text: &str) -> Option<String> {
    let text = clean(text.trim());
    if text.is_empty() {
        return None;
    }
    let escaped = text.replace('!', "!!").replace('%', "!%").replace('_', "!_");
    Some(format!("%{escaped}%"))
}
