//! Hextile: tiles of 16×16, each raw or a background and rectangles on it (RFC 6143 §7.7.4).
//!
//! Invariant: a tile (at most 1540 bytes) is painted when all of it has arrived. Must never know other encodings.

use crate::pixel::{copy_rgbx, opaque};
use crate::wire::{Reader, Step};
use crate::{Framebuffer, ProtocolError, Rect, Rgba};

const SIDE: u16 = 16;

// Subencoding bits (RFC 6143 §7.7.4).
const RAW: u8 = 1;
const BACKGROUND: u8 = 2;
const FOREGROUND: u8 = 4;
const SUBRECTS: u8 = 8;
const COLOURED: u8 = 16;

pub(crate) struct Hextile {
    rect: Rect,
    /// The corner of the next tile, inside the rectangle.
    x: u16,
    y: u16,
    background: Rgba,
    foreground: Rgba,
}

impl Hextile {
    pub(crate) fn new(rect: Rect) -> Self {
        Self { rect, x: 0, y: 0, background: [0, 0, 0, 255], foreground: [0, 0, 0, 255] }
    }

    pub(crate) fn step(&mut self, input: &mut Reader<'_>, screen: &mut Framebuffer) -> Result<Step, ProtocolError> {
        while self.y < self.rect.height && self.rect.width > 0 {
            let tile = self.rect.tile(self.x, self.y, SIDE);
            let Some(used) = self.tile(input.rest(), tile, screen)? else { return Ok(Step::Wait) };
            input.skip(used);
            self.x = self.x.saturating_add(SIDE);
            if self.x >= self.rect.width {
                (self.x, self.y) = (0, self.y.saturating_add(SIDE));
            }
        }
        Ok(Step::Done)
    }

    /// Paints a tile; returns how many bytes it took, `None` when not all of them are there.
    fn tile(&mut self, data: &[u8], tile: Rect, screen: &mut Framebuffer) -> Result<Option<usize>, ProtocolError> {
        let Some(&mask) = data.first() else { return Ok(None) };
        if mask & RAW != 0 {
            return Ok(raw_tile(data, tile, screen));
        }
        let mut at = 1;
        let mut color = |bit: u8, old: Rgba| {
            if mask & bit == 0 {
                return Some(old);
            }
            let new = data.get(at..at + 4).map(opaque);
            at += 4;
            new
        };
        let Some(background) = color(BACKGROUND, self.background) else { return Ok(None) };
        let Some(foreground) = color(FOREGROUND, self.foreground) else { return Ok(None) };
        let mut subrects: &[u8] = &[];
        let size = if mask & COLOURED != 0 { 6 } else { 2 };
        if mask & SUBRECTS != 0 {
            let Some(&count) = data.get(at) else { return Ok(None) };
            at += 1;
            let Some(all) = data.get(at..at + usize::from(count) * size) else { return Ok(None) };
            at += all.len();
            subrects = all;
        }
        (self.background, self.foreground) = (background, foreground);
        // A tile of its own is quicker to paint than rows that are far apart.
        let mut pixels = [[background; SIDE as usize]; SIDE as usize];
        for sub in subrects.chunks_exact(size) {
            let (color, place) = if size == 6 { (opaque(sub), &sub[4..]) } else { (foreground, sub) };
            let (x, y) = (usize::from(place[0] >> 4), usize::from(place[0] & 15));
            let (right, bottom) = (x + usize::from(place[1] >> 4), y + usize::from(place[1] & 15));
            if right >= usize::from(tile.width) || bottom >= usize::from(tile.height) {
                return Err(ProtocolError::OutsideScreen(unpack(place)));
            }
            for row in &mut pixels[y..=bottom] {
                for pixel in &mut row[x..=right] {
                    *pixel = color;
                }
            }
        }
        for (y, row) in (tile.y..tile.y + tile.height).zip(&pixels) {
            screen.row_mut(tile.x, y, tile.width).copy_from_slice(&row[..usize::from(tile.width)]);
        }
        Ok(Some(at))
    }
}

fn raw_tile(data: &[u8], tile: Rect, screen: &mut Framebuffer) -> Option<usize> {
    let row_bytes = usize::from(tile.width) * 4;
    let end = 1 + row_bytes * usize::from(tile.height);
    let pixels = data.get(1..end)?;
    for (y, row) in (tile.y..).zip(pixels.chunks_exact(row_bytes)) {
        copy_rgbx(screen.row_mut(tile.x, y, tile.width), row);
    }
    Some(end)
}

/// A rectangle inside a tile, in two bytes: x and y, then width and height less one, four bits each.
fn unpack(place: &[u8]) -> Rect {
    let nibbles = |byte: u8| (u16::from(byte >> 4), u16::from(byte & 15));
    let ((x, y), (width, height)) = (nibbles(place[0]), nibbles(place[1]));
    Rect::new(x, y, width + 1, height + 1)
}
