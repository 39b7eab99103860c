//! The handshake and the viewer's messages (RFC 6143 §7.1 to §7.5, `rfbproto.rst`).
//!
//! Invariant: lists and texts are limited before they are kept. Must never know how pixels are encoded.

use super::{Abilities, Phase, Request, Server};
use crate::encoding::{fence, from_client, from_server, pseudo};
use crate::input::{Buttons, Key};
use crate::limits::{MAX_ENCODINGS, MAX_FENCE_BYTES, MAX_TEXT_BYTES};
use crate::security::{self, Version};
use crate::wire::{Reader, Step, Write, from_latin1, rect_at, u16_at, u32_at};
use crate::{Encoding, PixelFormat, ProtocolError, Rect};

impl Server {
    /// A session that ends with `reason` instead of a picture.
    pub fn refusing(reason: &str) -> Self {
        let mut server = Self::new(reason, 1, 1);
        server.output.clear();
        server.phase = Phase::Refused;
        // Version 3.3 is the one whose refusal does not wait for the viewer's choice.
        server.output.extend_from_slice(&Version::V3_3.to_wire());
        server.output.put_u32(0);
        server.output.put_u32(reason.len() as u32);
        server.output.extend_from_slice(reason.as_bytes());
        server
    }

    /// Understands one message, or waits for the rest of it.
    pub(super) fn message(&mut self, input: &mut Reader<'_>) -> Result<Step, ProtocolError> {
        match self.phase {
            Phase::Version => {
                let Some(bytes) = input.array() else { return Ok(Step::Wait) };
                self.version(Version::parse(&bytes)?);
            }
            Phase::SecurityChoice(version) => {
                let Some([choice]) = input.array() else { return Ok(Step::Wait) };
                self.security_choice(version, choice)?;
            }
            Phase::ClientInit => {
                let Some([shared]) = input.array() else { return Ok(Step::Wait) };
                self.client_init(shared != 0);
            }
            Phase::Message => return self.session_message(input),
            Phase::CutText(length) => {
                let Some(text) = input.take(length) else { return Ok(Step::Wait) };
                self.requests.push_back(Request::Clipboard(from_latin1(text)));
                self.phase = Phase::Message;
            }
            Phase::Refused => {
                input.skip(input.rest().len());
                return Ok(Step::Wait);
            }
        }
        Ok(Step::Done)
    }

    fn version(&mut self, version: Version) {
        if version == Version::V3_3 {
            self.output.put_u32(security::NONE.into());
            self.phase = Phase::ClientInit;
        } else {
            self.output.extend_from_slice(&[1, security::NONE]);
            self.phase = Phase::SecurityChoice(version);
        }
    }

    fn security_choice(&mut self, version: Version, choice: u8) -> Result<(), ProtocolError> {
        if choice != security::NONE {
            return Err(ProtocolError::SecurityChoice(choice.into()));
        }
        if version == Version::V3_8 {
            self.output.put_u32(0);
        }
        self.phase = Phase::ClientInit;
        Ok(())
    }

    fn client_init(&mut self, shared: bool) {
        self.output.put_u16(self.size.0);
        self.output.put_u16(self.size.1);
        self.output.extend_from_slice(&PixelFormat::RGBX.to_wire());
        self.output.put_u32(self.name.len() as u32);
        self.output.extend_from_slice(self.name.as_bytes());
        self.phase = Phase::Message;
        self.requests.push_back(Request::Ready { shared });
    }

    fn session_message(&mut self, input: &mut Reader<'_>) -> Result<Step, ProtocolError> {
        let Some(&kind) = input.rest().first() else { return Ok(Step::Wait) };
        let Some(length) = length(kind, input.rest())? else { return Ok(Step::Wait) };
        let Some(message) = input.take(length) else { return Ok(Step::Wait) };
        match kind {
            from_client::SET_PIXEL_FORMAT => {
                let bytes = message.last_chunk().ok_or(ProtocolError::PixelFormat)?;
                self.format = PixelFormat::from_wire(bytes)?;
            }
            from_client::SET_ENCODINGS => self.set_encodings(&message[4..]),
            from_client::UPDATE_REQUEST => self.update_request(message[1] != 0, rect_at(message, 2)),
            from_client::KEY => {
                let key = Key { keysym: u32_at(message, 4), scancode: 0 };
                self.requests.push_back(Request::Key { key, down: message[1] != 0 });
            }
            from_client::QEMU => {
                let key = Key { keysym: u32_at(message, 4), scancode: u32_at(message, 8) };
                self.requests.push_back(Request::Key { key, down: u16_at(message, 2) != 0 });
            }
            from_client::POINTER => {
                let (x, y) = (u16_at(message, 2), u16_at(message, 4));
                self.requests.push_back(Request::Pointer { x, y, buttons: Buttons(message[1]) });
            }
            from_client::CUT_TEXT => self.phase = Phase::CutText(u32_at(message, 4) as usize),
            from_client::CONTINUOUS_UPDATES => self.continuous_updates(message[1] != 0, rect_at(message, 2)),
            from_client::FENCE => self.fence(message),
            _ => {
                let (width, height) = (u16_at(message, 2), u16_at(message, 4));
                self.requests.push_back(Request::Resize { width, height });
            }
        }
        Ok(Step::Done)
    }

