//! The RFB (VNC) protocol without IO: bytes in, bytes and events out.
//!
//! [`Client`] is the viewer's end (the console in the browser, and our server towards a cluster), [`Server`] the
//! screen's end (the shared console, the simulator, round-trip tests). Whoever uses them owns the socket.
//!
//! Invariant: whatever the other end sends, the answer is a typed [`ProtocolError`], never a panic, and one session
//! holds at most 128 MB (`limits.rs`). Must never know: sockets, clocks, browsers; must never print a key.
//!
//! Sources: RFC 6143; `rfbproto.rst` (rfbproto/rfbproto) for everything newer; QEMU `ui/vnc*.c` for what is really sent.

pub mod client;
mod damage;
mod decode;
mod encode;
mod encoding;
mod error;
mod framebuffer;
mod inflate;
mod input;
pub mod keysym;
mod limits;
mod pixel;
mod rect;
pub mod security;
pub mod server;
pub mod typing;
mod wire;

pub use client::{Client, Event, Options, Pacing};
pub use decode::cursor::Cursor;
pub use encoding::Encoding;
pub use error::ProtocolError;
pub use framebuffer::Framebuffer;
pub use input::{Buttons, Key, Leds, Wheel};
pub use limits::{MAX_PIXELS, MAX_SIDE, MAX_TEXT_BYTES};
pub use pixel::{PixelFormat, Rgba};
pub use rect::Rect;
pub use server::{Request, Server};
