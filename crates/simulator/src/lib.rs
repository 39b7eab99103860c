//! A Harvester cluster that speaks the Kubernetes REST API, for tests, demos and kubectl.
//!
//! It is an independent witness of upstream: objects are JSON, rules come from upstream's sources, and nothing in here
//! knows the product. A client that works against it with a wrong field name or a wrong assumption is a bug here.
//!
//! [`world`] keeps objects; [`rest`] serves them; [`behave`] and [`admission`] are what upstream's programs and webhooks
//! do; [`scenario`] seeds a world; [`screen`] draws what a guest shows; [`drive`] lets time pass; [`agent`] lets the same
//! programs act on a real API server.

pub mod admission;
pub mod agent;
pub mod behave;
pub mod clock;
pub mod drive;
pub mod rest;
pub mod scenario;
pub mod screen;
pub mod serve;
mod simulator;
pub mod world;

pub use clock::Clock;
pub use simulator::{Builder, Simulator};
