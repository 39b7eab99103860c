//! The one that knocks: now and then while all seems well, since a watch on a server that hangs is only silent; in growing
//! intervals while the cluster is away. It also reads the few things that are not watched.

use super::backoff::{Backoff, random};
use super::gate::{Door, verdict};
use super::shared::Shared;
use crate::api::Kind;
use crate::api::harvesterhci::Setting;
use crate::error::ClusterError;
use crate::view::clean;
use model::UnixMs;
use model::fleet::Health;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How often Harvester's version is read: it changes with an upgrade.
const VERSION_EVERY: Duration = Duration::from_secs(300);
/// How often it is asked whether the cluster still answers, while it seems to.
const KNOCK_EVERY: Duration = Duration::from_secs(20);
/// How long an answer to that may take; it is asked for twice before the cluster counts as away.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// Runs until the cache stops.
pub(crate) async fn scout(shared: Arc<Shared>) {
    let mut hurry = shared.hurry.subscribe();
    let mut read_at = None::<Instant>;
    loop {
        if read_at.is_none_or(|at| at.elapsed() >= VERSION_EVERY) {
            read_version(&shared).await;
            read_at = Some(Instant::now());
        }
        hurry.mark_unchanged();
        tokio::select! {
            () = shared.gate.closed() => {}
            // It fails only when the cache, which stops this too, is gone.
            _ = hurry.changed() => { look(&shared).await; continue }
            () = tokio::time::sleep(KNOCK_EVERY) => { look(&shared).await; continue }
            () = shared.stop.cancelled() => return,
        }
        let mut backoff = Backoff::default();
        // How often the credential was refused in a row: to the one that closed the door, if it was that.
        let mut refusals = match shared.gate.door() {
            Door::Closed { health: Health::Unauthorised, .. } => 1,
            _ => 0,
        };
        let mut least = match refusals {
            0 => Duration::ZERO,
            _ => shared.gate.least_wait(&ClusterError::Unauthorised, refusals),
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
                    refusals = if matches!(error, ClusterError::Unauthorised) { refusals + 1 } else { 0 };
                    shared.gate.heard(&error);
                    least = shared.gate.least_wait(&error, refusals);
                    shared.gate.close(&error);
                }
                // Any other answer is one: the cluster is there.
                _ => break,
            }
        }
        shared.gate.open();
        // Watches that wait after a failure of their own go on now.
        shared.hurry.send_modify(|n| *n += 1);
        shared.status_changed();
    }
}

/// Closes the door when the cluster does not answer, twice in a row: a single broken connection says little.
async fn look(shared: &Shared) {
    let twice = async {
        match knock(shared).await {
            Ok(()) => Ok(()),
            Err(error) => {
                shared.gate.heard(&error);
                knock(shared).await
            }
        }
    };
    let answer = tokio::select! {
        answer = twice => answer,
        () = shared.stop.cancelled() => return,
    };
    let Err(error) = answer else { return };
    shared.gate.heard(&error);
    if shared.gate.close(&error) {
        shared.status_changed();
    }
}

async fn knock(shared: &Shared) -> Result<(), ClusterError> {
    let path = format!("{}?limit=1", Kind::VirtualMachine.collection(None));
    let answer = tokio::time::timeout(ANSWER_WITHIN, shared.cluster.get(&path)).await;
    answer.map_err(ClusterError::away)?.map(drop)
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
