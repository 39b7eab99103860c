//! Server-side apply.

use super::catalogue::Kind;
use super::{By, Key, Part, Status, World, patch};
use serde_json::Value;
use std::sync::Arc;

impl World {
    /// Applies what a manager wants; tells whether the object is new.
    pub fn apply(
        &self,
        kind: &Kind,
        (namespace, name): (&str, &str),
        part: Part,
        config: &Value,
        _is_forced: bool,
        by: &By,
    ) -> Result<(Arc<Value>, bool), Status> {
        self.write(|txn| {
            let key = Key::new(namespace, name);
            match txn.state.get(kind.id, &key).cloned() {
                None => Ok((txn.create(kind, namespace, config.clone(), by)?, true)),
                Some(old) => {
                    let mut new = (*old).clone();
                    patch::merge(&mut new, config);
                    Ok((txn.update(kind, &key, &old, new, part, by)?, false))
                }
            }
        })
    }
}
