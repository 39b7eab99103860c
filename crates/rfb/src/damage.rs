//! The region of a screen that changed, as a few rectangles.
//!
//! Invariant: every rectangle ever added is covered, by at most `MAX_DAMAGE_RECTS` rectangles. Must never know pixels.

use crate::Rect;
use crate::limits::MAX_DAMAGE_RECTS;

/// A region that covers everything added to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Damage {
    rects: Vec<Rect>,
}

impl Damage {
    /// Covers `rect` too.
    pub(crate) fn add(&mut self, rect: Rect) {
        if rect.is_empty() {
            return;
        }
        let mut rect = rect;
        // A merged rectangle may touch others in turn; each round removes one, so this ends.
        while let Some(at) = self.rects.iter().position(|&old| waste(old, rect) == 0) {
            rect = rect.union(self.rects.swap_remove(at));
        }
        if self.rects.len() == MAX_DAMAGE_RECTS {
            let nearest = (0..self.rects.len()).min_by_key(|&at| waste(self.rects[at], rect)).unwrap_or(0);
            rect = rect.union(self.rects.swap_remove(nearest));
        }
        self.rects.push(rect);
    }

    /// Covers all of `other` too, which is empty then.
    pub(crate) fn absorb(&mut self, other: &mut Damage) {
        for rect in other.rects.drain(..) {
            self.add(rect);
        }
    }

    /// Takes one rectangle out; `None` when nothing is covered any more.
    pub(crate) fn take(&mut self) -> Option<Rect> {
        (!self.rects.is_empty()).then(|| self.rects.remove(0))
    }

    /// Takes out what lies inside `area`.
    pub(crate) fn take_inside(&mut self, area: Rect) -> Vec<Rect> {
        let mut inside = Vec::new();
        let mut outside = Damage::default();
        for rect in self.rects.drain(..) {
            let common = rect.intersection(area);
            if common == rect {
                inside.push(rect);
            } else if common.is_empty() {
                outside.add(rect);
            } else {
                inside.push(common);
                outside.add(rect);
            }
        }
        *self = outside;
        inside
    }

    /// Whether anything is covered inside `area`.
    pub(crate) fn touches(&self, area: Rect) -> bool {
        self.rects.iter().any(|rect| !rect.intersection(area).is_empty())
    }

    /// Covers nothing any more.
    pub(crate) fn clear(&mut self) {
        self.rects.clear();
    }
}

/// Pixels the union of two rectangles covers beyond them; 0 when one rectangle is as good as two.
fn waste(a: Rect, b: Rect) -> u64 {
    (a.union(b).area() + a.intersection(b).area()).saturating_sub(a.area() + b.area())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_become_one_rectangle() {
        let mut damage = Damage::default();
        for x in 0..10 {
            damage.add(Rect::new(x * 8, 0, 8, 16));
        }
        assert_eq!(damage.take(), Some(Rect::new(0, 0, 80, 16)));
        assert_eq!(damage.take(), None);
    }

    #[test]
    fn everything_stays_covered_by_few_rectangles() {
        let mut damage = Damage::default();
        let spots: Vec<_> = (0..100u16).map(|i| Rect::new(i * 37 % 600, i * 91 % 400, 3, 2)).collect();
        spots.iter().for_each(|&spot| damage.add(spot));
        assert!(damage.rects.len() <= MAX_DAMAGE_RECTS);
        for spot in spots {
            assert!(damage.rects.iter().any(|rect| rect.contains(spot)), "{spot} is not covered");
        }
    }

    #[test]
    fn a_part_outside_the_request_stays_damaged() {
        let mut damage = Damage::default();
        damage.add(Rect::new(0, 0, 10, 10));
        assert_eq!(damage.take_inside(Rect::new(5, 5, 10, 10)), [Rect::new(5, 5, 5, 5)]);
        assert!(damage.touches(Rect::new(0, 0, 1, 1)));
    }
}
