//! Combinations that a browser or the desk around it keeps for itself.

/// A key as `KeyboardEvent` names it: code and key.
type Pressed = (&'static str, &'static str);

const CTRL: Pressed = ("ControlLeft", "Control");
const ALT: Pressed = ("AltLeft", "Alt");
const META: Pressed = ("MetaLeft", "Meta");

/// What the menu offers, by what it is called.
pub(super) const COMBINATIONS: &[(&str, &[Pressed])] = &[
    ("Ctrl + Alt + Delete", &[CTRL, ALT, ("Delete", "Delete")]),
    ("Ctrl + Alt + Backspace", &[CTRL, ALT, ("Backspace", "Backspace")]),
    ("Ctrl + Alt + F1", &[CTRL, ALT, ("F1", "F1")]),
    ("Ctrl + Alt + F2", &[CTRL, ALT, ("F2", "F2")]),
    ("Ctrl + Alt + F3", &[CTRL, ALT, ("F3", "F3")]),
    ("Ctrl + Alt + F7", &[CTRL, ALT, ("F7", "F7")]),
    ("Alt + Tab", &[ALT, ("Tab", "Tab")]),
    ("Alt + F4", &[ALT, ("F4", "F4")]),
    ("Ctrl + W", &[CTRL, ("KeyW", "w")]),
    ("Win", &[META]),
    ("Win + R", &[META, ("KeyR", "r")]),
    ("Alt + Print Screen + B", &[ALT, ("PrintScreen", "PrintScreen"), ("KeyB", "b")]),
    ("Print Screen", &[("PrintScreen", "PrintScreen")]),
    ("Esc", &[("Escape", "Escape")]),
];
