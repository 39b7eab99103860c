//! Zlib: raw pixels through one compressed stream (`rfbproto.rst`, "ZLib Encoding").
//!
//! Invariant: pixels are painted as they are inflated. Must never know other streams.

use super::raw::Raw;
use crate::inflate::{Inflater, Piece};
use crate::wire::{Reader, Step, u32_at};
use crate::{Framebuffer, ProtocolError, Rect};

pub(crate) struct Zlib {
    raw: Raw,
    /// `None` before the length.
    piece: Option<Piece>,
}

impl Zlib {
    pub(crate) fn new(rect: Rect) -> Self {
        Self { raw: Raw::new(rect), piece: None }
    }

    pub(crate) fn step(
        &mut self,
        input: &mut Reader<'_>,
        screen: &mut Framebuffer,
        stream: &mut Inflater,
    ) -> Result<Step, ProtocolError> {
        if self.piece.is_none() {
            let Some(length) = input.take(4) else { return Ok(Step::Wait) };
            self.piece = Some(Piece::new(u32_at(length, 0) as usize));
        }
        let Some(piece) = &mut self.piece else { return Ok(Step::Wait) };
        piece.step(input, stream, |data| Ok(self.raw.paint(data, screen)))
    }
}
