//! Claims and storage classes.
//!
//! Source: H `pkg/webhook/resources/{persistentvolumeclaim,storageclass}/validator.go`, `pkg/webhook/util/volume.go`;
//! `harvester-api.md` §8.1, §8.2, §8.6.

use super::{Refusal, Verdict, Write, deny_if};
use crate::behave::quantity::bytes_of;
use crate::behave::resources::{IMAGE, PVC, VM};
use crate::behave::{effective_setting, object};
use crate::world::facts::CLAIM;
use serde_json::Value;

const INTERNAL: &[&str] = &["longhorn-static", "vmstate-persistence"];

pub(super) fn claim(write: &Write<'_>) -> Verdict {
    let (namespace, name) = (write.namespace(), write.name());
    if write.creates() {
        let class = object::text(write.new, "/spec/storageClassName");
        return deny_if(INTERNAL.contains(&class), || {
            Refusal::invalid(format!("storage class {class} is reserved by Harvester and can't be used"))
        });
    }
    if write.deletes() {
        deny_if(object::annotation(write.new, "harvesterhci.io/goldenImage") == Some("true"), || {
            Refusal::bad_request(format!("can not delete PVC {namespace}/{name}, it is a golden image"))
        })?;
        if let Some(vm) = user(write) {
            return Err(Refusal::bad_request(format!(
                "can not delete the volume {name} which is currently attached to VMs: {namespace}/{vm}"
            )));
        }
        let images = write.view.list(IMAGE, None);
        let exporting = images.iter().any(|image| {
            object::text(image, "/spec/pvcName") == name
                && object::text(image, "/spec/pvcNamespace") == namespace
                && !object::is_true(image, "Imported")
        });
        return deny_if(exporting, || {
            Refusal::bad_request(format!("can not delete volume {namespace}/{name} which is exporting to an image"))
        });
    }
    let size = |claim: Option<&Value>| {
        claim.and_then(|claim| claim.pointer("/spec/resources/requests/storage").and_then(bytes_of)).unwrap_or(0)
    };
    let (before, after) = (size(write.old), size(Some(write.new)));
    if after < before {
        let message = format!(
            "PersistentVolumeClaim \"{name}\" is invalid: spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"
        );
        return Err(Refusal { code: 403, reason: "Forbidden", ..Refusal::invalid(message) });
    }
    if after > before && user_runs(write) {
        let drivers = effective_setting(write.view, "csi-online-expand-validation").unwrap_or_default();
        let drivers: Value = serde_json::from_str(&drivers).unwrap_or_default();
        let can = drivers.get(crate::behave::LONGHORN_DRIVER) == Some(&Value::Bool(true));
        return deny_if(!can, || {
            Refusal::invalid(format!("PVC_EXPAND: the volume {namespace}/{name} can't be expanded online"))
        });
    }
    Ok(())
}

fn vm_of(write: &Write<'_>) -> Option<std::sync::Arc<Value>> {
    let vms = write.view.labelled(VM, Some(write.namespace()), CLAIM, write.name());
    vms.into_iter().find(|vm| !object::is_deleting(vm))
}

fn user(write: &Write<'_>) -> Option<String> {
    vm_of(write).map(|vm| object::name(&vm).to_owned())
}

fn user_runs(write: &Write<'_>) -> bool {
    vm_of(write).is_some_and(|vm| object::text(&vm, "/status/printableStatus") != "Stopped")
}

pub(super) fn class(write: &Write<'_>) -> Verdict {
    let name = write.name();
    if write.deletes() {
        let reserved = object::annotation(write.new, "harvesterhci.io/is-reserved-storageclass") == Some("true");
        deny_if(reserved, || {
            Refusal::invalid(format!("storage class {name} is reserved by Harvester and can't be deleted"))
        })?;
        let claims = write.view.list(PVC, None);
        let used = claims.iter().find(|claim| object::text(claim, "/spec/storageClassName") == name);
        return match used {
            Some(claim) => Err(Refusal::bad_request(format!(
                "storage class {name} is used by PVC {}/{}",
                object::namespace(claim),
                object::name(claim)
            ))),
            None => Ok(()),
        };
    }
    let locality = object::text(write.new, "/parameters/dataLocality");
    deny_if(locality == "strict-local", || {
        Refusal::invalid("storage class with strict-local data locality is not supported")
    })?;
    let default =
        |class: &Value| object::annotation(class, "storageclass.kubernetes.io/is-default-class") == Some("true");
    if !default(write.new) || write.old.is_some_and(default) {
        return Ok(());
    }
    let classes = write.view.list(crate::behave::resources::STORAGECLASS, None);
    let other = classes.iter().find(|class| object::name(class) != name && default(class));
    match other {
        Some(other) => Err(Refusal::invalid(format!(
            "default storage class {} already exists, please reset it first",
            object::name(other)
        ))),
        None => Ok(()),
    }
}
