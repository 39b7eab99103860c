//! Decoders: one file an encoding, all of one shape.
//!
//! `new(rect)` for a rectangle that is inside the screen, then `step(input, …)` again and again until
//! [`Step::Done`]; a step takes whole pieces of the input only, so a stream may be cut at any byte.
//!
//! Invariant: nothing outside the rectangle is painted, nothing is allocated for a length the wire merely announces.
//! Must never know messages, events or whose turn it is.

pub(crate) mod copyrect;
pub(crate) mod cursor;
pub(crate) mod hextile;
mod jpeg;
pub(crate) mod raw;
pub(crate) mod resize;
pub(crate) mod rre;
pub(crate) mod tight;
mod tight_rows;
pub(crate) mod zlib;
pub(crate) mod zrle;
mod zrle_tile;

use crate::inflate::Inflater;
use crate::limits::{MAX_PAINT_FACTOR, MIN_PAINT_PIXELS};
use crate::wire::{Reader, Step};
use crate::{Encoding, Framebuffer, ProtocolError, Rect};

/// What decoders work on: the screen, the streams that outlive a rectangle, and what may still be painted.
#[derive(Default)]
pub(crate) struct Bench {
    pub(crate) screen: Framebuffer,
    zlib: Inflater,
    zrle: Inflater,
    zrle_tiles: zrle_tile::Tiles,
    tight: [Inflater; 4],
    /// Pixels the current update may still paint.
    budget: u64,
}

impl Bench {
    /// Allows one more update to paint.
    pub(crate) fn grant(&mut self) {
        self.budget = (self.screen.area().area() * MAX_PAINT_FACTOR).max(MIN_PAINT_PIXELS);
    }

    /// Takes `pixels` off what may be painted, and refuses when that is used up.
    #[inline]
    pub(crate) fn spend(&mut self, pixels: u64) -> Result<(), ProtocolError> {
        self.budget = self.budget.checked_sub(pixels).ok_or(ProtocolError::TooMuchPaint)?;
        Ok(())
    }
}

/// The decoder of the rectangle at hand.
pub(crate) enum Decoder {
    Raw(raw::Raw),
    CopyRect(copyrect::CopyRect),
    Rre(rre::Rre),
    Hextile(hextile::Hextile),
    Zlib(zlib::Zlib),
    Zrle(zrle::Zrle),
    Tight(tight::Tight),
}

impl Decoder {
    /// Begins a rectangle, if it is inside the screen.
    pub(crate) fn new(encoding: Encoding, rect: Rect, bench: &mut Bench) -> Result<Self, ProtocolError> {
        if !bench.screen.area().contains(rect) {
            return Err(ProtocolError::OutsideScreen(rect));
        }
        bench.spend(rect.area())?;
        Ok(match encoding {
            Encoding::Raw => Self::Raw(raw::Raw::new(rect)),
            Encoding::CopyRect => Self::CopyRect(copyrect::CopyRect::new(rect)),
            Encoding::Rre => Self::Rre(rre::Rre::new(rect)),
            Encoding::Hextile => Self::Hextile(hextile::Hextile::new(rect)),
            Encoding::Zlib => Self::Zlib(zlib::Zlib::new(rect)),
            Encoding::Zrle => Self::Zrle(zrle::Zrle::new(rect)),
            Encoding::Tight => Self::Tight(tight::Tight::new(rect)),
        })
    }

    /// Decodes what has arrived.
    pub(crate) fn step(&mut self, input: &mut Reader<'_>, bench: &mut Bench) -> Result<Step, ProtocolError> {
        match self {
            Self::Raw(raw) => Ok(raw.step(input, &mut bench.screen)),
            Self::CopyRect(copy) => copy.step(input, &mut bench.screen),
            Self::Rre(rre) => rre.step(input, bench),
            Self::Hextile(hextile) => hextile.step(input, &mut bench.screen),
            Self::Zlib(zlib) => zlib.step(input, &mut bench.screen, &mut bench.zlib),
            Self::Zrle(zrle) => zrle.step(input, &mut bench.screen, &mut bench.zrle, &mut bench.zrle_tiles),
            Self::Tight(tight) => tight.step(input, &mut bench.screen, &mut bench.tight),
        }
    }
}
