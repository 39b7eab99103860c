//! What upstream's programs do to objects: one file a kind of thing, each a pure step from (object, view, clock) to effects.
//!
//! A behaviour names the [`Role`] that it plays (kubelet, virt-handler, …), so that the same steps drive the built-in
//! [`World`](crate::world::World) or, through `harvester-sim behave`, a real API server on which only the missing roles
//! run. Steps keep no state: what they need to remember stands in the objects, as it does upstream.
//! They must never know our product: every field name and reason here comes from `harvester-api.md`.

pub mod resources;

mod binder;
mod claims;
mod datavolume;
mod domain;
pub(crate) mod evacuation;
pub(crate) mod finished;
mod guest;
mod handover;
mod hardware;
mod image;
mod keeping;
mod launcher;
mod lifecycle;
mod maintenance;
mod migration;
mod node;
mod node_down;
pub(crate) mod object;
pub(crate) mod pod;
pub(crate) mod quantity;
pub mod role;
pub(crate) mod scheduler;
mod selector;
pub mod subresource;
mod vm;
pub(crate) mod vmi;
mod volume;

mod backup;

use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use claims::templates as claim_templates;
pub(crate) use guest::system::PRETTY_NAME;
pub(crate) use hardware::is_hotplugged;
pub(crate) use image::storage_class as image_class;
pub(crate) use keeping::fingerprint as key_fingerprint;
pub(crate) use migration::is_migrating;
pub use role::Role;
pub(crate) use scheduler as scheduling;
pub(crate) use vm::{claim_name, complete_instance, complete_template, machine_uuid, run_strategy};
pub(crate) use volume::{DRIVER as LONGHORN_DRIVER, PROTECTION as CLAIM_PROTECTION};

/// Whether an instance has ended or is being deleted.
pub(crate) fn ended(vmi: &Value) -> bool {
    vmi::is_final(vmi) || object::is_deleting(vmi)
}

/// Annotation of the simulator's own on a pod: the address that it is to have.
pub(crate) fn pod_address_note() -> &'static str {
    pod::ADDRESS
}

/// Finalizer of a `VirtualMachineInstanceMigration`.
pub(crate) fn migration_finalizer() -> &'static str {
    migration::FINALIZER
}

/// All behaviours, in the order in which they look at one change.
pub const ALL: &[Behaviour] = &[
    claims::CLAIMS,
    vm::VM_CONTROLLER,
    binder::BINDER,
    binder::RELEASES,
    binder::PROTECTIONS,
    volume::PROVISIONER,
    volume::RECLAIMS,
    datavolume::DATAVOLUMES,
    volume::ATTACHMENTS,
    scheduler::SCHEDULER,
    pod::KUBELET,
    pod::EXITS,
    domain::DOMAIN,
    guest::GUEST,
    migration::HARVESTER_MARKS,
    migration::MIGRATIONS,
    handover::HANDOVER,
    vmi::VMI_CONTROLLER,
    evacuation::MARKED,
    evacuation::TAINTED,
    maintenance::DRAINS,
    maintenance::MAINTENANCE,
    node::NODES,
    node::LEASES,
    node::STATUS,
    node::HEARTBEAT,
    lifecycle::NODE_LIFECYCLE,
    lifecycle::TAINT_EVICTION,
    lifecycle::UNRESPONSIVE,
    node_down::NODE_DOWN,
    image::IMAGES,
    keeping::KEYPAIRS,
    keeping::SETTINGS,
    keeping::ADDONS,
    keeping::NETWORKS,
    backup::BACKUPS,
    backup::RESTORES,
];

/// A kind of object as the API addresses it: group (`""` for core), version, plural.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Resource {
    /// API group; empty for core.
    pub group: &'static str,
    /// API version that objects are stored in, for example `v1`.
    pub version: &'static str,
    /// Plural, as in the URL.
    pub plural: &'static str,
}

