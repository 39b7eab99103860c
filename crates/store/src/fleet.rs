//! The clusters that we look after, with their sealed kubeconfigs and last probes.
//!
//! Invariant: one row a cluster, told apart by the uid of its `kube-system` namespace; a removed cluster keeps its id for
//! itself, and its kubeconfig is gone. A kubeconfig leaves only through [`kubeconfig`]. Must never know Kubernetes.

use crate::db::{on, on_tx};
use crate::text::{clean, from_json, read, to_json};
use crate::{Db, Sealer, StoreError, Tx};
use model::UnixMs;
use model::fleet::Probe;
use model::id::ClusterId;
use zeroize::Zeroizing;

/// The noun that kubeconfigs are sealed for.
const SEALED_AS: &str = "cluster";

/// A registered cluster, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Id.
    pub id: ClusterId,
    /// What people call it.
    pub name: String,
    /// API server.
    pub url: String,
    /// uid of its `kube-system` namespace.
    pub uid: String,
    /// Nothing is written to it.
    pub is_observe_only: bool,
    /// When it was registered.
    pub registered: UnixMs,
}

/// A cluster to register.
pub struct NewCluster<'a> {
    /// Id.
    pub id: &'a ClusterId,
    /// What people call it.
    pub name: &'a str,
    /// API server.
    pub url: &'a str,
    /// uid of its `kube-system` namespace.
    pub uid: &'a str,
    /// Sealed before it is written.
    pub kubeconfig: &'a str,
    /// Nothing is to be written to it.
    pub is_observe_only: bool,
    /// When.
    pub registered: UnixMs,
}

/// Why a cluster was not registered.
#[derive(Debug, thiserror::Error)]
pub enum InsertError {
    /// The id is, or once was, another cluster's.
    #[error("the id {id} is or was another cluster's")]
    IdTaken {
        /// The id.
        id: ClusterId,
    },
    /// That cluster is registered.
    #[error("the cluster is registered already as {id}")]
    Registered {
        /// Under this id.
        id: ClusterId,
    },
    /// The database did not do it.
    #[error("registering cluster")]
    Store(#[from] StoreError),
}

#[derive(sqlx::FromRow)]
struct ClusterRow {
    id: String,
    name: String,
    url: String,
    uid: String,
    is_observe_only: i64,
    registered: i64,
}

impl ClusterRow {
    fn cluster(self) -> Result<Cluster, StoreError> {
        Ok(Cluster {
            id: read(ClusterId::parse(&self.id), "cluster.id")?,
            name: self.name,
            url: self.url,
            uid: self.uid,
            is_observe_only: self.is_observe_only != 0,
            registered: UnixMs(self.registered),
        })
    }
}

/// Registers a cluster. The id of a removed cluster is free for that same cluster only.
pub async fn insert(tx: &mut Tx, sealer: &Sealer, new: &NewCluster<'_>) -> Result<(), InsertError> {
    refuse_taken(tx, new).await?;
    let sealed = sealer.seal(SEALED_AS, new.id.as_str(), new.kubeconfig.as_bytes()).map_err(StoreError::from)?;
    let sql = "INSERT INTO cluster (id, name, url, uid, kubeconfig, is_observe_only, registered)
               VALUES ($1, $2, $3, $4, $5, $6, $7)
               ON CONFLICT (id) DO UPDATE
               SET name = excluded.name, url = excluded.url, kubeconfig = excluded.kubeconfig,
                   is_observe_only = excluded.is_observe_only, registered = excluded.registered, removed = NULL
               WHERE cluster.uid = excluded.uid AND cluster.removed IS NOT NULL";
    let written = on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(new.id.as_str()).bind(clean(new.name)).bind(clean(new.url));
        let query = query.bind(clean(new.uid)).bind(&sealed).bind(i64::from(new.is_observe_only));
        query.bind(new.registered.0).execute(c).await.map(|done| done.rows_affected())
    });
    match written.map_err(StoreError::from) {
        Ok(1) => Ok(()),
        // Somebody registered between our look and our write: another try sees what.
        Ok(_) => Err(StoreError::Conflict { source: None }.into()),
        Err(StoreError::Unique { source }) => Err(StoreError::Conflict { source: Some(source) }.into()),
        Err(error) => Err(error.into()),
    }
}

async fn refuse_taken(tx: &mut Tx, new: &NewCluster<'_>) -> Result<(), InsertError> {
    let sql = "SELECT id, uid, removed FROM cluster WHERE id = $1 OR (uid = $2 AND removed IS NULL)";
    let rows = on_tx!(tx, |c| {
        let query = sqlx::query_as::<_, (String, String, Option<i64>)>(sql).bind(new.id.as_str());
        query.bind(clean(new.uid)).fetch_all(c).await.map_err(StoreError::from)?
    });
    for (id, uid, removed) in rows {
        let id = read(ClusterId::parse(&id), "cluster.id")?;
        if uid == new.uid && removed.is_none() {
            return Err(InsertError::Registered { id });
        }
        if uid != new.uid {
            return Err(InsertError::IdTaken { id });
        }
    }
    Ok(())
}

