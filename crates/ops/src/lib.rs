//! What the platform does: a service a noun, durable workflows, reconcilers.
//!
//! Every service method takes a [`Context`] first and makes its own [`access::Permit`]; callers check nothing. A change is
//! audited before it happens. This crate must never know Leptos, axum or HTTP.

pub mod access;
pub mod audit;
pub mod change;
pub mod clock;
pub mod console;
pub mod context;
pub mod error;
pub mod fleet;
mod idempotency;
pub mod ipam;
pub mod live;
pub mod overview;
pub mod palette;
pub mod provisioning;
pub mod tasks;
pub mod vm;
pub mod workflow;

mod wire;

pub use clock::Clock;
pub use context::{Actor, Context};
pub use error::{Error, Result};
pub use wire::{Ops, Settings};
