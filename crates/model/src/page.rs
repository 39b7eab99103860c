//! A page of a longer list, by cursor.

use serde::{Deserialize, Serialize};

/// Rows and where the next ones begin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Pass this to get the rows after these; `None` at the end.
    pub next: Option<String>,
}

/// Most rows that one request may ask for.
pub const MAX_ROWS: u32 = 500;
