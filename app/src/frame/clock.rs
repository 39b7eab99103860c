//! The time that ages are counted by, and how moments are written.
//!
//! At first render it is the server's clock as the page was made, on both sides; from then on a tick of one second.

use std::time::Duration;

use app_ui::{Age, Now};
use leptos::prelude::*;
use model::UnixMs;

use super::session::use_session;
use crate::live::Live;

/// Gives the time to everything below and makes it tick once the page is alive.
pub(crate) fn provide_clock(live: &Live) {
    let now = ArcRwSignal::new(use_session().now.0);
    provide_context(Now(now.clone().into()));
    let live = live.clone();
    Effect::new(move |_| {
        let (now, live) = (now.clone(), live.clone());
        let tick = move || {
            live.check();
            now.set(live.now());
        };
        // Without a timer ages stand still, and the bar that says so is not needed: they say when.
        let Ok(timer) = set_interval_with_handle(tick, Duration::from_secs(1)) else { return };
        on_cleanup(move || timer.clear());
    });
}

/// The time that ages are counted by, in Unix milliseconds.
pub(crate) fn use_now() -> Signal<i64> {
    use_context::<Now>().map_or_else(|| Signal::stored(use_session().now.0), |now| now.0)
}

/// How moments are written for this reader.
#[derive(Clone, Copy)]
pub(crate) struct Zone {
    /// Minutes east of UTC.
    offset: i32,
    /// When the page was made: its year goes without saying.
    made: UnixMs,
}

impl Zone {
    /// `14:03:22`.
    pub(crate) fn clock(self, at: UnixMs) -> String {
        at.clock(self.offset)
    }

    /// `11-30 14:03`; of another year `2025-11-30`, which takes no more room.
    pub(crate) fn short(self, at: UnixMs) -> String {
        self.within(at, self.made)
    }

    /// `2026-11-30 14:03:22`.
    pub(crate) fn full(self, at: UnixMs) -> String {
        at.date_time(self.offset)
    }

    /// `14:03:22` today, `11-30 14:03` this year, `2025-11-30` before; `now` is the page's.
    pub(crate) fn near(self, at: UnixMs, now: UnixMs) -> String {
        if self.first(10, at) == self.first(10, now) { self.clock(at) } else { self.within(at, now) }
    }

    fn within(self, at: UnixMs, now: UnixMs) -> String {
        if self.first(4, at) == self.first(4, now) { at.short(self.offset) } else { self.first(10, at) }
    }

    /// Of `2026-11-30`: the year by four, the day by ten.
    fn first(self, letters: usize, at: UnixMs) -> String {
        self.full(at).chars().take(letters).collect()
    }
}

/// The reader's zone.
pub(crate) fn use_zone() -> Zone {
    let session = use_session();
    Zone { offset: session.preferences.offset, made: session.now }
}

/// `4 秒前`, counted up; absolute on hover.
#[component]
pub(crate) fn Since(
    /// When.
    #[prop(into)]
    at: Signal<UnixMs>,
    /// Whoever reports it is away.
    #[prop(optional, into)]
    old: Signal<bool>,
) -> impl IntoView {
    let zone = use_zone();
    let at_ms = Signal::derive(move || at.get().0);
    let today = UnixMs(use_now().get_untracked());
    // What is away shows it in the line, where the day is only worth its room when it is another one.
    let absolute =
        Signal::derive(move || Some(if old.get() { zone.near(at.get(), today) } else { zone.full(at.get()) }));
    view! { <Age at_ms=at_ms absolute=absolute old=old/> }
}

/// [`Zone::short`]; the whole on hover.
#[component]
pub(crate) fn Moment(
    /// When.
    at: UnixMs,
) -> impl IntoView {
    let zone = use_zone();
    view! { <time datetime=at.rfc3339() title=zone.full(at)>{zone.short(at)}</time> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_without_saying_is_not_said() {
        // 2026-11-30 14:08 in China.
        let now = UnixMs(1_796_018_880_000);
        let zone = Zone { offset: 480, made: now };
        let (hours, days) = (|n: i64| UnixMs(now.0 - n * 3_600_000), |n: i64| UnixMs(now.0 - n * 86_400_000));
        assert_eq!(zone.near(hours(1), now), "13:08:00");
        assert_eq!((zone.near(days(3), now), zone.short(hours(1))), ("11-27 14:08".into(), "11-30 13:08".into()));
        assert_eq!((zone.near(days(334), now), zone.short(days(334))), ("2025-12-31".into(), "2025-12-31".into()));
        // The reader's midnight counts, not the server's.
        let eve = UnixMs(1_767_196_800_000);
        assert_eq!((zone.full(eve), zone.short(eve)), ("2026-01-01 00:00:00".into(), "01-01 00:00".into()));
    }
}
