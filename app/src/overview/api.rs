//! Server functions of the overview.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use model::Fault;
use model::overview::Overview;

/// All that the overview shows.
#[server(input = GetUrl)]
pub(crate) async fn fetch_overview() -> Result<Overview, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.overview(&context).await.map_err(crate::backend::fault)
}
