//! What every cluster has before anyone does anything: its namespaces and the definitions of its kinds.
//!
//! The uid of `kube-system` is what clients know a cluster by; it depends on the seed only.

use super::catalogue::definition;
use super::state::Random;
use super::{By, World};
use crate::behave::Resource;
use serde_json::json;

const NAMESPACES: Resource = Resource { group: "", version: "v1", plural: "namespaces" };
const DEFINITIONS: Resource =
    Resource { group: "apiextensions.k8s.io", version: "v1", plural: "customresourcedefinitions" };

/// Namespaces of a fresh Harvester.
const FRESH: &[&str] = &[
    "kube-system",
    "default",
    "kube-public",
    "kube-node-lease",
    "harvester-system",
    "harvester-public",
    "longhorn-system",
    "cattle-system",
    "cattle-monitoring-system",
];

impl World {
    /// Puts the namespaces and definitions there that a scenario builds on.
    pub fn install_definitions(&self) {
        let mut uids = Random(self.seed() ^ 0x6b75_6265);
        for name in FRESH {
            let namespace = json!({
                "metadata": { "name": name, "uid": uids.uid(), "labels": { "kubernetes.io/metadata.name": name } },
                "spec": { "finalizers": ["kubernetes"] }, "status": { "phase": "Active" },
            });
            // Fails only when it is there already, which is as good.
            let _ = self.create(NAMESPACES, "", namespace, &By::seed());
        }
        let custom: Vec<_> =
            self.catalogue().kinds().iter().filter(|kind| kind.is_custom).map(definition::definition).collect();
        for definition in custom {
            let _ = self.create(DEFINITIONS, "", definition, &By::seed());
        }
    }
}
