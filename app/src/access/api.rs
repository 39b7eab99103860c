//! Server functions of one's own sessions. Signing in and out are plain forms that the server answers.

use leptos::prelude::*;
use leptos::server_fn::codec::{GetUrl, Json};
use model::Fault;
use model::access::SessionView;

use crate::courier::Courier;

/// One's own sessions.
#[server(input = GetUrl)]
pub(crate) async fn list_sessions() -> Result<Vec<SessionView>, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.access.sessions(&context, &crate::backend::session_token()).await.map_err(crate::backend::fault)
}

/// Ends one of them.
#[server(input = Json, client = Courier)]
pub(crate) async fn end_session(id: String) -> Result<(), Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.access.end_session(&context, &id).await.map_err(crate::backend::fault)
}
