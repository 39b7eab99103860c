//! What is asked of a VM through KubeVirt: power, consoles, what the guest says.
//!
//! Power makes no request that changes anything: it decides what the write path is to do.

mod console;
mod guest;
mod power;

pub use console::console;
pub use guest::{Guest, guest};
pub use power::power;

#[cfg(test)]
mod tests;