    fn set_encodings(&mut self, list: &[u8]) {
        let codes: Vec<i32> = list.as_chunks::<4>().0.iter().map(|code| i32::from_be_bytes(*code)).collect();
        let has = |code| codes.contains(&code);
        let known = codes.iter().filter_map(|&code| Encoding::from_code(code));
        let before = std::mem::take(&mut self.abilities);
        self.abilities = Abilities {
            encoding: known.clone().find(|&known| known != Encoding::CopyRect).unwrap_or(Encoding::Raw),
            copy_rect: known.clone().any(|known| known == Encoding::CopyRect),
            cursor: has(pseudo::CURSOR),
            alpha_cursor: has(pseudo::ALPHA_CURSOR),
            desktop_size: has(pseudo::DESKTOP_SIZE),
            extended_desktop_size: has(pseudo::EXTENDED_DESKTOP_SIZE),
            leds: has(pseudo::LED_STATE),
            pointer_mode: has(pseudo::POINTER_MODE),
            extended_keys: has(pseudo::EXTENDED_KEYS),
            continuous_updates: has(pseudo::CONTINUOUS_UPDATES),
        };
        self.pending.extended_keys |= self.abilities.extended_keys && !before.extended_keys;
        self.pending.extended_size |= self.abilities.extended_desktop_size && !before.extended_desktop_size;
        if self.abilities.continuous_updates && !before.continuous_updates {
            self.output.push(from_server::END_OF_CONTINUOUS_UPDATES);
        }
    }

    fn update_request(&mut self, incremental: bool, rect: Rect) {
        if !incremental {
            self.damage.add(rect.intersection(self.area()));
        }
        self.wanted = Some(self.wanted.map_or(rect, |wanted| wanted.union(rect)));
    }

    fn continuous_updates(&mut self, on: bool, rect: Rect) {
        if !on && self.continuous.is_some() {
            self.output.push(from_server::END_OF_CONTINUOUS_UPDATES);
        }
        self.continuous = on.then_some(rect);
    }

    fn fence(&mut self, message: &[u8]) {
        let flags = u32_at(message, 4);
        if flags & fence::REQUEST != 0 {
            self.output.extend_from_slice(&[from_server::FENCE, 0, 0, 0]);
            self.output.put_u32(flags & fence::KNOWN);
            self.output.extend_from_slice(&message[8..]);
        }
    }
}

/// How long the message at the start of `bytes` is, without a clipboard's text; `None` when that is not known yet.
fn length(kind: u8, bytes: &[u8]) -> Result<Option<usize>, ProtocolError> {
    let counted = |at: usize, head: usize, size: usize| bytes.get(at).map(|&count| head + usize::from(count) * size);
    Ok(match kind {
        from_client::SET_PIXEL_FORMAT => Some(20),
        from_client::SET_ENCODINGS if bytes.len() < 4 => None,
        from_client::SET_ENCODINGS => match u16_at(bytes, 2) {
            count if count > MAX_ENCODINGS => return Err(ProtocolError::TooManyEncodings(count)),
            count => Some(4 + usize::from(count) * 4),
        },
        from_client::UPDATE_REQUEST | from_client::CONTINUOUS_UPDATES => Some(10),
        from_client::KEY => Some(8),
        from_client::POINTER => Some(6),
        from_client::CUT_TEXT if bytes.len() < 8 => None,
        from_client::CUT_TEXT => match u32_at(bytes, 4) {
            length if length as usize > MAX_TEXT_BYTES => return Err(ProtocolError::TextTooLong { bytes: length }),
            _ => Some(8),
        },
        from_client::FENCE => match bytes.get(8) {
            Some(&length) if usize::from(length) > MAX_FENCE_BYTES => return Err(ProtocolError::FenceTooLong(length)),
            _ => counted(8, 9, 1),
        },
        from_client::SET_DESKTOP_SIZE => counted(6, 8, 16),
        from_client::QEMU => match bytes.get(1) {
            Some(0) => Some(12),
            Some(&other) => return Err(ProtocolError::UnknownMessage(other)),
            None => None,
        },
        other => return Err(ProtocolError::UnknownMessage(other)),
    })
}
