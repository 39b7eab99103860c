//! ZRLE before compression (RFC 6143 §7.7.6).
//!
//! Invariant: of the five kinds of tiles the shortest is written. Must never know compression.

use super::gather;
use super::palette::Palette;
use crate::{Framebuffer, PixelFormat, Rect, Rgba};

const SIDE: u16 = 64;
const MAX_COLORS: usize = 127;
const PLAIN_RUNS: u8 = 128;

pub(super) fn encode(rect: Rect, screen: &Framebuffer, format: PixelFormat, out: &mut Vec<u8>) {
    for tile in rect.tiles(SIDE) {
        encode_tile(&gather(tile, screen), tile, format, out);
    }
}

fn encode_tile(pixels: &[Rgba], tile: Rect, format: PixelFormat, out: &mut Vec<u8>) {
    let pixel_bytes = if format.is_compact() { 3 } else { usize::from(format.bits / 8) };
    let runs: Vec<(Rgba, usize)> = pixels.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
    let raw = pixels.len() * pixel_bytes;
    let plain_runs: usize = runs.iter().map(|&(_, length)| pixel_bytes + length_bytes(length)).sum();
    let Some(palette) = Palette::of(pixels, MAX_COLORS) else {
        if raw <= plain_runs {
            write_raw(pixels, format, out)
        } else {
            write_plain_runs(&runs, format, out)
        }
        return;
    };
    let colors = palette.colors.len();
    let short_run = |length| if length == 1 { 1 } else { 1 + length_bytes(length) };
    let palette_runs = colors * pixel_bytes + runs.iter().map(|&(_, length)| short_run(length)).sum::<usize>();
    let packed = bits(colors)
        .map(|bits| colors * pixel_bytes + (usize::from(tile.width) * bits).div_ceil(8) * usize::from(tile.height));
    let least = raw.min(plain_runs).min(palette_runs);
    if colors == 1 {
        out.push(1);
        write_colors(&palette, format, out);
    } else if let (Some(size), Some(bits)) = (packed, bits(colors))
        && size <= least
    {
        write_packed(pixels, tile, &palette, bits, format, out);
    } else if palette_runs == least {
        write_palette_runs(&runs, &palette, format, out);
    } else if plain_runs == least {
        write_plain_runs(&runs, format, out);
    } else {
        write_raw(pixels, format, out);
    }
}

/// The bits of a packed colour number; more than 16 colours are not packed.
fn bits(colors: usize) -> Option<usize> {
    match colors {
        0..=2 => Some(1),
        3..=4 => Some(2),
        5..=16 => Some(4),
        _ => None,
    }
}

fn write_raw(pixels: &[Rgba], format: PixelFormat, out: &mut Vec<u8>) {
    out.push(0);
    pixels.iter().for_each(|&pixel| format.write_compact(pixel, out));
}

fn write_colors(palette: &Palette, format: PixelFormat, out: &mut Vec<u8>) {
    palette.colors.iter().for_each(|&color| format.write_compact(color, out));
}

fn write_packed(pixels: &[Rgba], tile: Rect, palette: &Palette, bits: usize, format: PixelFormat, out: &mut Vec<u8>) {
    out.push(palette.colors.len() as u8);
    write_colors(palette, format, out);
    for row in pixels.chunks_exact(tile.width.into()) {
        for group in row.chunks(8 / bits) {
            let packed = group.iter().fold(0, |packed, &pixel| packed << bits | u32::from(palette.number(pixel)));
            out.push((packed << (8 - group.len() * bits)) as u8);
        }
    }
}

fn write_plain_runs(runs: &[(Rgba, usize)], format: PixelFormat, out: &mut Vec<u8>) {
    out.push(PLAIN_RUNS);
    for &(color, length) in runs {
        format.write_compact(color, out);
        write_length(length, out);
    }
}

fn write_palette_runs(runs: &[(Rgba, usize)], palette: &Palette, format: PixelFormat, out: &mut Vec<u8>) {
    out.push(PLAIN_RUNS + palette.colors.len() as u8);
    write_colors(palette, format, out);
    for &(color, length) in runs {
        let number = palette.number(color);
        if length == 1 {
            out.push(number);
        } else {
            out.push(number | 128);
            write_length(length, out);
        }
    }
}

fn length_bytes(length: usize) -> usize {
    (length - 1) / 255 + 1
}

fn write_length(length: usize, out: &mut Vec<u8>) {
    out.extend(std::iter::repeat_n(255, (length - 1) / 255));
    out.push(((length - 1) % 255) as u8);
}
