//! How an object lies in memory: as JSON in a tree, or as text while nobody has changed it since the world was made.
//!
//! A tree of small maps takes about eight times the room of its text. A world of 100,000 machines at rest is therefore
//! kept as text, read anew whenever somebody looks at an object, and a tree only once somebody changes it.

use serde_json::Value;
use std::sync::Arc;

/// An object of the world.
#[derive(Debug, Clone)]
pub(super) enum Stored {
    /// As somebody wrote it.
    Whole(Arc<Value>),
    /// As it was seeded, at rest: no behaviour would change it.
    AtRest(Arc<[u8]>),
}

impl Stored {
    /// From now on as text, if it can be written.
    pub(super) fn lay_to_rest(&mut self) {
        if let Self::Whole(object) = self
            && let Ok(text) = serde_json::to_vec(&**object)
        {
            *self = Self::AtRest(text.into());
        }
    }

    /// The object.
    pub(super) fn open(&self) -> Arc<Value> {
        match self {
            Self::Whole(object) => object.clone(),
            Self::AtRest(text) => {
                Arc::new(serde_json::from_slice(text).expect("text that serde_json wrote from a Value"))
            }
        }
    }

    /// Whether nobody changed it since the world was made.
    pub(super) fn is_at_rest(&self) -> bool {
        matches!(self, Self::AtRest(_))
    }
}
