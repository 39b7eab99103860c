//! A coloured rectangle inside another, as RRE and Hextile have them.
//!
//! Invariant: it never leaves the outer one. Must never know how its numbers were packed.

use crate::{Framebuffer, ProtocolError, Rect, Rgba};

/// Paints `inner`, whose corner counts from that of `outer`.
#[inline]
pub(super) fn paint(screen: &mut Framebuffer, outer: Rect, inner: Rect, color: Rgba) -> Result<(), ProtocolError> {
    if inner.right() > u32::from(outer.width) || inner.bottom() > u32::from(outer.height) {
        return Err(ProtocolError::OutsideScreen(inner));
    }
    screen.paint(Rect { x: outer.x + inner.x, y: outer.y + inner.y, ..inner }, color);
    Ok(())
}
