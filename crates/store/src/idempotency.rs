//! What was sent once and must not be done twice.
//!
//! Invariant: of all requests with one actor and key, one is [`Claim::Fresh`]; the others get its answer, or are told to
//! wait, or that they are another request. A claim whose holder died is fresh again after its lease. Must never know
//! what the answer means.

#[cfg(test)]
mod tests;

use crate::db::on_tx;
use crate::{StoreError, Tx};
use model::UnixMs;
use model::id::IdempotencyKey;

/// What a claim came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// Nobody did this yet: do it, then [`finish`].
    Fresh,
    /// Done before; this was the answer.
    Done {
        /// As it was given to [`finish`].
        response_json: String,
    },
    /// Somebody is at it.
    Running,
    /// The key came with another body or for another act before.
    OtherBody,
}

/// A request that must not be done twice.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What the browser sent with it.
    pub key: &'a IdempotencyKey,
    /// Sign-in name of who sent it: keys of different people do not meet.
    pub actor: &'a str,
    /// Verb.
    pub verb: &'a str,
    /// SHA-256 of the body, as hex.
    pub body_sha256: &'a str,
}

/// Claims a request for `lease_ms` from `now`. In one transaction with what it does, or in one before it.
pub async fn claim(tx: &mut Tx, request: &Request<'_>, now: UnixMs, lease_ms: i64) -> Result<Claim, StoreError> {
    let sql = "INSERT INTO idempotency (actor, key, verb, body_sha256, claimed, lease_until)
               VALUES ($1, $2, $3, $4, $5, $6)
               ON CONFLICT (actor, key) DO UPDATE SET claimed = excluded.claimed, lease_until = excluded.lease_until
               WHERE idempotency.response IS NULL AND idempotency.lease_until <= $5
                 AND idempotency.verb = excluded.verb AND idempotency.body_sha256 = excluded.body_sha256";
    let claimed = on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(request.actor).bind(request.key.as_str()).bind(request.verb);
        let query = query.bind(request.body_sha256).bind(now.0).bind(now.0.saturating_add(lease_ms));
        query.execute(c).await?.rows_affected()
    });
    if claimed == 1 {
        return Ok(Claim::Fresh);
    }
    let sql = "SELECT verb, body_sha256, response FROM idempotency WHERE actor = $1 AND key = $2";
    let row = on_tx!(tx, |c| {
        let query = sqlx::query_as::<_, (String, String, Option<String>)>(sql).bind(request.actor);
        query.bind(request.key.as_str()).fetch_optional(c).await?
    });
    Ok(match row {
        // Released between our two statements: another try gets it.
        None => return Err(StoreError::Conflict { source: None }),
        Some((verb, body, _)) if verb != request.verb || body != request.body_sha256 => Claim::OtherBody,
        Some((_, _, Some(response_json))) => Claim::Done { response_json },
        Some((_, _, None)) => Claim::Running,
    })
}

/// Keeps the answer of a claimed request; `false` when there is an answer already, or no claim.
pub async fn finish(tx: &mut Tx, actor: &str, key: &IdempotencyKey, response_json: &str) -> Result<bool, StoreError> {
    let sql = "UPDATE idempotency SET response = $3 WHERE actor = $1 AND key = $2 AND response IS NULL";
    let kept = on_tx!(tx, |c| {
        sqlx::query(sql).bind(actor).bind(key.as_str()).bind(response_json).execute(c).await?.rows_affected()
    });
    Ok(kept == 1)
}

/// Gives up a claim that has no answer, so that the same request may be sent again.
pub async fn release(tx: &mut Tx, actor: &str, key: &IdempotencyKey) -> Result<(), StoreError> {
    let sql = "DELETE FROM idempotency WHERE actor = $1 AND key = $2 AND response IS NULL";
    on_tx!(tx, |c| sqlx::query(sql).bind(actor).bind(key.as_str()).execute(c).await?.rows_affected());
    Ok(())
}

/// Forgets what was claimed before `before`; how many.
pub async fn purge(tx: &mut Tx, before: UnixMs) -> Result<u64, StoreError> {
    let sql = "DELETE FROM idempotency WHERE claimed < $1 AND (response IS NOT NULL OR lease_until < $1)";
    Ok(on_tx!(tx, |c| sqlx::query(sql).bind(before.0).execute(c).await?.rows_affected()))
}
