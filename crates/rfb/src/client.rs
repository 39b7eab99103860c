//! The viewer's end of a session.
//!
//! Bytes from the socket go into [`Client::receive`]; [`Client::poll`] tells what happened; what
//! [`Client::take_output`] returns goes to the socket, after every call of anything else.
//!
//! Invariant: events and pixels depend on the bytes only, not on where they are cut. Events that repeat are merged, so
//! that a flood of them takes no memory. Must never know sockets, time or canvases.

mod handshake;
mod messages;
mod news;
mod requests;
#[cfg(test)]
mod tests;
mod update;

use crate::decode::{Bench, Decoder};
use crate::input::{Buttons, Key, Leds};
use crate::limits::{MAX_OUTPUT_BYTES, RECEIVE_CHUNK_BYTES};
use crate::wire::{Reader, Step};
use crate::{Cursor, Encoding, Framebuffer, ProtocolError, Rect};
use handshake::Handshake;
use news::News;
use update::RectHeader;

/// How a session is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether other viewers of the server may stay (RFC 6143 §7.3.1).
    pub shared: bool,
    /// Encodings to ask for, best first.
    pub encodings: Vec<Encoding>,
    /// JPEG quality of Tight, 0 to 9; `None` forbids JPEG.
    pub jpeg_quality: Option<u8>,
    /// How hard the server should compress, 0 to 9; `None` leaves it to the server.
    pub compression: Option<u8>,
    /// How updates are asked for.
    pub pacing: Pacing,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            shared: true,
            encodings: Encoding::ALL.to_vec(),
            jpeg_quality: None,
            compression: None,
            pacing: Pacing::Requested,
        }
    }
}

/// How updates are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pacing {
    /// Each update answers a request; the next is asked for as soon as one begins. An update nobody asked for ends the
    /// session, so a server gets no more of our time than one update each time our output is taken.
    Requested,
    /// The peer is trusted (our own server, a recorded session): updates are taken as they come, and continuous updates
    /// are switched on where offered (`rfbproto.rst`, "EnableContinuousUpdates").
    Continuous,
}

/// What happened, oldest kind first: a picture never comes before the size it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The handshake is over; pixels follow.
    Connected {
        /// Pixels.
        width: u16,
        /// Pixels.
        height: u16,
        /// The desktop's name, of QEMU the VM's.
        name: String,
    },
    /// The screen has another size; all of it will be damaged.
    Resized {
        /// Pixels.
        width: u16,
        /// Pixels.
        height: u16,
    },
    /// The desktop has another name.
    Renamed(String),
    /// These pixels changed; told when an update is complete, so a picture is never half old.
    Damage(Rect),
    /// The pointer has another shape.
    Cursor(Cursor),
    /// Whether the guest wants positions (`true`: a tablet) or movements (`false`: a mouse); QEMU
    /// `ui/vnc.c`, `check_pointer_type_change`.
    AbsolutePointer(bool),
    /// The keyboard lamps of the guest.
    Leds(Leds),
    /// The bell rang.
    Bell,
    /// The guest's clipboard.
    Clipboard(String),
    /// The session is over; nothing follows.
    Disconnected(ProtocolError),
}

/// A session with an RFB server.
pub struct Client {
    options: Options,
    phase: Phase,
    inbox: Vec<u8>,
    output: Vec<u8>,
    bench: Bench,
    news: News,
    offers: Offers,
    flow: Flow,
    held: Vec<Key>,
    pointer: (u16, u16, Buttons),
    failure: Option<ProtocolError>,
}

/// Most pieces that arrive in part are whole with this much more.
const MIN_TOP_UP_BYTES: usize = 2048;

/// What the server has shown to support.
#[derive(Default)]
struct Offers {
    extended_keys: bool,
    continuous_updates: bool,
    /// Identity and flags of the monitor whose size may be asked for.
    monitor: Option<(u32, u32)>,
}

/// Who waits for whom.
#[derive(Default)]
struct Flow {
    /// Requests in the output that were not taken yet.
    asked: u32,
    /// Updates the server owes us.
    granted: u32,
    /// Resizes since the output was last taken.
    resizes: u32,
    is_paused: bool,
    /// Continuous updates are switched on.
    is_continuous: bool,
    /// The current update has painted, so its grant is used.
    has_painted: bool,
}

