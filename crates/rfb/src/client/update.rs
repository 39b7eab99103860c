//! Updates of the screen, rectangle by rectangle (RFC 6143 §7.6.1).
//!
//! Invariant: a rectangle of pixels costs a grant and budget, every other one is a small message; what an update
//! changed becomes news when it is complete. Must never know how pixels are encoded.

use super::{Client, Pacing, Phase};
use crate::decode::{Decoder, cursor, resize};
use crate::encoding::pseudo;
use crate::input::Leds;
use crate::limits::{MAX_NAME_BYTES, MAX_RESIZES};
use crate::wire::{Reader, Step, rect_at, u32_at};
use crate::{Encoding, ProtocolError, Rect};

/// A count that means "until a last rectangle comes" (`rfbproto.rst`, "LastRect Pseudo-encoding").
const UNKNOWN_COUNT: u16 = u16::MAX;

/// Where a rectangle is and what it is.
#[derive(Clone, Copy)]
pub(super) struct RectHeader {
    rect: Rect,
    code: i32,
}

impl Client {
    /// Asks for the next update while this one is still coming in, so that the line is never idle.
    pub(super) fn begin_update(&mut self, count: u16) -> Phase {
        self.flow.has_painted = false;
        if !self.flow.is_paused && !self.flow.is_continuous {
            self.request(self.bench.screen.area(), true);
        }
        if count == 0 { Phase::Message } else { Phase::Rect(count) }
    }

    /// Understands a rectangle's header.
    pub(super) fn rect(&mut self, left: u16, input: &mut Reader<'_>) -> Result<Step, ProtocolError> {
        let Some(header) = input.take(12) else { return Ok(Step::Wait) };
        let (rect, code) = (rect_at(header, 0), u32_at(header, 8) as i32);
        self.phase = match Encoding::from_code(code) {
            Some(encoding) => {
                self.use_grant()?;
                Phase::Pixels(left, rect, Decoder::new(encoding, rect, &mut self.bench)?)
            }
            None => Phase::Pseudo(left, RectHeader { rect, code }),
        };
        Ok(Step::Done)
    }

    /// The first pixels of an update use the grant that a request gave.
    fn use_grant(&mut self) -> Result<(), ProtocolError> {
        if self.flow.has_painted {
            return Ok(());
        }
        match self.flow.granted.checked_sub(1) {
            Some(left) => self.flow.granted = left,
            None if self.options.pacing == Pacing::Continuous => {}
            None => return Err(ProtocolError::Unrequested),
        }
        self.flow.has_painted = true;
        self.bench.grant();
        Ok(())
    }

    /// Goes on with the next rectangle, or ends the update.
    pub(super) fn after_rect(&mut self, left: u16) {
        match left {
            0 | 1 => self.end_update(),
            UNKNOWN_COUNT => self.phase = Phase::Rect(UNKNOWN_COUNT),
            more => self.phase = Phase::Rect(more - 1),
        }
    }

    fn end_update(&mut self) {
        self.news.damage.absorb(self.bench.screen.damage_mut());
        self.phase = Phase::Message;
    }

    /// Understands a rectangle that is no pixels.
    pub(super) fn pseudo(
        &mut self,
        left: u16,
        header: RectHeader,
        input: &mut Reader<'_>,
    ) -> Result<Step, ProtocolError> {
        let RectHeader { rect, code } = header;
        match code {
            pseudo::LAST_RECT => {
                self.end_update();
                return Ok(Step::Done);
            }
            pseudo::CURSOR | pseudo::ALPHA_CURSOR => {
                let decode = if code == pseudo::CURSOR { cursor::masked } else { cursor::with_alpha };
                let Some(cursor) = decode(rect, input)? else { return Ok(Step::Wait) };
                self.news.cursor = Some(cursor);
            }
            pseudo::DESKTOP_SIZE => self.resize(rect.width, rect.height)?,
            pseudo::EXTENDED_DESKTOP_SIZE => {
                let Some(layout) = resize::extended(rect, input) else { return Ok(Step::Wait) };
                self.offers.monitor = Some(layout.monitor);
                if let Some((width, height)) = layout.size {
                    self.resize(width, height)?;
                }
            }
            pseudo::DESKTOP_NAME => {
                let Some(name) = name(input)? else { return Ok(Step::Wait) };
                self.news.renamed = Some(name);
            }
            pseudo::LED_STATE => {
                let Some([bits]) = input.array() else { return Ok(Step::Wait) };
                self.news.leds = Some(Leds::from_wire(bits));
            }
            pseudo::POINTER_MODE => self.news.absolute_pointer = Some(rect.x != 0),
            pseudo::EXTENDED_KEYS => self.offers.extended_keys = true,
            other => return Err(ProtocolError::UnknownEncoding(other)),
        }
        self.after_rect(left);
        Ok(Step::Done)
    }

    /// Changes the size and asks for the whole new screen.
    fn resize(&mut self, width: u16, height: u16) -> Result<(), ProtocolError> {
        let screen = &mut self.bench.screen;
        if (width, height) == (screen.width(), screen.height()) {
            return Ok(());
        }
        self.flow.resizes += 1;
        if self.flow.resizes > MAX_RESIZES && self.options.pacing == Pacing::Requested {
            return Err(ProtocolError::TooManyResizes);
        }
        screen.resize(width, height)?;
        self.news.resized = Some((width, height));
        self.news.damage.clear();
        if self.flow.is_continuous {
            self.start_continuous_updates();
        }
        if !self.flow.is_paused {
            self.request(Rect::new(0, 0, width, height), false);
        }
        Ok(())
    }
}

fn name(input: &mut Reader<'_>) -> Result<Option<String>, ProtocolError> {
    let Some(length) = input.rest().get(..4) else { return Ok(None) };
    let bytes = u32_at(length, 0);
    if bytes as usize > MAX_NAME_BYTES {
        return Err(ProtocolError::TextTooLong { bytes });
    }
    let Some(message) = input.take(4 + bytes as usize) else { return Ok(None) };
    Ok(Some(String::from_utf8_lossy(&message[4..]).into_owned()))
}
