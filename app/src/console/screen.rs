//! The guest's screen: a canvas of its own size, and what a person does on it.

use leptos::ev;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::drive;
use super::session::Session;
use crate::locales::use_words;

/// Id of the canvas.
pub(super) const CANVAS: &str = "console-screen";
/// Id of the toolbar.
pub(super) const BAR: &str = "console-bar";

/// Where on a screen of `size` pixels a point lies that is `at` within a canvas drawn `shown` large; the screen keeps its
/// proportions and stands in the middle. Points beside it are moved to its edge.
pub(super) fn to_screen(at: (f64, f64), shown: (f64, f64), size: (u32, u32)) -> (u16, u16) {
    let (width, height) = (f64::from(size.0.max(1)), f64::from(size.1.max(1)));
    let scale = (shown.0 / width).min(shown.1 / height);
    if scale <= 0.0 || !scale.is_finite() {
        return (0, 0);
    }
    let one = |at: f64, shown: f64, size: f64| {
        let place = (at - (shown - size * scale) / 2.0) / scale;
        place.floor().clamp(0.0, size - 1.0) as u16
    };
    (one(at.0, shown.0, width), one(at.1, shown.1, height))
}

/// The way out of what takes every key: Ctrl+Alt+Enter goes to the toolbar.
pub(super) fn return_to_bar(event: &KeyboardEvent) -> bool {
    let is_it = event.ctrl_key() && event.alt_key() && event.key() == "Enter";
    if is_it {
        event.prevent_default();
        focus_bar();
    }
    is_it
}

fn focus_bar() {
    let first = document().query_selector(&format!("#{BAR} button")).ok().flatten();
    if let Some(first) = first.and_then(|first| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(first).ok()) {
        // A button that is on screen takes the focus.
        let _ = first.focus();
    }
}

/// Gives the keyboard back to the guest.
pub(super) fn focus_screen() {
    let canvas = document().get_element_by_id(CANVAS);
    if let Some(canvas) = canvas.and_then(|canvas| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(canvas).ok())
    {
        // What cannot take the focus leaves it where it is.
        let _ = canvas.focus();
    }
}

/// The screen.
#[component]
pub(super) fn Screen(session: Session, fit: RwSignal<bool>) -> impl IntoView {
    let words = use_words().console;
    let canvas = NodeRef::<html::Canvas>::new();
    let label = (words.screen)(session.vm.name.as_str());
    let stage = session.stage.clone();
    Effect::new(move |_| {
        if canvas.get().is_some() {
            focus_screen();
        }
    });
    Effect::new(move |_| {
        let hides = window_event_listener_untyped("visibilitychange", move |_| drive::set_hidden(document().hidden()));
        let leaves = window_event_listener(ev::blur, move |_| drive::release_keys());
        on_cleanup(move || {
            hides.remove();
            leaves.remove();
        });
    });
    let (keys_down, keys_up) = (session.clone(), session.clone());
    let down = move |event: KeyboardEvent| {
        if return_to_bar(&event) {
            drive::release_keys();
        } else {
            drive::key(&keys_down, &event, true);
        }
    };
    let (a, b, c) = (session.clone(), session.clone(), session.clone());
    let pressed = move |event: ev::PointerEvent| {
        focus_screen();
        event.prevent_default();
        drive::point(&a, &event);
    };
    view! {
        <div class="console-port" data-fit=move || fit.get().then_some("")>
            <canvas
                class="console-screen"
                id=CANVAS
                width="640"
                height="480"
                tabindex="0"
                role="application"
                aria-label=label
                aria-description=words.screen_help
                data-testid="screen"
                data-state=move || stage.with(|stage| stage.word())
                node_ref=canvas
                on:keydown=down
                on:keyup=move |event| drive::key(&keys_up, &event, false)
                on:blur=|_| drive::release_keys()
                on:pointerdown=pressed
                on:pointermove=move |event| drive::point(&b, &event)
                on:pointerup=move |event| drive::point(&c, &event)
                on:wheel=move |event| drive::wheel(&session, &event)
                on:contextmenu=|event| event.prevent_default()
            ></canvas>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_where_the_guest_sees_it() {
        let size = (640, 480);
        assert_eq!(to_screen((320.0, 240.0), (640.0, 480.0), size), (320, 240));
        // Twice as large.
        assert_eq!(to_screen((320.0, 240.0), (1280.0, 960.0), size), (160, 120));
        // Wider than the screen: 320 px of nothing on each side.
        assert_eq!(to_screen((320.0, 0.0), (1280.0, 480.0), size), (0, 0));
        assert_eq!(to_screen((960.0, 479.9), (1280.0, 480.0), size), (639, 479));
        // Beside it and before it is drawn.
        assert_eq!(to_screen((5.0, 5.0), (1280.0, 480.0), size), (0, 5));
        assert_eq!(to_screen((5.0, 5.0), (0.0, 0.0), size), (0, 0));
    }
}
