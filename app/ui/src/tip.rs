//! Tips (`.tip`) show by style alone, on hover and focus; here is the one thing that style cannot: Esc puts them away
//! (WCAG 2.2, 1.4.13), until something else is pointed at or focused.

use leptos::{ev, prelude::*};
use web_sys::Element;

/// On the root element while tips are away; read by `style/ui/tip.css`.
const AWAY: &str = "data-tips-away";

/// Listens for as long as the caller stands there: once a page.
pub(crate) fn put_away_by_escape() {
    Effect::new(move |_| {
        let escape = window_event_listener(ev::keydown, |event| {
            if event.key() == "Escape"
                && let Some(root) = root()
            {
                // An attribute with a valid name is always taken.
                let _ = root.set_attribute(AWAY, "");
            }
        });
        let pointed = window_event_listener(ev::pointerover, |_| show());
        let focused = window_event_listener(ev::focusin, |_| show());
        on_cleanup(move || {
            escape.remove();
            pointed.remove();
            focused.remove();
        });
    });
}

fn show() {
    if let Some(root) = root() {
        // What is not there need not go.
        let _ = root.remove_attribute(AWAY);
    }
}

fn root() -> Option<Element> {
    document().document_element()
}
