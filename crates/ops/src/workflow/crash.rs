//! Points at which a test may kill the process: after each line of a journal.
//!
//! `HARVESTER_ADMIN_CRASH_AT=create:began` makes the process say so in `HARVESTER_ADMIN_CRASH_FILE` and then stand still, so
//! that the test can end it with SIGKILL between exactly two lines. Compiled into debug builds only.

/// Stands still here if a test asked for it.
pub(crate) async fn point(step: &str, entry: &str) {
    if !cfg!(debug_assertions) {
        return;
    }
    let wanted = std::env::var("HARVESTER_ADMIN_CRASH_AT").is_ok_and(|at| at == format!("{step}:{entry}"));
    if let (true, Ok(file)) = (wanted, std::env::var("HARVESTER_ADMIN_CRASH_FILE")) {
        if let Err(error) = std::fs::write(&file, format!("{step}:{entry}\n")) {
            tracing::error!(%error, file, "the crash point cannot be announced");
        }
        std::future::pending::<()>().await;
    }
}
