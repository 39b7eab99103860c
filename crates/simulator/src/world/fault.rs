//! Faults on order: what a test or an operator wants to go wrong, per verb and resource.
//!
//! Only the script stands here; `rest::fault` carries it out on the wire. Writes by behaviours never fail.

use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Harm {
    /// The connection ends without an answer.
    Drop,
    /// The answer comes late, by real milliseconds.
    Delay {
        /// Real milliseconds.
        ms: u64,
    },
    /// 410 `Expired`.
    Gone,
    /// 429 with `Retry-After`.
    #[serde(rename_all = "camelCase")]
    TooMany {
        /// Seconds.
        retry_after_secs: u32,
    },
    /// Any refusal, for example 500 or 503.
    Refuse {
        /// HTTP code.
        code: u16,
    },
    /// The body ends after so many bytes, though more was promised.
    Cut {
        /// Bytes that still come.
        after_bytes: usize,
    },
    /// The body is whole but its JSON is not: the last bytes are missing and the length agrees.
    Truncate {
        /// Bytes that are missing at the end.
        bytes: usize,
    },
    /// The body comes in small pieces.
    #[serde(rename_all = "camelCase")]
    Trickle {
        /// Bytes a piece.
        chunk_bytes: usize,
        /// Real milliseconds between pieces.
        pause_ms: u64,
    },
    /// Objects grow by an annotation of so many bytes.
    Bloat {
        /// Bytes.
        bytes: usize,
    },
    /// A watch loses each `one_in`th event without a word.
    #[serde(rename_all = "camelCase")]
    LoseEvents {
        /// 2 means every second.
        one_in: u64,
    },
    /// A watch says each event again after the one that follows it: known news, and older than what was just said.
    RepeatEvents,
    /// A watch says each pair of events the wrong way round.
    SwapEvents,
    /// A watch ends after so many real milliseconds.
    #[serde(rename_all = "camelCase")]
    CloseWatch {
        /// Real milliseconds.
        after_ms: u64,
    },
}

/// A line of the script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fault {
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `*`.
    #[serde(default = "any")]
    pub verb: String,
    /// Plural, `plural/sub`, or `*`.
    #[serde(default = "any")]
    pub resource: String,
    /// What goes wrong.
    pub harm: Harm,
    /// How many times still; absent: always.
    #[serde(default)]
    pub times: Option<u32>,
    /// Requests that pass unharmed first.
    #[serde(default)]
    pub skip: u32,
}

fn any() -> String {
    "*".into()
}

impl Fault {
    /// A fault that always happens.
    pub fn always(verb: &str, resource: &str, harm: Harm) -> Self {
        Self { verb: verb.into(), resource: resource.into(), harm, times: None, skip: 0 }
    }

    /// A fault that happens `times` times.
    pub fn times(times: u32, verb: &str, resource: &str, harm: Harm) -> Self {
        Self { times: Some(times), ..Self::always(verb, resource, harm) }
    }
}

/// The script.
#[derive(Debug, Default)]
pub struct Faults(Mutex<Vec<Fault>>);

impl Faults {
    /// Adds a line.
    pub fn add(&self, fault: Fault) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(fault);
    }

    /// All goes well again.
    pub fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The lines that are left.
    pub fn list(&self) -> Vec<Fault> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What goes wrong with this request; counts down.
    pub(crate) fn take(&self, verb: &str, resource: &str) -> Vec<Harm> {
        let mut script = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |pattern: &str, value: &str| pattern == "*" || pattern == value;
        let mut harms = Vec::new();
        for fault in script.iter_mut().filter(|fault| fits(&fault.verb, verb) && fits(&fault.resource, resource)) {
            if fault.skip > 0 {
                fault.skip -= 1;
                continue;
            }
            if let Some(times) = &mut fault.times {
                if *times == 0 {
                    continue;
                }
                *times -= 1;
            }
            harms.push(fault.harm.clone());
        }
        script.retain(|fault| fault.times != Some(0));
        harms
    }
}
