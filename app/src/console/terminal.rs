//! A terminal small enough to be safe: printable characters, carriage return, line feed, backspace, tab, erasing and
//! moving within the line. Every other escape sequence is swallowed, whole and without effect: no titles, no answers, no
//! clipboard, no links (OSC), whatever a guest sends. Pure; memory is bounded.

use std::collections::VecDeque;

/// Lines that are kept.
pub(super) const MAX_LINES: usize = 5_000;
/// Longest line, in characters; what is longer goes on in the next.
const MAX_COLUMNS: usize = 1_000;
/// Longest escape sequence, in bytes; one that does not end is given up.
const MAX_SEQUENCE: usize = 4_096;
/// Columns between tab stops.
const TAB: usize = 8;

/// Where in an escape sequence the next byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ground,
    /// After ESC.
    Escape,
    /// After ESC and an intermediate, such as in `ESC ( B`.
    Intermediate,
    /// After `ESC [`.
    Csi,
    /// In a string that ends with BEL or `ESC \`: OSC, DCS, SOS, PM, APC.
    Text,
    /// After ESC in such a string.
    TextEscape,
}

/// The lines, and where the next character goes.
#[derive(Debug)]
pub(super) struct Terminal {
    lines: VecDeque<String>,
    line: Vec<char>,
    column: usize,
    state: State,
    /// Bytes of the sequence so far.
    length: usize,
    /// Parameters of a CSI sequence.
    parameters: Vec<u8>,
    /// Bytes of a character that is not whole yet.
    partial: Vec<u8>,
}

impl Default for Terminal {
    fn default() -> Self {
        Self {
            lines: VecDeque::new(),
            line: Vec::new(),
            column: 0,
            state: State::Ground,
            length: 0,
            parameters: Vec::new(),
            partial: Vec::new(),
        }
    }
}

