//! The shape of the pointer (`rfbproto.rst`, "Cursor Pseudo-encoding", "Cursor With Alpha Pseudo-encoding").
//!
//! Invariant: at most 512×512, hotspot inside, straight alpha. Must never know where the pointer is.

use crate::limits::MAX_CURSOR_SIDE;
use crate::wire::{Reader, u32_at};
use crate::{ProtocolError, Rect};

/// What the pointer looks like; nothing when a side is 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cursor {
    /// Pixels.
    pub width: u16,
    /// Pixels.
    pub height: u16,
    /// The column that points.
    pub hot_x: u16,
    /// The row that points.
    pub hot_y: u16,
    /// Red, green, blue and straight alpha, row by row.
    pub rgba: Vec<u8>,
}

/// A cursor of pixels and a mask; `None` when not all of it is there.
pub(crate) fn masked(rect: Rect, input: &mut Reader<'_>) -> Result<Option<Cursor>, ProtocolError> {
    check(rect)?;
    let (width, height) = (usize::from(rect.width), usize::from(rect.height));
    let mask_row = width.div_ceil(8);
    let pixel_bytes = width * height * 4;
    let Some(data) = input.take(pixel_bytes + mask_row * height) else { return Ok(None) };
    let (pixels, mask) = data.split_at(pixel_bytes);
    let mut rgba = pixels.to_vec();
    for (at, pixel) in rgba.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let (x, y) = (at % width, at / width);
        let is_opaque = mask[y * mask_row + x / 8] << (x % 8) & 128 != 0;
        pixel[3] = if is_opaque { 255 } else { 0 };
    }
    Ok(Some(cursor(rect, rgba)))
}

/// A cursor of pixels with premultiplied alpha, raw inside (QEMU `ui/vnc.c`, `vnc_cursor_define`).
pub(crate) fn with_alpha(rect: Rect, input: &mut Reader<'_>) -> Result<Option<Cursor>, ProtocolError> {
    check(rect)?;
    let bytes = usize::from(rect.width) * usize::from(rect.height) * 4;
    if let Some(code) = input.rest().get(..4) {
        let code = u32_at(code, 0) as i32;
        if code != 0 {
            return Err(ProtocolError::UnknownEncoding(code));
        }
    }
    let Some(data) = input.take(4 + bytes) else { return Ok(None) };
    let mut rgba = data[4..].to_vec();
    for pixel in rgba.as_chunks_mut::<4>().0 {
        let [red, green, blue, alpha] = *pixel;
        if alpha != 0 && alpha != 255 {
            let straight = |part: u8| (u16::from(part) * 255 / u16::from(alpha)).min(255) as u8;
            *pixel = [straight(red), straight(green), straight(blue), alpha];
        }
    }
    Ok(Some(cursor(rect, rgba)))
}

fn check(rect: Rect) -> Result<(), ProtocolError> {
    let Rect { width, height, .. } = rect;
    let fits = width <= MAX_CURSOR_SIDE && height <= MAX_CURSOR_SIDE;
    if fits { Ok(()) } else { Err(ProtocolError::CursorSize { width, height }) }
}

/// The hotspot travels as the rectangle's corner; one outside the shape is moved to its edge.
fn cursor(rect: Rect, rgba: Vec<u8>) -> Cursor {
    let (hot_x, hot_y) = (rect.x.min(rect.width.saturating_sub(1)), rect.y.min(rect.height.saturating_sub(1)));
    Cursor { width: rect.width, height: rect.height, hot_x, hot_y, rgba }
}
