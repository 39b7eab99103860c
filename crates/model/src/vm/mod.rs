//! Virtual machines: the row of a list, the page of one, what may be done to it and when.

mod action;
mod detail;
mod power;
mod query;
mod row;

pub use action::{Action, PowerCommand};
pub use detail::{Condition, Disk, EventLine, Nic, VmDetail};
pub use power::{Power, Tone};
pub use query::{Claim, Comparison, Field, MAX_QUERY, Query, Sort, SortKey, Term, Verdict};
pub use row::VmRow;
