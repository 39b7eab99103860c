//! The rows of a basic Tight rectangle: as they are, by palette, or by differences (`rfbproto.rst`, "BasicCompression").
//!
//! Invariant: whole rows are painted, in order, and none beyond the rectangle. Must never know compression.

use super::tight::TPIXEL;
use crate::pixel::copy_rgb;
use crate::{Framebuffer, ProtocolError, Rect, Rgba};

/// What the data of a row means.
pub(super) enum Filter {
    /// Pixels.
    Copy,
    /// Colour numbers: bits when there are two colours, else bytes.
    Palette(Vec<Rgba>),
    /// Differences to what the pixels above and to the left foretell.
    Gradient,
}

/// The rows still to be painted.
pub(super) struct Rows {
    filter: Filter,
    rect: Rect,
    /// The next row, inside the rectangle.
    y: u16,
}

impl Rows {
    pub(super) fn new(filter: Filter, rect: Rect) -> Self {
        Self { filter, rect, y: 0 }
    }

    /// What all rows take on the wire before compression.
    pub(super) fn bytes(&self) -> usize {
        self.row_bytes() * usize::from(self.rect.height)
    }

    /// At most 48 KB, so a row fits the room of an inflater.
    fn row_bytes(&self) -> usize {
        let width = usize::from(self.rect.width);
        match &self.filter {
            Filter::Copy | Filter::Gradient => width * TPIXEL,
            Filter::Palette(palette) if palette.len() <= 2 => width.div_ceil(8),
            Filter::Palette(_) => width,
        }
    }

    /// Paints the rows that are whole in `data`; returns the bytes used and whether that was the last row.
    pub(super) fn paint(&mut self, data: &[u8], screen: &mut Framebuffer) -> Result<(usize, bool), ProtocolError> {
        let row_bytes = self.row_bytes();
        if row_bytes == 0 {
            return Ok((0, true));
        }
        let left = usize::from(self.rect.height - self.y);
        let mut used = 0;
        for row in data.chunks_exact(row_bytes).take(left) {
            self.row(row, screen)?;
            self.y += 1;
            used += row_bytes;
        }
        Ok((used, self.y == self.rect.height))
    }

    fn row(&self, row: &[u8], screen: &mut Framebuffer) -> Result<(), ProtocolError> {
        let y = self.rect.y + self.y;
        let Filter::Gradient = self.filter else {
            let pixels = screen.row_mut(self.rect.x, y, self.rect.width);
            return match &self.filter {
                Filter::Palette(palette) if palette.len() <= 2 => bits(pixels, row, palette),
                Filter::Palette(palette) => numbers(pixels, row, palette),
                _ => {
                    copy_rgb(pixels, row);
                    Ok(())
                }
            };
        };
        gradient(self.rect, self.y, row, screen);
        Ok(())
    }
}

fn bits(pixels: &mut [Rgba], row: &[u8], palette: &[Rgba]) -> Result<(), ProtocolError> {
    let zero = palette.first().copied().ok_or(ProtocolError::PaletteIndex(0))?;
    // A palette of one colour is written in bits too (TigerVNC does so); its ones would be colour 1.
    let one = match palette.get(1) {
        Some(&one) => one,
        None if row.iter().all(|&byte| byte == 0) => zero,
        None => return Err(ProtocolError::PaletteIndex(1)),
    };
    for (pixels, &byte) in pixels.chunks_mut(8).zip(row) {
        for (shift, pixel) in pixels.iter_mut().enumerate() {
            *pixel = if byte << shift & 128 != 0 { one } else { zero };
        }
    }
    Ok(())
}

fn numbers(pixels: &mut [Rgba], row: &[u8], palette: &[Rgba]) -> Result<(), ProtocolError> {
    for (pixel, &number) in pixels.iter_mut().zip(row) {
        *pixel = *palette.get(usize::from(number)).ok_or(ProtocolError::PaletteIndex(number))?;
    }
    Ok(())
}

/// Adds differences to `left + above - above left`, cut to a byte; what is outside the rectangle counts as 0.
fn gradient(rect: Rect, dy: u16, row: &[u8], screen: &mut Framebuffer) {
    let y = rect.y + dy;
    let mut left = [0i16; 3];
    let mut corner = [0i16; 3];
    for (x, difference) in (rect.x..).zip(row.as_chunks::<TPIXEL>().0) {
        let above = if dy == 0 { [0; 3] } else { color(screen.row_mut(x, y - 1, 1)[0]) };
        let mut pixel = [0, 0, 0, 255];
        for part in 0..3 {
            let foretold = (left[part] + above[part] - corner[part]).clamp(0, 255) as u8;
            pixel[part] = foretold.wrapping_add(difference[part]);
        }
        screen.row_mut(x, y, 1)[0] = pixel;
        (left, corner) = (color(pixel), above);
    }
}

fn color(pixel: Rgba) -> [i16; 3] {
    [pixel[0], pixel[1], pixel[2]].map(i16::from)
}
