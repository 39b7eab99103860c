//! The line where there is none: on the server nothing is ever opened. The same functions as [`super::drive`] in the
//! browser, so that components need not know where they run.

use super::session::Session;

pub(super) fn connect(_: &Session, _: String) {}

pub(super) fn hang_up() {}

pub(super) fn key(_: &Session, _: &web_sys::KeyboardEvent, _: bool) {}

pub(super) fn release_keys() {}

pub(super) fn point(_: &Session, _: &web_sys::PointerEvent) {}

pub(super) fn wheel(_: &Session, _: &web_sys::WheelEvent) {}

pub(super) fn press(_: &Session, _: &[(&str, &str)]) {}

pub(super) fn type_text(_: &Session, _: &str) {}

pub(super) fn untypable(_: &str) -> Vec<char> {
    Vec::new()
}

pub(super) fn send(_: &Session, _: &[u8]) {}

pub(super) fn set_hidden(_: bool) {}

pub(super) fn screenshot(_: &str) {}
