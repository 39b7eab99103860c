//! Paste as typing: a text is typed key by key; what a US keyboard cannot type is named before.

use app_ui::{Button, Glyph, Kind, TextArea, ToolButton};
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use model::time::took;

use super::drive;
use super::screen::focus_screen;
use super::session::Session;
use crate::locales::use_words;

/// Longest text: more is a file, and there are better ways for files.
const MAX_CHARS: usize = 10_000;
/// Keys a second, in milliseconds each.
const KEY_MS: usize = 25;

/// The panel.
#[component]
pub(super) fn Paste(session: Session, open: RwSignal<bool>) -> impl IntoView {
    view! { <Show when=move || open.get()><Panel session=session.clone() open=open/></Show> }
}

#[component]
fn Panel(session: Session, open: RwSignal<bool>) -> impl IntoView {
    let words = use_words().console;
    let text = RwSignal::new(String::new());
    let missing = Memo::new(move |_| text.with(|text| drive::untypable(text)));
    let keys = Memo::new(move |_| text.with(|text| text.chars().count()));
    let typing = session.typing.clone();
    let is_typing = Signal::derive(move || typing.get() > 0);
    let close = move || {
        open.set(false);
        focus_screen();
    };
    let type_it = move |()| {
        let text: String = text.get_untracked().chars().take(MAX_CHARS).collect();
        drive::type_text(&session, &text);
        focus_screen();
    };
    let act =
        Signal::derive(move || if missing.with(Vec::is_empty) { words.paste_act } else { words.paste_skip }.to_owned());
    let refusal = Signal::derive(move || (keys.get() == 0).then(|| words.paste_text.to_owned()));
    let cannot = move || {
        let missing = missing.get();
        (!missing.is_empty()).then(|| {
            let named: String = missing.iter().take(40).collect();
            view! { <p class="small" role="status">{(words.paste_cannot)(missing.len())}<mark>{named}</mark>" "{words.paste_instead}</p> }
        })
    };
    let takes = move || {
        let ms = i64::try_from(keys.get() * KEY_MS).unwrap_or(i64::MAX);
        (ms > 0).then(|| (words.paste_takes)(&took(ms)))
    };
    view! {
        <section class="console-paste" aria-label=words.paste on:keydown=move |event: KeyboardEvent| if event.key() == "Escape" { close() }>
            <div class="row">
                <h2>{words.paste}</h2>
                <span class="push small faint">{words.paste_speed}</span>
                <ToolButton label=app_ui::words().close glyph=Glyph::Close on_press=move |()| close()/>
            </div>
            <TextArea value=text rows=3 label=words.paste_text mono=true/>
            {cannot}
            <div class="row">
                <Button word=act kind=Kind::Primary busy=is_typing refusal=refusal on_press=type_it/>
                <span class="push small faint">{takes}</span>
            </div>
        </section>
    }
}
