//! The arithmetic of a virtual table: which rows to ask the server for, which to draw. Pure, so that it is tested
//! without a browser.
//!
//! The figures are those of the spike (stack.md §5): a buffer of 600 rows, asked for again when fewer than 120 are left
//! on a side, keeps the view filled up to 24,000 px/s.

use std::ops::Range;

/// Rows a buffer holds.
pub const BUFFER: u32 = 600;
/// With fewer than these left on a side the buffer moves.
const RESERVE: u32 = 120;
/// Rows drawn above and below what is seen, so that a short scroll draws nothing new.
const BEYOND: u32 = 8;

/// Which rows of a long list are in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer<T> {
    /// Index of the first of them in the whole list.
    pub start: u32,
    /// They.
    pub rows: Vec<T>,
}

impl<T> Buffer<T> {
    /// The rows from the beginning of the list.
    pub fn first(rows: Vec<T>) -> Self {
        Self { start: 0, rows }
    }

    /// The indices it holds.
    pub fn range(&self) -> Range<u32> {
        self.start..self.start.saturating_add(u32::try_from(self.rows.len()).unwrap_or(u32::MAX))
    }

    /// The row at an index of the whole list.
    pub fn get(&self, index: u32) -> Option<&T> {
        self.rows.get(usize::try_from(index.checked_sub(self.start)?).ok()?)
    }
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Self::first(Vec::new())
    }
}

/// What of the list is on screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Port {
    /// Pixels above it.
    pub top_px: f64,
    /// Its height.
    pub height_px: f64,
    /// The height of a row.
    pub row_px: f64,
}

impl Port {
    /// The rows that are seen, at least in part, of `total`.
    pub fn seen(self, total: u32) -> Range<u32> {
        let row_px = self.row_px.max(1.0);
        // `as` saturates, which is what a height beyond all rows should do.
        let first = (self.top_px.max(0.0) / row_px).floor() as u32;
        let past = ((self.top_px.max(0.0) + self.height_px.max(0.0)) / row_px).ceil() as u32;
        first.min(total)..past.min(total)
    }

    /// Where to scroll so that a row is seen whole, if it is not.
    pub fn reveal(self, index: u32, head_px: f64) -> Option<f64> {
        let (top, bottom) = (f64::from(index) * self.row_px, f64::from(index + 1) * self.row_px + head_px);
        if top < self.top_px {
            Some(top)
        } else if bottom > self.top_px + self.height_px {
            Some(bottom - self.height_px)
        } else {
            None
        }
    }
}

/// Start of the buffer to ask for, given where the last one started. It moves only when it must.
pub fn wanted(seen: &Range<u32>, old: Option<u32>, total: u32) -> u32 {
    let last_start = total.saturating_sub(BUFFER);
    if let Some(old) = old.filter(|&old| old <= last_start) {
        let enough_above = seen.start >= old + RESERVE || old == 0;
        let enough_below = seen.end + RESERVE <= old + BUFFER || old + BUFFER >= total;
        if seen.start >= old && enough_above && enough_below {
            return old;
        }
    }
    let middle = seen.start.midpoint(seen.end);
    middle.saturating_sub(BUFFER / 2).min(last_start)
}

/// The rows to draw: what is seen and a few beyond, as far as they are in memory.
pub fn drawn(seen: &Range<u32>, held: &Range<u32>, total: u32) -> Range<u32> {
    let start = seen.start.saturating_sub(BEYOND).max(held.start);
    let end = (seen.end + BEYOND).min(held.end).min(total);
    if start < end { start..end } else { seen.start..seen.start }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: Port = Port { top_px: 0.0, height_px: 900.0, row_px: 32.0 };

    #[test]
    fn a_row_that_is_half_seen_is_seen() {
        assert_eq!(PORT.seen(100_000), 0..29);
        assert_eq!(Port { top_px: 3_216.0, ..PORT }.seen(100_000), 100..129);
        assert_eq!(PORT.seen(3), 0..3);
        assert_eq!(Port { top_px: 1e9, ..PORT }.seen(50), 50..50);
    }

    #[test]
    fn a_buffer_stays_until_its_edge_comes_near() {
        assert_eq!(wanted(&(0..29), None, 100_000), 0);
        assert_eq!(wanted(&(400..429), Some(0), 100_000), 0);
        assert_eq!(wanted(&(460..489), Some(0), 100_000), 174);
        assert_eq!(wanted(&(300..329), Some(174), 100_000), 174);
        assert_eq!(wanted(&(290..319), Some(174), 100_000), 4);
    }

    #[test]
    fn a_buffer_never_reaches_past_the_end() {
        assert_eq!(wanted(&(99_971..100_000), Some(0), 100_000), 99_400);
        assert_eq!(wanted(&(0..20), None, 20), 0);
        assert_eq!(wanted(&(0..20), Some(99_400), 20), 0);
    }

    #[test]
    fn only_rows_in_memory_are_drawn() {
        assert_eq!(drawn(&(100..129), &(0..600), 100_000), 92..137);
        assert_eq!(drawn(&(590..619), &(0..600), 100_000), 582..600);
        assert_eq!(drawn(&(5_000..5_029), &(0..600), 100_000), 5_000..5_000);
    }

    #[test]
    fn a_row_is_revealed_by_the_shortest_way() {
        let port = Port { top_px: 320.0, ..PORT };
        assert_eq!(port.reveal(5, 28.0), Some(160.0));
        assert_eq!(port.reveal(12, 28.0), None);
        assert_eq!(port.reveal(60, 28.0), Some(1_080.0));
    }

    #[test]
    fn a_buffer_knows_where_it_lies() {
        let buffer = Buffer { start: 10, rows: vec!['a', 'b'] };
        assert_eq!((buffer.range(), buffer.get(11), buffer.get(9)), (10..12, Some(&'b'), None));
    }
}
