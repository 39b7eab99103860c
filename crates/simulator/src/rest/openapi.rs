//! OpenAPI documents.

use super::Call;
use crate::world::Status;
use axum::response::Response;

pub(super) fn serve(_call: &Call<'_>, _path: &str) -> Result<Response, Status> {
    Err(Status::no_such_path())
}
