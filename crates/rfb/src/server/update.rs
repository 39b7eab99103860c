//! Updates for the viewer (RFC 6143 §7.6.1).
//!
//! Invariant: an update is sent only when it is asked for and the last one was taken. Must never know who draws.

use super::Server;
use crate::encoding::{from_server, pseudo};
use crate::wire::Write;
use crate::{Cursor, Encoding, Framebuffer, Rect};

/// An update whose number of rectangles is not known yet.
struct Draft {
    bytes: Vec<u8>,
    rects: u16,
}

impl Draft {
    fn rect(&mut self, rect: Rect, code: i32) {
        self.bytes.put_rect(rect);
        self.bytes.put_u32(code as u32);
        self.rects += 1;
    }
}

impl Server {
    /// Whether [`Self::update`] would send something.
    pub fn wants_update(&self) -> bool {
        self.is_ready()
            && self.output.is_empty()
            && self
                .wanted
                .or(self.continuous)
                .is_some_and(|wanted| self.has_pending() || !self.copies.is_empty() || self.damage.touches(wanted))
    }

    /// Sends what the viewer wants and has not seen of `screen`; returns whether there was something to send. A screen
    /// of another size than before is told to the viewer first; one that cannot follow sees the part both sizes have.
    pub fn update(&mut self, screen: &Framebuffer) -> bool {
        let can_follow = self.abilities.desktop_size || self.abilities.extended_desktop_size;
        let has_new_size = (screen.width(), screen.height()) != self.size;
        if !self.is_ready() || !self.output.is_empty() {
            return false;
        }
        let Some(wanted) = self.wanted.or(self.continuous) else { return false };
        let mut draft = Draft { bytes: vec![from_server::FRAMEBUFFER_UPDATE, 0, 0, 0], rects: 0 };
        self.tell_pending(&mut draft);
        if has_new_size && can_follow {
            self.tell_size(screen, &mut draft);
        } else {
            self.tell_pixels(screen, wanted, &mut draft);
        }
        if draft.rects == 0 {
            return false;
        }
        self.wanted = None;
        draft.bytes[2..4].copy_from_slice(&draft.rects.to_be_bytes());
        self.output = draft.bytes;
        true
    }

    /// The screen as the viewer knows it.
    pub(super) fn area(&self) -> Rect {
        Rect::new(0, 0, self.size.0, self.size.1)
    }

    fn has_pending(&self) -> bool {
        let pending = &self.pending;
        let abilities = &self.abilities;
        pending.extended_keys
            || pending.extended_size
            || pending.cursor.is_some() && (abilities.cursor || abilities.alpha_cursor)
            || pending.leds.is_some() && abilities.leds
            || pending.absolute_pointer.is_some() && abilities.pointer_mode
    }

    fn tell_pending(&mut self, draft: &mut Draft) {
        if std::mem::take(&mut self.pending.extended_keys) {
            draft.rect(Rect::default(), pseudo::EXTENDED_KEYS);
        }
        if std::mem::take(&mut self.pending.extended_size) {
            self.tell_extended_size(draft);
        }
        if let Some(leds) = self.pending.leds.take_if(|_| self.abilities.leds) {
            draft.rect(Rect::default(), pseudo::LED_STATE);
            draft.bytes.push(leds.to_wire());
        }
        if let Some(is_absolute) = self.pending.absolute_pointer.take_if(|_| self.abilities.pointer_mode) {
            draft.rect(Rect::new(is_absolute.into(), 0, 0, 0), pseudo::POINTER_MODE);
        }
        let knows_cursors = self.abilities.cursor || self.abilities.alpha_cursor;
        if let Some(cursor) = self.pending.cursor.take_if(|_| knows_cursors) {
            self.tell_cursor(&cursor, draft);
        }
    }

    fn tell_size(&mut self, screen: &Framebuffer, draft: &mut Draft) {
        self.size = (screen.width(), screen.height());
        if self.abilities.extended_desktop_size {
            self.tell_extended_size(draft);
        } else {
            draft.rect(self.area(), pseudo::DESKTOP_SIZE);
        }
        self.copies.clear();
        self.damage.clear();
        self.damage.add(self.area());
    }

    /// One monitor, as large as the screen (`rfbproto.rst`, "ExtendedDesktopSize Pseudo-encoding").
    fn tell_extended_size(&self, draft: &mut Draft) {
        draft.rect(self.area(), pseudo::EXTENDED_DESKTOP_SIZE);
        draft.bytes.extend_from_slice(&[1, 0, 0, 0]);
        draft.bytes.put_u32(0);
        draft.bytes.put_rect(self.area());
        draft.bytes.put_u32(0);
    }

    fn tell_pixels(&mut self, screen: &Framebuffer, wanted: Rect, draft: &mut Draft) {
        for (from_x, from_y, to) in std::mem::take(&mut self.copies) {
            if !wanted.contains(to) {
                self.damage.add(to);
                continue;
            }
            draft.rect(to, Encoding::CopyRect.code());
            draft.bytes.put_u16(from_x);
            draft.bytes.put_u16(from_y);
        }
        let encoding = self.abilities.encoding;
        for rect in self.damage.take_inside(wanted.intersection(self.area()).intersection(screen.area())) {
            let side = if encoding == Encoding::Tight { TIGHT_PIECE } else { u16::MAX };
            for piece in rect.tiles(side) {
                draft.rect(piece, encoding.code());
                self.encoders.encode(encoding, piece, screen, self.format, &mut draft.bytes);
            }
        }
    }

    fn tell_cursor(&self, cursor: &Cursor, draft: &mut Draft) {
        let rect = Rect::new(cursor.hot_x, cursor.hot_y, cursor.width, cursor.height);
        let width = usize::from(cursor.width);
        let pixels = cursor.rgba.as_chunks::<4>().0.iter();
        let pixels = pixels.take(width * usize::from(cursor.height));
        if self.abilities.alpha_cursor {
            draft.rect(rect, pseudo::ALPHA_CURSOR);
            draft.bytes.put_u32(Encoding::Raw.code() as u32);
            for &[red, green, blue, alpha] in pixels {
                let premultiplied = |part: u8| (u16::from(part) * u16::from(alpha)).div_ceil(255) as u8;
                draft.bytes.extend_from_slice(&[red, green, blue].map(premultiplied));
                draft.bytes.push(alpha);
            }
            return;
        }
        draft.rect(rect, pseudo::CURSOR);
        pixels.clone().for_each(|&pixel| self.format.write(pixel, &mut draft.bytes));
        let mut mask = vec![0; width.div_ceil(8) * usize::from(cursor.height)];
        for (at, pixel) in pixels.enumerate() {
            let (x, y) = (at % width, at / width);
            if pixel[3] >= 128 {
                mask[y * width.div_ceil(8) + x / 8] |= 128 >> (x % 8);
            }
        }
        draft.bytes.append(&mut mask);
    }
}

/// Small enough that a piece often has few colours, large enough that its header does not count; 2048 is the limit.
const TIGHT_PIECE: u16 = 128;
