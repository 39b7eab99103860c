//! What kinds a Harvester cluster has: names, scope, versions, subresources, printer columns, schema.
//!
//! The kinds stand in `kinds/*.txt`, in a notation of our own ([`notation`]); the files for custom resources were
//! distilled from the CRDs of Harvester 1.8.2 (names and types are facts of the interface; descriptions are left out),
//! and what an older release lacks is taken away again by [`release`]. Nothing here knows an object.

pub mod definition;
mod notation;
pub mod release;
pub mod schema;

use crate::behave::Resource;
pub use release::Release;
use schema::Struct;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

const CORE: &str = include_str!("kinds/core.txt");
const CUSTOM: &[&str] = &[
    include_str!("kinds/kubevirt.io.txt"),
    include_str!("kinds/migrations.kubevirt.io.txt"),
    include_str!("kinds/instancetype.kubevirt.io.txt"),
    include_str!("kinds/pool.kubevirt.io.txt"),
    include_str!("kinds/clone.kubevirt.io.txt"),
    include_str!("kinds/export.kubevirt.io.txt"),
    include_str!("kinds/snapshot.kubevirt.io.txt"),
    include_str!("kinds/cdi.kubevirt.io.txt"),
    include_str!("kinds/harvesterhci.io.txt"),
    include_str!("kinds/management.harvesterhci.io.txt"),
    include_str!("kinds/network.harvesterhci.io.txt"),
    include_str!("kinds/loadbalancer.harvesterhci.io.txt"),
    include_str!("kinds/devices.harvesterhci.io.txt"),
    include_str!("kinds/node.harvesterhci.io.txt"),
    include_str!("kinds/k8s.cni.cncf.io.txt"),
    include_str!("kinds/whereabouts.cni.cncf.io.txt"),
    include_str!("kinds/kubeovn.io.txt"),
    include_str!("kinds/longhorn.io.txt"),
    include_str!("kinds/snapshot.storage.k8s.io.txt"),
];
const TYPES: &str = include_str!("kinds/types.txt");

/// A column of `kubectl get`.
#[derive(Debug, Clone)]
pub struct Column {
    /// Heading.
    pub name: String,
    /// OpenAPI type: `string`, `integer`, `date` …
    pub kind: &'static str,
    /// 0: always shown; 1: only with `-o wide`.
    pub priority: i32,
    /// JSONPath, or `@rule` for a column that upstream computes in Go.
    pub path: &'static str,
}

/// One kind of object.
#[derive(Debug, Clone)]
pub struct Kind {
    /// Place in the catalogue.
    pub id: usize,
    /// Group, preferred version, plural.
    pub resource: Resource,
    /// `VirtualMachine`.
    pub kind: &'static str,
    /// `virtualmachine`.
    pub singular: String,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// Served versions, the preferred one first. All have the same schema.
    pub versions: Vec<&'static str>,
    /// Short names for kubectl.
    pub short: Vec<&'static str>,
    /// Categories, for example `all`.
    pub categories: Vec<&'static str>,
    /// Subresources with a route of their own under the object: `status`, `scale`.
    pub subresources: Vec<&'static str>,
    /// Verbs, when fewer than all.
    pub verbs: Vec<&'static str>,
    /// Columns besides `Name`.
    pub columns: Vec<Column>,
    /// Fields besides `apiVersion`, `kind`, `metadata`.
    pub schema: Arc<Struct>,
    /// Defined by a CustomResourceDefinition.
    pub is_custom: bool,
}

impl Kind {
    /// `virtualmachines.kubevirt.io`, or `pods`: how messages name the kind.
    pub fn qualified(&self) -> String {
        super::status::qualified(self.resource.group, self.resource.plural)
    }

    /// `VirtualMachine.kubevirt.io`, or `Pod`: how messages about invalid objects name it.
    pub fn qualified_kind(&self) -> String {
        super::status::qualified(self.resource.group, self.kind)
    }

    /// Whether status is written through `/status` only.
    pub fn has_status(&self) -> bool {
        self.subresources.contains(&"status")
    }

    /// `apiVersion` of objects in the preferred version.
    pub fn api_version(&self) -> String {
        self.api_version_in(self.resource.version)
    }

    /// `apiVersion` of objects in a served version.
    pub fn api_version_in(&self, version: &str) -> String {
        if self.resource.group.is_empty() { version.to_owned() } else { format!("{}/{version}", self.resource.group) }
    }

    /// Whether the verb is offered. Kinds without a list offer all of them.
    pub fn allows(&self, verb: &str) -> bool {
        self.verbs.is_empty() || self.verbs.contains(&verb)
    }
}

/// All kinds of one release.
#[derive(Debug)]
pub struct Catalogue {
    release: Release,
    kinds: Vec<Kind>,
    by_plural: HashMap<(&'static str, &'static str), usize>,
}

impl Catalogue {
    /// The kinds of a release; parsed once in a process.
    pub fn of(release: Release) -> Arc<Self> {
        static PARSED: OnceLock<Mutex<HashMap<Release, Arc<Catalogue>>>> = OnceLock::new();
        let parsed = PARSED.get_or_init(Mutex::default);
        let mut parsed = parsed.lock().unwrap_or_else(PoisonError::into_inner);
        parsed.entry(release).or_insert_with(|| Arc::new(Self::parse(release))).clone()
    }

    fn parse(release: Release) -> Self {
        let mut kinds = notation::parse(CORE, TYPES, false);
        for file in CUSTOM {
            kinds.extend(notation::parse(file, TYPES, true));
        }
        release::trim(&mut kinds, release);
        for (id, kind) in kinds.iter_mut().enumerate() {
            kind.id = id;
        }
        let by_plural = kinds.iter().map(|kind| ((kind.resource.group, kind.resource.plural), kind.id)).collect();
        Self { release, kinds, by_plural }
    }

    /// Which Harvester this is.
    pub fn release(&self) -> Release {
        self.release
    }

    /// All kinds, in order of their ids.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// The kind of a resource; the version does not matter.
    pub fn find(&self, group: &str, plural: &str) -> Option<&Kind> {
        self.by_plural.get(&(group, plural)).and_then(|&id| self.kinds.get(id))
    }

    /// The kind that objects with this `apiVersion` and `kind` have.
    pub fn find_object(&self, api_version: &str, kind: &str) -> Option<&Kind> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        self.kinds.iter().find(|k| k.resource.group == group && k.kind == kind && k.versions.contains(&version))
    }
}
