//! Simulated time: either wall time made faster, or time that moves only when a test says so.
//!
//! Invariant: time never goes back. Nothing else in the crate may read the machine's clock.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// Where an explicit clock starts: 2026-03-02T08:00:00Z, a Monday, so that runs can be compared.
const EXPLICIT_START_MS: i64 = 1_772_438_400_000;

/// A clock shared by everything in one simulated cluster.
#[derive(Debug, Clone)]
pub struct Clock(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Auto { started: Instant, start_ms: i64, speed: f64 },
    Explicit(Arc<watch::Sender<i64>>),
}

impl Clock {
    /// Wall time, `speed` times as fast (1.0 is real time). Starts at the machine's present time.
    pub fn auto(speed: f64) -> Self {
        #[expect(clippy::disallowed_methods, reason = "this is the Clock that others take the time from")]
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let start_ms = i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX);
        Self(Kind::Auto { started: Instant::now(), start_ms, speed: speed.max(0.001) })
    }

    /// Time that stands still until [`advance`](Self::advance).
    pub fn explicit() -> Self {
        Self(Kind::Explicit(Arc::new(watch::Sender::new(EXPLICIT_START_MS))))
    }

    /// This clock, put forward to `unix_ms` if it is behind it.
    #[must_use]
    pub fn not_before(self, unix_ms: i64) -> Self {
        let behind_ms = unix_ms.saturating_sub(self.unix_ms()).max(0);
        match self.0 {
            Kind::Auto { started, start_ms, speed } => {
                Self(Kind::Auto { started, start_ms: start_ms.saturating_add(behind_ms), speed })
            }
            Kind::Explicit(now) => {
                now.send_modify(|ms| *ms += behind_ms);
                Self(Kind::Explicit(now))
            }
        }
    }

    /// Simulated Unix milliseconds.
    pub fn unix_ms(&self) -> i64 {
        match &self.0 {
            Kind::Auto { started, start_ms, speed } => {
                start_ms + (started.elapsed().as_secs_f64() * speed * 1000.0) as i64
            }
            Kind::Explicit(now) => *now.borrow(),
        }
    }

    /// Whether tests move this clock.
    pub fn is_explicit(&self) -> bool {
        matches!(self.0, Kind::Explicit(_))
    }

    /// Moves an explicit clock forward; an automatic clock ignores it.
    pub fn advance(&self, by: Duration) {
        if let Kind::Explicit(now) = &self.0 {
            now.send_modify(|ms| *ms += i64::try_from(by.as_millis()).unwrap_or(i64::MAX));
        }
    }

    /// Waits until simulated time has reached `unix_ms`.
    pub async fn until(&self, unix_ms: i64) {
        match &self.0 {
            Kind::Auto { speed, .. } => {
                let left_ms = unix_ms - self.unix_ms();
                if left_ms > 0 {
                    tokio::time::sleep(Duration::from_secs_f64(left_ms as f64 / 1000.0 / speed)).await;
                }
            }
            Kind::Explicit(now) => {
                // The sender lives as long as `self`, so waiting cannot end with an error.
                let _ = now.subscribe().wait_for(|ms| *ms >= unix_ms).await;
            }
        }
    }
}

/// `metav1.Time` on the wire: RFC 3339 in UTC, whole seconds.
pub fn rfc3339(unix_ms: i64) -> String {
    jiff::Timestamp::from_second(unix_ms.div_euclid(1000)).unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}

/// Unix milliseconds of a `metav1.Time`, or `None` when the text is not one.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>().ok().map(|time| time.as_millisecond())
}