/// What a step may look at: the objects of the cluster at this moment.
pub trait View {
    /// One object, or `None`. `namespace` is empty for cluster-scoped kinds.
    fn get(&self, resource: Resource, namespace: &str, name: &str) -> Option<Arc<Value>>;
    /// All objects of a kind, of one namespace or of all.
    fn list(&self, resource: Resource, namespace: Option<&str>) -> Vec<Arc<Value>>;
    /// Pods and VMIs on a node, volumes of a VM …: objects of a kind that carry this label value (indexed where it matters).
    fn labelled(&self, resource: Resource, namespace: Option<&str>, label: &str, value: &str) -> Vec<Arc<Value>>;
}

/// One thing that a step wants done. The driver does them in order and stops at the first refusal.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Creates the object (metadata.name or generateName inside).
    Create {
        /// Kind.
        resource: Resource,
        /// The whole object.
        object: Value,
    },
    /// JSON merge patch on the main resource, or on its status subresource.
    Merge {
        /// Kind.
        resource: Resource,
        /// Empty for cluster-scoped kinds.
        namespace: String,
        /// Name.
        name: String,
        /// The merge patch.
        patch: Value,
        /// `true`: through `/status` where the kind has that subresource.
        status: bool,
    },
    /// Deletes (finalizers hold as usual).
    Delete {
        /// Kind.
        resource: Resource,
        /// Empty for cluster-scoped kinds.
        namespace: String,
        /// Name.
        name: String,
    },
    /// Records a core/v1 Event about an object (count and lastTimestamp are merged as the recorder does).
    Event {
        /// The object that it is about.
        about: Value,
        /// `Normal` or `Warning`.
        level: &'static str,
        /// CamelCase reason.
        reason: String,
        /// Sentence.
        message: String,
        /// Reporting component.
        source: &'static str,
    },
}

/// What a step decided.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// What to do now.
    pub effects: Vec<Effect>,
    /// Look again after this simulated time even if nothing changes.
    pub again_after: Option<Duration>,
}

impl Outcome {
    /// Nothing to do until something changes.
    #[must_use]
    pub fn rest() -> Self {
        Self::default()
    }

    /// These effects, then rest.
    #[must_use]
    pub fn of(effects: impl IntoIterator<Item = Effect>) -> Self {
        Self { effects: effects.into_iter().collect(), again_after: None }
    }

    /// Look again after `delay` (the sooner one wins); `None` adds nothing.
    #[must_use]
    pub fn again(mut self, delay: impl Into<Option<Duration>>) -> Self {
        self.again_after = match (self.again_after, delay.into()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self
    }
}

/// The moment of a step, given in so that steps stay pure.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    /// Simulated Unix milliseconds.
    pub unix_ms: i64,
    /// A random number of this step, from the world's seeded generator.
    pub random: u64,
}

/// Namespace (empty for cluster-scoped kinds) and name.
pub type Key = (String, String);

/// The objects that a change of this one steps.
pub type Names = fn(&Value) -> Vec<Key>;

/// A behaviour: who plays it, what wakes it, what it does.
#[derive(Clone, Copy)]
pub struct Behaviour {
    /// Name for logs, for example `vm`.
    pub name: &'static str,
    /// The upstream program.
    pub role: Role,
    /// The kind whose objects are stepped.
    pub on: Resource,
    /// Other kinds whose changes (deletions too) step the objects that this names; for example a pod wakes its VMI.
    pub wakes: &'static [(Resource, Names)],
    /// The step. `object` is the newest stored state (with deletionTimestamp while finalizers hold).
    pub step: fn(object: &Value, view: &dyn View, now: Now) -> Outcome,
}

/// What a Harvester setting means now: its value, or its default when that is empty.
///
/// Source: H `pkg/settings/settings.go`; `harvester-api.md` §6.4.
pub(crate) fn effective_setting(view: &dyn View, name: &str) -> Option<String> {
    let setting = view.get(resources::SETTING, "", name)?;
    let filled = |field: &str| setting.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    filled("value").or_else(|| filled("default")).map(str::to_owned)
}
