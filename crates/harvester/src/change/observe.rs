//! Committed → Observed: the receipt. Our own cache has shown the object with our change id.

use super::Committed;
use crate::Cache;
use crate::api::Kind;
use model::id::ChangeId;
use model::ownership;
use model::vm::VmRow;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Our cache has seen it.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The change.
    pub id: ChangeId,
    /// The row, when the object is a VM that is still there.
    pub row: Option<Arc<VmRow>>,
}

/// The receipt did not come in time; the change is made all the same.
#[derive(Debug, Clone, thiserror::Error)]
#[error("change {} was not seen in time", committed.id)]
pub struct NotYet {
    /// To wait on.
    pub committed: Box<Committed>,
}

impl Committed {
    /// Waits until the cache shows the change; a kind that is not cached, and a receipt that is late, are read once.
    pub async fn observe(self, cache: &Cache, within: Duration) -> Result<Observed, NotYet> {
        if self.target.kind == Kind::VirtualMachine {
            let is_seen = |row: Option<&VmRow>| match row {
                Some(row) if self.is_deletion => *row.uid != *self.uid,
                Some(row) => *row.uid == *self.uid && row.change.as_deref() == Some(self.id.as_str()),
                None => self.is_deletion,
            };
            let (namespace, name) = (&self.target.namespace, &self.target.name);
            if let Ok(row) = cache.await_row(namespace, name, is_seen, within).await {
                return Ok(Observed { id: self.id, row });
            }
        }
        let live: Result<Option<Value>, _> = cache.cluster().read_opt(&self.target.path()).await;
        match live {
            Ok(live) if self.is_seen_on(live.as_ref()) => {
                let row = cache
                    .row(&self.target.namespace, &self.target.name)
                    .filter(|_| self.target.kind == Kind::VirtualMachine);
                Ok(Observed { id: self.id, row })
            }
            _ => Err(NotYet { committed: Box::new(self) }),
        }
    }

    /// With our note, or with a version after ours: then somebody has changed it again since.
    fn is_seen_on(&self, live: Option<&Value>) -> bool {
        let Some(live) = live else { return self.is_deletion };
        let text = |path: &str| live.pointer(path).and_then(Value::as_str).unwrap_or_default();
        if text("/metadata/uid") != self.uid {
            return self.is_deletion;
        }
        let note = format!("/metadata/annotations/{}", ownership::CHANGE.replace('/', "~1"));
        let number = |version: &str| version.parse::<u64>().ok();
        let is_later = number(text("/metadata/resourceVersion"))
            .zip(number(&self.version))
            .is_some_and(|(live, ours)| live >= ours);
        !self.is_deletion && (text(&note) == self.id.as_str() || is_later)
    }
}
