//! From the first byte to the first message (RFC 6143 §7.1 to §7.3, Appendix A).
//!
//! Invariant: nothing is allocated for a length the server merely announces. Must never know passwords.

use super::{Client, Phase};
use crate::limits::{MAX_NAME_BYTES, MAX_REASON_BYTES};
use crate::security::{self, Version};
use crate::wire::{Reader, Step, from_latin1, u16_at, u32_at};
use crate::{ProtocolError, Rect};

/// How far the handshake is.
#[derive(Clone, Copy)]
pub(super) enum Handshake {
    Version,
    /// 3.3: the server has chosen.
    Chosen,
    /// 3.7 and 3.8: the server offers.
    Offer(Version),
    Result,
    /// Why the server refuses.
    Reason,
    ServerInit,
}

impl Client {
    pub(super) fn handshake(&mut self, input: &mut Reader<'_>) -> Result<Step, ProtocolError> {
        let Phase::Handshake(state) = self.phase else { return Ok(Step::Wait) };
        let next = match state {
            Handshake::Version => match input.array() {
                Some(bytes) => Some(self.version(&bytes)?),
                None => None,
            },
            Handshake::Chosen => input.array().map(|bytes| self.chosen(u32::from_be_bytes(bytes))).transpose()?,
            Handshake::Offer(version) => self.offer(version, input)?,
            Handshake::Result => input.array().map(|bytes| self.result(u32::from_be_bytes(bytes))).transpose()?,
            Handshake::Reason => return reason(input),
            Handshake::ServerInit => return self.server_init(input),
        };
        let Some(next) = next else { return Ok(Step::Wait) };
        self.phase = Phase::Handshake(next);
        Ok(Step::Done)
    }

    fn version(&mut self, bytes: &[u8; 12]) -> Result<Handshake, ProtocolError> {
        let version = Version::parse(bytes)?;
        self.output.extend_from_slice(&version.to_wire());
        Ok(if version == Version::V3_3 { Handshake::Chosen } else { Handshake::Offer(version) })
    }

    fn chosen(&mut self, security: u32) -> Result<Handshake, ProtocolError> {
        match u8::try_from(security) {
            Ok(0) => Ok(Handshake::Reason),
            Ok(security::NONE) => Ok(self.client_init()),
            Ok(other) => Err(ProtocolError::NoCommonSecurity { offered: vec![other] }),
            Err(_) => Err(ProtocolError::SecurityChoice(security)),
        }
    }

    fn offer(&mut self, version: Version, input: &mut Reader<'_>) -> Result<Option<Handshake>, ProtocolError> {
        let Some(&count) = input.rest().first() else { return Ok(None) };
        let Some(offered) = input.take(1 + usize::from(count)) else { return Ok(None) };
        let offered = &offered[1..];
        if offered.is_empty() {
            return Ok(Some(Handshake::Reason));
        }
        if !offered.contains(&security::NONE) {
            return Err(ProtocolError::NoCommonSecurity { offered: offered.to_vec() });
        }
        self.output.push(security::NONE);
        Ok(Some(if version == Version::V3_8 { Handshake::Result } else { self.client_init() }))
    }

    fn result(&mut self, result: u32) -> Result<Handshake, ProtocolError> {
        match result {
            0 => Ok(self.client_init()),
            1 | 2 => Ok(Handshake::Reason),
            other => Err(ProtocolError::SecurityChoice(other)),
        }
    }

    fn client_init(&mut self) -> Handshake {
        self.output.push(self.options.shared.into());
        Handshake::ServerInit
    }

    fn server_init(&mut self, input: &mut Reader<'_>) -> Result<Step, ProtocolError> {
        let Some(header) = input.rest().get(..24) else { return Ok(Step::Wait) };
        let (width, height, bytes) = (u16_at(header, 0), u16_at(header, 2), u32_at(header, 20));
        if bytes as usize > MAX_NAME_BYTES {
            return Err(ProtocolError::TextTooLong { bytes });
        }
        let Some(message) = input.take(24 + bytes as usize) else { return Ok(Step::Wait) };
        let name = String::from_utf8_lossy(&message[24..]).into_owned();
        self.bench.screen.resize(width, height)?;
        // Black pixels are no news.
        while self.bench.screen.take_damage().is_some() {}
        self.news.connected = Some((width, height, name));
        self.send_setup();
        self.request(Rect::new(0, 0, width, height), false);
        self.phase = Phase::Message;
        Ok(Step::Done)
    }
}

/// Always ends the session; the reason is cut to what we hold, and not waited for beyond that.
fn reason(input: &mut Reader<'_>) -> Result<Step, ProtocolError> {
    let Some(length) = input.rest().get(..4) else { return Ok(Step::Wait) };
    let length = (u32_at(length, 0) as usize).min(MAX_REASON_BYTES);
    let Some(message) = input.take(4 + length) else { return Ok(Step::Wait) };
    let text = &message[4..];
    let reason = std::str::from_utf8(text).map_or_else(|_| from_latin1(text), str::to_owned);
    Err(ProtocolError::Refused { reason })
}
