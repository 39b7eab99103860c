//! Kubernetes objects → `model`: the only translation, and the border where foreign text is cleaned.
//!
//! Pure functions of objects. They must never ask the cluster for anything, nor know how the cache keeps things.

pub(crate) mod amount;
pub mod clean;
pub(crate) mod detail;
pub(crate) mod event;
pub(crate) mod image;
pub(crate) mod netdata;
pub(crate) mod network;
pub(crate) mod node;
pub(crate) mod row;
pub(crate) mod yaml;
