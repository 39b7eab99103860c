//! How fresh the page is, and what happened while it stood there.

use leptos::prelude::*;

use crate::{Glyph, Icon, tone::Tone};

/// How much of what is shown is live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Freshness {
    /// All of it.
    #[default]
    Live,
    /// Some cluster is away.
    Partial,
    /// The server itself is away.
    Away,
}

/// A dot and a word in the top bar or at the foot of a page.
#[component]
pub fn Fresh(
    /// How much is live.
    #[prop(optional, into)]
    freshness: Signal<Freshness>,
    /// "Live", "Away".
    #[prop(into)]
    word: Signal<String>,
    /// How many, how fast: "49/50 · 0.2 s".
    #[prop(optional, into)]
    note: Signal<Option<String>>,
) -> impl IntoView {
    let state = move || match freshness.get() {
        Freshness::Live => None,
        Freshness::Partial => Some("partial"),
        Freshness::Away => Some("away"),
    };
    view! {
        <span class="fresh" role="status" data-state=state>
            {word}
            {move || note.get().map(|note| view! { <em>{note}</em> })}
        </span>
    }
}

/// A thin bar under the top bar while the connection is being made again; what was seen stays.
#[component]
pub fn ReconnectBar(
    /// Whether it stands there.
    #[prop(into)]
    shown: Signal<bool>,
    /// Since when what is shown holds, and when it is tried again.
    #[prop(into)]
    text: Signal<String>,
    /// "Try now".
    #[prop(into)]
    retry: String,
    /// The reader does not want to wait.
    #[prop(into)]
    on_retry: Callback<()>,
) -> impl IntoView {
    view! {
        <Show when=move || shown.get()>
            <div class="reconnect" role="status">
                <Icon glyph=Glyph::Offline/>
                {text}
                <button type="button" class="link" on:click=move |_| on_retry.run(())>{retry.clone()}</button>
            </div>
        </Show>
    }
}

/// Something that happened to an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// When, written for the reader.
    pub time: String,
    /// How grave.
    pub tone: Tone,
    /// A word for what happened: `FailedMount`.
    pub reason: String,
    /// What it says.
    pub message: String,
    /// Who said it.
    pub source: String,
    /// How often, when more than once: "12 ×".
    pub count: Option<String>,
}

/// Events of an object, the newest first.
#[component]
pub fn EventList(
    /// The events.
    #[prop(into)]
    events: Signal<Vec<Event>>,
) -> impl IntoView {
    let item = |event: Event| {
        let glyph = match event.tone {
            Tone::Error => Glyph::Error,
            Tone::Warning => Glyph::Warning,
            Tone::Ok => Glyph::Ok,
            Tone::Moving => Glyph::Moving,
            _ => Glyph::Info,
        };
        view! {
            <li data-tone=event.tone.name()>
                <time>{event.time}</time>
                <Icon glyph=glyph/>
                <div><p><b>{event.reason}</b>" "{event.message}</p><small>{event.source}</small></div>
                <em>{event.count}</em>
            </li>
        }
    };
    view! { <ol class="events"><For each=move || events.get() key=|event| event.clone() children=item/></ol> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn the_bar_keeps_silent_while_all_is_well() {
        let bar = |shown| {
            html(move || view! { <ReconnectBar shown=shown text="正在重连" retry="现在重连" on_retry=|()| ()/> })
        };
        assert!(!bar(false).contains("role"));
        assert_parts(&bar(true), &["role=\"status\"", "#offline", "正在重连", "<button", "现在重连"]);
    }

    #[test]
    fn an_event_says_when_what_and_who() {
        let event = Event {
            time: "14:08:47".into(),
            tone: Tone::Warning,
            reason: "FailedMount".into(),
            message: "volume is busy".into(),
            source: "kubelet, bj1-hv-03".into(),
            count: Some("12 ×".into()),
        };
        let events = html(move || view! { <EventList events=vec![event]/> });
        assert_parts(
            &events,
            &[
                "data-tone=\"warning\"",
                "14:08:47",
                "#warning",
                "<b>FailedMount</b>",
                "volume is busy",
                "kubelet",
                "12 ×",
            ],
        );
    }
}
