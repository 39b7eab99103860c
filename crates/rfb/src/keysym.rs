//! Keys of a browser as scancodes and keysyms.
//!
//! Invariant: a scancode says where a key is, whatever is printed on it; a keysym says what it means. Must never know
//! which keys were pressed.
//!
//! Sources: W3C "UI Events KeyboardEvent code/key Values"; IBM PC scan code set 1; X11 `keysymdef.h`.

use crate::Key;

/// Bit 7 stands for a scancode behind `0xe0` (`rfbproto.rst`, "QEMU Extended Key Event Message").
const EXTENDED: u32 = 0x80;
/// Keysyms of characters beyond Latin-1 (`keysymdef.h`).
const UNICODE: u32 = 0x0100_0000;

/// The key of a `KeyboardEvent` with that `code` and `key`; a number is 0 where nothing is known.
pub fn from_browser(code: &str, key: &str) -> Key {
    Key { keysym: keysym(key, code).unwrap_or(0), scancode: scancode(code).unwrap_or(0) }
}

/// The XT scancode of `KeyboardEvent.code`, in the form QEMU's extended key event wants.
pub fn scancode(code: &str) -> Option<u32> {
    ROWS.iter()
        .find_map(|&(first, codes)| codes.iter().position(|&known| known == code).map(|at| first + at as u32))
        .or_else(|| SINGLES.iter().find(|&&(known, _)| known == code).map(|&(_, scancode)| scancode))
}

/// The X keysym of `KeyboardEvent.key`; `code` tells left from right and the number pad from the rest.
pub fn keysym(key: &str, code: &str) -> Option<u32> {
    let mut chars = key.chars();
    if let (Some(char), None) = (chars.next(), chars.next()) {
        let on_pad = NUMPAD.iter().find(|&&(known, _)| known == char && code.starts_with("Numpad"));
        return Some(on_pad.map_or_else(|| of_char(char), |&(_, keysym)| keysym));
    }
    if code == "NumpadEnter" {
        return Some(0xff8d);
    }
    let number = key.strip_prefix('F').and_then(|number| number.parse::<u32>().ok());
    if let Some(number @ 1..=35) = number {
        return Some(0xffbd + number);
    }
    let is_right = code.ends_with("Right");
    NAMED.iter().find(|&&(known, ..)| known == key).map(|&(_, left, right)| if is_right { right } else { left })
}

/// The X keysym that means a character.
pub fn of_char(char: char) -> u32 {
    match u32::from(char) {
        0x0a | 0x0d => 0xff0d,
        0x09 => 0xff09,
        0x08 => 0xff08,
        latin1 @ (0x20..=0x7e | 0xa0..=0xff) => latin1,
        other => UNICODE + other,
    }
}

