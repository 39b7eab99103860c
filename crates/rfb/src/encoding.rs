//! The numbers of encodings, pseudo-encodings and messages.
//!
//! Invariant: a number is written once, here. Must never know how anything is encoded.

/// How the pixels of a rectangle travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Pixels as they are (RFC 6143 §7.7.1).
    Raw,
    /// Pixels that are on the screen already (RFC 6143 §7.7.2).
    CopyRect,
    /// A background and rectangles on it (RFC 6143 §7.7.3).
    Rre,
    /// Tiles of 16×16, each raw or like RRE (RFC 6143 §7.7.4).
    Hextile,
    /// Raw, compressed (`rfbproto.rst`, "ZLib Encoding").
    Zlib,
    /// Fills, palettes, gradients, JPEG; four streams (`rfbproto.rst`, "Tight Encoding").
    Tight,
    /// Tiles of 64×64 with palettes and runs, compressed (RFC 6143 §7.7.6).
    Zrle,
}

impl Encoding {
    /// Ours, best first: Tight costs the least time and bytes with QEMU, Raw is what every server has.
    pub const ALL: [Encoding; 7] =
        [Self::CopyRect, Self::Tight, Self::Zrle, Self::Zlib, Self::Hextile, Self::Rre, Self::Raw];

    /// Its number on the wire (RFC 6143 §8.4.2 and `rfbproto.rst`).
    pub fn code(self) -> i32 {
        match self {
            Self::Raw => 0,
            Self::CopyRect => 1,
            Self::Rre => 2,
            Self::Hextile => 5,
            Self::Zlib => 6,
            Self::Tight => 7,
            Self::Zrle => 16,
        }
    }

    /// The encoding with that number.
    pub fn from_code(code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|encoding| encoding.code() == code)
    }
}

/// Numbers in place of an encoding that mean something else than pixels (`rfbproto.rst`, "Pseudo-encodings").
pub(crate) mod pseudo {
    /// Tight compression level 0; 1 to 9 follow.
    pub(crate) const COMPRESSION_0: i32 = -256;
    /// Tight JPEG quality level 0; 1 to 9 follow.
    pub(crate) const QUALITY_0: i32 = -32;
    pub(crate) const DESKTOP_SIZE: i32 = -223;
    pub(crate) const LAST_RECT: i32 = -224;
    pub(crate) const CURSOR: i32 = -239;
    /// Absolute or relative pointer; QEMU `ui/vnc.h`, `VNC_ENCODING_POINTER_TYPE_CHANGE`.
    pub(crate) const POINTER_MODE: i32 = -257;
    /// Keys with scancodes; QEMU `ui/vnc.h`, `VNC_ENCODING_EXT_KEY_EVENT`.
    pub(crate) const EXTENDED_KEYS: i32 = -258;
    pub(crate) const LED_STATE: i32 = -261;
    pub(crate) const DESKTOP_NAME: i32 = -307;
    pub(crate) const EXTENDED_DESKTOP_SIZE: i32 = -308;
    pub(crate) const FENCE: i32 = -312;
    pub(crate) const CONTINUOUS_UPDATES: i32 = -313;
    pub(crate) const ALPHA_CURSOR: i32 = -314;
}

/// Message types, server to client (RFC 6143 §7.6 and `rfbproto.rst`).
pub(crate) mod from_server {
    pub(crate) const FRAMEBUFFER_UPDATE: u8 = 0;
    pub(crate) const COLOUR_MAP: u8 = 1;
    pub(crate) const BELL: u8 = 2;
    pub(crate) const CUT_TEXT: u8 = 3;
    pub(crate) const END_OF_CONTINUOUS_UPDATES: u8 = 150;
    pub(crate) const FENCE: u8 = 248;
}

/// Message types, client to server (RFC 6143 §7.5 and `rfbproto.rst`).
pub(crate) mod from_client {
    pub(crate) const SET_PIXEL_FORMAT: u8 = 0;
    pub(crate) const SET_ENCODINGS: u8 = 2;
    pub(crate) const UPDATE_REQUEST: u8 = 3;
    pub(crate) const KEY: u8 = 4;
    pub(crate) const POINTER: u8 = 5;
    pub(crate) const CUT_TEXT: u8 = 6;
    pub(crate) const CONTINUOUS_UPDATES: u8 = 150;
    pub(crate) const FENCE: u8 = 248;
    pub(crate) const SET_DESKTOP_SIZE: u8 = 251;
    /// QEMU's own; the next byte says which: 0 is a key with its scancode.
    pub(crate) const QEMU: u8 = 255;
}

/// Fence flags (`rfbproto.rst`, "Fence").
pub(crate) mod fence {
    pub(crate) const REQUEST: u32 = 1 << 31;
    /// Block before, block after and sync next: all hold for an end that does everything in order.
    pub(crate) const KNOWN: u32 = 0b111;
}
