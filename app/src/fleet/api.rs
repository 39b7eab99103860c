//! Server functions of clusters. They check nothing: the services do.

use leptos::prelude::*;
use leptos::server_fn::codec::{GetUrl, Json};
use model::fleet::{ClusterDetail, ClusterView, Probe, Register};
use model::id::ClusterId;
use model::{Fault, UnixMs};
use serde::{Deserialize, Serialize};

use crate::courier::Courier;

/// What a kubeconfig says, before anything of it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Examined {
    /// API server.
    pub(crate) url: String,
    /// When its credential expires, if it says.
    pub(crate) expires: Option<UnixMs>,
}

/// All clusters.
#[server(input = GetUrl)]
pub(crate) async fn list_clusters() -> Result<Vec<ClusterView>, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.fleet.list(&context).await.map_err(crate::backend::fault)
}

/// One cluster's page.
#[server(input = GetUrl)]
pub(crate) async fn read_cluster(id: ClusterId) -> Result<ClusterDetail, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.fleet.detail(&context, &id).await.map_err(crate::backend::fault)
}

/// What a kubeconfig says, or why it would be refused. By POST: it is a secret.
#[server(input = Json, client = Courier)]
pub(crate) async fn examine_kubeconfig(kubeconfig: String) -> Result<Examined, Fault> {
    let (ops, context) = crate::backend::reach()?;
    let found = ops.fleet.examine(&context, &kubeconfig).await.map_err(crate::backend::fault)?;
    Ok(Examined { url: found.url, expires: found.expires })
}

/// Has the platform look after a cluster.
#[server(input = Json, client = Courier)]
pub(crate) async fn register_cluster(register: Register) -> Result<ClusterView, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.fleet.register(&context, register).await.map_err(crate::backend::fault)
}

/// Has the platform forget a cluster.
#[server(input = Json, client = Courier)]
pub(crate) async fn remove_cluster(id: ClusterId, reason: String) -> Result<(), Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.fleet.remove(&context, &id, &reason).await.map_err(crate::backend::fault)
}

/// Asks a cluster again what it can do.
#[server(input = Json, client = Courier)]
pub(crate) async fn probe_cluster(id: ClusterId) -> Result<Probe, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.fleet.probe(&context, &id).await.map_err(crate::backend::fault)
}

/// Reads a cluster's objects again.
#[server(input = Json, client = Courier)]
pub(crate) async fn refresh_cluster(id: ClusterId) -> Result<(), Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.fleet.refresh(&context, &id).await.map_err(crate::backend::fault)
}
