//! Typing a text for a guest that has no clipboard, as on a US keyboard.
//!
//! Invariant: a character is typed exactly, or named as one that cannot be. Must never know the guest's layout: with
//! another than US other characters appear, which the person must be told.

use crate::{Key, keysym};

/// Left Shift, to be held around strokes that say so.
pub const SHIFT: Key = Key { keysym: 0xffe1, scancode: 42 };

/// One key to press and let go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stroke {
    /// The key.
    pub key: Key,
    /// Whether [`SHIFT`] is held meanwhile.
    pub shift: bool,
}

/// The stroke that types a character; `None` when a US keyboard has none. A line feed is Enter.
pub fn stroke(char: char) -> Option<Stroke> {
    let find = |rows: &[(u32, &str)]| {
        rows.iter()
            .find_map(|&(first, chars)| chars.chars().position(|known| known == char).map(|at| first + at as u32))
    };
    let (scancode, shift) = match char {
        '\n' | '\r' => (28, false),
        '\t' => (15, false),
        ' ' => (57, false),
        _ => {
            find(PLAIN).map(|scancode| (scancode, false)).or_else(|| find(SHIFTED).map(|scancode| (scancode, true)))?
        }
    };
    Some(Stroke { key: Key { keysym: keysym::of_char(char), scancode }, shift })
}

/// The strokes that type a text, leaving out what cannot be typed. `\r\n` is one Enter.
pub fn strokes(text: &str) -> impl Iterator<Item = Stroke> {
    let mut before = ' ';
    text.chars().filter_map(move |char| {
        let is_second_half = char == '\n' && before == '\r';
        before = char;
        if is_second_half { None } else { stroke(char) }
    })
}

/// The characters of a text that cannot be typed, each once, in order.
pub fn untypable(text: &str) -> Vec<char> {
    let mut missing = Vec::new();
    for char in text.chars() {
        if stroke(char).is_none() && !missing.contains(&char) {
            missing.push(char);
        }
    }
    missing
}

/// Characters of neighbouring keys, with the scancode of the first.
const PLAIN: &[(u32, &str)] = &[(2, "1234567890-="), (16, "qwertyuiop[]"), (30, "asdfghjkl;'`"), (43, "\\zxcvbnm,./")];
/// The same keys with Shift.
const SHIFTED: &[(u32, &str)] =
    &[(2, "!@#$%^&*()_+"), (16, "QWERTYUIOP{}"), (30, "ASDFGHJKL:\"~"), (43, "|ZXCVBNM<>?")];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_ascii_can_be_typed_with_keys_of_its_own() {
        let strokes: Vec<_> = (' '..='~').map(|char| stroke(char).unwrap()).collect();
        for (at, one) in strokes.iter().enumerate() {
            assert!(
                strokes[..at].iter().all(|other| (other.key.scancode, other.shift) != (one.key.scancode, one.shift))
            );
        }
        assert_eq!(untypable("a\tb\r\n"), []);
    }

    #[test]
    fn what_cannot_be_typed_is_named_once() {
        assert_eq!(untypable("naïve 中文 中"), ['ï', '中', '文']);
        assert_eq!(strokes("a\r\nb中").count(), 3);
        let tilde = stroke('~').unwrap();
        assert_eq!((tilde.key.scancode, tilde.shift), (41, true));
    }
}
