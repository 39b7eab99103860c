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
pub(crate) struct Zone(i32);

impl Zone {
    /// `14:03:22`.
    pub(crate) fn clock(self, at: UnixMs) -> String {
        at.clock(self.0)
    }

    /// `11-30 14:03`.
    pub(crate) fn short(self, at: UnixMs) -> String {
        at.short(self.0)
    }

    /// `2026-11-30 14:03:22`.
    pub(crate) fn full(self, at: UnixMs) -> String {
        at.date_time(self.0)
    }

    /// `14:03:22` today, `11-30 14:03` before; `now` is the page's.
    pub(crate) fn near(self, at: UnixMs, now: UnixMs) -> String {
        let day = |at: UnixMs| at.date_time(self.0).chars().take(10).collect::<String>();
        if day(at) == day(now) { self.clock(at) } else { self.short(at) }
    }
}

/// The reader's zone.
pub(crate) fn use_zone() -> Zone {
    Zone(use_session().preferences.offset)
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

/// `11-30 14:03`; the whole on hover.
#[component]
pub(crate) fn Moment(
    /// When.
    at: UnixMs,
) -> impl IntoView {
    let zone = use_zone();
    view! { <time datetime=at.rfc3339() title=zone.full(at)>{zone.short(at)}</time> }
}
