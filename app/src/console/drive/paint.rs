//! The guest's pixels on the canvas: exactly the framebuffer, at its own size; fitting it to the window is the style's
//! business.

use leptos::prelude::*;
use rfb::{Cursor, Framebuffer, Rect};
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlAnchorElement, HtmlCanvasElement, ImageData};

use crate::console::screen::CANVAS;

/// The canvas of the page.
pub(super) fn canvas() -> Option<HtmlCanvasElement> {
    document().get_element_by_id(CANVAS)?.dyn_into().ok()
}

fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok().flatten()?.dyn_into().ok()
}

/// The screen has that size; its pixels follow.
pub(super) fn resize(width: u16, height: u16) {
    let Some(canvas) = canvas() else { return };
    let (width, height) = (u32::from(width), u32::from(height));
    // Setting a size empties a canvas, even to the same.
    if (canvas.width(), canvas.height()) != (width, height) {
        canvas.set_width(width);
        canvas.set_height(height);
    }
}

/// Draws the pixels of `rect`.
pub(super) fn draw(screen: &Framebuffer, rect: Rect) {
    let Some(context) = canvas().as_ref().and_then(context) else { return };
    let rect = rect.intersection(screen.area());
    if rect.is_empty() {
        return;
    }
    let row_bytes = usize::from(screen.width()) * 4;
    let is_whole_rows = rect.width == screen.width();
    if is_whole_rows {
        let from = usize::from(rect.y) * row_bytes;
        put(&context, &screen.bytes()[from..from + usize::from(rect.height) * row_bytes], rect);
    } else {
        let mut pixels = Vec::with_capacity(usize::from(rect.width) * usize::from(rect.height) * 4);
        screen.rows(rect).for_each(|row| pixels.extend_from_slice(row.as_flattened()));
        put(&context, &pixels, rect);
    }
}

fn put(context: &CanvasRenderingContext2d, pixels: &[u8], rect: Rect) {
    let (width, height) = (u32::from(rect.width), u32::from(rect.height));
    if let Ok(image) = ImageData::new_with_u8_clamped_array_and_sh(Clamped(pixels), width, height) {
        // Fails only for numbers that are not finite.
        let _ = context.put_image_data(&image, f64::from(rect.x), f64::from(rect.y));
    }
}

/// The guest's pointer becomes the browser's, so that it moves without delay.
pub(super) fn cursor(cursor: &Cursor) {
    let Some(canvas) = canvas() else { return };
    let value = cursor_value(cursor).unwrap_or_else(|| "default".to_owned());
    // A pointer that the browser refuses stays as it was.
    let _ = web_sys::HtmlElement::style(&canvas).set_property("cursor", &value);
}

/// The CSS value of a pointer; `None` for an empty one.
fn cursor_value(cursor: &Cursor) -> Option<String> {
    let (width, height) = (u32::from(cursor.width), u32::from(cursor.height));
    if width == 0 || height == 0 || cursor.rgba.chunks_exact(4).all(|pixel| pixel[3] == 0) {
        return None;
    }
    let scratch: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    scratch.set_width(width);
    scratch.set_height(height);
    let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&cursor.rgba), width, height).ok()?;
    context(&scratch)?.put_image_data(&image, 0.0, 0.0).ok()?;
    let data = scratch.to_data_url().ok()?;
    Some(format!("url(\"{data}\") {} {}, default", cursor.hot_x, cursor.hot_y))
}

/// Saves the screen as it is, as a PNG of its own size.
pub(in crate::console) fn screenshot(name: &str) {
    let Some(data) = canvas().and_then(|canvas| canvas.to_data_url_with_type("image/png").ok()) else { return };
    let link = document().create_element("a").ok().and_then(|link| link.dyn_into::<HtmlAnchorElement>().ok());
    if let Some(link) = link {
        link.set_href(&data);
        link.set_download(&format!("{name}.png"));
        link.click();
    }
}