impl Terminal {
    /// Takes bytes, cut anywhere.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.state == State::Ground {
                self.ground(byte);
            } else {
                self.length += 1;
                self.sequence(byte);
                if self.length > MAX_SEQUENCE {
                    self.state = State::Ground;
                }
            }
        }
    }

    /// All that is kept, as text.
    pub(super) fn text(&self) -> String {
        let mut text =
            String::with_capacity(self.lines.iter().map(|line| line.len() + 1).sum::<usize>() + self.line.len());
        for line in &self.lines {
            text.push_str(line);
            text.push('\n');
        }
        text.extend(&self.line);
        text
    }

    fn ground(&mut self, byte: u8) {
        if byte.is_ascii() {
            self.partial.clear();
        }
        match byte {
            0x1b => self.begin(State::Escape),
            b'\n' | 0x0b | 0x0c => self.feed_line(),
            b'\r' => self.column = 0,
            0x08 => self.column = self.column.saturating_sub(1),
            b'\t' => self.column = ((self.column / TAB + 1) * TAB).min(MAX_COLUMNS - 1),
            0x20..=0x7e => self.put(char::from(byte)),
            0x80.. => self.part(byte),
            _ => {}
        }
    }

    /// A byte of a character of several (UTF-8); what is none becomes a mark.
    fn part(&mut self, byte: u8) {
        self.partial.push(byte);
        match std::str::from_utf8(&self.partial) {
            Ok(text) => {
                let char = text.chars().next().filter(|c| !is_hidden(*c));
                self.partial.clear();
                if let Some(char) = char {
                    self.put(char);
                }
            }
            Err(error) if error.error_len().is_none() => {}
            Err(_) => {
                self.partial.clear();
                self.put(char::REPLACEMENT_CHARACTER);
            }
        }
    }

    fn put(&mut self, char: char) {
        if self.column >= MAX_COLUMNS {
            self.feed_line();
            self.column = 0;
        }
        if self.line.len() < self.column {
            self.line.resize(self.column, ' ');
        }
        match self.line.get_mut(self.column) {
            Some(place) => *place = char,
            None => self.line.push(char),
        }
        self.column += 1;
    }

    fn feed_line(&mut self) {
        let line: String = self.line.drain(..).collect();
        self.lines.push_back(line.trim_end().to_owned());
        if self.lines.len() >= MAX_LINES {
            self.lines.pop_front();
        }
    }

    fn begin(&mut self, state: State) {
        self.state = state;
        self.length = 0;
        self.parameters.clear();
    }

    fn sequence(&mut self, byte: u8) {
        self.state = match (self.state, byte) {
            // CAN and SUB end any sequence (ECMA-48).
            (_, 0x18 | 0x1a) => State::Ground,
            (State::Text, 0x07) => State::Ground,
            (State::Text, 0x1b) => State::TextEscape,
            (State::Text, _) => State::Text,
            (State::TextEscape, b'\\') => State::Ground,
            (State::TextEscape, _) => State::Text,
            (_, 0x1b) => State::Escape,
            (State::Escape, b'[') => State::Csi,
            (State::Escape, b']' | b'P' | b'X' | b'^' | b'_') => State::Text,
            (State::Escape | State::Intermediate, 0x20..=0x2f) => State::Intermediate,
            (State::Escape | State::Intermediate, _) => State::Ground,
            (State::Csi, 0x40..=0x7e) => {
                self.act(byte);
                State::Ground
            }
            (State::Csi, _) => {
                self.parameters.push(byte);
                State::Csi
            }
            (State::Ground, _) => State::Ground,
        };
    }

    /// The few sequences that mean something on a line.
    fn act(&mut self, last: u8) {
        let text = std::str::from_utf8(&self.parameters).unwrap_or_default();
        let first = text.split(';').next().and_then(|number| number.parse::<usize>().ok());
        let count = first.unwrap_or(1).clamp(1, MAX_COLUMNS);
        match (last, first.unwrap_or(0)) {
            (b'K', 0) => self.line.truncate(self.column),
            (b'K', 2) | (b'J', 2 | 3) => self.line.clear(),
            (b'K', 1) => self.line.iter_mut().take(self.column + 1).for_each(|place| *place = ' '),
            (b'J', 0) => self.line.truncate(self.column),
            (b'C', _) => self.column = (self.column + count).min(MAX_COLUMNS - 1),
            (b'D', _) => self.column = self.column.saturating_sub(count),
            (b'G', _) => self.column = count - 1,
            (b'P', _) => {
                let from = self.column.min(self.line.len());
                let to = (self.column + count).min(self.line.len());
                self.line.drain(from..to);
            }
            _ => {}
        }
    }
}