/// Registered clusters by id.
pub async fn list(db: &Db) -> Result<Vec<Cluster>, StoreError> {
    let sql = "SELECT id, name, url, uid, is_observe_only, registered FROM cluster WHERE removed IS NULL ORDER BY id";
    let rows = on!(db, |pool| sqlx::query_as::<_, ClusterRow>(sql).fetch_all(pool).await?);
    rows.into_iter().map(ClusterRow::cluster).collect()
}

/// The registered cluster with that id.
pub async fn get(db: &Db, id: &ClusterId) -> Result<Option<Cluster>, StoreError> {
    let sql = "SELECT id, name, url, uid, is_observe_only, registered FROM cluster WHERE id = $1 AND removed IS NULL";
    let row = on!(db, |pool| sqlx::query_as::<_, ClusterRow>(sql).bind(id.as_str()).fetch_optional(pool).await?);
    row.map(ClusterRow::cluster).transpose()
}

/// The kubeconfig of a registered cluster, opened; wiped when dropped.
pub async fn kubeconfig(db: &Db, sealer: &Sealer, id: &ClusterId) -> Result<Option<Zeroizing<String>>, StoreError> {
    let sql = "SELECT kubeconfig FROM cluster WHERE id = $1 AND removed IS NULL";
    let sealed = on!(db, |pool| sqlx::query_scalar::<_, String>(sql).bind(id.as_str()).fetch_optional(pool).await?);
    let Some(sealed) = sealed else { return Ok(None) };
    let plain = sealer.open(SEALED_AS, id.as_str(), &sealed)?;
    let text = read(std::str::from_utf8(&plain), "cluster.kubeconfig")?;
    Ok(Some(Zeroizing::new(text.to_owned())))
}

/// Changes what people may change: the name, and whether anything is written to it. `false` when it is not registered.
pub async fn update(tx: &mut Tx, id: &ClusterId, name: &str, is_observe_only: bool) -> Result<bool, StoreError> {
    let sql = "UPDATE cluster SET name = $2, is_observe_only = $3 WHERE id = $1 AND removed IS NULL";
    let changed = on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(id.as_str()).bind(clean(name)).bind(i64::from(is_observe_only));
        query.execute(c).await?.rows_affected()
    });
    Ok(changed == 1)
}

/// Gives a registered cluster another kubeconfig; `false` when it is not registered.
pub async fn set_kubeconfig(tx: &mut Tx, sealer: &Sealer, id: &ClusterId, plain: &str) -> Result<bool, StoreError> {
    let sealed = sealer.seal(SEALED_AS, id.as_str(), plain.as_bytes())?;
    let sql = "UPDATE cluster SET kubeconfig = $2 WHERE id = $1 AND removed IS NULL";
    let changed = on_tx!(tx, |c| sqlx::query(sql).bind(id.as_str()).bind(&sealed).execute(c).await?.rows_affected());
    Ok(changed == 1)
}

/// Seals again what is not under the key in use; how many.
pub async fn reseal(tx: &mut Tx, sealer: &Sealer) -> Result<u64, StoreError> {
    let sql = "SELECT id, kubeconfig FROM cluster WHERE removed IS NULL ORDER BY id";
    let rows = on_tx!(tx, |c| sqlx::query_as::<_, (String, String)>(sql).fetch_all(c).await?);
    let mut done = 0;
    for (id, old) in rows.into_iter().filter(|(_, sealed)| sealer.is_stale(sealed)) {
        let plain = sealer.open(SEALED_AS, &id, &old)?;
        let sealed = sealer.seal(SEALED_AS, &id, &plain)?;
        let sql = "UPDATE cluster SET kubeconfig = $2 WHERE id = $1 AND kubeconfig = $3";
        let query =
            on_tx!(tx, |c| sqlx::query(sql).bind(&id).bind(&sealed).bind(&old).execute(c).await?.rows_affected());
        done += query;
    }
    Ok(done)
}

/// Removes a cluster: its secret and its probe are wiped, its id stays its own. `false` when it is not registered.
pub async fn remove(tx: &mut Tx, id: &ClusterId, now: UnixMs) -> Result<bool, StoreError> {
    let sql = "UPDATE cluster SET removed = $2, kubeconfig = '', probe = NULL WHERE id = $1 AND removed IS NULL";
    let changed = on_tx!(tx, |c| sqlx::query(sql).bind(id.as_str()).bind(now.0).execute(c).await?.rows_affected());
    Ok(changed == 1)
}

/// Keeps what the last probe found; `false` when the cluster is not registered.
pub async fn save_probe(tx: &mut Tx, id: &ClusterId, probe: &Probe) -> Result<bool, StoreError> {
    let json = to_json(probe, "cluster.probe")?;
    let sql = "UPDATE cluster SET probe = $2 WHERE id = $1 AND removed IS NULL";
    let changed = on_tx!(tx, |c| sqlx::query(sql).bind(id.as_str()).bind(&json).execute(c).await?.rows_affected());
    Ok(changed == 1)
}

/// What the last probe found, if there was one.
pub async fn probe(db: &Db, id: &ClusterId) -> Result<Option<Probe>, StoreError> {
    let sql = "SELECT probe FROM cluster WHERE id = $1 AND removed IS NULL";
    let json =
        on!(db, |pool| sqlx::query_scalar::<_, Option<String>>(sql).bind(id.as_str()).fetch_optional(pool).await?);
    json.flatten().map(|json| from_json(&json, "cluster.probe")).transpose()
}

#[cfg(test)]
mod tests;
