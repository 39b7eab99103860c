//! KubeVirt's subresources and evictions.

use super::Call;
use super::discovery::Entry;
use super::path::Target;
use crate::world::Status;
use crate::world::catalogue::Release;
use axum::body::Body;
use axum::response::Response;

pub(super) fn entries(_release: Release) -> Vec<Entry> {
    Vec::new()
}

pub(super) async fn serve(_call: &mut Call<'_>, _target: Target, _body: Body) -> Result<Response, Status> {
    Err(Status::no_such_path())
}

pub(super) async fn evict(_call: &Call<'_>, _target: &Target, _body: Body) -> Result<Response, Status> {
    Err(Status::no_such_path())
}
