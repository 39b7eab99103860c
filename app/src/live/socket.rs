//! The WebSocket itself: one a tab, opened by an effect, closed when the page goes.
//!
//! Everything here runs in the browser only: the server renders pages but never starts an effect. What is not `Send`
//! (the socket, its handlers, the timer) is kept in this thread.

use std::cell::RefCell;
use std::time::Duration;

use leptos::prelude::*;
use model::live::{Down, Up};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{BinaryType, CloseEvent, MessageEvent, WebSocket};

use super::Live;
use crate::paths;

/// What is kept of the line.
#[derive(Default)]
struct Line {
    socket: Option<WebSocket>,
    handlers: Vec<Closure<dyn Fn(JsValue)>>,
    timer: Option<TimeoutHandle>,
    attempt: u32,
    heard: f64,
}

thread_local! {
    static LINE: RefCell<Line> = RefCell::default();
}

/// The browser's clock.
pub(super) fn browser_ms() -> f64 {
    js_sys::Date::now()
}

/// Opens the line, or opens it anew.
pub(super) fn connect(live: &Live) {
    hang_up();
    let Some(url) = url() else { return };
    let Ok(socket) = WebSocket::new(&url) else { return retry(live) };
    socket.set_binary_type(BinaryType::Arraybuffer);
    let on_message = handler(live, |live, event| {
        let bytes = event.dyn_into::<MessageEvent>().map(|event| js_sys::Uint8Array::new(&event.data()).to_vec());
        LINE.with_borrow_mut(|line| line.heard = browser_ms());
        match bytes.ok().and_then(|bytes| postcard::from_bytes::<Down>(&bytes).ok()) {
            Some(down) => live.take(down),
            None => live.garbled(),
        }
    });
    let on_close = handler(live, |live, event| {
        leptos::logging::debug_warn!("live: closed, {:?}", event.dyn_into::<CloseEvent>().map(|event| event.code()));
        retry(live);
    });
    socket.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    socket.set_onclose(Some(on_close.as_ref().unchecked_ref()));
    LINE.with_borrow_mut(|line| {
        line.heard = browser_ms();
        line.handlers = vec![on_message, on_close];
        line.socket = Some(socket);
    });
}

/// Closes the line for good.
pub(super) fn hang_up() {
    LINE.with_borrow_mut(|line| {
        if let Some(timer) = line.timer.take() {
            timer.clear();
        }
        if let Some(socket) = line.socket.take() {
            socket.set_onmessage(None);
            socket.set_onclose(None);
            // Closing what is closed already is no harm.
            let _ = socket.close();
        }
        line.handlers.clear();
    });
}

/// Says `up` if the line is open; else it is said when it opens, since the wishes are repeated then.
pub(super) fn send(up: &Up) {
    LINE.with_borrow(|line| {
        let open = line.socket.as_ref().filter(|socket| socket.ready_state() == WebSocket::OPEN);
        if let (Some(socket), Ok(bytes)) = (open, postcard::to_stdvec(up)) {
            // What is lost with the line is said again on the next.
            let _ = socket.send_with_u8_array(&bytes);
        }
    });
}

/// The line works: the next cut is waited for shortly.
pub(super) fn is_well() {
    LINE.with_borrow_mut(|line| line.attempt = 0);
}

/// When anything was heard last, by the browser's clock.
pub(super) fn heard_ms() -> f64 {
    LINE.with_borrow(|line| line.heard)
}

/// Tries again after a wait that grows.
pub(super) fn retry(live: &Live) {
    let attempt = LINE.with_borrow_mut(|line| {
        line.attempt += 1;
        line.attempt - 1
    });
    let wait = super::link::wait_ms(attempt, js_sys::Math::random());
    live.lost(wait);
    let again = live.clone();
    let timer = set_timeout_with_handle(move || connect(&again), Duration::from_millis(wait as u64));
    LINE.with_borrow_mut(|line| {
        if let Some(old) = std::mem::replace(&mut line.timer, timer.ok()) {
            old.clear();
        }
    });
}

fn handler(live: &Live, act: impl Fn(&Live, JsValue) + 'static) -> Closure<dyn Fn(JsValue)> {
    let live = live.clone();
    Closure::new(move |event| act(&live, event))
}

fn url() -> Option<String> {
    let location = web_sys::window()?.location();
    let scheme = if location.protocol().ok()? == "https:" { "wss" } else { "ws" };
    Some(format!("{scheme}://{}{}", location.host().ok()?, paths::LIVE))
}
