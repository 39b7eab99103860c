//! The one that knocks while the cluster is away, and reads the few things that are not watched.

use super::backoff::{Backoff, random};
use super::gate::{least_wait, verdict};
use super::shared::Shared;
use crate::api::Kind;
use crate::api::harvesterhci::Setting;
use crate::error::ClusterError;
use crate::view::clean;
use model::UnixMs;
use std::sync::Arc;
use std::time::Duration;

/// How often Harvester's version is read: it changes with an upgrade.
const VERSION_EVERY: Duration = Duration::from_secs(300);

/// Runs until the cache stops.
pub(crate) async fn scout(shared: Arc<Shared>) {
    loop {
        read_version(&shared).await;
        tokio::select! {
            () = shared.gate.closed() => {}
            () = tokio::time::sleep(VERSION_EVERY) => continue,
            () = shared.stop.cancelled() => return,
        }
        let mut backoff = Backoff::default();
        let mut least = match shared.gate.door() {
            super::gate::Door::Closed { health: model::fleet::Health::Unauthorised, .. } => {
                least_wait(&ClusterError::Unauthorised)
            }
            _ => Duration::ZERO,
        };
        loop {
            let wait = backoff.next(random()).max(least);
            let wait_ms = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
            shared.gate.retry_at(UnixMs(shared.now().0.saturating_add(wait_ms)));
            shared.status_changed();
            if !shared.wait(wait).await {
                return;
            }
            match knock(&shared).await {
                Err(error) if verdict(&error).is_some() => {
                    least = least_wait(&error);
                    shared.gate.close(&error);
                }
                // Any other answer is one: the cluster is there.
                _ => break,
            }
        }
        shared.gate.open();
        shared.status_changed();
    }
}

async fn knock(shared: &Shared) -> Result<(), ClusterError> {
    let path = format!("{}?limit=1", Kind::VirtualMachine.collection(None));
    shared.cluster.get(&path).await.map(drop)
}

async fn read_version(shared: &Shared) {
    let path = Kind::Setting.path("", "server-version");
    let found: Result<Setting, _> = tokio::select! {
        found = shared.cluster.read(&path) => found,
        () = shared.stop.cancelled() => return,
    };
    if let Ok(setting) = found {
        let version = Some(clean::text(setting.effective(), 64)).filter(|v| !v.is_empty());
        shared.write(|state| {
            state.is_status_dirty |= state.version != version;
            state.version = version;
        });
    }
}
