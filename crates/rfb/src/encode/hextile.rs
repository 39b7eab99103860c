//! Hextile (RFC 6143 §7.7.4).
//!
//! Invariant: a tile never takes more bytes than its raw pixels. Must never know other tiles: colours are not carried
//! over, which costs a few bytes and no state.

use super::{gather, palette, subrects};
use crate::{Framebuffer, PixelFormat, Rect};

const SIDE: u16 = 16;
// Subencoding bits.
const RAW: u8 = 1;
const BACKGROUND: u8 = 2;
const FOREGROUND: u8 = 4;
const SUBRECTS: u8 = 8;
const COLOURED: u8 = 16;

pub(super) fn encode(rect: Rect, screen: &Framebuffer, format: PixelFormat, out: &mut Vec<u8>) {
    let pixel_bytes = usize::from(format.bits / 8);
    for tile in rect.tiles(SIDE) {
        let pixels = gather(tile, screen);
        let background = palette::most_common(&pixels);
        let subrects = subrects::find(&pixels, tile.width, background);
        let foreground = subrects.first().map(|&(_, color)| color);
        let is_coloured = subrects.iter().any(|&(_, color)| Some(color) != foreground);
        let size = 2 + if is_coloured { pixel_bytes } else { 0 };
        let head = 2 + pixel_bytes * 2;
        if subrects.len() > 255 || head + subrects.len() * size > pixels.len() * pixel_bytes {
            out.push(RAW);
            pixels.iter().for_each(|&pixel| format.write(pixel, out));
            continue;
        }
        let Some(foreground) = foreground else {
            out.push(BACKGROUND);
            format.write(background, out);
            continue;
        };
        out.push(BACKGROUND | SUBRECTS | if is_coloured { COLOURED } else { FOREGROUND });
        format.write(background, out);
        if !is_coloured {
            format.write(foreground, out);
        }
        out.push(subrects.len() as u8);
        for (place, color) in subrects {
            if is_coloured {
                format.write(color, out);
            }
            let pack = |high: u16, low: u16| (high << 4 | low) as u8;
            out.push(pack(place.x, place.y));
            out.push(pack(place.width - 1, place.height - 1));
        }
    }
}
