//! Raw: pixels as they are, row by row (RFC 6143 §7.7.1).
//!
//! Invariant: whole pixels are taken as they arrive, so that nothing is buffered but three bytes at most.
//! Must never know formats other than RGBX.

use crate::pixel::copy_rgbx;
use crate::wire::{Reader, Step};
use crate::{Framebuffer, Rect};

pub(crate) struct Raw {
    rect: Rect,
    /// Where the next pixel goes, inside the rectangle.
    x: u16,
    y: u16,
}

impl Raw {
    pub(crate) fn new(rect: Rect) -> Self {
        Self { rect, x: 0, y: 0 }
    }

    pub(crate) fn step(&mut self, input: &mut Reader<'_>, screen: &mut Framebuffer) -> Step {
        let (used, is_complete) = self.paint(input.rest(), screen);
        input.skip(used);
        if is_complete { Step::Done } else { Step::Wait }
    }

    /// Paints as many pixels as `data` has; returns the bytes used and whether the rectangle is full.
    pub(crate) fn paint(&mut self, data: &[u8], screen: &mut Framebuffer) -> (usize, bool) {
        let mut at = 0;
        while self.y < self.rect.height && self.rect.width > 0 {
            let there = ((data.len() - at) / 4).min(usize::from(self.rect.width - self.x)) as u16;
            if there == 0 {
                return (at, false);
            }
            let row = screen.row_mut(self.rect.x + self.x, self.rect.y + self.y, there);
            copy_rgbx(row, &data[at..]);
            at += usize::from(there) * 4;
            self.x += there;
            if self.x == self.rect.width {
                (self.x, self.y) = (0, self.y + 1);
            }
        }
        (at, true)
    }
}
