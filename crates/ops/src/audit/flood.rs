//! How many refusals of one person become lines: some each minute, the rest as a number.

use model::UnixMs;
use std::collections::HashMap;

/// Refused requests of one person that leave lines in a minute: more than a person clicks, few enough to read.
const LINES: u32 = 30;
const MINUTE_MS: i64 = 60_000;
/// People that are remembered; more at once are no people.
const PEOPLE: usize = 10_000;

/// Whether a refusal becomes a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Admitted {
    /// It does, and speaks for so many that did not.
    Yes {
        /// Refused requests without a line since the line before.
        left_out: u32,
    },
    /// It is counted only.
    No,
}

/// Refusals by sign-in name.
#[derive(Debug, Default)]
pub(super) struct Flood(HashMap<String, Minute>);

#[derive(Debug)]
struct Minute {
    began: UnixMs,
    lines: u32,
    left_out: u32,
}

impl Flood {
    /// Takes one refused request of `login`.
    pub(super) fn admit(&mut self, login: &str, now: UnixMs) -> Admitted {
        if self.0.len() >= PEOPLE {
            // Who has a number to tell is kept.
            self.0.retain(|_, minute| minute.left_out > 0 || now.since(minute.began) < MINUTE_MS);
        }
        let minute = self.0.entry(login.to_owned()).or_insert(Minute { began: now, lines: 0, left_out: 0 });
        if now.since(minute.began) >= MINUTE_MS {
            (minute.began, minute.lines) = (now, 0);
        }
        if minute.lines >= LINES {
            minute.left_out = minute.left_out.saturating_add(1);
            return Admitted::No;
        }
        minute.lines += 1;
        Admitted::Yes { left_out: std::mem::take(&mut minute.left_out) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_has_room_for_some_and_the_next_line_tells_of_the_rest() {
        let mut flood = Flood::default();
        let at = |ms: i64| UnixMs(1_700_000_000_000 + ms);
        let lines = (0..100).filter(|n| flood.admit("script", at(*n)) != Admitted::No).count();
        assert_eq!(lines, 30);
        assert_eq!(flood.admit("person", at(100)), Admitted::Yes { left_out: 0 }, "others have their own room");
        assert_eq!(flood.admit("script", at(59_999)), Admitted::No);
        assert_eq!(flood.admit("script", at(60_000)), Admitted::Yes { left_out: 71 });
        assert_eq!(flood.admit("script", at(60_001)), Admitted::Yes { left_out: 0 }, "told once");
    }
}
