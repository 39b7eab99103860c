//! The one place that asks the machine what time it is.

use model::UnixMs;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where the time comes from: the machine, or a test.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> UnixMs + Send + Sync>);

impl Clock {
    /// The machine's.
    pub fn machine() -> Self {
        #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else is given")]
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64);
        Self(Arc::new(move || UnixMs(now())))
    }

    /// A clock that a test moves.
    pub fn of(now: impl Fn() -> UnixMs + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The moment.
    pub fn now(&self) -> UnixMs {
        (self.0)()
    }

    /// As a plain function, for crates that do not know this type.
    pub fn function(&self) -> Arc<dyn Fn() -> UnixMs + Send + Sync> {
        self.0.clone()
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Clock({})", self.now().0)
    }
}
