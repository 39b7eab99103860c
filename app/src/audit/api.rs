//! Server functions of the audit trail.

use leptos::prelude::*;
use leptos::server_fn::codec::{GetUrl, Json};
use model::Fault;
use model::audit::{AuditLine, AuditQuery, ChainReport};
use model::page::Page;

use crate::courier::Courier;

/// A page of the trail, newest first.
#[server(input = GetUrl)]
pub(crate) async fn search_audit(#[server(default)] query: AuditQuery) -> Result<Page<AuditLine>, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.audit.search(&context, query).await.map_err(crate::backend::fault)
}

/// Recomputes the chain. By POST: it costs something.
#[server(input = Json, client = Courier)]
pub(crate) async fn verify_audit() -> Result<ChainReport, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.audit.verify(&context).await.map_err(crate::backend::fault)
}