/// Characters that change how others are read: controls of the second block, directions, joiners without width.
fn is_hidden(char: char) -> bool {
    matches!(char, '\u{80}'..='\u{9f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// What a key sends, as a VT terminal does; `None` for keys that are the browser's.
pub(super) fn key_bytes(key: &str, ctrl: bool, alt: bool) -> Option<Vec<u8>> {
    let mut chars = key.chars();
    let (first, is_single) = (chars.next()?, chars.next().is_none());
    let bytes = match key {
        _ if is_single && ctrl => match first.to_ascii_lowercase() {
            letter @ 'a'..='z' => vec![letter as u8 - b'a' + 1],
            '[' => vec![0x1b],
            '\\' => vec![0x1c],
            ']' => vec![0x1d],
            ' ' | '@' => vec![0],
            _ => return None,
        },
        _ if is_single => first.to_string().into_bytes(),
        "Enter" => vec![b'\r'],
        "Backspace" => vec![0x7f],
        "Tab" => vec![b'\t'],
        "Escape" => vec![0x1b],
        "ArrowUp" => b"\x1b[A".to_vec(),
        "ArrowDown" => b"\x1b[B".to_vec(),
        "ArrowRight" => b"\x1b[C".to_vec(),
        "ArrowLeft" => b"\x1b[D".to_vec(),
        "Home" => b"\x1b[H".to_vec(),
        "End" => b"\x1b[F".to_vec(),
        "Delete" => b"\x1b[3~".to_vec(),
        "PageUp" => b"\x1b[5~".to_vec(),
        "PageDown" => b"\x1b[6~".to_vec(),
        _ => return None,
    };
    Some(if alt { [&[0x1b], bytes.as_slice()].concat() } else { bytes })
}

/// A pasted text as a terminal takes it: each line break is Enter, other controls are left out.
pub(super) fn paste_bytes(text: &str) -> Vec<u8> {
    let text = text.replace("\r\n", "\r").replace('\n', "\r");
    text.chars().filter(|&c| c == '\r' || c == '\t' || !c.is_control()).collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows(bytes: &[u8]) -> String {
        let mut terminal = Terminal::default();
        terminal.feed(bytes);
        terminal.text()
    }

    #[test]
    fn a_line_is_written_over_and_erased() {
        assert_eq!(shows(b"login: rot\x08\x08oot\r\nok"), "login: root\nok");
        assert_eq!(shows(b"50%\r100%"), "100%");
        assert_eq!(shows(b"long line\r\x1b[Kx"), "x");
        assert_eq!(shows(b"a\tb\x1b[2Dc"), "a      cb");
    }

    #[test]
    fn what_a_guest_may_not_do_has_no_effect() {
        for hostile in [
            &b"\x1b]0;owned\x07"[..],
            b"\x1b]52;c;cm0gLXJm\x1b\\",
            b"\x1b]8;;http://evil/\x1b\\",
            b"\x1bP$q\"p\x1b\\",
            b"\x1b[6n",
            b"\x1b[?1049h",
            b"\x1b[31;1m",
            b"\x1b(B",
            b"\x07\x00\x05",
            "\u{202e}\u{200b}\u{9b}31m".as_bytes(),
        ] {
            let shown = shows(&[b"a", hostile, b"b"].concat());
            let expected = if hostile.starts_with("\u{202e}".as_bytes()) { "a31mb" } else { "ab" };
            assert_eq!(shown, expected, "{hostile:?}");
        }
    }

    #[test]
    fn a_sequence_without_end_is_given_up() {
        let mut bytes = b"\x1b]0;".to_vec();
        bytes.resize(MAX_SEQUENCE + 8, b'x');
        bytes.extend_from_slice(b"\x07ok");
        assert!(shows(&bytes).ends_with("ok"));
    }

    #[test]
    fn characters_may_be_cut_anywhere() {
        let whole = "中文 é\r\n".as_bytes();
        for at in 0..whole.len() {
            let mut terminal = Terminal::default();
            terminal.feed(&whole[..at]);
            terminal.feed(&whole[at..]);
            assert_eq!(terminal.text(), "中文 é\n", "cut at {at}");
        }
        assert_eq!(shows(b"\xff\xfeok"), "\u{fffd}\u{fffd}ok");
    }

    #[test]
    fn memory_is_bounded() {
        let mut terminal = Terminal::default();
        (0..MAX_LINES * 2).for_each(|n| terminal.feed(format!("{n}\r\n").as_bytes()));
        assert!(terminal.text().lines().count() <= MAX_LINES);
        terminal.feed(&vec![b'x'; MAX_COLUMNS * 3]);
        assert!(terminal.text().lines().all(|line| line.chars().count() <= MAX_COLUMNS));
    }

    #[test]
    fn keys_are_those_of_a_terminal() {
        assert_eq!(key_bytes("c", true, false), Some(vec![3]));
        assert_eq!(key_bytes("é", false, false), Some("é".as_bytes().to_vec()));
        assert_eq!(key_bytes("ArrowUp", false, false), Some(b"\x1b[A".to_vec()));
        assert_eq!(key_bytes("x", false, true), Some(b"\x1bx".to_vec()));
        assert_eq!(key_bytes("Shift", false, false), None);
        assert_eq!(paste_bytes("a\r\nb\nc\x1b]"), b"a\rb\rc]");
    }
}
