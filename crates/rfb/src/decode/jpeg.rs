//! A JPEG inside a Tight rectangle.
//!
//! Invariant: its size is the rectangle's and below `MAX_JPEG_PIXELS` before anything is decoded.
//! Must never know Tight.

use std::io::Cursor;

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::limits::{MAX_JPEG_PIXELS, MAX_JPEG_SCANS};
use crate::pixel::copy_rgb;
use crate::{Framebuffer, ProtocolError, Rect};

/// Decodes `data` and paints it onto `rect`.
pub(super) fn paint(data: &[u8], rect: Rect, screen: &mut Framebuffer) -> Result<(), ProtocolError> {
    let size = |width: usize, height: usize| ProtocolError::JpegSize { width: width as u32, height: height as u32 };
    let (width, height) = (usize::from(rect.width), usize::from(rect.height));
    if rect.is_empty() || rect.area() > MAX_JPEG_PIXELS.into() {
        return Err(size(width, height));
    }
    let options = DecoderOptions::default()
        .set_max_width(width)
        .set_max_height(height)
        .jpeg_set_max_scans(MAX_JPEG_SCANS)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(Cursor::new(data), options);
    decoder.decode_headers().map_err(|_| ProtocolError::JpegCorrupt)?;
    match decoder.dimensions() {
        Some(found) if found == (width, height) => {}
        Some((width, height)) => return Err(size(width, height)),
        None => return Err(ProtocolError::JpegCorrupt),
    }
    let pixels = decoder.decode().map_err(|_| ProtocolError::JpegCorrupt)?;
    // A grey JPEG may come out with one byte a pixel, whatever was asked for.
    let depth = if decoder.output_colorspace() == Some(ColorSpace::Luma) { 1 } else { 3 };
    if pixels.len() != width * height * depth {
        return Err(ProtocolError::JpegCorrupt);
    }
    for (y, row) in (rect.y..).zip(pixels.chunks_exact(width * depth)) {
        let target = screen.row_mut(rect.x, y, rect.width);
        if depth == 3 {
            copy_rgb(target, row);
        } else {
            target.iter_mut().zip(row).for_each(|(pixel, &grey)| *pixel = [grey, grey, grey, 255]);
        }
    }
    Ok(())
}
