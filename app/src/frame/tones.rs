//! From the model's tones to the widgets' marks: the one table.

use app_ui::Mark;
use model::change::State;
use model::fleet::Health;
use model::vm::{Power, Tone};

/// How a tone is drawn.
pub(crate) fn mark_of(tone: Tone) -> Mark {
    match tone {
        Tone::Running => Mark::Running,
        Tone::Stopped => Mark::Stopped,
        Tone::Moving => Mark::Moving,
        Tone::Paused => Mark::Paused,
        Tone::Error => Mark::Error,
        Tone::Warning => Mark::Warning,
        Tone::Unknown => Mark::Unknown,
    }
}

/// How a cluster's health is drawn.
pub(crate) fn mark_of_health(health: Health) -> Mark {
    mark_of(health.tone())
}

/// How an operation is drawn.
pub(crate) fn mark_of_state(state: State) -> Mark {
    match state {
        State::Running | State::Undoing => Mark::Moving,
        State::Succeeded => Mark::Ok,
        State::Undone => Mark::No,
        State::Parked => Mark::Error,
    }
}

/// The fill of a power in a stacked bar; tones share one.
pub(crate) fn fill_of(power: Power) -> &'static str {
    match power.tone() {
        Tone::Running => "s-running",
        Tone::Stopped => "s-stopped",
        Tone::Moving => "s-moving",
        Tone::Paused => "s-paused",
        Tone::Error => "s-error",
        Tone::Warning => "s-warning",
        Tone::Unknown => "s-unknown",
    }
}
