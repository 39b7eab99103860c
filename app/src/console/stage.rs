//! How a session stands, why it ended, and whether and when it is tried again. Pure.

use model::console::CloseCode;
use model::{Code, Fault, Lang};

use crate::locales::Words;

/// How a session stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stage {
    /// Production: it waits for a reason.
    Asking,
    /// Somebody of that name is at the screen: it waits for a word to take it over.
    Held(String),
    /// A ticket is being got.
    Opening,
    /// The line is being made, and the first picture waited for.
    Connecting,
    /// What is on the screen is live.
    Connected,
    /// Cut; it is tried again at that moment (Unix ms).
    Waiting(Why, i64),
    /// Over, until somebody opens it again.
    Ended(Option<Why>),
}

impl Stage {
    /// The value of `data-state`.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Asking => "asking",
            Self::Held(_) => "held",
            Self::Opening => "opening",
            Self::Connecting => "connecting",
            Self::Connected => "connected",
            Self::Waiting(..) => "waiting",
            Self::Ended(_) => "ended",
        }
    }

    /// What it is called.
    pub(super) fn say(&self, words: &Words) -> &'static str {
        let words = words.console;
        match self {
            Self::Asking | Self::Opening => words.opening,
            Self::Held(_) => words.held,
            Self::Connecting => words.connecting,
            Self::Connected => words.connected,
            Self::Waiting(..) => words.lost,
            Self::Ended(_) => words.ended,
        }
    }

    /// Why it is not connected.
    pub(super) fn why(&self) -> Option<&Why> {
        match self {
            Self::Waiting(why, _) => Some(why),
            Self::Ended(why) => why.as_ref(),
            _ => None,
        }
    }
}

/// Why a session ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Why {
    /// The server said so.
    Closed(CloseCode),
    /// The screen was opened by somebody of that name, who may be oneself elsewhere.
    TakenOver(String),
    /// Nobody said anything: the network, a restarted server.
    Network,
    /// What came is not RFB.
    Unreadable(String),
    /// No ticket was given.
    Fault(Fault),
}

impl Why {
    /// From the code and the reason of a closed socket.
    pub(super) fn of_close(code: u16, reason: String) -> Self {
        match CloseCode::parse(code) {
            Some(CloseCode::TakenOver) => Self::TakenOver(reason),
            Some(code) => Self::Closed(code),
            None => Self::Network,
        }
    }

    /// The sentence for it.
    pub(super) fn say(&self, words: &Words) -> String {
        let lang: Lang = words.lang;
        match self {
            Self::Closed(code) => code.say().text(lang).to_owned(),
            Self::TakenOver(name) => (words.console.taken_over)(name),
            Self::Network => words.console.network.to_owned(),
            Self::Unreadable(_) => words.console.unreadable.to_owned(),
            Self::Fault(fault) => fault.say.text(lang).to_owned(),
        }
    }

    /// What the other side said, for those who want to know.
    pub(super) fn detail(&self) -> Option<String> {
        match self {
            Self::Unreadable(text) => Some(text.clone()),
            Self::Fault(fault) => fault.detail.clone().or(fault.reference.clone()),
            _ => None,
        }
    }

    /// It may work by itself later. Not when somebody else took the screen: two viewers would take it from each other
    /// for ever; not when it was refused for a reason that time does not heal.
    fn heals(&self) -> bool {
        match self {
            Self::Closed(_) | Self::Network => true,
            Self::TakenOver(_) | Self::Unreadable(_) => false,
            Self::Fault(fault) => {
                matches!(fault.code, Code::Refused | Code::Away | Code::Offline | Code::TooMany | Code::Internal)
            }
        }
    }
}

/// The first wait, in milliseconds.
const FIRST_MS: i64 = 1_000;
/// The longest wait, in milliseconds.
const LONGEST_MS: i64 = 15_000;
/// Tries before somebody has to ask for another: some four minutes, longer than any reboot.
const TRIES: u32 = 20;

/// How long to wait before the next try after `tries` in vain, in milliseconds; `None` to leave it.
pub(super) fn wait_ms(why: &Why, tries: u32) -> Option<i64> {
    (why.heals() && tries < TRIES).then(|| FIRST_MS.saturating_mul(1 << tries.min(10)).min(LONGEST_MS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Say;

    #[test]
    fn a_cut_line_is_tried_again_ever_more_slowly() {
        let waits: Vec<_> = (0..6).map(|tries| wait_ms(&Why::Network, tries)).collect();
        assert_eq!(waits, [Some(1_000), Some(2_000), Some(4_000), Some(8_000), Some(15_000), Some(15_000)]);
        assert_eq!(wait_ms(&Why::Network, TRIES), None);
    }

    #[test]
    fn nobody_fights_for_a_screen() {
        let of = |code: u16| Why::of_close(code, "林若涵".into());
        assert_eq!(of(CloseCode::TakenOver as u16), Why::TakenOver("林若涵".into()));
        assert_eq!(wait_ms(&of(CloseCode::TakenOver as u16), 0), None);
        assert!(wait_ms(&of(CloseCode::NotRunning as u16), 0).is_some());
        assert_eq!(of(1006), Why::Network);
    }

    #[test]
    fn what_may_not_be_is_not_tried_again() {
        let fault = |code| Why::Fault(Fault::new(code, Say::fixed("不行", "no")));
        assert_eq!(wait_ms(&fault(Code::Forbidden), 0), None);
        assert_eq!(wait_ms(&fault(Code::Unauthenticated), 0), None);
        assert!(wait_ms(&fault(Code::Away), 0).is_some());
    }
}
