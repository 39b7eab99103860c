//! The line of a console in the browser: one WebSocket a tab. The ticket goes first, as text; then RFB or serial bytes.
//!
//! What is not `Send` (socket, handlers, client) is kept in this thread. Nothing here decides what is shown: it tells
//! [`Session`]. Signals are set after the line was let go of, since what follows from them may reach for it again.

mod hands;
mod paint;

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use leptos::prelude::*;
use model::console::Mode;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{BinaryType, CloseEvent, MessageEvent, WebSocket};

use super::serial;
use super::session::Session;
use super::stage::{Stage, Why};
use crate::paths;

pub(super) use hands::{key, point, press, release_keys, send, set_hidden, type_text, untypable, wheel};
pub(super) use paint::screenshot;

/// What is kept of the line.
struct Line {
    socket: WebSocket,
    handlers: Vec<Closure<dyn Fn(JsValue)>>,
    /// The screen's client; none for a serial line.
    client: Option<rfb::Client>,
    /// Keys as they went down, by where they are: what comes up may have another meaning by then.
    down: HashMap<String, rfb::Key>,
    /// Turns of the wheel that make no whole notch yet, in pixels.
    turned: (f64, f64),
    typing: hands::Typing,
}

thread_local! {
    static LINE: RefCell<Option<Line>> = const { RefCell::new(None) };
}

impl Line {
    /// Sends what the client has to say. Call it after every use of the client.
    fn flush(&mut self) {
        let output = self.client.as_mut().map(rfb::Client::take_output).unwrap_or_default();
        if !output.is_empty() && self.socket.ready_state() == WebSocket::OPEN {
            // What is lost with the line is not missed on the next.
            let _ = self.socket.send_with_u8_array(&output);
        }
    }
}

/// Does something with the screen's client and sends what follows from it; nothing without a line.
fn with_client(act: impl FnOnce(&mut rfb::Client)) {
    LINE.with_borrow_mut(|line| {
        let Some(line) = line else { return };
        if let Some(client) = &mut line.client {
            act(client);
        }
        line.flush();
    });
}

/// Opens the line with a ticket.
pub(super) fn connect(session: &Session, secret: String) {
    hang_up();
    let Some(url) = url() else { return };
    let Ok(socket) = WebSocket::new(&url) else { return session.ended(Why::Network) };
    socket.set_binary_type(BinaryType::Arraybuffer);
    let opened = socket.clone();
    let waiting = session.clone();
    let on_open = Closure::<dyn Fn(JsValue)>::new(move |_| {
        // A line that is cut at once tells so by its close.
        let _ = opened.send_with_str(&secret);
        if waiting.mode == Mode::Serial {
            await_silence(&waiting);
        }
    });
    let on_message = handler(session, |session, event| {
        let Ok(event) = event.dyn_into::<MessageEvent>() else { return };
        let Ok(buffer) = event.data().dyn_into::<js_sys::ArrayBuffer>() else { return };
        take(session, &js_sys::Uint8Array::new(&buffer).to_vec());
    });
    let on_close = handler(session, |session, event| {
        let (code, reason) =
            event.dyn_into::<CloseEvent>().map_or((0, String::new()), |event| (event.code(), event.reason()));
        hang_up();
        session.ended(Why::of_close(code, reason));
    });
    socket.set_onopen(Some(on_open.as_ref().unchecked_ref()));
    socket.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    socket.set_onclose(Some(on_close.as_ref().unchecked_ref()));
    let client = (session.mode == Mode::Vnc).then(|| rfb::Client::new(rfb::Options::default()));
    let handlers = vec![on_open, on_message, on_close];
    let line =
        Line { socket, handlers, client, down: HashMap::new(), turned: (0.0, 0.0), typing: hands::Typing::default() };
    LINE.set(Some(line));
}

/// A serial line may be silent for hours: one that was not closed by then was taken.
const TAKEN: Duration = Duration::from_millis(1_500);

fn await_silence(session: &Session) {
    let session = session.clone();
    let is_open =
        || LINE.with_borrow(|line| line.as_ref().is_some_and(|line| line.socket.ready_state() == WebSocket::OPEN));
    set_timeout(
        move || {
            if is_open() && session.stage.with_untracked(|stage| *stage == Stage::Connecting) {
                session.is_well();
            }
        },
        TAKEN,
    );
}

/// Closes the line.
pub(super) fn hang_up() {
    let Some(line) = LINE.take() else { return };
    line.socket.set_onopen(None);
    line.socket.set_onmessage(None);
    line.socket.set_onclose(None);
    // Closing what is closed already is no harm.
    let _ = line.socket.close();
    // One of the handlers may be what is running: they are dropped when it has returned.
    request_animation_frame(move || drop(line.handlers));
}

/// Takes bytes from the other side.
fn take(session: &Session, bytes: &[u8]) {
    if session.mode == Mode::Serial {
        serial::feed(bytes);
        session.is_well();
        return;
    }
    let news = LINE.with_borrow_mut(|line| {
        let line = line.as_mut()?;
        let client = line.client.as_mut()?;
        let failure = client.receive(bytes).err();
        let mut has_painted = false;
        while let Some(event) = client.poll() {
            match event {
                rfb::Event::Connected { width, height, .. } | rfb::Event::Resized { width, height } => {
                    paint::resize(width, height)
                }
                rfb::Event::Damage(rect) => {
                    paint::draw(client.framebuffer(), rect);
                    has_painted = true;
                }
                rfb::Event::Cursor(cursor) => paint::cursor(&cursor),
                _ => {}
            }
        }
        line.flush();
        Some((failure, has_painted))
    });
    match news {
        Some((Some(failure), _)) => {
            hang_up();
            session.ended(Why::Unreadable(failure.to_string()));
        }
        Some((None, true)) => session.is_well(),
        _ => {}
    }
}

fn handler(session: &Session, act: impl Fn(&Session, JsValue) + 'static) -> Closure<dyn Fn(JsValue)> {
    let session = session.clone();
    Closure::new(move |event| act(&session, event))
}

fn url() -> Option<String> {
    let location = web_sys::window()?.location();
    let scheme = if location.protocol().ok()? == "https:" { "wss" } else { "ws" };
    Some(format!("{scheme}://{}{}", location.host().ok()?, paths::CONSOLE_SOCKET))
}
