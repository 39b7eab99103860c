//! A new size of the screen (`rfbproto.rst`, "ExtendedDesktopSize Pseudo-encoding").
//!
//! Invariant: of several monitors only the outer size and the first one's identity are kept.
//! Must never know pixels.

use crate::Rect;
use crate::wire::{Reader, u32_at};

/// What is said of a screen's layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The new size; `None` when this answers a request that was refused.
    pub(crate) size: Option<(u16, u16)>,
    /// Identity and flags of the first monitor, which a request of ours repeats.
    pub(crate) monitor: (u32, u32),
}

/// The reason "a request of this client", in the rectangle's `x`.
const OUR_REQUEST: u16 = 1;

/// `None` when not all of it is there.
pub(crate) fn extended(rect: Rect, input: &mut Reader<'_>) -> Option<Layout> {
    let monitors = usize::from(*input.rest().first()?);
    let data = input.take(4 + monitors * 16)?;
    let is_refused = rect.x == OUR_REQUEST && rect.y != 0;
    let size = (!is_refused).then_some((rect.width, rect.height));
    Some(Layout { size, monitor: (u32_at(data, 4), u32_at(data, 16)) })
}
