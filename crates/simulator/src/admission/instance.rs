//! KubeVirt's guard around instances: only its own accounts change their spec.
//!
//! Source: K `pkg/virt-api/webhooks/validating-webhook/admitters/vmi-update-admitter.go`; `harvester-api.md` §1.1.

use super::{Refusal, Verdict, Write, deny_if};
use crate::behave::object;
use std::collections::BTreeMap;

const WEBHOOK: &str = "virtualmachineinstances-update-validator.kubevirt.io";

pub(super) fn validate(write: &Write<'_>) -> Verdict {
    if !write.updates() || write.caller.is_kubevirt {
        return Ok(());
    }
    deny_if(write.changes("/spec"), || Refusal::invalid("update of VMI object is restricted").by(WEBHOOK))?;
    let reserved = |object: Option<&serde_json::Value>| -> BTreeMap<String, String> {
        object
            .into_iter()
            .flat_map(|object| object::map(object, "/metadata/labels"))
            .filter(|(key, _)| key.starts_with("kubevirt.io/"))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect()
    };
    deny_if(reserved(write.old) != reserved(Some(write.new)), || {
        Refusal::invalid("modification of the following reserved kubevirt.io/ labels on a VMI object is prohibited")
            .by(WEBHOOK)
    })
}
