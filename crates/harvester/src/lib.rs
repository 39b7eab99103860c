//! One Harvester cluster: how to reach it, what is in it, how to change it.
//!
//! The way in is [`Access`] (a kubeconfig that cannot run or read anything here) → [`Cluster`] (a client that goes only
//! where [`NetworkPolicy`] lets it) → [`Cache`] (what is in it, kept fresh by watches). Changes go through [`change`],
//! stage by stage. The crate translates Kubernetes objects into `model`, and everything that comes from a cluster or a
//! guest is cleaned at that border (`view::clean`). It must never know `store`, `ops`, HTTP servers or the interface.

pub mod act;
pub mod api;
mod call;
pub mod change;
pub mod cluster;
mod detail;
mod error;
pub mod grants;
mod kubeconfig;
pub mod make;
mod network;
pub mod probe;
#[cfg(test)]
mod testing;
pub mod view;
pub mod watch;

pub use call::{Socket, Traffic};
pub use cluster::Cluster;
pub use detail::{vm_detail, vm_yaml};
pub use error::ClusterError;
pub use kubeconfig::{Access, KubeconfigRefusal};
pub use network::NetworkPolicy;
pub use watch::{Cache, ClusterStatus, WatchCounts};

use model::UnixMs;
use std::sync::Arc;

/// Where the present comes from; the server's clock, or a test's.
pub type Clock = Arc<dyn Fn() -> UnixMs + Send + Sync>;
