//! Files that are made rather than kept.

use axum::Extension;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use ops::{Actor, Context};

/// `GET /files/cluster-role.yaml`: the least that the platform needs in a cluster.
pub(crate) async fn cluster_role(Extension(ctx): Extension<Context>) -> Response {
    if !matches!(ctx.actor, Actor::Account(_)) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let headers = [
        (CONTENT_TYPE, "application/yaml; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"harvester-admin-cluster-role.yaml\""),
    ];
    (headers, harvester::grants::cluster_role_yaml()).into_response()
}
