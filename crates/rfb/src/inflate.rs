//! A zlib stream that goes on through a whole session, and the pieces of it that belong to one rectangle.
//!
//! Invariant: at most `HISTORY + ROOM` bytes are held, however well the data was compressed; what is inflated is read
//! in place. Must never know pixels.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

use crate::ProtocolError;
use crate::wire::{Reader, Step};

/// How far back a deflate stream may point (RFC 1951 §2).
const HISTORY: usize = 32 << 10;
/// What is inflated ahead: twice the largest piece a decoder takes at once, a row of `MAX_SIDE` 4-byte pixels.
const ROOM: usize = 128 << 10;
/// Checksums protect from accidents, and TCP has those; they would cost a tenth of the time.
const FLAGS: u32 = inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER
    | inflate_flags::TINFL_FLAG_HAS_MORE_INPUT
    | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF
    | inflate_flags::TINFL_FLAG_IGNORE_ADLER32;

/// A zlib stream; takes memory from its first byte on.
#[derive(Default)]
pub(crate) struct Inflater {
    core: Box<DecompressorOxide>,
    /// History, then inflated bytes that were read, then unread ones, then room.
    window: Vec<u8>,
    read: usize,
    written: usize,
    /// The last call stopped for want of room, not of input.
    has_more: bool,
}

impl Inflater {
    /// What is inflated and not yet consumed.
    #[inline]
    fn data(&self) -> &[u8] {
        &self.window[self.read..self.written]
    }

    /// Inflates some of `input`; returns how many bytes of it were used.
    fn feed(&mut self, input: &[u8]) -> Result<usize, ProtocolError> {
        self.make_room();
        let (status, used, made) = decompress(&mut self.core, input, &mut self.window, self.written, FLAGS);
        self.written += made;
        self.has_more = status == TINFLStatus::HasMoreOutput;
        let stuck = used == 0 && made == 0 && !input.is_empty();
        if (status as i32) < 0 || stuck { Err(ProtocolError::ZlibCorrupt) } else { Ok(used) }
    }

    fn make_room(&mut self) {
        if self.window.is_empty() {
            self.window.resize(HISTORY + ROOM, 0);
        }
        if self.window.len() - self.written < ROOM / 2 {
            let kept = HISTORY.max(self.written - self.read).min(self.written);
            let cut = self.written - kept;
            self.window.copy_within(cut..self.written, 0);
            self.read -= cut;
            self.written -= cut;
        }
    }
}

/// A piece of a stream, whose compressed length was announced.
pub(crate) struct Piece {
    /// Compressed bytes not yet received.
    left: usize,
    /// Whether everything inflated was understood, so that nothing more may follow.
    is_complete: bool,
}

impl Piece {
    pub(crate) fn new(bytes: usize) -> Self {
        Self { left: bytes, is_complete: false }
    }

    /// Inflates what has arrived and hands it to `parse`, which returns how many bytes it understood and whether that
    /// was all; it is asked again with at least the same bytes when there are more.
    pub(crate) fn step(
        &mut self,
        input: &mut Reader<'_>,
        stream: &mut Inflater,
        mut parse: impl FnMut(&[u8]) -> Result<(usize, bool), ProtocolError>,
    ) -> Result<Step, ProtocolError> {
        loop {
            if !self.is_complete {
                let (used, is_complete) = parse(stream.data())?;
                stream.read += used;
                self.is_complete = is_complete;
            }
            if self.is_complete {
                if !stream.data().is_empty() {
                    return Err(ProtocolError::ZlibSurplus);
                }
                if self.left == 0 && !stream.has_more {
                    return Ok(Step::Done);
                }
            }
            let arrived = input.rest();
            let arrived = &arrived[..arrived.len().min(self.left)];
            if arrived.is_empty() && !stream.has_more {
                return if self.left == 0 { Err(ProtocolError::ZlibShort) } else { Ok(Step::Wait) };
            }
            let used = stream.feed(arrived)?;
            input.skip(used);
            self.left -= used;
        }
    }
}
