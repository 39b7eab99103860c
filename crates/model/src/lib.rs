//! The nouns of the platform, as the interface and the server both see them.
//!
//! Views, commands and the predicates that both sides need live here, a file a noun. The crate builds for wasm32 and
//! must never know tokio, sqlx, kube, leptos, a clock or any IO: the moment, ids and randomness come in as arguments.

pub mod access;
pub mod audit;
pub mod change;
pub mod console;
pub mod fault;
pub mod fleet;
pub mod id;
pub mod image;
pub mod ipam;
pub mod live;
pub mod network;
pub mod node;
pub mod overview;
pub mod ownership;
pub mod page;
pub mod palette;
pub mod provisioning;
pub mod quantity;
pub mod say;
pub mod time;
pub mod vm;

pub use fault::{Code, Fault};
pub use say::{Lang, Say};
pub use time::UnixMs;
