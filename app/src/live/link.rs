//! How the line to the server stands, and how long to wait before the next try.

/// How the line stands. Times are the server's, in Unix milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Link {
    /// Not tried yet: the page has just been loaded.
    #[default]
    Idle,
    /// The first try is under way.
    Connecting,
    /// What is on the screen is live.
    Open,
    /// Cut: what is on the screen is as of `since`.
    Lost {
        /// When the server was heard last.
        since: i64,
        /// When the next try begins.
        retry_at: i64,
    },
    /// The server is of another build, and loading the page again did not help.
    Stale,
}

/// The first wait, in milliseconds.
const FIRST_MS: f64 = 500.0;
/// The longest wait, in milliseconds.
const MOST_MS: f64 = 20_000.0;
/// Silence after which the line counts as cut, in milliseconds; the server beats every few seconds.
pub(super) const SILENCE_MS: f64 = 20_000.0;

/// How long to wait before try number `attempt` (from 0), in milliseconds. `chance` in 0..1 spreads a thousand browsers
/// over half the time, so that they do not all come back at once.
pub(super) fn wait_ms(attempt: u32, chance: f64) -> f64 {
    let full = (FIRST_MS * f64::powi(2.0, attempt.min(16) as i32)).min(MOST_MS);
    full * (0.5 + chance.clamp(0.0, 1.0) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_limit_and_spread() {
        assert_eq!(wait_ms(0, 1.0), 500.0);
        assert_eq!(wait_ms(3, 1.0), 4_000.0);
        assert_eq!(wait_ms(3, 0.0), 2_000.0);
        assert_eq!(wait_ms(1_000, 1.0), MOST_MS);
    }
}
