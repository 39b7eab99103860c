//! The serial line: a small terminal's text, and the keys that go to the guest.

use std::cell::RefCell;

use leptos::ev::{ClipboardEvent, KeyboardEvent};
use leptos::html;
use leptos::prelude::*;

use super::drive;
use super::screen::return_to_bar;
use super::session::Session;
use super::terminal::{Terminal, key_bytes, paste_bytes};
use crate::locales::use_words;

/// Id of the element that shows the text.
const TEXT: &str = "console-text";
/// Nearer to its end than this, the text follows what comes, in pixels.
const NEAR_PX: i32 = 40;

/// The terminal of this tab, and whether its text is to be drawn in the next frame.
#[derive(Default)]
struct Drawn {
    terminal: Terminal,
    is_due: bool,
}

thread_local! {
    static DRAWN: RefCell<Drawn> = RefCell::default();
}

/// Takes bytes of the line; the text is drawn once a frame, however many come.
pub(super) fn feed(bytes: &[u8]) {
    let was_due = DRAWN.with_borrow_mut(|drawn| {
        drawn.terminal.feed(bytes);
        std::mem::replace(&mut drawn.is_due, true)
    });
    if !was_due {
        request_animation_frame(draw);
    }
}

/// Only the document is touched: what is shown is the guest's, not the page's.
fn draw() {
    let text = DRAWN.with_borrow_mut(|drawn| {
        drawn.is_due = false;
        drawn.terminal.text()
    });
    let Some(element) = document().get_element_by_id(TEXT) else { return };
    let is_at_end = element.scroll_height() - element.scroll_top() - element.client_height() < NEAR_PX;
    element.set_text_content(Some(&text));
    if is_at_end {
        element.set_scroll_top(element.scroll_height());
    }
}

/// The terminal.
#[component]
pub(super) fn Serial(session: Session) -> impl IntoView {
    let words = use_words().console;
    let element = NodeRef::<html::Pre>::new();
    let label = (words.terminal)(session.vm.name.as_str());
    let (stage, typed) = (session.stage.clone(), session.clone());
    Effect::new(move |_| {
        DRAWN.take();
        if let Some(element) = element.get() {
            // The page is about this one thing.
            let _ = element.focus();
        }
    });
    let key = move |event: KeyboardEvent| {
        if return_to_bar(&event) || event.meta_key() || event.is_composing() {
            return;
        }
        // Copying what is marked is the browser's.
        let is_copy = event.ctrl_key() && event.shift_key();
        let is_paste = event.ctrl_key() && event.key().eq_ignore_ascii_case("v");
        if is_copy || is_paste {
            return;
        }
        if let Some(bytes) = key_bytes(&event.key(), event.ctrl_key(), event.alt_key()) {
            event.prevent_default();
            drive::send(&session, &bytes);
        }
    };
    let paste = move |event: ClipboardEvent| {
        let text = event.clipboard_data().and_then(|data| data.get_data("text/plain").ok());
        if let Some(text) = text {
            event.prevent_default();
            drive::send(&typed, &paste_bytes(&text));
        }
    };
    view! {
        <pre
            class="terminal"
            id=TEXT
            tabindex="0"
            role="log"
            aria-live="off"
            aria-label=label
            aria-description=words.screen_help
            data-testid="serial"
            data-state=move || stage.with(|stage| stage.word())
            node_ref=element
            on:keydown=key
            on:paste=paste
        ></pre>
    }
}
