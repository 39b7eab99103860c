//! Admission: what upstream's mutating and validating webhooks do to a write before it is stored.
//!
//! Pure: from (operation, old, new, view) to the object that will be stored or to a refusal with upstream's wording.
//! Mutators run for everyone; validators spare upstream's own programs, whose writes they would never refuse. Rules come
//! from `harvester-api.md` §1.5 and §10; a file decides about one kind of thing.

mod backup;
mod cause;
mod devices;
mod image;
mod instance;
mod kubevirt;
mod migration;
mod mutate;
mod network;
mod node;
mod setting;
mod storage;
#[cfg(test)]
mod tests;
mod vm;

pub use cause::Cause;
pub(crate) use kubevirt::growth_fault;
pub(crate) use mutate::vm as mutate_vm;

use crate::behave::resources::{
    ADDON, BACKUP, CLUSTERNETWORK, DHCP_POOL, IMAGE, KEYPAIR, LB_POOL, LOADBALANCER, NAD, NAMESPACE, NODE, PVC,
    RESTORE, SCHEDULE, SETTING, STORAGECLASS, TEMPLATE_VERSION, VLANCONFIG, VM, VMI, VMIM,
};
use crate::behave::{Resource, View, object};
use crate::scenario::fault::Fault;
use serde_json::Value;

/// The write that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// A new object.
    Create,
    /// A change of the main resource.
    Update,
    /// A removal; `new` is the object as it stands.
    Delete,
    /// A subresource call that has a webhook of its own, for example `start`.
    Connect(&'static str),
}

/// Who asks: the name from the token, and whether it is a service account of KubeVirt's own.
#[derive(Debug, Clone)]
pub struct Caller {
    /// User name as in `SelfSubjectReview`.
    pub user: String,
    /// KubeVirt's own controllers may do what others may not.
    pub is_kubevirt: bool,
}

/// Why a webhook refused; becomes a `Status` with this code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The webhook, for example `validator.harvesterhci.io`.
    pub webhook: &'static str,
    /// HTTP code: 400, 403, 409, 422 …
    pub code: u16,
    /// `Status.reason`, for example `Invalid`; empty where upstream gives none.
    pub reason: &'static str,
    /// The gist, in upstream's words.
    pub message: String,
    /// What exactly is wrong, where the webhook lists it.
    pub causes: Vec<Cause>,
}

/// What a validator says: nothing, or why not.
type Verdict = Result<(), Refusal>;

/// One write under judgement.
struct Write<'a> {
    operation: Operation,
    old: Option<&'a Value>,
    new: &'a Value,
    view: &'a dyn View,
    caller: &'a Caller,
}

impl Refusal {
    /// A refusal by Harvester's webhook with 422.
    fn invalid(message: impl Into<String>) -> Self {
        Self {
            webhook: "validator.harvesterhci.io",
            code: 422,
            reason: "Invalid",
            message: message.into(),
            causes: Vec::new(),
        }
    }

    /// A refusal by Harvester's webhook with 400.
    fn bad_request(message: impl Into<String>) -> Self {
        Self { code: 400, reason: "BadRequest", ..Self::invalid(message) }
    }

    /// A refusal by Harvester's webhook with 409.
    fn conflict(message: impl Into<String>) -> Self {
        Self { code: 409, reason: "Conflict", ..Self::invalid(message) }
    }

    /// A refusal by Harvester's webhook with 405.
    fn not_allowed(message: impl Into<String>) -> Self {
        Self { code: 405, reason: "MethodNotAllowed", ..Self::invalid(message) }
    }

    /// A refusal by Harvester's webhook with 403.
    fn forbidden(message: impl Into<String>) -> Self {
        Self { code: 403, reason: "Forbidden", ..Self::invalid(message) }
    }

    /// The same refusal from another webhook.
    fn by(self, webhook: &'static str) -> Self {
        Self { webhook, ..self }
    }
}

/// Refuses with the first message if `broken`.
fn deny_if(broken: bool, refusal: impl FnOnce() -> Refusal) -> Verdict {
    if broken { Err(refusal()) } else { Ok(()) }
}

/// Runs the mutators, then the validators of `resource`.
pub fn admit(
    resource: Resource,
    operation: Operation,
    old: Option<&Value>,
    new: Value,
    view: &dyn View,
    caller: &Caller,
) -> Result<Value, Refusal> {
    let is_leaving = object::is_deleting(&new) && operation == Operation::Update;
    let new = if operation == Operation::Delete { new } else { mutate::mutate(resource, old, new, view, caller)? };
    // What virt-api writes somebody asked it to write.
    let is_program = caller.user.starts_with("system:serviceaccount:harvester-system:")
        && caller.user != "system:serviceaccount:harvester-system:virt-api";
    if is_program || is_leaving {
        return Ok(new);
    }
    validate(resource, &Write { operation, old, new: &new, view, caller })?;
    Ok(new)
}

/// What KubeVirt's webhook says of a write that it lets through.
pub fn warning(resource: Resource, object: &Value) -> Option<&'static str> {
    let says_running = resource == VM && object.pointer("/spec/running").is_some_and(Value::is_boolean);
    says_running.then_some("spec.running is deprecated, please use spec.runStrategy instead.")
}

fn validate(resource: Resource, write: &Write<'_>) -> Verdict {
    let denied = write.operation != Operation::Delete && Fault::Denied.is_in(object::name(write.new));
    deny_if(denied, || Refusal::forbidden("the object is denied by the policy of this cluster"))?;
    match resource {
        VM => vm::validate(write),
        VMI => instance::validate(write),
        VMIM => migration::validate(write),
        _ if resource.group == "snapshot.kubevirt.io" => kubevirt::snapshot(write, resource.plural),
        BACKUP => backup::backup(write),
        RESTORE => backup::restore(write),
        SCHEDULE => backup::schedule(write),
        IMAGE => image::image(write),
        TEMPLATE_VERSION => image::template_version(write),
        KEYPAIR => image::keypair(write),
        NAD => network::nad(write),
        CLUSTERNETWORK => network::cluster_network(write),
        VLANCONFIG => network::vlan_config(write),
        LB_POOL => network::load_balancer_pool(write),
        LOADBALANCER => network::load_balancer(write),
        DHCP_POOL => network::dhcp_pool(write),
        PVC => storage::claim(write),
        STORAGECLASS => storage::class(write),
        NODE => node::node(write),
        NAMESPACE => node::namespace(write),
        SETTING => setting::setting(write),
        ADDON => setting::addon(write),
        _ => Ok(()),
    }
}

impl Write<'_> {
    fn creates(&self) -> bool {
        self.operation == Operation::Create
    }

    fn updates(&self) -> bool {
        self.operation == Operation::Update
    }

    fn deletes(&self) -> bool {
        self.operation == Operation::Delete
    }

    /// Whether what stands at this pointer is new or different.
    fn changes(&self, pointer: &str) -> bool {
        self.old.is_none_or(|old| old.pointer(pointer) != self.new.pointer(pointer))
    }

    fn namespace(&self) -> &str {
        object::namespace(self.new)
    }

    fn name(&self) -> &str {
        object::name(self.new)
    }
}
