//! The screen's end of a session: serves a framebuffer it does not own to one viewer.
//!
//! Bytes from the socket go into [`Server::receive`]; [`Server::poll`] tells what the viewer does; whoever draws calls
//! [`Server::damage`] and then [`Server::update`]; what [`Server::take_output`] returns goes to the socket.
//!
//! Invariant: at most one update waits in the output, so a slow viewer gets fewer pictures and never a backlog.
//! Must never know sockets, time or who else is watching.

mod messages;
#[cfg(test)]
mod tests;
mod update;

use std::collections::VecDeque;

use crate::damage::Damage;
use crate::encode::Encoders;
use crate::input::{Buttons, Key, Leds};
use crate::limits::{MAX_OUTPUT_BYTES, MAX_PENDING_REQUESTS, MAX_TEXT_BYTES, RECEIVE_CHUNK_BYTES};
use crate::security::Version;
use crate::wire::{Reader, Step, Write, to_latin1};
use crate::{Cursor, Encoding, PixelFormat, ProtocolError, Rect, encoding};

/// What the viewer does.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// The handshake is over.
    Ready {
        /// Whether other viewers may stay (RFC 6143 §7.3.1).
        shared: bool,
    },
    /// A key goes down or up.
    Key {
        /// The key; its scancode is 0 when the viewer does not send it.
        key: Key,
        /// Down or up.
        down: bool,
    },
    /// The pointer moves or a button changes.
    Pointer {
        /// Pixels from the left; may be outside the screen.
        x: u16,
        /// Pixels from the top.
        y: u16,
        /// What is down.
        buttons: Buttons,
    },
    /// The viewer's clipboard.
    Clipboard(String),
    /// The viewer would like another size; answer by drawing on a screen of that size, or not.
    Resize {
        /// Pixels.
        width: u16,
        /// Pixels.
        height: u16,
    },
}

/// A session with a viewer.
pub struct Server {
    phase: Phase,
    inbox: Vec<u8>,
    output: Vec<u8>,
    requests: VecDeque<Request>,
    name: String,
    /// The size the viewer knows.
    size: (u16, u16),
    format: PixelFormat,
    abilities: Abilities,
    encoders: Encoders,
    /// What the viewer has not seen.
    damage: Damage,
    /// Moves the viewer can do itself: from where, to where; they come before what is damaged.
    copies: Vec<(u16, u16, Rect)>,
    /// Where an update is asked for.
    wanted: Option<Rect>,
    /// Where updates are wanted without asking.
    continuous: Option<Rect>,
    pending: Pending,
    failure: Option<ProtocolError>,
}

/// What the viewer has shown to support.
struct Abilities {
    encoding: Encoding,
    copy_rect: bool,
    cursor: bool,
    alpha_cursor: bool,
    desktop_size: bool,
    extended_desktop_size: bool,
    leds: bool,
    pointer_mode: bool,
    extended_keys: bool,
    continuous_updates: bool,
}

impl Default for Abilities {
    fn default() -> Self {
        Self {
            encoding: Encoding::Raw,
            copy_rect: false,
            cursor: false,
            alpha_cursor: false,
            desktop_size: false,
            extended_desktop_size: false,
            leds: false,
            pointer_mode: false,
            extended_keys: false,
            continuous_updates: false,
        }
    }
}

/// What the viewer will be told with the next update.
#[derive(Default)]
struct Pending {
    cursor: Option<Cursor>,
    leds: Option<Leds>,
    absolute_pointer: Option<bool>,
    extended_keys: bool,
    /// The extended size must be told once, so that the viewer knows it may choose.
    extended_size: bool,
}

/// What the next bytes are.
#[derive(Clone, Copy)]
enum Phase {
    Version,
    SecurityChoice(Version),
    ClientInit,
    Message,
    CutText(usize),
    /// The viewer was told why not; nothing it says matters.
    Refused,
}

