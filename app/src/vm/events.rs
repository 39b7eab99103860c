//! Events of the cluster about a VM: the tab, and the newest two at the foot of its page.

use app_ui::{EmptyState, Event, EventList, Fresh, Glyph, Tone};
use leptos::prelude::*;
use model::vm::{EventLine, VmDetail};

use crate::frame::{use_session, use_zone};
use crate::locales::{Words, use_words};
use crate::paths;

/// Events that the foot shows.
const NEWEST: usize = 2;

fn shown(line: EventLine, at: String, words: &Words) -> Event {
    Event {
        time: at,
        tone: if line.is_warning { Tone::Warning } else { Tone::Plain },
        reason: line.reason,
        message: line.message,
        source: line.about,
        count: (line.count > 1).then(|| (words.vm.times)(line.count)),
    }
}

/// The tab.
#[component]
pub(super) fn Events(detail: Memo<VmDetail>) -> impl IntoView {
    let all_words = use_words();
    let words = all_words.vm;
    let (zone, now) = (use_zone(), use_session().now);
    let lines = Memo::new(move |_| detail.with(|detail| detail.events.clone()));
    let events = Signal::derive(move || {
        lines
            .get()
            .into_iter()
            .map(|line| {
                let at = zone.near(line.at, now);
                shown(line, at, all_words)
            })
            .collect::<Vec<_>>()
    });
    let is_empty = Memo::new(move |_| lines.with(Vec::is_empty));
    let content = move || {
        if is_empty.get() {
            view! { <EmptyState glyph=Glyph::Info title=words.no_events meaning=words.no_events_more/> }.into_any()
        } else {
            view! { <EventList events=events/> }.into_any()
        }
    };
    view! { <div class="vm-body" data-one="">{content}</div> }
}

/// The line at the foot.
#[component]
pub(super) fn Strip(detail: Memo<VmDetail>) -> impl IntoView {
    let words = use_words().vm;
    let (zone, now) = (use_zone(), use_session().now);
    let newest = Memo::new(move |_| {
        detail.with(|d| (d.events.iter().take(NEWEST).cloned().collect::<Vec<_>>(), d.events.len()))
    });
    let tab = detail.with_untracked(|detail| detail.row.reference().ok().map(|vm| paths::vm_tab(&vm, "events")));
    let line = move |line: EventLine| {
        let at = zone.near(line.at, now);
        view! { <span><code>{at}</code>" "<b>{line.reason}</b>" "{line.message}</span> }
    };
    let lines = move || {
        let (lines, all) = newest.get();
        let count = format!("{} {all}", words.events);
        view! {
            {lines.into_iter().map(line).collect_view()}
            <span><a class="link" href=tab.clone()>{count}</a></span>
        }
    };
    view! { <div class="strip vm-strip"><Fresh word=words.events/>{lines}</div> }
}
