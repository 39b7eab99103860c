//! One ZRLE tile: raw, one colour, a packed palette, or runs (RFC 6143 §7.7.6).
//!
//! Invariant: a tile, at most 20 KB, is painted when all of it is there; runs never leave it.
//! Must never know compression.

use crate::pixel::{copy_rgb, opaque};
use crate::{Framebuffer, ProtocolError, Rect, Rgba};

const MAX_COLORS: usize = 128;
const MAX_PIXELS: usize = 64 * 64;
/// Bytes of a pixel in [`crate::PixelFormat::RGBX`] (RFC 6143 §7.7.5, "CPIXEL").
const CPIXEL: usize = 3;

/// Room that every tile uses again.
pub(crate) struct Tiles {
    palette: [Rgba; MAX_COLORS],
    /// Where runs are laid out before they are cut into rows.
    pixels: Box<[Rgba]>,
}

impl Default for Tiles {
    fn default() -> Self {
        Self { palette: [[0, 0, 0, 255]; MAX_COLORS], pixels: Box::default() }
    }
}

impl Tiles {
    /// Paints the tile at the start of `data`; returns how many bytes it took, `None` when not all are there.
    pub(crate) fn paint(
        &mut self,
        data: &[u8],
        tile: Rect,
        screen: &mut Framebuffer,
    ) -> Result<Option<usize>, ProtocolError> {
        let Some((&kind, body)) = data.split_first() else { return Ok(None) };
        let used = match kind {
            0 => raw(body, tile, screen),
            1 => solid(body, tile, screen),
            2..=16 => self.packed(body, kind.into(), tile, screen)?,
            128 => self.plain_runs(body, tile, screen)?,
            130..=255 => self.palette_runs(body, usize::from(kind - 128), tile, screen)?,
            _ => return Err(ProtocolError::TileType(kind)),
        };
        Ok(used.map(|used| used + 1))
    }

    /// Reads a palette and returns what follows it.
    fn palette<'a>(&mut self, body: &'a [u8], colors: usize) -> Option<&'a [u8]> {
        let (palette, rest) = body.split_at_checked(colors * CPIXEL)?;
        copy_rgb(&mut self.palette, palette);
        Some(rest)
    }

    fn packed(
        &mut self,
        body: &[u8],
        colors: usize,
        tile: Rect,
        screen: &mut Framebuffer,
    ) -> Result<Option<usize>, ProtocolError> {
        let bits = match colors {
            2 => 1,
            3..=4 => 2,
            _ => 4,
        };
        let row_bytes = (usize::from(tile.width) * bits).div_ceil(8);
        let Some(packed) = self.palette(body, colors) else { return Ok(None) };
        let Some(packed) = packed.get(..row_bytes * usize::from(tile.height)) else { return Ok(None) };
        for (y, row) in (tile.y..).zip(packed.chunks_exact(row_bytes)) {
            let pixels = screen.row_mut(tile.x, y, tile.width);
            match bits {
                1 => unpack::<1>(pixels, row, &self.palette, colors)?,
                2 => unpack::<2>(pixels, row, &self.palette, colors)?,
                _ => unpack::<4>(pixels, row, &self.palette, colors)?,
            }
        }
        Ok(Some(colors * CPIXEL + packed.len()))
    }

    fn plain_runs(
        &mut self,
        body: &[u8],
        tile: Rect,
        screen: &mut Framebuffer,
    ) -> Result<Option<usize>, ProtocolError> {
        let pixels = area(&mut self.pixels, tile);
        let (mut at, mut filled) = (0, 0);
        while filled < pixels.len() {
            let Some(color) = body.get(at..at + CPIXEL) else { return Ok(None) };
            let Some((length, bytes)) = run_length(&body[at + CPIXEL..]) else { return Ok(None) };
            at += CPIXEL + bytes;
            let run = pixels.get_mut(filled..filled + length).ok_or(ProtocolError::RunTooLong)?;
            run.fill(opaque(color));
            filled += length;
        }
        lay_out(pixels, tile, screen);
        Ok(Some(at))
    }

    fn palette_runs(
        &mut self,
        body: &[u8],
        colors: usize,
        tile: Rect,
        screen: &mut Framebuffer,
    ) -> Result<Option<usize>, ProtocolError> {
        let Some(runs) = self.palette(body, colors) else { return Ok(None) };
        let pixels = area(&mut self.pixels, tile);
        let (mut at, mut filled) = (0, 0);
        while filled < pixels.len() {
            let Some(&head) = runs.get(at) else { return Ok(None) };
            at += 1;
            let index = head & 127;
            if usize::from(index) >= colors {
                return Err(ProtocolError::PaletteIndex(index));
            }
            let color = self.palette[usize::from(index)];
            if head < 128 {
                pixels[filled] = color;
                filled += 1;
                continue;
            }
            let Some((length, bytes)) = run_length(&runs[at..]) else { return Ok(None) };
            at += bytes;
            let run = pixels.get_mut(filled..filled + length).ok_or(ProtocolError::RunTooLong)?;
            run.fill(color);
            filled += length;
        }
        lay_out(pixels, tile, screen);
        Ok(Some(colors * CPIXEL + at))
    }
}

