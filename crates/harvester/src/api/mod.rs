//! Typed slim kinds: only the fields that we read or write, a file an upstream group.
//!
//! All are borrowed from the JSON they are read from, and every field but name, uid and resourceVersion may be absent or
//! null: a cluster of another version must never make a panic or an error out of a missing field. They must never leave
//! the crate as anything but `model`.

pub(crate) mod cni;
pub(crate) mod core;
pub(crate) mod harvesterhci;
mod kind;
pub(crate) mod kubevirt;
pub(crate) mod longhorn;
pub(crate) mod meta;
mod text;

pub use kind::{Kind, ObjectRef};
pub(crate) use text::Text;
