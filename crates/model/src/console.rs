//! The console: a one-time ticket, then standard RFB or serial bytes over a WebSocket.

use crate::id::VmRef;
use serde::{Deserialize, Serialize};

/// How long a ticket is good for, in milliseconds.
pub const TICKET_MS: i64 = 30_000;

/// Which console.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The screen.
    Vnc,
    /// The serial line.
    Serial,
}

impl Mode {
    /// The word in audit lines, and the name of KubeVirt's subresource.
    pub fn subresource(self) -> &'static str {
        match self {
            Self::Vnc => "vnc",
            Self::Serial => "console",
        }
    }
}

/// "Let me at that screen."
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenConsole {
    /// Which VM.
    pub vm: VmRef,
    /// Screen or serial line.
    pub mode: Mode,
    /// Why; asked for in production.
    #[serde(default)]
    pub reason: String,
    /// Whoever is at that screen is cut off: a person said so.
    #[serde(default)]
    pub takes_over: bool,
}

/// The answer to [`OpenConsole`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Opening {
    /// Go and open the line.
    Given(Ticket),
    /// Somebody else of this name is at that screen, and would be cut off: nothing was opened.
    Held(String),
}

/// Goes as the first message on the socket, never into a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// The secret, good once.
    pub secret: String,
    /// Milliseconds until it is void.
    pub good_for_ms: i64,
}

/// Why a console socket was closed, as its close code (4000 to 4999 are ours, RFC 6455 §7.4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u16)]
pub enum CloseCode {
    /// The ticket was used, is too old, or is for something else.
    BadTicket = 4401,
    /// The VM does not run.
    NotRunning = 4404,
    /// Another viewer took the screen: KubeVirt allows one.
    TakenOver = 4409,
    /// The cluster cannot be reached.
    Away = 4503,
    /// The cluster closed the line.
    Ended = 4000,
}

impl CloseCode {
    /// From the wire.
    pub fn parse(code: u16) -> Option<Self> {
        [Self::BadTicket, Self::NotRunning, Self::TakenOver, Self::Away, Self::Ended]
            .into_iter()
            .find(|c| *c as u16 == code)
    }

    /// What to tell the viewer.
    pub fn say(self) -> crate::Say {
        match self {
            Self::BadTicket => {
                crate::Say::fixed("通行证已用过或已过期，重新打开", "the ticket was used or is too old, open again")
            }
            Self::NotRunning => {
                crate::Say::fixed("虚拟机没有运行，没有屏幕可看", "the VM does not run, there is no screen")
            }
            Self::TakenOver => crate::Say::fixed("屏幕在别处打开了", "the screen was opened elsewhere"),
            Self::Away => crate::Say::fixed("集群连接不上", "the cluster cannot be reached"),
            Self::Ended => crate::Say::fixed("集群结束了这次会话", "the cluster ended the session"),
        }
    }
}
