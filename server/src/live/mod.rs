//! The live socket.
mod hub;
pub(crate) use hub::socket;
