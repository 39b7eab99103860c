//! The pixels of a screen and which of them changed.
//!
//! Invariant: `width × height` opaque RGBA pixels, and every change is covered by the damage. Must never know encodings.

use crate::damage::Damage;
use crate::limits::{MAX_PIXELS, MAX_SIDE};
use crate::{ProtocolError, Rect, Rgba};

const BLACK: Rgba = [0, 0, 0, 255];

/// A screen: RGBA8 pixels, row by row from the top left, alpha always 255.
#[derive(Debug, Clone, Default)]
pub struct Framebuffer {
    width: u16,
    height: u16,
    pixels: Vec<Rgba>,
    damage: Damage,
}

impl Framebuffer {
    /// A black screen.
    ///
    /// # Errors
    /// [`ProtocolError::ScreenSize`] when a side is 0 or over [`MAX_SIDE`], or the area over [`MAX_PIXELS`].
    pub fn new(width: u16, height: u16) -> Result<Self, ProtocolError> {
        let mut screen = Self::default();
        screen.resize(width, height)?;
        Ok(screen)
    }

    /// Pixels.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Pixels.
    pub fn height(&self) -> u16 {
        self.height
    }

    /// The whole screen.
    pub fn area(&self) -> Rect {
        Rect::new(0, 0, self.width, self.height)
    }

