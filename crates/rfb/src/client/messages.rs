//! Messages from the server that are no pictures (RFC 6143 §7.6, `rfbproto.rst`).
//!
//! Invariant: texts are limited before they are kept. Must never know encodings.

use super::{Client, Pacing, Phase};
use crate::ProtocolError;
use crate::encoding::{fence, from_client, from_server};
use crate::limits::{MAX_FENCE_BYTES, MAX_TEXT_BYTES};
use crate::wire::{Reader, Step, Write, from_latin1, u16_at, u32_at};

impl Client {
    /// Understands a message whose type comes next.
    pub(super) fn message(&mut self, input: &mut Reader<'_>) -> Result<Step, ProtocolError> {
        let Some(&kind) = input.rest().first() else { return Ok(Step::Wait) };
        let next = match kind {
            from_server::FRAMEBUFFER_UPDATE => input.take(4).map(|head| self.begin_update(u16_at(head, 2))),
            // Colours of palettes: we ask for true colour, so they mean nothing.
            from_server::COLOUR_MAP => input.take(6).map(|head| Phase::Skip(usize::from(u16_at(head, 4)) * 6)),
            from_server::BELL => input.take(1).map(|_| {
                self.news.bell = true;
                Phase::Message
            }),
            from_server::CUT_TEXT => match input.take(8) {
                Some(head) => Some(cut_text(u32_at(head, 4))?),
                None => None,
            },
            from_server::END_OF_CONTINUOUS_UPDATES => input.take(1).map(|_| {
                self.continuous_updates_offered();
                Phase::Message
            }),
            from_server::FENCE => return self.fence(input),
            other => return Err(ProtocolError::UnknownMessage(other)),
        };
        let Some(next) = next else { return Ok(Step::Wait) };
        self.phase = next;
        Ok(Step::Done)
    }

    /// Understands what follows the head of a message.
    pub(super) fn message_body(&mut self, input: &mut Reader<'_>) -> Result<Step, ProtocolError> {
        match &mut self.phase {
            Phase::Skip(left) => {
                let there = input.rest().len().min(*left);
                input.skip(there);
                *left -= there;
                if *left > 0 {
                    return Ok(Step::Wait);
                }
            }
            Phase::CutText(length) => {
                let Some(text) = input.take(*length) else { return Ok(Step::Wait) };
                self.news.clipboard = Some(from_latin1(text));
            }
            _ => {}
        }
        self.phase = Phase::Message;
        Ok(Step::Done)
    }

    /// The server says what it has done so far by sending our answer behind it.
    fn fence(&mut self, input: &mut Reader<'_>) -> Result<Step, ProtocolError> {
        let Some(head) = input.rest().get(..9) else { return Ok(Step::Wait) };
        let (flags, length) = (u32_at(head, 4), head[8]);
        if usize::from(length) > MAX_FENCE_BYTES {
            return Err(ProtocolError::FenceTooLong(length));
        }
        let Some(message) = input.take(9 + usize::from(length)) else { return Ok(Step::Wait) };
        if flags & fence::REQUEST != 0 {
            self.output.extend_from_slice(&[from_client::FENCE, 0, 0, 0]);
            self.output.put_u32(flags & fence::KNOWN);
            self.output.extend_from_slice(&message[8..]);
        }
        Ok(Step::Done)
    }

    /// The message says both "I can" (once, at first) and "I have stopped".
    fn continuous_updates_offered(&mut self) {
        self.flow.is_continuous = false;
        if self.options.pacing == Pacing::Continuous && !self.offers.continuous_updates {
            self.offers.continuous_updates = true;
            self.start_continuous_updates();
        }
    }
}

fn cut_text(bytes: u32) -> Result<Phase, ProtocolError> {
    if bytes as usize > MAX_TEXT_BYTES {
        Err(ProtocolError::TextTooLong { bytes })
    } else {
        Ok(Phase::CutText(bytes as usize))
    }
}
