//! Tight without JPEG (`rfbproto.rst`, "Tight Encoding").
//!
//! Invariant: each kind of data has a stream of its own, since their bytes look alike. Must never know viewers.

use super::deflate::Deflater;
use super::gather;
use super::palette::{MAX_COLORS, Palette};
use crate::{Framebuffer, PixelFormat, Rect, Rgba};

/// Data shorter than this travels as it is.
const MIN_TO_COMPRESS: usize = 12;
const FILL: u8 = 0x80;
const NAMED_FILTER: u8 = 0x40;
// Streams by what they carry, and filters.
const COPY_STREAM: u8 = 0;
const BITS_STREAM: u8 = 1;
const NUMBERS_STREAM: u8 = 2;
const GRADIENT_STREAM: u8 = 3;
const PALETTE_FILTER: u8 = 1;
const GRADIENT_FILTER: u8 = 2;

/// Writes `rect`, at most 2048 pixels wide.
pub(super) fn encode(
    rect: Rect,
    screen: &Framebuffer,
    format: PixelFormat,
    streams: &mut [Deflater; 4],
    plain: &mut Vec<u8>,
    out: &mut Vec<u8>,
) {
    let pixels = gather(rect, screen);
    let stream = match Palette::of(&pixels, MAX_COLORS) {
        Some(palette) if palette.colors.len() == 1 => {
            out.push(FILL);
            return format.write_tight(palette.colors[0], out);
        }
        // A palette that is not much smaller than the pixels is not worth its colours.
        Some(palette) if palette.colors.len() * 4 <= pixels.len() => {
            let stream = if palette.colors.len() == 2 { BITS_STREAM } else { NUMBERS_STREAM };
            out.extend_from_slice(&[NAMED_FILTER | stream << 4, PALETTE_FILTER, (palette.colors.len() - 1) as u8]);
            palette.colors.iter().for_each(|&color| format.write_tight(color, out));
            write_numbers(&pixels, rect.width, &palette, plain);
            stream
        }
        _ if format.is_tight() && is_smooth(&pixels, rect.width) => {
            out.extend_from_slice(&[NAMED_FILTER | GRADIENT_STREAM << 4, GRADIENT_FILTER]);
            differences(&pixels, rect.width, |difference| plain.extend_from_slice(&difference));
            GRADIENT_STREAM
        }
        _ => {
            out.push(COPY_STREAM << 4);
            pixels.iter().for_each(|&pixel| format.write_tight(pixel, plain));
            COPY_STREAM
        }
    };
    if plain.len() < MIN_TO_COMPRESS {
        return out.extend_from_slice(plain);
    }
    let mut packed = Vec::with_capacity(plain.len() / 2);
    streams[usize::from(stream)].deflate(plain, &mut packed);
    write_compact_length(packed.len(), out);
    out.append(&mut packed);
}

fn write_numbers(pixels: &[Rgba], width: u16, palette: &Palette, plain: &mut Vec<u8>) {
    if palette.colors.len() > 2 {
        return plain.extend(pixels.iter().map(|&pixel| palette.number(pixel)));
    }
    for row in pixels.chunks_exact(width.into()) {
        for group in row.chunks(8) {
            let bits = group.iter().fold(0, |bits, &pixel| bits << 1 | u32::from(palette.number(pixel)));
            plain.push((bits << (8 - group.len())) as u8);
        }
    }
}

/// Whether neighbours are so alike that their differences compress better than they do: on average below 6 of 255.
fn is_smooth(pixels: &[Rgba], width: u16) -> bool {
    let mut sum = 0;
    differences(pixels, width, |difference| {
        sum += difference.iter().map(|&part| u64::from((part as i8).unsigned_abs())).sum::<u64>();
    });
    sum < pixels.len() as u64 * 3 * 6
}

/// What each pixel has beyond `left + above - above left`, cut to a byte.
fn differences(pixels: &[Rgba], width: u16, mut write: impl FnMut([u8; 3])) {
    let width = usize::from(width);
    for at in 0..pixels.len() {
        let part = |is_there: bool, back: usize, part: usize| {
            if is_there { i16::from(pixels[at - back][part]) } else { 0 }
        };
        let (has_left, has_above) = (!at.is_multiple_of(width), at >= width);
        write([0, 1, 2].map(|i| {
            let foretold = part(has_left, 1, i) + part(has_above, width, i) - part(has_left && has_above, width + 1, i);
            pixels[at][i].wrapping_sub(foretold.clamp(0, 255) as u8)
        }));
    }
}

/// Seven bits, seven, eight, the low ones first.
fn write_compact_length(length: usize, out: &mut Vec<u8>) {
    let low = (length & 127) as u8;
    let middle = (length >> 7 & 127) as u8;
    let high = (length >> 14) as u8;
    match (middle, high) {
        (0, 0) => out.push(low),
        (_, 0) => out.extend_from_slice(&[low | 128, middle]),
        _ => out.extend_from_slice(&[low | 128, middle | 128, high]),
    }
}
