//! The clock of a delivery against what was promised: 5 minutes to the cluster, 15 to usable.

use leptos::prelude::*;
use model::provisioning::{DeliveryView, HANDED_OVER_MS, USABLE_MS};
use model::time::stopwatch;

use crate::frame::{use_now, use_zone};
use crate::locales::use_words;

/// Figures and axis.
#[component]
pub(super) fn Promise(view: Memo<DeliveryView>) -> impl IntoView {
    let words = use_words().provisioning;
    let (now, zone) = (use_now(), use_zone());
    let elapsed = Memo::new(move |_| view.with(|v| v.ended.map_or_else(|| now.get(), |at| at.0) - v.began.0).max(0));
    let share = |ms: i64| (ms.clamp(0, USABLE_MS) as f64 / USABLE_MS as f64 * 100.0 * 100.0).round() / 100.0;
    let verdict = move || {
        let left = USABLE_MS - elapsed.get();
        let is_over = view.with(|v| v.ended.is_some());
        let text = if left >= 0 { (words.early)(&stopwatch(left)) } else { (words.late)(&stopwatch(-left)) };
        (is_over || left < 0).then(|| view! { <span class="small" class:tone-ok={left >= 0}>{text}</span> })
    };
    let ended = move || view.with(|v| v.ended.map(|at| (words.ended_at)(&zone.clock(at))));
    let handed = move || {
        let at = view.with(|v| v.handed_over.map(|at| at.0 - v.began.0))?;
        let x = format!("{}%", share(at));
        Some(view! {
            <line class="done" x1=x.clone() x2=x.clone() y1="20" y2="40"></line>
            <text class="t-ok" x=x y="54">{(words.handed)(&stopwatch(at))}</text>
        })
    };
    let due = format!("{}%", share(HANDED_OVER_MS));
    let label = move || format!("{} {}", stopwatch(elapsed.get()), words.of_promise);
    let width = move || format!("{}%", share(elapsed.get()));
    let ordered = move || view.with(|v| (words.ordered)(&zone.clock(v.began)));
    view! {
        <div class="promise">
            <div class="clock">
                <b>{move || stopwatch(elapsed.get())}<small>{words.of_promise}</small></b>
                <span>{ended}</span>
                {verdict}
            </div>
            <svg class="promise-axis" role="img" aria-label=label>
                <rect class="room" x="0" y="24" width="100%" height="12" rx="2"></rect>
                <rect class="used" x="0" y="24" width=width height="12" rx="2"></rect>
                <line class="due" x1=due.clone() x2=due.clone() y1="20" y2="40"></line>
                <text x=due y="14" text-anchor="middle">{words.due_handed}</text>
                <line class="due" x1="99.9%" x2="99.9%" y1="20" y2="40"></line>
                <text x="100%" y="14" text-anchor="end">{words.due_usable}</text>
                <text x="0" y="14">{ordered}</text>
                {handed}
            </svg>
        </div>
    }
}
