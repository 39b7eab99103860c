//! Encoders: one file an encoding, the mirror of `decode`.
//!
//! Invariant: what is written is a whole rectangle without its header, valid for the viewer's pixel format.
//! Must never know viewers or requests.

mod deflate;
mod hextile;
mod palette;
mod subrects;
mod tight;
mod zrle;

use crate::wire::Write;
use crate::{Encoding, Framebuffer, PixelFormat, Rect, Rgba};
use deflate::Deflater;

/// The streams that outlive a rectangle, and room that every rectangle uses again.
#[derive(Default)]
pub(crate) struct Encoders {
    zlib: Deflater,
    zrle: Deflater,
    tight: [Deflater; 4],
    plain: Vec<u8>,
}

impl Encoders {
    /// Writes `rect`, which is on the screen. `CopyRect` has no pixels of its own and is written as raw.
    pub(crate) fn encode(
        &mut self,
        encoding: Encoding,
        rect: Rect,
        screen: &Framebuffer,
        format: PixelFormat,
        out: &mut Vec<u8>,
    ) {
        self.plain.clear();
        match encoding {
            Encoding::Raw | Encoding::CopyRect => raw(rect, screen, format, out),
            Encoding::Rre => rre(rect, screen, format, out),
            Encoding::Hextile => hextile::encode(rect, screen, format, out),
            Encoding::Zlib => {
                raw(rect, screen, format, &mut self.plain);
                self.zlib.deflate_with_length(&self.plain, out);
            }
            Encoding::Zrle => {
                zrle::encode(rect, screen, format, &mut self.plain);
                self.zrle.deflate_with_length(&self.plain, out);
            }
            Encoding::Tight => tight::encode(rect, screen, format, &mut self.tight, &mut self.plain, out),
        }
    }
}

/// RFC 6143 §7.7.1.
fn raw(rect: Rect, screen: &Framebuffer, format: PixelFormat, out: &mut Vec<u8>) {
    for row in screen.rows(rect) {
        if format == PixelFormat::RGBX {
            out.extend_from_slice(row.as_flattened());
        } else {
            row.iter().for_each(|&pixel| format.write(pixel, out));
        }
    }
}

/// RFC 6143 §7.7.3.
fn rre(rect: Rect, screen: &Framebuffer, format: PixelFormat, out: &mut Vec<u8>) {
    let pixels = gather(rect, screen);
    let background = palette::most_common(&pixels);
    let subrects = subrects::find(&pixels, rect.width, background);
    out.put_u32(subrects.len() as u32);
    format.write(background, out);
    for (place, color) in subrects {
        format.write(color, out);
        out.put_rect(place);
    }
}

/// The pixels of a rectangle, row by row.
fn gather(rect: Rect, screen: &Framebuffer) -> Vec<Rgba> {
    screen.rows(rect).flatten().copied().collect()
}
