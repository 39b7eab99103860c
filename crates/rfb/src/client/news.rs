//! Events that were not polled yet.
//!
//! Invariant: of each kind there is at most one, the newest, so a flood of bells or cursors takes no memory.
//! Must never know the wire.

use super::Event;
use crate::damage::Damage;
use crate::{Cursor, Leds, ProtocolError};

#[derive(Default)]
pub(super) struct News {
    pub(super) connected: Option<(u16, u16, String)>,
    pub(super) resized: Option<(u16, u16)>,
    pub(super) renamed: Option<String>,
    /// What complete updates changed.
    pub(super) damage: Damage,
    pub(super) cursor: Option<Cursor>,
    pub(super) absolute_pointer: Option<bool>,
    pub(super) leds: Option<Leds>,
    pub(super) bell: bool,
    pub(super) clipboard: Option<String>,
    pub(super) failure: Option<ProtocolError>,
}

impl News {
    pub(super) fn take(&mut self) -> Option<Event> {
        let connected = self.connected.take().map(|(width, height, name)| Event::Connected { width, height, name });
        connected
            .or_else(|| self.resized.take().map(|(width, height)| Event::Resized { width, height }))
            .or_else(|| self.renamed.take().map(Event::Renamed))
            .or_else(|| self.damage.take().map(Event::Damage))
            .or_else(|| self.cursor.take().map(Event::Cursor))
            .or_else(|| self.absolute_pointer.take().map(Event::AbsolutePointer))
            .or_else(|| self.leds.take().map(Event::Leds))
            .or_else(|| std::mem::take(&mut self.bell).then_some(Event::Bell))
            .or_else(|| self.clipboard.take().map(Event::Clipboard))
            .or_else(|| self.failure.take().map(Event::Disconnected))
    }
}
