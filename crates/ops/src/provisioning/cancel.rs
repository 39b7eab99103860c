//! "Undo this delivery": a mark that the next look of the runner sees, whichever process runs it.

use crate::Result;
use model::id::OperationId;
use store::{Db, Tx};

/// The step word of the mark in the journal's notes; no step of a plan has it.
pub(super) async fn ask(tx: &mut Tx, operation: &OperationId, now: model::UnixMs) -> Result<bool> {
    Ok(store::journal::ask_cancel(tx, operation, now).await?)
}

/// Whether somebody asked.
pub(super) async fn is_asked(db: &Db, operation: &OperationId) -> Result<bool> {
    Ok(store::journal::is_cancel_asked(db, operation).await?)
}
