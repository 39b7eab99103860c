//! RRE: a background and rectangles on it (RFC 6143 §7.7.3).
//!
//! Invariant: every subrectangle is paid for from the update's budget, since 12 bytes may paint a whole screen.
//! Must never know other encodings.

use super::Bench;
use crate::pixel::opaque;
use crate::wire::{Reader, Step, rect_at, u32_at};
use crate::{ProtocolError, Rect};

pub(crate) struct Rre {
    rect: Rect,
    /// Subrectangles still to come; `None` before the header.
    left: Option<u32>,
}

impl Rre {
    pub(crate) fn new(rect: Rect) -> Self {
        Self { rect, left: None }
    }

    pub(crate) fn step(&mut self, input: &mut Reader<'_>, bench: &mut Bench) -> Result<Step, ProtocolError> {
        let mut left = match self.left {
            Some(left) => left,
            None => {
                let Some(header) = input.take(8) else { return Ok(Step::Wait) };
                bench.screen.paint(self.rect, opaque(&header[4..]));
                u32_at(header, 0)
            }
        };
        while left > 0 {
            let Some(sub) = input.take(12) else {
                self.left = Some(left);
                return Ok(Step::Wait);
            };
            let inner = rect_at(sub, 4);
            if inner.right() > u32::from(self.rect.width) || inner.bottom() > u32::from(self.rect.height) {
                return Err(ProtocolError::OutsideScreen(inner));
            }
            bench.spend(inner.area())?;
            let place = Rect { x: self.rect.x + inner.x, y: self.rect.y + inner.y, ..inner };
            bench.screen.paint(place, opaque(sub));
            left -= 1;
        }
        Ok(Step::Done)
    }
}