impl Server {
    /// A session before its first byte, for a screen of that size in pixels; `name` is shown as the desktop's name.
    pub fn new(name: &str, width: u16, height: u16) -> Self {
        Self {
            phase: Phase::Version,
            inbox: Vec::new(),
            output: Version::V3_8.to_wire().to_vec(),
            requests: VecDeque::new(),
            name: name.to_owned(),
            size: (width, height),
            format: PixelFormat::RGBX,
            abilities: Abilities::default(),
            encoders: Encoders::default(),
            damage: Damage::default(),
            copies: Vec::new(),
            wanted: None,
            continuous: None,
            pending: Pending::default(),
            failure: None,
        }
    }

    /// Takes bytes from the viewer, cut anywhere.
    ///
    /// # Errors
    /// Why the session is over; the same again on every later call.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<(), ProtocolError> {
        for chunk in bytes.chunks(RECEIVE_CHUNK_BYTES) {
            if let Some(failure) = &self.failure {
                return Err(failure.clone());
            }
            self.inbox.extend_from_slice(chunk);
            let inbox = std::mem::take(&mut self.inbox);
            match self.understand(&inbox) {
                Ok(used) => self.inbox.extend_from_slice(&inbox[used..]),
                Err(failure) => self.failure = Some(failure),
            }
        }
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// Bytes for the viewer, empty when there are none.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// What the viewer did, one thing a call; `None` when that was all.
    pub fn poll(&mut self) -> Option<Request> {
        self.requests.pop_front()
    }

    /// Whether the viewer has passed the handshake and the session is not over.
    pub fn is_ready(&self) -> bool {
        self.failure.is_none() && matches!(self.phase, Phase::Message | Phase::CutText(_))
    }

    /// These pixels changed.
    pub fn damage(&mut self, rect: Rect) {
        self.damage.add(rect);
    }

    /// The pixels of `to` are now those that were at `from_x`, `from_y`: a scrolled text moves on the viewer's side,
    /// where it can. Call it before the damage of what appeared.
    pub fn copied(&mut self, from_x: u16, from_y: u16, to: Rect) {
        /// A scrolling text is one copy; more than a few in one picture are no scrolling.
        const MAX_COPIES: usize = 16;
        let from = Rect { x: from_x, y: from_y, ..to };
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let inside = area.contains(from) && area.contains(to);
        if !self.abilities.copy_rect || !inside || self.copies.len() == MAX_COPIES || self.damage.touches(from) {
            self.damage.add(to);
        } else if !to.is_empty() {
            self.copies.push((from_x, from_y, to));
        }
    }

    /// The pointer has another shape.
    pub fn set_cursor(&mut self, cursor: Cursor) {
        self.pending.cursor = Some(cursor);
    }

    /// The keyboard lamps changed.
    pub fn set_leds(&mut self, leds: Leds) {
        self.pending.leds = Some(leds);
    }

    /// Whether the guest wants positions (a tablet) or movements (a mouse).
    pub fn set_absolute_pointer(&mut self, is_absolute: bool) {
        self.pending.absolute_pointer = Some(is_absolute);
    }

    /// The bell rings.
    pub fn bell(&mut self) {
        if self.is_ready() && self.has_room() {
            self.output.push(encoding::from_server::BELL);
        }
    }

    /// The guest's clipboard for the viewer; what Latin-1 lacks becomes `?`, and it is cut to [`MAX_TEXT_BYTES`].
    pub fn clipboard(&mut self, text: &str) {
        if self.is_ready() && self.has_room() {
            let mut text = to_latin1(text);
            text.truncate(MAX_TEXT_BYTES);
            self.output.extend_from_slice(&[encoding::from_server::CUT_TEXT, 0, 0, 0]);
            self.output.put_u32(text.len() as u32);
            self.output.append(&mut text);
        }
    }

    fn has_room(&self) -> bool {
        self.output.len() <= MAX_OUTPUT_BYTES
    }

    fn understand(&mut self, bytes: &[u8]) -> Result<usize, ProtocolError> {
        let mut input = Reader::new(bytes);
        while self.message(&mut input)? == Step::Done {
            if self.requests.len() > MAX_PENDING_REQUESTS {
                return Err(ProtocolError::RequestsNotPolled);
            }
            if !self.has_room() {
                return Err(ProtocolError::OutputNotTaken);
            }
        }
        Ok(input.taken())
    }
}
