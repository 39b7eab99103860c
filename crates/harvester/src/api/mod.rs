//! Typed slim kinds: only the fields that we read or write, a file an upstream group.
//!
//! All are borrowed from the JSON they are read from, and every field may be absent: a cluster of another version must
//! never make a panic or an error out of a missing field. They must never leave the crate as anything but `model`.

mod kind;

pub use kind::{Kind, ObjectRef};
