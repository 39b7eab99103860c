//! Changes on the write path and operations that last, as people follow them.

use crate::Say;
use crate::id::OperationId;
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};

/// The five stages of a change (`ARCHITECTURE.md`, the write path).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Wanted, saved, its audit line open.
    Desired,
    /// The API server said what it would do.
    Checked,
    /// The API server did it.
    Committed,
    /// Our cache has seen it.
    Observed,
    /// Written back; the audit line is closed.
    Recorded,
}

impl Stage {
    /// The word in the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Desired => "desired",
            Self::Checked => "checked",
            Self::Committed => "committed",
            Self::Observed => "observed",
            Self::Recorded => "recorded",
        }
    }
}

/// How an operation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Going on.
    Running,
    /// Done.
    Succeeded,
    /// Something failed; what was done is being undone.
    Undoing,
    /// Failed, and nothing of it is left.
    Undone,
    /// Failed, and a person must look.
    Parked,
}

impl State {
    /// The word in the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Undoing => "undoing",
            Self::Undone => "undone",
            Self::Parked => "parked",
        }
    }

    /// From the database.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Running, Self::Succeeded, Self::Undoing, Self::Undone, Self::Parked]
            .into_iter()
            .find(|s| s.word() == word)
    }

    /// The word for it.
    pub fn say(self) -> Say {
        match self {
            Self::Running => Say::fixed("进行中", "Running"),
            Self::Succeeded => Say::fixed("已完成", "Done"),
            Self::Undoing => Say::fixed("正在撤销", "Undoing"),
            Self::Undone => Say::fixed("失败，已撤销", "Failed, undone"),
            Self::Parked => Say::fixed("需人工处理", "Needs a person"),
        }
    }

    /// Nothing more will happen by itself.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Undone | Self::Parked)
    }
}

/// What kind of operation it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OperationKind {
    /// A VM is being delivered.
    Delivery,
    /// A change of power.
    Power,
}

/// An operation in the task drawer and on pages of what it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationView {
    /// Id; a delivery has a page.
    pub id: OperationId,
    /// Kind.
    pub kind: OperationKind,
    /// What it does, for example `交付 prod-order-app-05`.
    pub title: Say,
    /// The object, `cluster/namespace/name`.
    pub object: String,
    /// How it stands.
    pub state: State,
    /// Steps done and steps in all; never a made-up percentage.
    pub steps: (u32, u32),
    /// What it waits for right now, or why it failed.
    pub now: Option<Say>,
    /// Who asked.
    pub actor: String,
    /// When it began.
    pub began: UnixMs,
    /// When it ended.
    pub ended: Option<UnixMs>,
}
