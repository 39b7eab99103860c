//! What the viewer sends (RFC 6143 §7.5, `rfbproto.rst`).
//!
//! Invariant: nothing is sent before the handshake is over; a key that went down can be let go. Must never know why.

use super::{Client, Pacing};
use crate::encoding::{from_client, pseudo};
use crate::input::{Buttons, Key, Wheel};
use crate::limits::{MAX_HELD_KEYS, MAX_TEXT_BYTES};
use crate::wire::{Write, to_latin1};
use crate::{PixelFormat, Rect};

impl Client {
    /// A key goes down or up. Sent with its scancode where the server wants that (QEMU), which makes it independent of
    /// keyboard layouts; else by keysym. A key of which the server understands nothing is not sent.
    pub fn press(&mut self, key: Key, down: bool) {
        if !self.is_connected() {
            return;
        }
        self.held.retain(|&held| held != key);
        if down && self.held.len() < MAX_HELD_KEYS {
            self.held.push(key);
        }
        if self.offers.extended_keys && key.scancode != 0 {
            self.output.extend_from_slice(&[from_client::QEMU, 0, 0, down.into()]);
            self.output.put_u32(key.keysym);
            self.output.put_u32(key.scancode);
        } else if key.keysym != 0 {
            self.output.extend_from_slice(&[from_client::KEY, down.into(), 0, 0]);
            self.output.put_u32(key.keysym);
        }
    }

    /// Lets go of every key that is down: when the console loses the focus, their ends would never be seen.
    pub fn release_keys(&mut self) {
        for key in std::mem::take(&mut self.held) {
            self.press(key, false);
        }
    }

    /// The pointer is at `x`, `y` (pixels; kept inside the screen) with `buttons` down.
    pub fn point(&mut self, x: u16, y: u16, buttons: Buttons) {
        if !self.is_connected() {
            return;
        }
        let screen = &self.bench.screen;
        let (x, y) = (x.min(screen.width() - 1), y.min(screen.height() - 1));
        if self.pointer != (x, y, buttons) {
            self.pointer = (x, y, buttons);
            self.send_pointer(x, y, buttons);
        }
    }

    /// The wheel turns by one notch where the pointer is; RFB has wheels as buttons pressed and let go.
    pub fn wheel(&mut self, wheel: Wheel) {
        if self.is_connected() {
            let (x, y, buttons) = self.pointer;
            self.send_pointer(x, y, Buttons(buttons.0 | wheel.button()));
            self.send_pointer(x, y, buttons);
        }
    }

    /// Gives the server a text for its clipboard; what Latin-1 lacks becomes `?`, and it is cut to
    /// [`MAX_TEXT_BYTES`] (RFC 6143 §7.5.6).
    pub fn clipboard(&mut self, text: &str) {
        if self.is_connected() {
            let mut text = to_latin1(text);
            text.truncate(MAX_TEXT_BYTES);
            self.output.extend_from_slice(&[from_client::CUT_TEXT, 0, 0, 0]);
            self.output.put_u32(text.len() as u32);
            self.output.append(&mut text);
        }
    }

    /// Asks for what changed, or for everything. The client does so itself, for everything at first and for what
    /// changed as each update begins; this is for a canvas that lost its pixels.
    pub fn request_update(&mut self, incremental: bool) {
        if self.is_connected() {
            self.request(self.bench.screen.area(), incremental);
        }
    }

    /// Asks for no more updates: the tab is hidden.
    pub fn pause(&mut self) {
        self.flow.is_paused = true;
        if self.is_connected() && self.flow.is_continuous {
            self.send_continuous_updates(false);
        }
    }

    /// Asks for updates again.
    pub fn resume(&mut self) {
        if !std::mem::take(&mut self.flow.is_paused) {
            return;
        }
        if self.offers.continuous_updates && self.options.pacing == Pacing::Continuous {
            self.start_continuous_updates();
        }
        self.request_update(true);
    }

    /// Whether [`Self::request_size`] can do something.
    pub fn can_resize(&self) -> bool {
        self.offers.monitor.is_some()
    }

    /// Asks for a screen of another size, in pixels, where the server lets viewers choose it; an
    /// [`super::Event::Resized`] follows if it agrees (`rfbproto.rst`, "SetDesktopSize").
    pub fn request_size(&mut self, width: u16, height: u16) {
        if let Some((id, flags)) = self.offers.monitor.filter(|_| self.is_connected()) {
            self.output.extend_from_slice(&[from_client::SET_DESKTOP_SIZE, 0]);
            self.output.put_u16(width);
            self.output.put_u16(height);
            self.output.extend_from_slice(&[1, 0]);
            self.output.put_u32(id);
            self.output.put_rect(Rect::new(0, 0, width, height));
            self.output.put_u32(flags);
        }
    }

    /// The pixel format and the encodings, sent once.
    pub(super) fn send_setup(&mut self) {
        self.output.extend_from_slice(&[from_client::SET_PIXEL_FORMAT, 0, 0, 0]);
        self.output.extend_from_slice(&PixelFormat::RGBX.to_wire());
        let mut codes: Vec<i32> = self.options.encodings.iter().map(|encoding| encoding.code()).collect();
        codes.extend([
            pseudo::ALPHA_CURSOR,
            pseudo::CURSOR,
            pseudo::EXTENDED_DESKTOP_SIZE,
            pseudo::DESKTOP_SIZE,
            pseudo::LAST_RECT,
            pseudo::DESKTOP_NAME,
            pseudo::POINTER_MODE,
            pseudo::EXTENDED_KEYS,
            pseudo::LED_STATE,
            pseudo::FENCE,
        ]);
        if self.options.pacing == Pacing::Continuous {
            codes.push(pseudo::CONTINUOUS_UPDATES);
        }
        codes.extend(self.options.jpeg_quality.map(|level| pseudo::QUALITY_0 + i32::from(level.min(9))));
        codes.extend(self.options.compression.map(|level| pseudo::COMPRESSION_0 + i32::from(level.min(9))));
        self.output.extend_from_slice(&[from_client::SET_ENCODINGS, 0]);
        self.output.put_u16(codes.len() as u16);
        codes.into_iter().for_each(|code| self.output.put_u32(code as u32));
    }

    pub(super) fn request(&mut self, rect: Rect, incremental: bool) {
        self.flow.asked = self.flow.asked.saturating_add(1);
        self.output.extend_from_slice(&[from_client::UPDATE_REQUEST, incremental.into()]);
        self.output.put_rect(rect);
    }

    pub(super) fn start_continuous_updates(&mut self) {
        if !self.flow.is_paused {
            self.flow.is_continuous = true;
            self.send_continuous_updates(true);
        }
    }

    fn send_continuous_updates(&mut self, on: bool) {
        self.output.extend_from_slice(&[from_client::CONTINUOUS_UPDATES, on.into()]);
        self.output.put_rect(self.bench.screen.area());
    }

    fn send_pointer(&mut self, x: u16, y: u16, buttons: Buttons) {
        self.output.extend_from_slice(&[from_client::POINTER, buttons.0]);
        self.output.put_u16(x);
        self.output.put_u16(y);
    }
}
