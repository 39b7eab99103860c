//! The colours of a few pixels.
//!
//! Invariant: a colour keeps the number it first got. Must never know what the numbers are for.

use crate::Rgba;

const SLOTS: usize = 512;
/// The most colours a palette may have, so that half of the slots stay free.
pub(super) const MAX_COLORS: usize = 256;

/// Colours, numbered in the order they were first seen.
pub(super) struct Palette {
    pub(super) colors: Vec<Rgba>,
    /// One more than a colour's number, 0 for a free slot; found by open addressing.
    slots: [u16; SLOTS],
}

impl Palette {
    /// The palette of `pixels`, unless it has more than `max` (at most [`MAX_COLORS`]) colours.
    pub(super) fn of(pixels: &[Rgba], max: usize) -> Option<Self> {
        let mut palette = Self { colors: Vec::new(), slots: [0; SLOTS] };
        let mut last = None;
        for &pixel in pixels {
            if last == Some(pixel) {
                continue;
            }
            last = Some(pixel);
            let slot = palette.slot(pixel);
            if palette.slots[slot] == 0 {
                if palette.colors.len() == max.min(MAX_COLORS) {
                    return None;
                }
                palette.colors.push(pixel);
                palette.slots[slot] = palette.colors.len() as u16;
            }
        }
        Some(palette)
    }

    /// The number of a colour that is in the palette.
    #[inline]
    pub(super) fn number(&self, pixel: Rgba) -> u8 {
        self.slots[self.slot(pixel)].saturating_sub(1) as u8
    }

    /// The slot that holds `pixel`, or the free one where it belongs.
    #[inline]
    fn slot(&self, pixel: Rgba) -> usize {
        let hash = u32::from_le_bytes(pixel).wrapping_mul(0x9e37_79b1) >> 23;
        let mut slot = hash as usize % SLOTS;
        while let Some(number) = self.slots[slot].checked_sub(1) {
            if self.colors[usize::from(number)] == pixel {
                break;
            }
            slot = (slot + 1) % SLOTS;
        }
        slot
    }
}

/// A colour that most pixels have, nearly: it is voted for by runs, which is enough for a background.
pub(super) fn most_common(pixels: &[Rgba]) -> Rgba {
    let mut winner = [0, 0, 0, 255];
    let mut votes = 0u32;
    for &pixel in pixels {
        if votes == 0 {
            winner = pixel;
        }
        votes = if pixel == winner { votes + 1 } else { votes - 1 };
    }
    winner
}
