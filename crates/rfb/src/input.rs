//! What a person does: keys, buttons, wheel; and the lamps that answer.
//!
//! Invariant: a key never appears in any output made for reading. Must never know keyboards of browsers (`keysym.rs`).

/// A key as both worlds name it; either number may be 0 for "unknown".
///
/// Its `Debug` hides the numbers: passwords are typed on consoles.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Key {
    /// X keysym (RFC 6143 §7.5.4), what the key means.
    pub keysym: u32,
    /// XT scancode, extended ones with bit 7 set (`rfbproto.rst`, "QEMU Extended Key Event"), where the key is.
    pub scancode: u32,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(..)")
    }
}

/// Which pointer buttons are down (RFC 6143 §7.5.5): bit 0 left, 1 middle, 2 right, 3 to 6 the wheel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Buttons(pub u8);

impl Buttons {
    /// None.
    pub const NONE: Self = Self(0);
    /// The left one.
    pub const LEFT: Self = Self(1);
    /// The middle one.
    pub const MIDDLE: Self = Self(2);
    /// The right one.
    pub const RIGHT: Self = Self(4);

    /// From `MouseEvent.buttons` of a browser, which has right and middle the other way round.
    pub fn from_browser(buttons: u16) -> Self {
        let bit = |from: u16, to: u8| if buttons & from != 0 { to } else { 0 };
        Self(bit(1, 1) | bit(4, 2) | bit(2, 4))
    }
}

/// One notch of the wheel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wheel {
    /// Away from the person.
    Up,
    /// Towards the person.
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

impl Wheel {
    pub(crate) fn button(self) -> u8 {
        match self {
            Self::Up => 1 << 3,
            Self::Down => 1 << 4,
            Self::Left => 1 << 5,
            Self::Right => 1 << 6,
        }
    }
}

/// The keyboard lamps of the guest (`rfbproto.rst`, "LED State Pseudo-encoding").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Leds {
    /// Scroll Lock is on.
    pub scroll_lock: bool,
    /// Num Lock is on.
    pub num_lock: bool,
    /// Caps Lock is on.
    pub caps_lock: bool,
}

impl Leds {
    pub(crate) fn from_wire(bits: u8) -> Self {
        Self { scroll_lock: bits & 1 != 0, num_lock: bits & 2 != 0, caps_lock: bits & 4 != 0 }
    }

    pub(crate) fn to_wire(self) -> u8 {
        u8::from(self.scroll_lock) | u8::from(self.num_lock) << 1 | u8::from(self.caps_lock) << 2
    }
}
