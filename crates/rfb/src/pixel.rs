//! How a pixel looks on the wire.
//!
//! Invariant: our client asks for [`PixelFormat::RGBX`] only, whose bytes are ours already, so decoding a pixel is
//! setting its alpha. Other formats exist for foreign viewers of our server. Must never know encodings.

use crate::ProtocolError;

/// Red, green, blue, alpha.
pub type Rgba = [u8; 4];

/// The pixel of three wire bytes (CPIXEL, TPIXEL) in [`PixelFormat::RGBX`].
#[inline]
pub(crate) fn opaque(bytes: &[u8]) -> Rgba {
    [bytes[0], bytes[1], bytes[2], 255]
}

/// Turns wire pixels of [`PixelFormat::RGBX`] into ours; as many as both have.
#[inline]
pub(crate) fn copy_rgbx(to: &mut [Rgba], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from.as_chunks::<4>().0) {
        *to = [from[0], from[1], from[2], 255];
    }
}

/// Turns three-byte wire pixels into ours; as many as both have.
#[inline]
pub(crate) fn copy_rgb(to: &mut [Rgba], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from.as_chunks::<3>().0) {
        *to = [from[0], from[1], from[2], 255];
    }
}

/// A true-colour pixel format (RFC 6143 §7.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelFormat {
    /// 8, 16 or 32.
    pub bits: u8,
    /// Bits that carry colour.
    pub depth: u8,
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
    /// The largest red, green and blue.
    pub max: [u16; 3],
    /// How far red, green and blue are shifted to the left.
    pub shift: [u8; 3],
}

impl PixelFormat {
    /// 32 bits whose bytes are red, green, blue and nothing.
    pub const RGBX: Self = Self { bits: 32, depth: 24, big_endian: false, max: [255; 3], shift: [0, 8, 16] };

    /// The 16 bytes of the wire.
    pub(crate) fn to_wire(self) -> [u8; 16] {
        let [red, green, blue] = self.max.map(u16::to_be_bytes);
        let [r, g, b] = self.shift;
        let big = u8::from(self.big_endian);
        [self.bits, self.depth, big, 1, red[0], red[1], green[0], green[1], blue[0], blue[1], r, g, b, 0, 0, 0]
    }

    /// From the 16 bytes of the wire.
    pub(crate) fn from_wire(bytes: &[u8; 16]) -> Result<Self, ProtocolError> {
        let max = [4, 6, 8].map(|at| u16::from_be_bytes([bytes[at], bytes[at + 1]]));
        let shift = [bytes[10], bytes[11], bytes[12]];
        let format = Self { bits: bytes[0], depth: bytes[1], big_endian: bytes[2] != 0, max, shift };
        let known = matches!(format.bits, 8 | 16 | 32) && bytes[3] != 0;
        let fits = |(max, shift): (u16, u8)| shift < 32 && u64::from(max) << shift < 1 << format.bits;
        if known && max.into_iter().zip(shift).all(fits) { Ok(format) } else { Err(ProtocolError::PixelFormat) }
    }

    /// Whether ZRLE leaves out a byte of each pixel (RFC 6143 §7.7.5, "CPIXEL"); with three low bytes only, since
    /// nobody asks for the other case.
    pub(crate) fn is_compact(self) -> bool {
        let low = |(max, shift): (u16, u8)| u64::from(max) << shift < 1 << 24;
        self.bits == 32 && self.depth <= 24 && self.max.into_iter().zip(self.shift).all(low)
    }

    /// Whether Tight sends three bytes a pixel (`rfbproto.rst`, "TPIXEL").
    pub(crate) fn is_tight(self) -> bool {
        self.bits == 32 && self.depth == 24 && self.max == [255; 3]
    }

    /// The value of a pixel in this format.
    fn value(self, pixel: Rgba) -> u32 {
        let part = |i: usize| ((u32::from(pixel[i]) * u32::from(self.max[i]) + 127) / 255) << self.shift[i];
        part(0) | part(1) | part(2)
    }

    /// Writes a pixel in full.
    pub(crate) fn write(self, pixel: Rgba, out: &mut Vec<u8>) {
        if self == Self::RGBX {
            return out.extend_from_slice(&[pixel[0], pixel[1], pixel[2], 0]);
        }
        let bytes = usize::from(self.bits / 8);
        let value = self.value(pixel);
        if self.big_endian {
            out.extend_from_slice(&value.to_be_bytes()[4 - bytes..]);
        } else {
            out.extend_from_slice(&value.to_le_bytes()[..bytes]);
        }
    }

    /// Writes a pixel the way ZRLE does.
    pub(crate) fn write_compact(self, pixel: Rgba, out: &mut Vec<u8>) {
        if !self.is_compact() {
            return self.write(pixel, out);
        }
        let value = self.value(pixel);
        if self.big_endian {
            out.extend_from_slice(&value.to_be_bytes()[1..]);
        } else {
            out.extend_from_slice(&value.to_le_bytes()[..3]);
        }
    }

    /// Writes a pixel the way Tight does.
    pub(crate) fn write_tight(self, pixel: Rgba, out: &mut Vec<u8>) {
        if self.is_tight() { out.extend_from_slice(&pixel[..3]) } else { self.write(pixel, out) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_survives_the_wire() {
        let rgb565 = PixelFormat { bits: 16, depth: 16, big_endian: true, max: [31, 63, 31], shift: [11, 5, 0] };
        for format in [PixelFormat::RGBX, rgb565] {
            assert_eq!(PixelFormat::from_wire(&format.to_wire()), Ok(format));
        }
        let mut out = Vec::new();
        rgb565.write([255, 0, 255, 255], &mut out);
        assert_eq!(out, [0xf8, 0x1f]);
    }

    #[test]
    fn a_colour_map_is_refused() {
        let mut wire = PixelFormat::RGBX.to_wire();
        wire[3] = 0;
        assert_eq!(PixelFormat::from_wire(&wire), Err(ProtocolError::PixelFormat));
    }
}
