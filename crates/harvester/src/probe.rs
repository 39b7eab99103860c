//! What this cluster can do, and how we know: a marker is looked for rather than a version believed.
//!
//! Order of trust: a kind that is served → a field of its schema → a Setting → a feature gate → an add-on → the version.
//! What could not be looked for (a missing right, an answer that did not come) is `Unknown`, never `Absent`. Source:
//! `harvester-api.md` §9.5.

mod facts;
mod marker;
mod table;
mod version;

pub use version::Version;

use crate::{Cluster, ClusterError};
use facts::Facts;
use model::UnixMs;
use model::fleet::{Capability, Probe};

/// Looks for every capability of the matrix. Fails only when the cluster does not answer at all.
pub async fn probe(cluster: &Cluster, now: UnixMs) -> Result<Probe, ClusterError> {
    let facts = Facts::gather(cluster).await?;
    Ok(Probe {
        at: now,
        capabilities: capabilities(&facts),
        server_version: facts.server_version,
        kubernetes: facts.kubernetes,
        kubevirt: facts.kubevirt_version,
    })
}

fn capabilities(facts: &Facts) -> Vec<Capability> {
    let row = |row: &table::Row| {
        let (verdict, evidence) = row.marker.look(facts);
        Capability {
            key: row.key.to_owned(),
            name: row.name.clone(),
            since: row.since.to_owned(),
            verdict,
            evidence,
            instead: row.instead.clone().filter(|_| verdict != model::fleet::Verdict::Present),
        }
    };
    table::rows().iter().map(row).collect()
}

#[cfg(test)]
mod tests;
