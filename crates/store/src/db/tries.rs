//! Trying a transaction again that lost a race.
//!
//! Invariant: at most [`MAX_TRIES`] times, and only after [`StoreError::Conflict`]; every other error is the first time's.

use super::StoreError;
use std::time::Duration;

/// How often a transaction is tried: serialization failures and deadlocks are rare, so the fifth says that something
/// else is wrong.
pub const MAX_TRIES: u32 = 5;

/// Runs `$work`, a `Result` with `?` and `.await` in it, in a transaction that `$tx` is a `&mut Tx` of, and commits;
/// again, up to [`MAX_TRIES`] times, when the database lost a race ([`StoreError::Conflict`] anywhere in the chain of the
/// error's sources). `$work` must have no effect but on the transaction. Its error is made from a [`StoreError`] too.
///
/// A macro, since the future of an async closure that borrows cannot be shown to be `Send` (Rust 1.95: "implementation
/// of `Send` is not general enough").
///
/// ```ignore
/// let opened = transact!(db, |tx| store::audit::open(tx, &act).await)?;
/// ```
#[macro_export]
macro_rules! transact {
    ($db:expr, |$tx:ident| $work:expr) => {{
        let mut tries = $crate::db::Tries::default();
        loop {
            let mut transaction = match $db.begin().await {
                Ok(transaction) => transaction,
                Err(error) => break Err(error.into()),
            };
            let $tx = &mut transaction;
            let error = match async { $work }.await {
                Err(error) => {
                    transaction.rollback().await;
                    error
                }
                Ok(done) => match transaction.commit().await {
                    Ok(()) => break Ok(done),
                    Err(error) => error.into(),
                },
            };
            if !tries.again(&error).await {
                break Err(error);
            }
        }
    }};
}

/// Counts the tries of [`transact!`](crate::transact).
#[derive(Debug, Default)]
pub struct Tries {
    failed: u32,
}

impl Tries {
    /// Whether to try again after `error`; pauses before it says so.
    pub fn again(&mut self, error: &(dyn std::error::Error + 'static)) -> impl Future<Output = bool> + Send + use<> {
        self.failed += 1;
        let (failed, is_again) = (self.failed, self.failed < MAX_TRIES && is_retryable(error));
        async move { is_again && pause(failed).await }
    }
}

/// Spread out, so that those who collided do not meet again at once.
async fn pause(failed: u32) -> bool {
    let pause_ms = u64::from(rand::random_range(1..=10 * failed));
    tokio::time::sleep(Duration::from_millis(pause_ms)).await;
    true
}

fn is_retryable(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut chain = Some(error);
    while let Some(error) = chain {
        if let Some(StoreError::Conflict { .. }) = error.downcast_ref() {
            return true;
        }
        chain = error.source();
    }
    false
}
