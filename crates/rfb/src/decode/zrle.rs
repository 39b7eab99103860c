//! ZRLE: tiles of 64×64 through one compressed stream (RFC 6143 §7.7.6).
//!
//! Invariant: a tile is painted when all of it is inflated. Must never know how a tile is packed (`zrle_tile.rs`).

use super::zrle_tile::Tiles;
use crate::inflate::{Inflater, Piece};
use crate::wire::{Reader, Step, u32_at};
use crate::{Framebuffer, ProtocolError, Rect};

const SIDE: u16 = 64;

pub(crate) struct Zrle {
    rect: Rect,
    /// The corner of the next tile, inside the rectangle.
    x: u16,
    y: u16,
    /// `None` before the length.
    piece: Option<Piece>,
}

impl Zrle {
    pub(crate) fn new(rect: Rect) -> Self {
        Self { rect, x: 0, y: 0, piece: None }
    }

    pub(crate) fn step(
        &mut self,
        input: &mut Reader<'_>,
        screen: &mut Framebuffer,
        stream: &mut Inflater,
        tiles: &mut Tiles,
    ) -> Result<Step, ProtocolError> {
        let mut piece = match self.piece.take() {
            Some(piece) => piece,
            None => {
                let Some(length) = input.take(4) else { return Ok(Step::Wait) };
                Piece::new(u32_at(length, 0) as usize)
            }
        };
        let step = piece.step(input, stream, |data| self.paint(data, screen, tiles));
        self.piece = Some(piece);
        step
    }

    /// Paints the tiles that are whole; returns the bytes used and whether the rectangle is full.
    fn paint(
        &mut self,
        data: &[u8],
        screen: &mut Framebuffer,
        tiles: &mut Tiles,
    ) -> Result<(usize, bool), ProtocolError> {
        let mut at = 0;
        while self.y < self.rect.height && self.rect.width > 0 {
            let tile = self.rect.tile(self.x, self.y, SIDE);
            let Some(used) = tiles.paint(&data[at..], tile, screen)? else { return Ok((at, false)) };
            at += used;
            self.x = self.x.saturating_add(SIDE);
            if self.x >= self.rect.width {
                (self.x, self.y) = (0, self.y.saturating_add(SIDE));
            }
        }
        Ok((at, true))
    }
}
