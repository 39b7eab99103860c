//! The durable half of the write path: each change with the stage that it has reached.
//!
//! Invariant: one worker at a time owns a change; every write names the fencing token of its claim, and an older one is
//! [`StoreError::Fenced`]. A stage never goes back, but to `Desired` by a fresh check. Must never know what a patch is.

#[cfg(test)]
mod tests;

use crate::db::{Engine, on, on_tx};
use crate::text::{clean, known, read};
use crate::{Db, StoreError, Tx};
use model::UnixMs;
use model::audit::Outcome;
use model::change::Stage;
use model::id::{ChangeId, ClusterId};

/// A change to be saved before anything happens; who saves it owns it.
#[derive(Debug, Clone)]
pub struct NewChange<'a> {
    /// Id; rides along on the object.
    pub id: &'a ChangeId,
    /// Cluster.
    pub cluster: &'a ClusterId,
    /// Object, `cluster/namespace/name`.
    pub object: &'a str,
    /// What kind of change, as JSON.
    pub kind_json: &'a str,
    /// Sign-in name on the permit.
    pub actor: &'a str,
    /// Verb on the permit.
    pub verb: &'a str,
    /// Its audit line.
    pub audit_seq: i64,
    /// What the stages need, as JSON.
    pub data_json: &'a str,
    /// When.
    pub created: UnixMs,
    /// Process that saves it, for the log.
    pub worker: &'a str,
    /// How long others leave it alone.
    pub lease_ms: i64,
}

/// The fencing token of a change just saved.
pub const FIRST_TOKEN: i64 = 1;

/// A saved change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRecord {
    /// Id.
    pub id: ChangeId,
    /// Cluster.
    pub cluster: ClusterId,
    /// Object, `cluster/namespace/name`.
    pub object: String,
    /// What kind of change, as JSON.
    pub kind_json: String,
    /// Sign-in name on the permit.
    pub actor: String,
    /// Verb on the permit.
    pub verb: String,
    /// Its audit line.
    pub audit_seq: i64,
    /// The stage that it has reached.
    pub stage: Stage,
    /// `resourceVersion` that it was checked against.
    pub base_version: Option<String>,
    /// What the stages need, as JSON.
    pub data_json: String,
    /// When it was made.
    pub created: UnixMs,
    /// When it was last written.
    pub updated: UnixMs,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// When it ended.
    pub ended: Option<UnixMs>,
    /// Until when others leave it alone.
    pub lease_until: UnixMs,
    /// Fencing token of the newest claim.
    pub token: i64,
}

#[derive(sqlx::FromRow)]
struct ChangeRow {
    id: String,
    cluster: String,
    object: String,
    kind: String,
    actor: String,
    verb: String,
    audit_seq: i64,
    stage: String,
    base_version: Option<String>,
    data: String,
    created: i64,
    updated: i64,
    outcome: Option<String>,
    ended: Option<i64>,
    lease_until: i64,
    token: i64,
}

impl ChangeRow {
    fn record(self) -> Result<ChangeRecord, StoreError> {
        let outcome = self.outcome.map(|word| known(Outcome::parse(&word), "change.outcome")).transpose()?;
        Ok(ChangeRecord {
            id: read(ChangeId::parse(&self.id), "change.id")?,
            cluster: read(ClusterId::parse(&self.cluster), "change.cluster")?,
            object: self.object,
            kind_json: self.kind,
            actor: self.actor,
            verb: self.verb,
            audit_seq: self.audit_seq,
            stage: known(stage(&self.stage), "change.stage")?,
            base_version: self.base_version,
            data_json: self.data,
            created: UnixMs(self.created),
            updated: UnixMs(self.updated),
            outcome,
            ended: self.ended.map(UnixMs),
            lease_until: UnixMs(self.lease_until),
            token: self.token,
        })
    }
}

fn stage(word: &str) -> Option<Stage> {
    use Stage::{Checked, Committed, Desired, Observed, Recorded};
    [Desired, Checked, Committed, Observed, Recorded].into_iter().find(|stage| stage.word() == word)
}

