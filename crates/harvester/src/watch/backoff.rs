//! How long to wait before the next try. Pure; randomness comes in.
//!
//! Waits double from [`FIRST`] to [`LAST`], so that after half a minute no kind asks more than once a second whatever the
//! server does; a quarter of each is drawn, so that many watches do not come back at once. (`reliability.md` row 3)

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(200);
const LAST: Duration = Duration::from_secs(20);

/// A watch that lived this long was a good one: the next wait is short again.
pub(crate) const GOOD: Duration = Duration::from_secs(5);

/// Waits that grow.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    tries: u32,
}

impl Backoff {
    pub(crate) fn next(&mut self, random: u64) -> Duration {
        let full = FIRST.saturating_mul(1 << self.tries.min(16)).min(LAST);
        self.tries = self.tries.saturating_add(1);
        let quarter = full / 4;
        full - quarter + quarter.mul_f64((random >> 11) as f64 / (1_u64 << 53) as f64)
    }

    pub(crate) fn reset(&mut self) {
        self.tries = 0;
    }
}

/// Randomness for [`Backoff::next`].
pub(crate) fn random() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_half_a_minute_there_is_less_than_one_try_a_second() {
        for random in [0, u64::MAX / 2, u64::MAX] {
            let mut backoff = Backoff::default();
            let mut at = Duration::ZERO;
            while at < Duration::from_secs(30) {
                at += backoff.next(random);
            }
            for _ in 0..1_000 {
                let wait = backoff.next(random);
                assert!(wait > Duration::from_secs(1) && wait <= LAST, "{wait:?}");
            }
        }
    }

    #[test]
    fn a_good_watch_makes_the_wait_short_again() {
        let mut backoff = Backoff::default();
        for _ in 0..50 {
            backoff.next(0);
        }
        backoff.reset();
        assert!(backoff.next(u64::MAX) <= FIRST);
    }
}
