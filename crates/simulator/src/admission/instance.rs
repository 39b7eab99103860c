//! KubeVirt's guard around instances: what is created must be a machine, and only its own accounts change it.
//!
//! Source: K `pkg/virt-api/webhooks/validating-webhook/admitters/vmi-{create,update}-admitter.go`; `harvester-api.md` §1.1.

use super::cause::Causes;
use super::{Verdict, Write, kubevirt};
use crate::behave::object;
use std::collections::BTreeMap;

const CREATE: &str = "virtualmachineinstances-create-validator.kubevirt.io";
const UPDATE: &str = "virtualmachineinstances-update-validator.kubevirt.io";

pub(super) fn validate(write: &Write<'_>) -> Verdict {
    if write.creates() {
        return kubevirt::instance(write, CREATE);
    }
    if !write.updates() || write.caller.is_kubevirt {
        return Ok(());
    }
    let mut causes = Causes::default();
    if write.changes("/spec") {
        causes.unsupported("", "update of VMI object is restricted");
        return causes.verdict(UPDATE);
    }
    let reserved = |object: Option<&serde_json::Value>| -> BTreeMap<String, String> {
        object
            .into_iter()
            .flat_map(|object| object::map(object, "/metadata/labels"))
            .filter(|(key, _)| kubevirt::RESERVED.contains(key))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect()
    };
    if reserved(write.old) != reserved(Some(write.new)) {
        let message = "modification of the following reserved kubevirt.io/ labels on a VMI object is prohibited";
        causes.unsupported("", message);
    }
    causes.verdict(UPDATE)
}