fn records(rows: Vec<ChangeRow>) -> Result<Vec<ChangeRecord>, StoreError> {
    rows.into_iter().map(ChangeRow::record).collect()
}

/// Saves a change as desired; its saver holds it with [`FIRST_TOKEN`].
pub async fn insert(tx: &mut Tx, new: &NewChange<'_>) -> Result<(), StoreError> {
    let sql = "INSERT INTO change (id, cluster, object, kind, actor, verb, audit_seq, stage, data, created, updated,
                                   worker, lease_until, token)
               VALUES ($1, $2, $3, $4, $5, $6, $7, 'desired', $8, $9, $9, $10, $11, 1)";
    on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(new.id.as_str()).bind(new.cluster.as_str()).bind(clean(new.object));
        let query = query.bind(new.kind_json).bind(new.actor).bind(new.verb).bind(new.audit_seq).bind(new.data_json);
        let query = query.bind(new.created.0).bind(new.worker).bind(new.created.0.saturating_add(new.lease_ms));
        query.execute(c).await?.rows_affected()
    });
    Ok(())
}

/// How far a change has come.
#[derive(Debug, Clone, Copy)]
pub struct Advance<'a> {
    /// The stage that it has reached.
    pub stage: Stage,
    /// `resourceVersion` that it was checked against; `None` keeps what is there.
    pub base_version: Option<&'a str>,
    /// What the stages need, as JSON.
    pub data_json: &'a str,
    /// When.
    pub at: UnixMs,
}

/// Saves the stage that a change has reached, with what the later ones need.
pub async fn advance(tx: &mut Tx, id: &ChangeId, token: i64, to: &Advance<'_>) -> Result<(), StoreError> {
    let sql = "UPDATE change SET stage = $3, base_version = COALESCE($4, base_version), data = $5, updated = $6
               WHERE id = $1 AND token = $2 AND ended IS NULL";
    let written = on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(id.as_str()).bind(token).bind(to.stage.word()).bind(to.base_version);
        query.bind(to.data_json).bind(to.at.0).execute(c).await?.rows_affected()
    });
    fenced(written)
}

/// Keeps others away until `until`.
pub async fn renew(tx: &mut Tx, id: &ChangeId, token: i64, until: UnixMs) -> Result<(), StoreError> {
    let sql = "UPDATE change SET lease_until = $3 WHERE id = $1 AND token = $2 AND ended IS NULL";
    let written = on_tx!(tx, |c| {
        sqlx::query(sql).bind(id.as_str()).bind(token).bind(until.0).execute(c).await?.rows_affected()
    });
    fenced(written)
}

/// Ends a change.
pub async fn finish(tx: &mut Tx, id: &ChangeId, token: i64, outcome: Outcome, at: UnixMs) -> Result<(), StoreError> {
    let sql = "UPDATE change SET outcome = $3, ended = $4, updated = $4
               WHERE id = $1 AND token = $2 AND ended IS NULL";
    let written = on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(id.as_str()).bind(token).bind(outcome.word()).bind(at.0);
        query.execute(c).await?.rows_affected()
    });
    fenced(written)
}

fn fenced(written: u64) -> Result<(), StoreError> {
    if written == 1 { Ok(()) } else { Err(StoreError::Fenced) }
}

