//! Cuts what an API server sends into objects, without understanding them.
//!
//! A list or a watch is read as it comes, and each object is decoded by itself: one that cannot be read (or is far too
//! large) costs one object and not the stream, and never more memory than [`MAX_OBJECT`]. Only strings and brackets are
//! looked at, so not even `NaN` or broken UTF-8 inside an object disturbs its neighbours. (`reliability.md` row 13)

use super::naming::Naming;
use std::mem;

/// Largest object that is decoded: etcd holds none above 1.5 MiB, and JSON may be longer than what etcd holds.
pub(crate) const MAX_OBJECT: usize = 4 << 20;

/// Largest remainder of a list (`metadata` and what else is outside `items`).
const MAX_OUTSIDE: usize = 256 << 10;

/// One cut-out piece.
#[derive(Debug)]
pub(crate) enum Piece<'a> {
    /// An object, complete.
    Whole(&'a [u8]),
    /// One that is too large to be kept: whose it was.
    TooLarge(&'a Naming),
}

/// A buffer that turns into a mere reader of names at a limit.
#[derive(Default)]
struct Bounded {
    bytes: Vec<u8>,
    over: Option<Naming>,
}

impl Bounded {
    fn extend(&mut self, bytes: &[u8]) {
        if let Some(naming) = &mut self.over {
            naming.feed(bytes);
            return;
        }
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > MAX_OBJECT {
            let mut naming = Naming::default();
            naming.feed(&mem::take(&mut self.bytes));
            self.over = Some(naming);
        }
    }

    fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.over.is_none()
    }

    fn piece(&self) -> Piece<'_> {
        self.over.as_ref().map_or(Piece::Whole(&self.bytes), Piece::TooLarge)
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.over = None;
    }
}

/// Cuts a watch into its lines.
#[derive(Default)]
pub(crate) struct Lines {
    rest: Bounded,
}