fn raw(body: &[u8], tile: Rect, screen: &mut Framebuffer) -> Option<usize> {
    let row_bytes = usize::from(tile.width) * CPIXEL;
    let pixels = body.get(..row_bytes * usize::from(tile.height))?;
    for (y, row) in (tile.y..).zip(pixels.chunks_exact(row_bytes)) {
        copy_rgb(screen.row_mut(tile.x, y, tile.width), row);
    }
    Some(pixels.len())
}

fn solid(body: &[u8], tile: Rect, screen: &mut Framebuffer) -> Option<usize> {
    screen.paint(tile, opaque(body.get(..CPIXEL)?));
    Some(CPIXEL)
}

/// One row of palette indices of `BITS` bits, the first in the highest bits.
#[inline]
fn unpack<const BITS: usize>(
    pixels: &mut [Rgba],
    row: &[u8],
    palette: &[Rgba; MAX_COLORS],
    colors: usize,
) -> Result<(), ProtocolError> {
    let mask = (1u8 << BITS) - 1;
    let mut highest = 0;
    for (pixels, &byte) in pixels.chunks_mut(8 / BITS).zip(row) {
        let mut byte = byte;
        for pixel in pixels {
            byte = byte.rotate_left(BITS as u32);
            let index = byte & mask;
            highest = highest.max(index);
            *pixel = palette[usize::from(index)];
        }
    }
    // Looking once a row is enough: the colours of a wrong index are never shown, and no index leaves the array.
    if usize::from(highest) < colors { Ok(()) } else { Err(ProtocolError::PaletteIndex(highest)) }
}

/// The length of a run and the bytes it is written in: one more than the sum of all bytes, of which the first that is
/// not 255 is the last. A length that no tile has room for is cut there, without reading on.
#[inline]
fn run_length(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut length = 1;
    for (at, &byte) in bytes.iter().enumerate() {
        length += usize::from(byte);
        if byte < 255 || length > MAX_PIXELS {
            return Some((length, at + 1));
        }
    }
    None
}

fn area(pixels: &mut Box<[Rgba]>, tile: Rect) -> &mut [Rgba] {
    if pixels.is_empty() {
        *pixels = vec![[0, 0, 0, 255]; MAX_PIXELS].into_boxed_slice();
    }
    &mut pixels[..usize::from(tile.width) * usize::from(tile.height)]
}

fn lay_out(pixels: &[Rgba], tile: Rect, screen: &mut Framebuffer) {
    for (y, row) in (tile.y..).zip(pixels.chunks_exact(tile.width.into())) {
        screen.row_mut(tile.x, y, tile.width).copy_from_slice(row);
    }
}
