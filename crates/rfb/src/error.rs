//! Why a session ended: one variant for each thing the other end may do wrong.
//!
//! Invariant: messages say what was wrong in numbers, and quote the other end only in `Refused`. Must never know keys.

use crate::Rect;

/// What the other end did that ends the session. Once returned, every later call returns it again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolError {
    /// The first bytes are no RFB version (RFC 6143 §7.1.1).
    NotRfb,
    /// The other end refused the session and said why (RFC 6143 §7.1.2, §7.1.3).
    Refused {
        /// The other end's words, cut to 4096 bytes, not necessarily English.
        reason: String,
    },
    /// None of the offered security types is one of ours (only `None`, 1).
    NoCommonSecurity {
        /// The types offered, as numbered in RFC 6143 §7.1.2.
        offered: Vec<u8>,
    },
    /// The other end chose a security type that was not offered, or a result that does not exist.
    SecurityChoice(u32),
    /// A screen with no pixels or more than we hold ([`crate::MAX_PIXELS`], [`crate::MAX_SIDE`]).
    ScreenSize {
        /// Pixels.
        width: u16,
        /// Pixels.
        height: u16,
    },
    /// A name, reason or text longer than we hold.
    TextTooLong {
        /// The announced length.
        bytes: u32,
    },
    /// A message type that does not exist or that we never asked for.
    UnknownMessage(u8),
    /// A rectangle in an encoding that we never asked for.
    UnknownEncoding(i32),
    /// A rectangle, or the source of a `CopyRect`, that is not inside the screen or its tile.
    OutsideScreen(Rect),
    /// A cursor larger than 512×512.
    CursorSize {
        /// Pixels.
        width: u16,
        /// Pixels.
        height: u16,
    },
    /// A ZRLE tile of a type that does not exist (RFC 6143 §7.7.6).
    TileType(u8),
    /// A run of equal pixels that is longer than what is left of its tile.
    RunTooLong,
    /// A colour number beyond the palette.
    PaletteIndex(u8),
    /// A compressed stream that is no zlib stream.
    ZlibCorrupt,
    /// Compressed data that ends before its rectangle is full.
    ZlibShort,
    /// Compressed data that goes on after its rectangle is full.
    ZlibSurplus,
    /// A Tight compression control byte that does not exist (`rfbproto.rst`, "Tight Encoding").
    TightControl(u8),
    /// A Tight filter that does not exist.
    TightFilter(u8),
    /// A JPEG that cannot be decoded.
    JpegCorrupt,
    /// A JPEG whose size is not its rectangle's, or that is larger than we decode.
    JpegSize {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// A fence with more payload than the protocol allows.
    FenceTooLong(u8),
    /// Pixels without a request for them, see [`crate::Pacing::Requested`].
    Unrequested,
    /// One update painted the screen so often that it can only mean to keep us busy.
    TooMuchPaint,
    /// The screen changed its size again and again without an answer from us.
    TooManyResizes,
    /// The other end asks for more answers than are sent.
    OutputNotTaken,
    /// A client sends more than is polled.
    RequestsNotPolled,
    /// A pixel format that is not true colour with 8, 16 or 32 bits (RFC 6143 §7.4).
    PixelFormat,
    /// More encodings than a client can know.
    TooManyEncodings(u16),
}

impl std::fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotRfb => write!(f, "the other end does not speak RFB"),
            Self::Refused { reason } => write!(f, "the other end refused the session: {reason}"),
            Self::NoCommonSecurity { offered } => {
                write!(f, "the other end offers the security types {offered:?}, of which only 1 (none) is known here")
            }
            Self::SecurityChoice(number) => write!(f, "security type or result {number} was not expected"),
            Self::ScreenSize { width, height } => write!(f, "a screen of {width}×{height} pixels is not supported"),
            Self::TextTooLong { bytes } => write!(f, "a text of {bytes} bytes is too long"),
            Self::UnknownMessage(kind) => write!(f, "message type {kind} is unknown"),
            Self::UnknownEncoding(code) => write!(f, "encoding {code} is unknown"),
            Self::OutsideScreen(rect) => write!(f, "{rect} is outside its surface"),
            Self::CursorSize { width, height } => write!(f, "a cursor of {width}×{height} pixels is too large"),
            Self::TileType(kind) => write!(f, "tile type {kind} does not exist"),
            Self::RunTooLong => write!(f, "a run of pixels leaves its tile"),
            Self::PaletteIndex(index) => write!(f, "colour {index} is not in the palette"),
            Self::ZlibCorrupt => write!(f, "compressed data is corrupt"),
            Self::ZlibShort => write!(f, "compressed data ends before its rectangle is full"),
            Self::ZlibSurplus => write!(f, "compressed data goes on after its rectangle is full"),
            Self::TightControl(control) => write!(f, "tight compression {control:#04x} does not exist"),
            Self::TightFilter(filter) => write!(f, "tight filter {filter} does not exist"),
            Self::JpegCorrupt => write!(f, "a JPEG is corrupt"),
            Self::JpegSize { width, height } => write!(f, "a JPEG of {width}×{height} pixels does not fit"),
            Self::FenceTooLong(bytes) => write!(f, "a fence with {bytes} bytes is too long"),
            Self::Unrequested => write!(f, "pixels came without a request"),
            Self::TooMuchPaint => write!(f, "one update paints the screen too often"),
            Self::TooManyResizes => write!(f, "the screen changes its size too often"),
            Self::OutputNotTaken => write!(f, "answers are asked for faster than they are sent"),
            Self::RequestsNotPolled => write!(f, "input comes faster than it is used"),
            Self::PixelFormat => write!(f, "the pixel format is not supported"),
            Self::TooManyEncodings(count) => write!(f, "a list of {count} encodings is too long"),
        }
    }
}

impl std::error::Error for ProtocolError {}
