//! KubeVirt's guard at the creation of a migration, and that it stays what it is.
//!
//! Source: K `pkg/virt-api/webhooks/validating-webhook/admitters/migration-{create,update}-admitter.go`; `harvester-api.md` §3.6.

use super::cause::{Causes, plain};
use super::{Verdict, Write, deny_if};
use crate::behave::object;
use crate::behave::resources::{VMI, VMIM};

const CREATE: &str = "migration-create-validator.kubevirt.io";
const UPDATE: &str = "migration-update-validator.kubevirt.io";
const LABEL: &str = "/metadata/labels/kubevirt.io~1vmi-name";

pub(super) fn validate(write: &Write<'_>) -> Verdict {
    if write.updates() {
        return update(write);
    }
    if !write.creates() {
        return Ok(());
    }
    let (namespace, name) = (write.namespace(), object::text(write.new, "/spec/vmiName"));
    let mut causes = Causes::default();
    if name.is_empty() {
        causes.required("spec.vmiName", "vmiName is missing");
    } else if write.new.pointer("/spec/priority").is_some_and(|priority| !priority.is_null()) {
        let message = "MigrationPriorityQueue feature gate is not enabled in kubevirt resource";
        causes.add("FieldValueForbidden", "spec.migrationPriority", message);
    }
    causes.verdict(CREATE)?;
    let vmi = write.view.get(VMI, namespace, name);
    let vmi = vmi.ok_or_else(|| plain(CREATE, format!("the VMI \"{namespace}/{name}\" does not exist")))?;
    let is_final = matches!(object::text(&vmi, "/status/phase"), "Succeeded" | "Failed");
    deny_if(is_final, || plain(CREATE, "Cannot migrate VMI in finalized state."))?;
    if let Some(held) = object::condition(&vmi, "LiveMigratable").filter(|held| held["status"] == "False") {
        let (reason, message) = (object::text(held, "/reason"), object::text(held, "/message"));
        return Err(plain(CREATE, format!("Cannot migrate VMI, Reason: {reason}, Message: {message}")));
    }
    let others = write.view.labelled(VMIM, Some(namespace), "kubevirt.io/vmi-name", name);
    let active = others.iter().find(|other| !matches!(object::text(other, "/status/phase"), "Succeeded" | "Failed"));
    match active {
        Some(other) => Err(plain(
            CREATE,
            format!(
                "in-flight migration detected. Active migration job ({}) is currently already in progress for VMI {name}.",
                object::uid(other)
            ),
        )),
        None => Ok(()),
    }
}

fn update(write: &Write<'_>) -> Verdict {
    let mut causes = Causes::default();
    let is_open = !matches!(object::text(write.new, "/status/phase"), "Succeeded" | "Failed");
    if write.changes("/spec") {
        causes.unsupported("", "update of Migration object's spec is restricted");
    } else if is_open && write.old.is_some_and(|old| old.pointer(LABEL).is_some()) && write.changes(LABEL) {
        let has_labels = write.new.pointer("/metadata/labels").is_some();
        let verb = if has_labels { "modified on" } else { "removed from" };
        causes.unsupported("", format!("selector label can't be {verb} an in-flight migration"));
    }
    causes.verdict(UPDATE)
}
