//! CopyRect: pixels that are on the screen already (RFC 6143 §7.7.2).
//!
//! Invariant: source and target are inside the screen and may overlap. Must never know what is being scrolled.

use crate::wire::{Reader, Step, u16_at};
use crate::{Framebuffer, ProtocolError, Rect};

pub(crate) struct CopyRect {
    rect: Rect,
}

impl CopyRect {
    pub(crate) fn new(rect: Rect) -> Self {
        Self { rect }
    }

    pub(crate) fn step(&mut self, input: &mut Reader<'_>, screen: &mut Framebuffer) -> Result<Step, ProtocolError> {
        let Some(source) = input.take(4) else { return Ok(Step::Wait) };
        let from = Rect { x: u16_at(source, 0), y: u16_at(source, 2), ..self.rect };
        if !screen.area().contains(from) {
            return Err(ProtocolError::OutsideScreen(from));
        }
        screen.shift(from, self.rect);
        Ok(Step::Done)
    }
}