impl Lines {
    pub(crate) fn feed(&mut self, mut chunk: &[u8], mut each: impl FnMut(Piece<'_>)) {
        while let Some(at) = chunk.iter().position(|&b| b == b'\n') {
            let (line, next) = chunk.split_at(at);
            chunk = &next[1..];
            if self.rest.is_empty() && line.len() <= MAX_OBJECT {
                if !line.trim_ascii().is_empty() {
                    each(Piece::Whole(line));
                }
                continue;
            }
            self.rest.extend(line);
            each(self.rest.piece());
            self.rest.clear();
        }
        self.rest.extend(chunk);
    }
}

/// Cuts a list answer into the elements of `items` and the rest around them.
#[derive(Default)]
pub(crate) struct Items {
    outside: Vec<u8>,
    item: Bounded,
    depth: u32,
    in_items: bool,
    in_item: bool,
    in_string: bool,
    is_escaped: bool,
}

/// The depth of an element of `items`.
const ELEMENT: u32 = 2;

impl Items {
    /// Takes the next bytes; `Err` when what is around the items has no end.
    pub(crate) fn feed(&mut self, chunk: &[u8], mut each: impl FnMut(Piece<'_>)) -> Result<(), TooMuch> {
        let mut from = 0;
        let mut at = 0;
        while at < chunk.len() {
            let byte = chunk[at];
            at += 1;
            if self.in_string {
                at += self.skip_string(byte, &chunk[at..]);
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => {
                    if self.in_items && !self.in_item && self.depth == ELEMENT {
                        self.keep(&chunk[from..at - 1])?;
                        from = at - 1;
                        self.in_item = true;
                    } else if byte == b'[' && self.depth == 1 && !self.in_items {
                        self.keep(&chunk[from..at])?;
                        from = at;
                        self.in_items = self.is_after_items();
                    }
                    self.depth = self.depth.saturating_add(1);
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.in_item && self.depth == ELEMENT {
                        self.item.extend(&chunk[from..at]);
                        from = at;
                        each(self.item.piece());
                        self.item.clear();
                        self.in_item = false;
                    } else if self.in_items && self.depth == 1 {
                        // The commas between elements are of no use to whoever reads the rest.
                        from = at - 1;
                        self.in_items = false;
                    }
                }
                _ => {}
            }
        }
        if self.in_item {
            self.item.extend(&chunk[from..]);
            Ok(())
        } else {
            self.keep(&chunk[from..])
        }
    }

    /// What was around the items, with an empty array in their place; `None` while the answer is incomplete.
    pub(crate) fn outside(&self) -> Option<&[u8]> {
        (self.depth == 0 && !self.in_string && !self.outside.is_empty()).then_some(&self.outside)
    }

    fn skip_string(&mut self, byte: u8, rest: &[u8]) -> usize {
        if self.is_escaped {
            self.is_escaped = false;
            return 0;
        }
        match byte {
            b'\\' => self.is_escaped = true,
            b'"' => self.in_string = false,
            _ => return rest.iter().position(|&b| b == b'"' || b == b'\\').unwrap_or(rest.len()),
        }
        0
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), TooMuch> {
        // Between elements there are only commas and space.
        if self.in_items {
            return Ok(());
        }
        if self.outside.len() + bytes.len() > MAX_OUTSIDE {
            return Err(TooMuch);
        }
        self.outside.extend_from_slice(bytes);
        Ok(())
    }

    fn is_after_items(&self) -> bool {
        let before = self.outside.strip_suffix(b"[").unwrap_or(&self.outside).trim_ascii_end();
        before.strip_suffix(b":").map(<[u8]>::trim_ascii_end).is_some_and(|b| b.ends_with(b"\"items\""))
    }
}

/// The answer is no list: there is no end of what is not an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooMuch;

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"{"kind":"L","items" : [ {"a":"}]\"{","b":[1,{}]} , {"c":NaN},
        {} ],"metadata":{"resourceVersion":"7","continue":"x[{"}}"#;

    fn cut(parts: &[&[u8]]) -> (Vec<String>, Option<String>) {
        let mut items = Items::default();
        let mut found = Vec::new();
        for part in parts {
            items.feed(part, |piece| found.push(format!("{piece:?}"))).unwrap();
        }
        (found, items.outside().map(|o| String::from_utf8_lossy(o).into_owned()))
    }

    #[test]
    fn a_list_comes_apart_the_same_wherever_it_is_cut() {
        let whole = cut(&[LIST.as_bytes()]);
        assert_eq!(whole.0.len(), 3, "{whole:?}");
        let outside = whole.1.as_deref().unwrap();
        assert_eq!(outside, r#"{"kind":"L","items" : [],"metadata":{"resourceVersion":"7","continue":"x[{"}}"#);
        for at in 0..=LIST.len() {
            let (head, tail) = LIST.as_bytes().split_at(at);
            assert_eq!(cut(&[head, tail]), whole, "cut at byte {at}");
        }
        let bytes: Vec<&[u8]> = LIST.as_bytes().chunks(1).collect();
        assert_eq!(cut(&bytes), whole);
    }

    #[test]
    fn a_truncated_list_is_not_taken_for_a_whole_one() {
        for at in 0..LIST.len() {
            assert_eq!(cut(&[&LIST.as_bytes()[..at]]).1, None, "cut at byte {at}");
        }
    }

    #[test]
    fn items_may_come_last_and_other_arrays_are_not_items() {
        let (found, outside) = cut(&[br#"{"x":[{"n":1}],"metadata":{"items":[{"n":2}]},"items":[{"n":3}]}"#]);
        assert_eq!(found.len(), 1);
        assert!(outside.unwrap().ends_with(r#""items":[]}"#));
    }

    #[test]
    fn one_huge_object_costs_itself_only_and_little_memory() {
        let mut items = Items::default();
        let mut found = Vec::new();
        let mut feed = |bytes: &[u8]| {
            let each = |piece: Piece<'_>| match piece {
                Piece::Whole(_) => found.push("whole".to_owned()),
                Piece::TooLarge(naming) => found.push(naming.names().1),
            };
            items.feed(bytes, each).unwrap();
            assert!(items.item.bytes.capacity() <= 2 * MAX_OBJECT + (1 << 20));
        };
        feed(br#"{"items":[{"metadata":{"annotations":{"x":""#);
        (0..64).for_each(|_| feed(&vec![b'x'; 1 << 20]));
        feed(br#""},"name":"bad"}},{"a":1}]}"#);
        assert_eq!(found, ["bad", "whole"]);
    }

    #[test]
    fn depth_is_no_problem() {
        let deep = format!(r#"{{"items":[{{"a":{}{}}},{{}}]}}"#, "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(cut(&[deep.as_bytes()]).0.len(), 2);
    }

    #[test]
    fn what_is_no_list_is_given_up() {
        let mut items = Items::default();
        let junk = vec![b'x'; MAX_OUTSIDE + 1];
        assert_eq!(items.feed(&junk, |_| {}), Err(TooMuch));
    }

    #[test]
    fn lines_come_apart_the_same_wherever_they_are_cut() {
        let text = b"{\"a\":1}\n\n{\"b\":2}\n{\"c\":";
        let cut = |parts: &[&[u8]]| {
            let mut lines = Lines::default();
            let mut found = Vec::new();
            parts.iter().for_each(|part| {
                lines.feed(part, |piece| match piece {
                    Piece::Whole(line) if line.trim_ascii().is_empty() => {}
                    piece => found.push(format!("{piece:?}")),
                })
            });
            found
        };
        let whole = cut(&[text]);
        assert_eq!(whole.len(), 2);
        for at in 0..=text.len() {
            let (head, tail) = text.split_at(at);
            assert_eq!(cut(&[head, tail]), whole, "cut at byte {at}");
        }
    }

    #[test]
    fn a_line_without_end_is_kept_short() {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        (0..20).for_each(|_| lines.feed(&vec![b'x'; 1 << 20], |_| {}));
        lines.feed(b"\n{}\n", |piece| found.push(matches!(piece, Piece::Whole(_))));
        assert_eq!(found, [false, true]);
    }
}
