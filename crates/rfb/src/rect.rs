//! A rectangle of pixels, as the wire has it.
//!
//! Invariant: arithmetic never overflows, whatever the four numbers are. Must never know what is drawn in it.

/// A rectangle in pixels from the top left corner (RFC 6143 §7.6.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Rect {
    /// Pixels from the left.
    pub x: u16,
    /// Pixels from the top.
    pub y: u16,
    /// Pixels.
    pub width: u16,
    /// Pixels.
    pub height: u16,
}

impl Rect {
    /// The rectangle with its top left corner at `x`, `y`.
    pub fn new(x: u16, y: u16, width: u16, height: u16) -> Self {
        Self { x, y, width, height }
    }

    /// Pixels in it.
    pub fn area(self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// Whether it has no pixels.
    pub fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// The first column to its right.
    pub fn right(self) -> u32 {
        u32::from(self.x) + u32::from(self.width)
    }

    /// The first row below it.
    pub fn bottom(self) -> u32 {
        u32::from(self.y) + u32::from(self.height)
    }

    /// Whether all of `other` lies in it.
    pub fn contains(self, other: Rect) -> bool {
        self.x <= other.x && self.y <= other.y && other.right() <= self.right() && other.bottom() <= self.bottom()
    }

    /// The part both have, perhaps empty.
    pub fn intersection(self, other: Rect) -> Rect {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let width = self.right().min(other.right()).saturating_sub(u32::from(x));
        let height = self.bottom().min(other.bottom()).saturating_sub(u32::from(y));
        // Both are no larger than a side of `self`, which is a `u16`.
        Rect::new(x, y, width as u16, height as u16)
    }

    /// The smallest rectangle with both in it; sides are cut at 65535.
    pub fn union(self, other: Rect) -> Rect {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let side = |end: u32, start: u16| u16::try_from(end - u32::from(start)).unwrap_or(u16::MAX);
        Rect::new(x, y, side(self.right().max(other.right()), x), side(self.bottom().max(other.bottom()), y))
    }

    /// Its tiles of at most `side` × `side` pixels, row by row from the top left (Hextile, ZRLE).
    pub(crate) fn tiles(self, side: u16) -> impl Iterator<Item = Rect> {
        (0..self.height)
            .step_by(side.into())
            .flat_map(move |dy| (0..self.width).step_by(side.into()).map(move |dx| self.tile(dx, dy, side)))
    }

    /// The tile whose top left corner is `dx`, `dy` inside this rectangle.
    pub(crate) fn tile(self, dx: u16, dy: u16, side: u16) -> Rect {
        let (width, height) = (side.min(self.width - dx), side.min(self.height - dy));
        Rect::new(self.x.saturating_add(dx), self.y.saturating_add(dy), width, height)
    }
}

impl std::fmt::Display for Rect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}×{} at {},{}", self.width, self.height, self.x, self.y)
    }
}
