//! The catalogue: templates that VMs are ordered by.
//!
//! Invariant: a template's version only goes up; an older one never overwrites a newer one. Must never know what is in
//! a template.

#[cfg(test)]
mod tests;

use crate::db::{on, on_tx};
use crate::text::{from_json, to_json};
use crate::{Db, StoreError, Tx};
use model::UnixMs;
use model::id::TemplateId;
use model::provisioning::Template;

/// Most templates that are listed.
const MAX_LISTED: i64 = 500;

/// Keeps a template; `false` when that version or a newer one is there.
pub async fn upsert(tx: &mut Tx, template: &Template, now: UnixMs) -> Result<bool, StoreError> {
    let sql = "INSERT INTO template (id, version, data, updated) VALUES ($1, $2, $3, $4)
               ON CONFLICT (id) DO UPDATE
               SET version = excluded.version, data = excluded.data, updated = excluded.updated
               WHERE template.version < excluded.version";
    let json = to_json(template, "template.data")?;
    let kept = on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(template.id.as_str()).bind(i64::from(template.version));
        query.bind(&json).bind(now.0).execute(c).await?.rows_affected()
    });
    Ok(kept == 1)
}

/// Templates by id.
pub async fn list(db: &Db) -> Result<Vec<Template>, StoreError> {
    let sql = "SELECT data FROM template ORDER BY id LIMIT $1";
    let rows = on!(db, |pool| sqlx::query_scalar::<_, String>(sql).bind(MAX_LISTED).fetch_all(pool).await?);
    rows.iter().map(|json| from_json(json, "template.data")).collect()
}

/// The template with that id.
pub async fn get(db: &Db, id: &TemplateId) -> Result<Option<Template>, StoreError> {
    let sql = "SELECT data FROM template WHERE id = $1";
    let row = on!(db, |pool| sqlx::query_scalar::<_, String>(sql).bind(id.as_str()).fetch_optional(pool).await?);
    row.map(|json| from_json(&json, "template.data")).transpose()
}