    /// All pixels as bytes: red, green, blue, 255; `width × 4` bytes a row. What a canvas's `ImageData` takes.
    pub fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }

    /// All pixels, row by row.
    pub fn pixels(&self) -> &[Rgba] {
        &self.pixels
    }

    /// The rows of the part of `rect` that is on the screen, from the top.
    pub fn rows(&self, rect: Rect) -> impl Iterator<Item = &[Rgba]> {
        let rect = rect.intersection(self.area());
        (rect.y..rect.y + rect.height).map(move |y| {
            let start = self.index(rect.x, y);
            &self.pixels[start..start + usize::from(rect.width)]
        })
    }

    /// Paints the part of `rect` that is on the screen in one colour.
    pub fn fill(&mut self, rect: Rect, color: Rgba) {
        let rect = rect.intersection(self.area());
        self.paint(rect, color);
        self.damage.add(rect);
    }

    /// Puts pixels, given row by row, onto `rect`; what is not on the screen or not given is left out.
    pub fn put(&mut self, rect: Rect, pixels: &[Rgba]) {
        if rect.is_empty() {
            return;
        }
        let visible = rect.intersection(self.area());
        let (skip_x, skip_y) = (usize::from(visible.x - rect.x), usize::from(visible.y - rect.y));
        let rows = pixels.chunks_exact(rect.width.into()).skip(skip_y);
        for (y, row) in (visible.y..visible.y + visible.height).zip(rows) {
            let row = &row[skip_x..skip_x + usize::from(visible.width)];
            self.row_mut(visible.x, y, visible.width).copy_from_slice(row);
        }
        self.damage.add(visible);
    }

    /// Copies what is at `from_x`, `from_y` to `to`, also when the two overlap; nothing when one is not on the screen.
    pub fn copy(&mut self, from_x: u16, from_y: u16, to: Rect) {
        let from = Rect { x: from_x, y: from_y, ..to };
        if self.area().contains(from) && self.area().contains(to) {
            self.shift(from, to);
            self.damage.add(to);
        }
    }

    /// Changes the size; what fits stays where it is, the rest is black, and everything is damaged.
    ///
    /// # Errors
    /// [`ProtocolError::ScreenSize`], see [`Framebuffer::new`].
    pub fn resize(&mut self, width: u16, height: u16) -> Result<(), ProtocolError> {
        let (right, low) = (u32::from(width), u32::from(height));
        if right * low == 0 || width > MAX_SIDE || height > MAX_SIDE || right * low > MAX_PIXELS {
            return Err(ProtocolError::ScreenSize { width, height });
        }
        let mut pixels = vec![BLACK; usize::from(width) * usize::from(height)];
        let kept = usize::from(width.min(self.width));
        if kept > 0 {
            let old = self.pixels.chunks_exact(self.width.into());
            for (new, old) in pixels.chunks_exact_mut(width.into()).zip(old) {
                new[..kept].copy_from_slice(&old[..kept]);
            }
        }
        (self.width, self.height, self.pixels) = (width, height, pixels);
        self.damage.clear();
        self.damage.add(self.area());
        Ok(())
    }

    /// Takes out one rectangle of what changed; `None` when nothing more did.
    pub fn take_damage(&mut self) -> Option<Rect> {
        self.damage.take()
    }

    pub(crate) fn damage_mut(&mut self) -> &mut Damage {
        &mut self.damage
    }

    /// `width` pixels of row `y` from column `x` on; the caller has checked that they exist, and tells the damage.
    #[inline]
    pub(crate) fn row_mut(&mut self, x: u16, y: u16, width: u16) -> &mut [Rgba] {
        let start = self.index(x, y);
        &mut self.pixels[start..start + usize::from(width)]
    }

    /// Like [`Self::fill`], without damage; `rect` is on the screen.
    #[inline]
    pub(crate) fn paint(&mut self, rect: Rect, color: Rgba) {
        for y in rect.y..rect.y + rect.height {
            self.row_mut(rect.x, y, rect.width).fill(color);
        }
    }

    /// Like [`Self::copy`], without damage; both are on the screen and of one size.
    pub(crate) fn shift(&mut self, from: Rect, to: Rect) {
        let width = usize::from(to.width);
        let mut row = |dy: u16| {
            let start = self.index(from.x, from.y + dy);
            let target = self.index(to.x, to.y + dy);
            self.pixels.copy_within(start..start + width, target);
        };
        if to.y > from.y { (0..to.height).rev().for_each(&mut row) } else { (0..to.height).for_each(&mut row) }
    }

    #[inline]
    fn index(&self, x: u16, y: u16) -> usize {
        usize::from(y) * usize::from(self.width) + usize::from(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overlapping_copy_moves_every_pixel_once() {
        for (dx, dy) in [(1i32, 0i32), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)] {
            let mut screen = Framebuffer::new(6, 6).unwrap();
            for i in 0..36u8 {
                screen.fill(Rect::new(u16::from(i) % 6, u16::from(i) / 6, 1, 1), [i, 0, 0, 255]);
            }
            let to = Rect::new((1 + dx) as u16, (1 + dy) as u16, 4, 4);
            screen.copy(1, 1, to);
            let moved: Vec<u8> = screen.rows(to).flatten().map(|pixel| pixel[0]).collect();
            assert_eq!(moved, [7, 8, 9, 10, 13, 14, 15, 16, 19, 20, 21, 22, 25, 26, 27, 28], "{dx},{dy}");
        }
    }

    #[test]
    fn a_larger_screen_keeps_the_old_picture_in_its_corner() {
        let mut screen = Framebuffer::new(2, 2).unwrap();
        screen.fill(screen.area(), [9, 9, 9, 255]);
        screen.resize(3, 1).unwrap();
        assert_eq!(screen.pixels(), [[9, 9, 9, 255], [9, 9, 9, 255], BLACK]);
    }

    #[test]
    fn what_is_put_beside_the_screen_is_cut() {
        let mut screen = Framebuffer::new(2, 2).unwrap();
        screen.put(Rect::new(1, 1, 2, 2), &[[7, 7, 7, 255]; 4]);
        assert_eq!(screen.pixels(), [BLACK, BLACK, BLACK, [7, 7, 7, 255]]);
    }

    #[test]
    fn a_screen_beyond_the_limit_is_refused() {
        assert!(matches!(Framebuffer::new(65535, 65535), Err(ProtocolError::ScreenSize { .. })));
        assert!(Framebuffer::new(0, 1).is_err() && Framebuffer::new(16_385, 1).is_err());
    }
}