/// Rows of neighbours, with the scancode of the first.
const ROWS: &[(u32, &[&str])] = &[
    (1, &["Escape", "Digit1", "Digit2", "Digit3", "Digit4", "Digit5", "Digit6", "Digit7", "Digit8", "Digit9"]),
    (11, &["Digit0", "Minus", "Equal", "Backspace", "Tab"]),
    (16, &["KeyQ", "KeyW", "KeyE", "KeyR", "KeyT", "KeyY", "KeyU", "KeyI", "KeyO", "KeyP"]),
    (26, &["BracketLeft", "BracketRight", "Enter", "ControlLeft"]),
    (30, &["KeyA", "KeyS", "KeyD", "KeyF", "KeyG", "KeyH", "KeyJ", "KeyK", "KeyL"]),
    (39, &["Semicolon", "Quote", "Backquote", "ShiftLeft", "Backslash"]),
    (44, &["KeyZ", "KeyX", "KeyC", "KeyV", "KeyB", "KeyN", "KeyM", "Comma", "Period", "Slash", "ShiftRight"]),
    (55, &["NumpadMultiply", "AltLeft", "Space", "CapsLock"]),
    (59, &["F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "NumLock", "ScrollLock"]),
    (71, &["Numpad7", "Numpad8", "Numpad9", "NumpadSubtract", "Numpad4", "Numpad5", "Numpad6", "NumpadAdd"]),
    (79, &["Numpad1", "Numpad2", "Numpad3", "Numpad0", "NumpadDecimal"]),
    (86, &["IntlBackslash", "F11", "F12", "NumpadEqual"]),
    (100, &["F13", "F14", "F15", "F16", "F17", "F18", "F19", "F20", "F21", "F22", "F23"]),
    (112, &["KanaMode", "Lang2", "Lang1", "IntlRo"]),
];

/// Keys that stand alone.
const SINGLES: &[(&str, u32)] = &[
    ("F24", 0x76),
    ("Convert", 0x79),
    ("NonConvert", 0x7b),
    ("IntlYen", 0x7d),
    ("NumpadComma", 0x7e),
    ("MediaTrackPrevious", EXTENDED | 0x10),
    ("MediaTrackNext", EXTENDED | 0x19),
    ("NumpadEnter", EXTENDED | 0x1c),
    ("ControlRight", EXTENDED | 0x1d),
    ("AudioVolumeMute", EXTENDED | 0x20),
    ("MediaPlayPause", EXTENDED | 0x22),
    ("MediaStop", EXTENDED | 0x24),
    ("AudioVolumeDown", EXTENDED | 0x2e),
    ("AudioVolumeUp", EXTENDED | 0x30),
    ("NumpadDivide", EXTENDED | 0x35),
    ("PrintScreen", EXTENDED | 0x37),
    ("AltRight", EXTENDED | 0x38),
    // On the wire of a real keyboard it is six bytes; QEMU takes Ctrl+Break for it.
    ("Pause", EXTENDED | 0x46),
    ("Home", EXTENDED | 0x47),
    ("ArrowUp", EXTENDED | 0x48),
    ("PageUp", EXTENDED | 0x49),
    ("ArrowLeft", EXTENDED | 0x4b),
    ("ArrowRight", EXTENDED | 0x4d),
    ("End", EXTENDED | 0x4f),
    ("ArrowDown", EXTENDED | 0x50),
    ("PageDown", EXTENDED | 0x51),
    ("Insert", EXTENDED | 0x52),
    ("Delete", EXTENDED | 0x53),
    ("MetaLeft", EXTENDED | 0x5b),
    ("MetaRight", EXTENDED | 0x5c),
    ("ContextMenu", EXTENDED | 0x5d),
    ("Power", EXTENDED | 0x5e),
    ("Sleep", EXTENDED | 0x5f),
    ("WakeUp", EXTENDED | 0x63),
];

/// Characters that have another keysym on the number pad.
const NUMPAD: &[(char, u32)] = &[
    ('*', 0xffaa),
    ('+', 0xffab),
    (',', 0xffac),
    ('-', 0xffad),
    ('.', 0xffae),
    ('/', 0xffaf),
    ('0', 0xffb0),
    ('1', 0xffb1),
    ('2', 0xffb2),
    ('3', 0xffb3),
    ('4', 0xffb4),
    ('5', 0xffb5),
    ('6', 0xffb6),
    ('7', 0xffb7),
    ('8', 0xffb8),
    ('9', 0xffb9),
    ('=', 0xffbd),
];

/// Names, with the keysym of the left or only key and that of the right one.
const NAMED: &[(&str, u32, u32)] = &[
    ("Backspace", 0xff08, 0xff08),
    ("Tab", 0xff09, 0xff09),
    ("Clear", 0xff0b, 0xff0b),
    ("Enter", 0xff0d, 0xff0d),
    ("Pause", 0xff13, 0xff13),
    ("ScrollLock", 0xff14, 0xff14),
    ("Escape", 0xff1b, 0xff1b),
    ("Convert", 0xff23, 0xff23),
    ("NonConvert", 0xff22, 0xff22),
    ("HangulMode", 0xff31, 0xff31),
    ("HanjaMode", 0xff34, 0xff34),
    ("Home", 0xff50, 0xff50),
    ("ArrowLeft", 0xff51, 0xff51),
    ("ArrowUp", 0xff52, 0xff52),
    // "ArrowRight" is a code that ends like the right one of a pair, so both columns are the same.
    ("ArrowRight", 0xff53, 0xff53),
    ("ArrowDown", 0xff54, 0xff54),
    ("PageUp", 0xff55, 0xff55),
    ("PageDown", 0xff56, 0xff56),
    ("End", 0xff57, 0xff57),
    ("PrintScreen", 0xff61, 0xff61),
    ("Insert", 0xff63, 0xff63),
    ("ContextMenu", 0xff67, 0xff67),
    ("NumLock", 0xff7f, 0xff7f),
    ("Shift", 0xffe1, 0xffe2),
    ("Control", 0xffe3, 0xffe4),
    ("CapsLock", 0xffe5, 0xffe5),
    ("Alt", 0xffe9, 0xffea),
    ("Meta", 0xffeb, 0xffec),
    ("AltGraph", 0xfe03, 0xfe03),
    ("Delete", 0xffff, 0xffff),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_scancode_of_its_own() {
        let rows = ROWS.iter().flat_map(|&(_, codes)| codes.iter().copied());
        let codes: Vec<_> = rows.chain(SINGLES.iter().map(|&(code, _)| code)).collect();
        let mut scancodes: Vec<_> = codes.iter().map(|code| scancode(code).unwrap()).collect();
        scancodes.sort_unstable();
        scancodes.dedup();
        assert_eq!(scancodes.len(), codes.len());
        assert!(scancodes.iter().all(|&code| code > 0 && code < 256));
    }

    #[test]
    fn keys_are_where_a_pc_has_them() {
        for (code, expected) in [("Escape", 1), ("KeyA", 30), ("Slash", 53), ("F10", 68), ("Numpad0", 82), ("F12", 88)]
        {
            assert_eq!(scancode(code), Some(expected), "{code}");
        }
        for (code, expected) in [("ControlRight", 0x9d), ("Delete", 0xd3), ("MetaLeft", 0xdb), ("Fn", 0)] {
            assert_eq!(scancode(code).unwrap_or(0), expected, "{code}");
        }
    }

    #[test]
    fn keysyms_tell_left_from_right_and_pad_from_row() {
        for (key, code, expected) in [
            ("Shift", "ShiftLeft", 0xffe1),
            ("Shift", "ShiftRight", 0xffe2),
            ("1", "Digit1", 0x31),
            ("1", "Numpad1", 0xffb1),
            ("Enter", "NumpadEnter", 0xff8d),
            ("ArrowRight", "ArrowRight", 0xff53),
            ("F12", "F12", 0xffc9),
            ("é", "Digit2", 0xe9),
            ("€", "KeyE", 0x0100_20ac),
            ("中", "", 0x0100_4e2d),
        ] {
            assert_eq!(keysym(key, code), Some(expected), "{key} {code}");
        }
        assert_eq!(keysym("Dead", "Quote"), None);
    }
}