/// Claims unfinished changes whose lease ran out, the oldest first; each comes with a new token.
pub async fn claim_due(
    db: &Db,
    worker: &str,
    now: UnixMs,
    lease_ms: i64,
    limit: u32,
) -> Result<Vec<ChangeRecord>, StoreError> {
    // PostgreSQL runs both for one and the same row; without SKIP LOCKED the one that waited comes back empty.
    let sql = match db.engine {
        Engine::Sqlite { .. } => {
            "UPDATE change SET worker = $1, lease_until = $2, token = token + 1
             WHERE ended IS NULL AND lease_until <= $3 AND id IN (
                 SELECT id FROM change WHERE ended IS NULL AND lease_until <= $3 ORDER BY lease_until, id LIMIT $4)
             RETURNING id, cluster, object, kind, actor, verb, audit_seq, stage, base_version, data, created, updated,
                       outcome, ended, lease_until, token"
        }
        Engine::Postgres(_) => {
            "UPDATE change SET worker = $1, lease_until = $2, token = token + 1
             WHERE ended IS NULL AND lease_until <= $3 AND id IN (
                 SELECT id FROM change WHERE ended IS NULL AND lease_until <= $3 ORDER BY lease_until, id LIMIT $4
                 FOR UPDATE SKIP LOCKED)
             RETURNING id, cluster, object, kind, actor, verb, audit_seq, stage, base_version, data, created, updated,
                       outcome, ended, lease_until, token"
        }
    };
    let mut tx = db.begin().await?;
    let rows = on_tx!(tx, |c| {
        let query = sqlx::query_as::<_, ChangeRow>(sql).bind(worker).bind(now.0.saturating_add(lease_ms));
        query.bind(now.0).bind(i64::from(limit)).fetch_all(c).await?
    });
    tx.commit().await?;
    let mut claimed = records(rows)?;
    claimed.sort_by_key(|change| change.created);
    Ok(claimed)
}

/// Ends the leases of a worker that is known to be gone; its tokens stay spent.
pub async fn free(db: &Db, worker: &str) -> Result<(), StoreError> {
    let sql = "UPDATE change SET lease_until = 0 WHERE ended IS NULL AND worker = $1";
    let mut tx = db.begin().await?;
    on_tx!(tx, |c| sqlx::query(sql).bind(worker).execute(c).await?.rows_affected());
    tx.commit().await
}

/// Changes that have not ended, the oldest first; at most `limit`.
pub async fn unfinished(db: &Db, limit: u32) -> Result<Vec<ChangeRecord>, StoreError> {
    let sql = "SELECT id, cluster, object, kind, actor, verb, audit_seq, stage, base_version, data, created, updated,
                      outcome, ended, lease_until, token
               FROM change WHERE ended IS NULL ORDER BY created, id LIMIT $1";
    records(on!(db, |pool| sqlx::query_as::<_, ChangeRow>(sql).bind(i64::from(limit)).fetch_all(pool).await?))
}

/// Changes of an object, the newest first; at most `limit`.
pub async fn of_object(db: &Db, object: &str, limit: u32) -> Result<Vec<ChangeRecord>, StoreError> {
    let sql = "SELECT id, cluster, object, kind, actor, verb, audit_seq, stage, base_version, data, created, updated,
                      outcome, ended, lease_until, token
               FROM change WHERE object = $1 ORDER BY created DESC, id DESC LIMIT $2";
    records(on!(db, |pool| {
        sqlx::query_as::<_, ChangeRow>(sql).bind(object).bind(i64::from(limit)).fetch_all(pool).await?
    }))
}

/// Changes, the newest first; at most `limit`.
pub async fn recent(db: &Db, limit: u32) -> Result<Vec<ChangeRecord>, StoreError> {
    let sql = "SELECT id, cluster, object, kind, actor, verb, audit_seq, stage, base_version, data, created, updated,
                      outcome, ended, lease_until, token
               FROM change ORDER BY created DESC, id DESC LIMIT $1";
    records(on!(db, |pool| sqlx::query_as::<_, ChangeRow>(sql).bind(i64::from(limit)).fetch_all(pool).await?))
}

/// The change with that id.
pub async fn get(db: &Db, id: &ChangeId) -> Result<Option<ChangeRecord>, StoreError> {
    let sql = "SELECT id, cluster, object, kind, actor, verb, audit_seq, stage, base_version, data, created, updated,
                      outcome, ended, lease_until, token
               FROM change WHERE id = $1";
    let row = on!(db, |pool| sqlx::query_as::<_, ChangeRow>(sql).bind(id.as_str()).fetch_optional(pool).await?);
    row.map(ChangeRow::record).transpose()
}
