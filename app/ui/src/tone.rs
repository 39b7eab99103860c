//! Tones and marks: the closed sets of what colour and icon may say.

use crate::icon::Glyph;

/// How loud something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Ink on the page.
    #[default]
    Plain,
    /// Ours: chosen, focused, primary.
    Accent,
    /// On a soft ground, no colour.
    Quiet,
    /// Went well.
    Ok,
    /// Is under way.
    Moving,
    /// Someone should look.
    Warning,
    /// Someone must act.
    Error,
}

impl Tone {
    /// The value of `data-tone`; `None` for plain.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Accent => Some("accent"),
            Self::Quiet => Some("quiet"),
            Self::Ok => Some("ok"),
            Self::Moving => Some("moving"),
            Self::Warning => Some("warning"),
            Self::Error => Some("error"),
        }
    }
}

/// What the mark before a word says about a thing: one shape and one colour each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mark {
    /// ● It runs.
    Running,
    /// ○ It is stopped.
    Stopped,
    /// ◐ It is on its way somewhere.
    Moving,
    /// ‖ It is paused.
    Paused,
    /// ▲ It failed.
    Error,
    /// △ Someone should look.
    Warning,
    /// ◌ Nobody knows.
    #[default]
    Unknown,
    /// ✓ A check passed.
    Ok,
    /// ✗ A check did not pass.
    No,
    /// It waits for something.
    Wait,
}

impl Mark {
    /// The value of `data-state`.
    pub fn name(self) -> &'static str {
        self.glyph().name()
    }

    /// Its shape.
    pub fn glyph(self) -> Glyph {
        match self {
            Self::Running => Glyph::Running,
            Self::Stopped => Glyph::Stopped,
            Self::Moving => Glyph::Moving,
            Self::Paused => Glyph::Paused,
            Self::Error => Glyph::Error,
            Self::Warning => Glyph::Warning,
            Self::Unknown => Glyph::Unknown,
            Self::Ok => Glyph::Ok,
            Self::No => Glyph::No,
            Self::Wait => Glyph::Wait,
        }
    }
}
