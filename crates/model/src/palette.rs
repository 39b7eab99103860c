//! The palette: anything from anything.

use crate::Say;
use crate::overview::Target;
use crate::vm::Tone;
use serde::{Deserialize, Serialize};

/// What a hit is, for its icon and group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each is the noun of its name")]
pub enum HitKind {
    Vm,
    Cluster,
    Subnet,
    Address,
    Delivery,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// What it is.
    pub kind: HitKind,
    /// Its state, if it has one.
    pub tone: Option<Tone>,
    /// Its name.
    pub title: String,
    /// Where, whose, why it matches.
    pub note: Say,
    /// Where it leads.
    pub target: Target,
}

/// Most hits of a search.
pub const MAX_HITS: usize = 20;
