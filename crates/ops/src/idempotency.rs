//! Sent twice, done once: the answer of the first request is the answer of the second.

use crate::{Context, Error, Result};
use model::access::Verb;
use model::id::IdempotencyKey;
use model::{Say, UnixMs};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::Digest;
use store::Db;
use store::idempotency::{Claim, Request};

/// How long a request may take before another of the same key may try, in milliseconds.
const LEASE_MS: i64 = 120_000;
/// How long a second request waits for the first one's answer.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);
/// How often it looks.
const LOOK: std::time::Duration = std::time::Duration::from_millis(100);

/// Whether this request is the first of its key.
pub(crate) enum Asked<T> {
    /// It is: do it, then settle the claim.
    First(Claimed),
    /// It is not: this was the answer.
    Before(T),
}

/// The right to do it.
pub(crate) struct Claimed {
    db: Db,
    actor: String,
    key: IdempotencyKey,
}

/// Claims the key, or waits for the answer of whoever has it.
pub(crate) async fn ask<T: DeserializeOwned>(
    db: &Db,
    ctx: &Context,
    key: &IdempotencyKey,
    verb: Verb,
    body: &str,
) -> Result<Asked<T>> {
    let actor = ctx.actor.login().to_owned();
    let hash = hex::encode(sha2::Sha256::digest(body.as_bytes()));
    let request = Request { key, actor: &actor, verb: verb.word(), body_sha256: &hash };
    let began = tokio::time::Instant::now();
    loop {
        let now = UnixMs(ctx.now.0 + began.elapsed().as_millis() as i64);
        let claim =
            store::transact!(db, |tx| crate::error::ok(store::idempotency::claim(tx, &request, now, LEASE_MS).await?))?;
        match claim {
            Claim::Fresh => return Ok(Asked::First(Claimed { db: db.clone(), actor, key: key.clone() })),
            Claim::Done { response_json } => {
                let answer = serde_json::from_str(&response_json).map_err(|e| Error::Broken(e.to_string()))?;
                return Ok(Asked::Before(answer));
            }
            Claim::OtherBody => return Err(Error::KeyReused),
            Claim::Running if began.elapsed() > PATIENCE => {
                return Err(Error::Conflict(Say::fixed(
                    "同一个请求还在执行",
                    "the same request is still being carried out",
                )));
            }
            Claim::Running => tokio::time::sleep(LOOK).await,
        }
    }
}

impl Claimed {
    /// Keeps the answer of a success; a failure gives the key back, so that the person may try again.
    pub(crate) async fn settle<T: Serialize>(self, done: Result<T>) -> Result<T> {
        let Self { db, actor, key } = self;
        match done {
            Ok(answer) => {
                let json = serde_json::to_string(&answer).map_err(|e| Error::Broken(e.to_string()))?;
                store::transact!(db, |tx| crate::error::ok(
                    store::idempotency::finish(tx, &actor, &key, &json).await?
                ))?;
                Ok(answer)
            }
            Err(error) => {
                let freed =
                    store::transact!(db, |tx| crate::error::ok(store::idempotency::release(tx, &actor, &key).await?));
                if let Err(freeing) = freed {
                    tracing::error!(error = %freeing, "giving an idempotency key back; its lease will");
                }
                Err(error)
            }
        }
    }
}
