//! Server functions of the frame: finding anything.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use model::Fault;
use model::palette::Hit;

/// What has to do with `text`.
#[server(input = GetUrl)]
pub(crate) async fn find(#[server(default)] text: String) -> Result<Vec<Hit>, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.find(&context, &text).await.map_err(crate::backend::fault)
}
