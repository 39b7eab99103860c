//! For whoever watches the program: is it alive, can it work. Neither tells anything about what is in it.

use crate::wire::Shared;
use axum::Router;
use axum::extract::State;
use axum::routing::get;
use http::StatusCode;

/// `/healthz`: the process answers. `/readyz`: the database does too.
pub(crate) fn routes(shared: &Shared) -> Router {
    Router::new().route("/healthz", get(|| async { "ok\n" })).route("/readyz", get(ready)).with_state(shared.clone())
}

async fn ready(State(shared): State<Shared>) -> (StatusCode, &'static str) {
    match shared.ops.ready().await {
        Ok(()) => (StatusCode::OK, "ok\n"),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n")
        }
    }
}
