//! The program `harvester-admin` as a library, so that its tests can start it: configuration, wiring, HTTP, sessions,
//! sockets. No rule of the platform is in here.
#![recursion_limit = "256"]

pub mod command;
pub mod config;
mod console;
mod demo;
mod folder;
mod http;
mod live;
mod metrics;
pub mod wire;