/// What the next bytes are.
enum Phase {
    Handshake(Handshake),
    Message,
    /// Bytes that do not matter.
    Skip(usize),
    CutText(usize),
    /// Before a rectangle's header, with the number of rectangles left.
    Rect(u16),
    /// Inside a rectangle of pixels.
    Pixels(u16, Rect, Decoder),
    /// Inside a rectangle that is something else.
    Pseudo(u16, RectHeader),
}

impl Client {
    /// A session before its first byte.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            phase: Phase::Handshake(Handshake::Version),
            inbox: Vec::new(),
            output: Vec::new(),
            bench: Bench::default(),
            news: News::default(),
            offers: Offers::default(),
            flow: Flow::default(),
            held: Vec::new(),
            pointer: (0, 0, Buttons::NONE),
            failure: None,
        }
    }

    /// Takes bytes from the server, cut anywhere.
    ///
    /// # Errors
    /// Why the session is over; the same again on every later call, and once as [`Event::Disconnected`].
    pub fn receive(&mut self, bytes: &[u8]) -> Result<(), ProtocolError> {
        for chunk in bytes.chunks(RECEIVE_CHUNK_BYTES) {
            if let Some(failure) = &self.failure {
                return Err(failure.clone());
            }
            if let Err(failure) = self.receive_chunk(chunk) {
                self.news.failure = Some(failure.clone());
                self.failure = Some(failure);
                self.inbox = Vec::new();
            }
        }
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// Bytes for the server, empty when there are none.
    pub fn take_output(&mut self) -> Vec<u8> {
        let flow = &mut self.flow;
        flow.granted = (flow.granted + std::mem::take(&mut flow.asked)).min(crate::limits::MAX_GRANTS);
        flow.resizes = 0;
        std::mem::take(&mut self.output)
    }

    /// What happened, one thing a call; `None` when that was all.
    pub fn poll(&mut self) -> Option<Event> {
        self.news.take()
    }

    /// The screen; its [`Framebuffer::bytes`] are what a canvas takes. Empty before [`Event::Connected`].
    pub fn framebuffer(&self) -> &Framebuffer {
        &self.bench.screen
    }

    /// Whether the session is set up and not over.
    pub fn is_connected(&self) -> bool {
        self.failure.is_none() && !matches!(self.phase, Phase::Handshake(_))
    }

    fn receive_chunk(&mut self, chunk: &[u8]) -> Result<(), ProtocolError> {
        let mut rest = chunk;
        // Only as much is copied behind old bytes as it takes to get past them; what follows is read in place.
        while !self.inbox.is_empty() && !rest.is_empty() {
            let mut inbox = std::mem::take(&mut self.inbox);
            let old = inbox.len();
            let added = rest.len().min(old.max(MIN_TOP_UP_BYTES));
            inbox.extend_from_slice(&rest[..added]);
            let used = self.understand(&inbox)?;
            if used < old {
                inbox.drain(..used);
                rest = &rest[added..];
            } else {
                inbox.clear();
                rest = &rest[used - old..];
            }
            self.inbox = inbox;
        }
        if self.inbox.is_empty() {
            let used = self.understand(rest)?;
            self.inbox.extend_from_slice(&rest[used..]);
        }
        if self.output.len() > MAX_OUTPUT_BYTES { Err(ProtocolError::OutputNotTaken) } else { Ok(()) }
    }

    /// Goes through the phases until one waits for more bytes; returns how many were used.
    fn understand(&mut self, bytes: &[u8]) -> Result<usize, ProtocolError> {
        let mut input = Reader::new(bytes);
        loop {
            let step = match &mut self.phase {
                Phase::Handshake(_) => self.handshake(&mut input)?,
                Phase::Message => self.message(&mut input)?,
                Phase::Skip(_) | Phase::CutText(_) => self.message_body(&mut input)?,
                Phase::Rect(left) => {
                    let left = *left;
                    self.rect(left, &mut input)?
                }
                Phase::Pixels(left, rect, decoder) => {
                    let (left, rect) = (*left, *rect);
                    let step = decoder.step(&mut input, &mut self.bench)?;
                    if step == Step::Done {
                        self.bench.screen.damage_mut().add(rect);
                        self.after_rect(left);
                    }
                    step
                }
                Phase::Pseudo(left, header) => {
                    let (left, header) = (*left, *header);
                    self.pseudo(left, header, &mut input)?
                }
            };
            if step == Step::Wait {
                return Ok(input.taken());
            }
        }
    }
}
