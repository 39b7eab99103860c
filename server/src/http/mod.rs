//! What the program answers over HTTP, a file a concern; the order of layers is decided here.

pub(crate) mod assets;
mod files;
pub(crate) mod headers;
mod health;
mod origin;
pub(crate) mod session;

use crate::wire::Shared;
use crate::{console, live};
use app::backend::Services;
use app::{App, paths};
use assets::Site;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn_with_state, map_response};
use axum::routing::{get, post};
use http::StatusCode;
use leptos::config::LeptosOptions;
use leptos::prelude::provide_context;
use leptos_axum::{LeptosRoutes, generate_route_list};
use std::sync::Arc;
use std::time::Duration;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::timeout::TimeoutLayer;

/// Largest body: a kubeconfig of 256 KiB, encoded.
const MAX_BODY: usize = 1 << 20;
/// A page or a call that takes longer is given up: a cluster that hangs must not hold pages for ever.
const GIVE_UP: Duration = Duration::from_secs(60);

/// Everything that the program answers.
pub(crate) fn router(shared: &Shared, site: &Site) -> Router {
    let options = LeptosOptions::builder().output_name("frontend").build();
    let services = Services { ops: shared.ops.clone(), build: shared.build.clone() };
    let assets = site.assets.clone();
    let pages = Router::new()
        .leptos_routes_with_context(
            &options,
            generate_route_list(App),
            move || provide_context(services.clone()),
            move || app::shell::shell(&assets),
        )
        .with_state(options)
        .layer(TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, GIVE_UP))
        .layer(CompressionLayer::new());
    let ours = Router::new()
        .route(paths::SIGN_IN, post(session::sign_in))
        .route(paths::SIGN_OUT, post(session::sign_out))
        .route(paths::LIVE, get(live::socket))
        .route(paths::CONSOLE_SOCKET, get(console::socket))
        .route(paths::CLUSTER_ROLE, get(files::cluster_role))
        .with_state(shared.clone());
    let public = origin::PublicUrl(Arc::from(shared.config.public_url.as_str()));
    let answered = pages
        .merge(ours)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(map_response(headers::not_cached))
        .layer(from_fn_with_state(shared.clone(), session::context))
        .layer(from_fn_with_state(public, origin::check));
    let whole = answered.merge(site.routes()).merge(health::routes(shared)).layer(CatchPanicLayer::new());
    headers::secured(whole)
}
