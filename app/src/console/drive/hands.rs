//! What a person does: keys, pointer, wheel, typed texts, serial bytes. Nothing of it is ever written down.

use std::collections::VecDeque;
use std::time::Duration;

use leptos::prelude::*;
use rfb::typing::{SHIFT, Stroke, strokes};
use rfb::{Buttons, Wheel, keysym};
use web_sys::{KeyboardEvent, PointerEvent, WebSocket, WheelEvent};

use super::{LINE, paint, with_client};
use crate::console::screen::to_screen;
use crate::console::session::Session;

/// Between two typed keys: guests drop what comes faster than a fast typist.
const STROKE: Duration = Duration::from_millis(25);
/// A notch of the wheel, in pixels.
const NOTCH_PX: f64 = 50.0;
/// Most notches of one event: a flick of a touchpad is no reason to flood the guest.
const MOST_NOTCHES: usize = 8;

/// A text that is being typed.
#[derive(Default)]
pub(super) struct Typing {
    left: VecDeque<Stroke>,
    timer: Option<IntervalHandle>,
}

impl Drop for Typing {
    fn drop(&mut self) {
        if let Some(timer) = self.timer.take() {
            timer.clear();
        }
    }
}

/// A key goes down or up.
pub(in crate::console) fn key(session: &Session, event: &KeyboardEvent, down: bool) {
    if event.is_composing() || session.is_view_only.get_untracked() {
        return;
    }
    let code = event.code();
    LINE.with_borrow_mut(|line| {
        let Some(line) = line else { return };
        let key = match down {
            true => keysym::from_browser(&code, &event.key()),
            false => line.down.remove(&code).unwrap_or_else(|| keysym::from_browser(&code, &event.key())),
        };
        if key == rfb::Key::default() {
            return;
        }
        event.prevent_default();
        if down {
            line.down.insert(code, key);
        }
        if let Some(client) = &mut line.client {
            client.press(key, down);
        }
        line.flush();
    });
}

/// Lets go of every key: the end of those that are down would never be seen.
pub(in crate::console) fn release_keys() {
    LINE.with_borrow_mut(|line| {
        let Some(line) = line else { return };
        line.down.clear();
        if let Some(client) = &mut line.client {
            client.release_keys();
        }
        line.flush();
    });
}

/// The pointer is somewhere, with some buttons.
pub(in crate::console) fn point(session: &Session, event: &PointerEvent) {
    if session.is_view_only.get_untracked() {
        return;
    }
    let Some(canvas) = paint::canvas() else { return };
    if event.type_() == "pointerdown" {
        // A drag goes on beyond the canvas; a browser that cannot do that ends it there.
        let _ = canvas.set_pointer_capture(event.pointer_id());
    }
    let rect = canvas.get_bounding_client_rect();
    let at = (f64::from(event.client_x()) - rect.left(), f64::from(event.client_y()) - rect.top());
    let (x, y) = to_screen(at, (rect.width(), rect.height()), (canvas.width(), canvas.height()));
    with_client(|client| client.point(x, y, Buttons::from_browser(event.buttons())));
}

/// The wheel turns.
pub(in crate::console) fn wheel(session: &Session, event: &WheelEvent) {
    if session.is_view_only.get_untracked() {
        return;
    }
    event.prevent_default();
    // Lines and pages become pixels.
    let scale = match event.delta_mode() {
        WheelEvent::DOM_DELTA_PIXEL => 1.0,
        _ => NOTCH_PX,
    };
    LINE.with_borrow_mut(|line| {
        let Some(line) = line else { return };
        let (x, y) = &mut line.turned;
        *x += event.delta_x() * scale;
        *y += event.delta_y() * scale;
        let turns = [(whole_notches(y), Wheel::Up, Wheel::Down), (whole_notches(x), Wheel::Left, Wheel::Right)];
        if let Some(client) = &mut line.client {
            for (notches, back, forth) in turns {
                let wheel = if notches < 0.0 { back } else { forth };
                (0..(notches.abs() as usize).min(MOST_NOTCHES)).for_each(|_| client.wheel(wheel));
            }
        }
        line.flush();
    });
}

/// Takes the whole notches out of what was turned.
fn whole_notches(turned: &mut f64) -> f64 {
    let notches = (*turned / NOTCH_PX).trunc();
    *turned -= notches * NOTCH_PX;
    notches
}

/// Presses keys together, as `(code, key)` of a browser, and lets go of them in reverse.
pub(in crate::console) fn press(session: &Session, keys: &[(&str, &str)]) {
    if session.is_view_only.get_untracked() {
        return;
    }
    with_client(|client| {
        let keys: Vec<rfb::Key> = keys.iter().map(|(code, key)| keysym::from_browser(code, key)).collect();
        keys.iter().for_each(|&key| client.press(key, true));
        keys.iter().rev().for_each(|&key| client.press(key, false));
    });
}

/// What of a text a US keyboard cannot type.
pub(in crate::console) fn untypable(text: &str) -> Vec<char> {
    rfb::typing::untypable(text)
}

/// Types a text, key after key; what cannot be typed is left out.
pub(in crate::console) fn type_text(session: &Session, text: &str) {
    if session.is_view_only.get_untracked() {
        return;
    }
    let count = LINE.with_borrow_mut(|line| {
        let line = line.as_mut()?;
        line.typing.left.extend(strokes(text));
        Some((line.typing.left.len(), line.typing.timer.is_some()))
    });
    let Some((count, is_under_way)) = count else { return };
    session.typing.set(count);
    if is_under_way {
        return;
    }
    let told = session.clone();
    let timer = set_interval_with_handle(move || told.typing.set(type_one()), STROKE).ok();
    LINE.with_borrow_mut(|line| match line {
        Some(line) => line.typing.timer = timer,
        None => timer.into_iter().for_each(|timer| timer.clear()),
    });
}

/// Types the next key; returns how many are left.
fn type_one() -> usize {
    LINE.with_borrow_mut(|line| {
        let Some(line) = line else { return 0 };
        let (next, left) = (line.typing.left.pop_front(), line.typing.left.len());
        if let (Some(stroke), Some(client)) = (next, &mut line.client) {
            let held = stroke.shift.then_some(SHIFT);
            held.into_iter().for_each(|shift| client.press(shift, true));
            client.press(stroke.key, true);
            client.press(stroke.key, false);
            held.into_iter().for_each(|shift| client.press(shift, false));
        }
        line.flush();
        if left == 0
            && let Some(timer) = line.typing.timer.take()
        {
            timer.clear();
        }
        left
    })
}

/// Sends bytes over a serial line.
pub(in crate::console) fn send(session: &Session, bytes: &[u8]) {
    if session.is_view_only.get_untracked() {
        return;
    }
    LINE.with_borrow(|line| {
        if let Some(line) = line.as_ref().filter(|line| line.socket.ready_state() == WebSocket::OPEN) {
            // What is lost with the line is seen to be missing on the screen.
            let _ = line.socket.send_with_u8_array(bytes);
        }
    });
}

/// The tab is hidden, or shown again: nobody needs pictures of a hidden one.
pub(in crate::console) fn set_hidden(is_hidden: bool) {
    with_client(|client| if is_hidden { client.pause() } else { client.resume() });
}
