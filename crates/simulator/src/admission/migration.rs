//! KubeVirt's guard at the creation of a migration.
//!
//! Source: K `pkg/virt-api/webhooks/validating-webhook/admitters/migration-create-admitter.go`; `harvester-api.md` §3.6.

use super::{Refusal, Verdict, Write, deny_if};
use crate::behave::object;
use crate::behave::resources::{VMI, VMIM};

const CREATE: &str = "migration-create-validator.kubevirt.io";
const UPDATE: &str = "migration-update-validator.kubevirt.io";

pub(super) fn validate(write: &Write<'_>) -> Verdict {
    if write.updates() {
        deny_if(write.changes("/spec"), || {
            Refusal::invalid("update of Migration object's spec is restricted").by(UPDATE)
        })?;
        return deny_if(write.changes("/metadata/labels/kubevirt.io~1vmi-name"), || {
            Refusal::invalid("selector label can't be modified").by(UPDATE)
        });
    }
    if !write.creates() {
        return Ok(());
    }
    let (namespace, name) = (write.namespace(), object::text(write.new, "/spec/vmiName"));
    deny_if(name.is_empty(), || Refusal::invalid("vmiName is missing").by(CREATE))?;
    deny_if(!object::text(write.new, "/spec/priority").is_empty(), || {
        Refusal::invalid("priority can only be set by virt-controller").by(CREATE)
    })?;
    let vmi = write.view.get(VMI, namespace, name);
    let Some(vmi) = vmi else {
        let message = format!("the VMI \"{namespace}/{name}\" does not exist");
        return Err(Refusal { code: 404, reason: "NotFound", ..Refusal::invalid(message) }.by(CREATE));
    };
    let is_final = matches!(object::text(&vmi, "/status/phase"), "Succeeded" | "Failed");
    deny_if(is_final, || Refusal::invalid("Cannot migrate VMI in finalized state.").by(CREATE))?;
    if let Some(held) = object::condition(&vmi, "LiveMigratable").filter(|held| held["status"] == "False") {
        let (reason, message) = (object::text(held, "/reason"), object::text(held, "/message"));
        let gist = format!("Cannot migrate VMI, Reason: {reason}, Message: {message}");
        return Err(Refusal::invalid(gist).by(CREATE));
    }
    let others = write.view.labelled(VMIM, Some(namespace), "kubevirt.io/vmi-name", name);
    let active = others.iter().find(|other| !matches!(object::text(other, "/status/phase"), "Succeeded" | "Failed"));
    match active {
        Some(other) => Err(Refusal::invalid(format!(
            "in-flight migration detected. Active migration job ({}) is currently already in progress for VMI {name}.",
            object::uid(other)
        ))
        .by(CREATE)),
        None => Ok(()),
    }
}
