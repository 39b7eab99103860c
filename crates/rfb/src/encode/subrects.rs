//! Cutting a picture into a background and rectangles of one colour.
//!
//! Invariant: the rectangles cover exactly what is not background, without overlapping. Must never know encodings.

use crate::{Rect, Rgba};

/// The rectangles of `pixels`, rows of `width`, that are not `background`.
pub(super) fn find(pixels: &[Rgba], width: u16, background: Rgba) -> Vec<(Rect, Rgba)> {
    let columns = usize::from(width.max(1));
    let mut is_covered = vec![false; pixels.len()];
    let mut found = Vec::new();
    for at in 0..pixels.len() {
        let color = pixels[at];
        if is_covered[at] || color == background {
            continue;
        }
        let (x, y) = (at % columns, at / columns);
        let is_free = |at: usize| pixels[at] == color && !is_covered[at];
        let right = (at..at + columns - x).take_while(|&at| is_free(at)).count();
        let rows = pixels.len() / columns - y;
        let down = (0..rows).take_while(|&dy| (0..right).all(|dx| is_free(at + dy * columns + dx))).count();
        for dy in 0..down {
            is_covered[at + dy * columns..][..right].fill(true);
        }
        found.push((Rect::new(x as u16, y as u16, right as u16, down as u16), color));
    }
    found
}
