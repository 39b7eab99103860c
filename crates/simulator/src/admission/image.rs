//! Images, template versions, key pairs.
//!
//! Source: H `pkg/image/common/validator.go`, `pkg/webhook/resources/{templateversion,keypair}/validator.go`;
//! `harvester-api.md` §6.1–§6.3, §10.3.

use super::{Refusal, Verdict, Write, deny_if};
use crate::behave::resources::{BACKUP, IMAGE, PVC, TEMPLATE, TEMPLATE_VERSION};
use crate::behave::{key_fingerprint, object};

pub(super) fn image(write: &Write<'_>) -> Verdict {
    if write.deletes() {
        return in_use(write);
    }
    let display = object::text(write.new, "/spec/displayName");
    deny_if(!is_label_value(display), || {
        Refusal::invalid(format!("displayName {display} is not a valid label value"))
    })?;
    deny_if(write.updates() && write.changes("/spec/displayName"), || {
        Refusal::invalid("displayName cannot be modified")
    })?;
    deny_if(write.updates() && write.changes("/spec/url"), || Refusal::invalid("url cannot be modified"))?;
    let twins = write.view.list(IMAGE, Some(write.namespace()));
    let taken = twins
        .iter()
        .any(|other| object::name(other) != write.name() && object::text(other, "/spec/displayName") == display);
    deny_if(taken, || Refusal::conflict("A resource with the same name exists"))?;
    let (kind, url) = (object::text(write.new, "/spec/sourceType"), object::text(write.new, "/spec/url"));
    deny_if(matches!(kind, "download" | "restore") && url.is_empty(), || {
        Refusal::invalid("url is required when the image source type is download")
    })?;
    deny_if(kind != "download" && kind != "restore" && !url.is_empty(), || {
        Refusal::invalid(format!("url should be empty when the image source type is {kind}"))
    })?;
    let checksum = object::text(write.new, "/spec/checksum");
    let odd = !checksum.is_empty() && (checksum.len() != 128 || !checksum.chars().all(|c| c.is_ascii_hexdigit()));
    deny_if(odd, || Refusal::invalid("checksum should be a SHA-512 hex string"))?;
    let retry = object::number(write.new, "/spec/retry").unwrap_or(3);
    deny_if(!(0..=10).contains(&retry), || Refusal::invalid("retry must be between 0 and 10"))?;
    let cdi = object::text(write.new, "/spec/backend") == "cdi";
    deny_if(cdi && object::text(write.new, "/spec/targetStorageClassName").is_empty(), || {
        Refusal::invalid("targetStorageClassName is required when the image backend is cdi")
    })?;
    let source = object::text(write.new, "/spec/pvcName");
    if kind == "export-from-volume" && write.creates() {
        let space = object::text(write.new, "/spec/pvcNamespace");
        deny_if(write.view.get(PVC, space, source).is_none(), || {
            Refusal::invalid(format!("failed to get PVC {space}/{source}"))
        })?;
    }
    Ok(())
}

fn in_use(write: &Write<'_>) -> Verdict {
    let id = format!("{}/{}", write.namespace(), write.name());
    let versions = write.view.list(TEMPLATE_VERSION, None);
    let version = versions.iter().find(|version| object::text(version, "/spec/imageId") == id);
    if let Some(version) = version {
        return Err(Refusal::bad_request(format!(
            "Cannot delete image {id}: being used by VM template version {}/{}",
            object::namespace(version),
            object::name(version)
        )));
    }
    let claims = write.view.list(PVC, None);
    let claim = claims.iter().find(|claim| object::annotation(claim, "harvesterhci.io/imageId") == Some(id.as_str()));
    if let Some(claim) = claim {
        return Err(Refusal::bad_request(format!(
            "Cannot delete image {id}: being used by volume {}/{}",
            object::namespace(claim),
            object::name(claim)
        )));
    }
    let backups = write.view.list(BACKUP, None);
    let needs = |backup: &serde_json::Value| {
        object::items(backup, "/status/volumeBackups").iter().any(|volume| {
            let annotations = &volume["persistentVolumeClaim"]["metadata"]["annotations"];
            annotations["harvesterhci.io/imageId"] == id.as_str()
        })
    };
    deny_if(backups.iter().any(|backup| needs(backup)), || {
        Refusal::bad_request(format!("Cannot delete image {id}: being used by a VMBackup"))
    })
}

/// A Kubernetes label value: at most 63 of letters, digits, `-_.`, an alphanumeric at both ends.
fn is_label_value(text: &str) -> bool {
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    !text.is_empty()
        && text.len() <= 63
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        && edge(text.chars().next())
        && edge(text.chars().last())
}

pub(super) fn template_version(write: &Write<'_>) -> Verdict {
    if write.updates() {
        return deny_if(write.changes("/spec"), || Refusal::not_allowed("Update templateVersion is not supported"));
    }
    let template = object::text(write.new, "/spec/templateId");
    let (space, name) = template.split_once('/').unwrap_or(("", template));
    let held = write.view.get(TEMPLATE, space, name);
    if write.deletes() {
        let own = format!("{}/{}", write.namespace(), write.name());
        let is_default = held.is_some_and(|held| object::text(&held, "/spec/defaultVersionId") == own);
        return deny_if(is_default, || Refusal::bad_request("Cannot delete the default templateVersion"));
    }
    deny_if(held.is_none(), || Refusal::invalid(format!("template {template} not found")))?;
    let limit = |field: &str| {
        write.new.pointer(&format!("/spec/vm/spec/template/spec/domain/resources/limits/{field}")).is_some()
    };
    deny_if(!limit("cpu") || !limit("memory"), || Refusal::invalid("CPU and memory limits must be set"))
}

pub(super) fn keypair(write: &Write<'_>) -> Verdict {
    let public = object::text(write.new, "/spec/publicKey");
    deny_if(!write.deletes() && public.is_empty(), || Refusal::invalid("public key is required"))?;
    deny_if(!write.deletes() && key_fingerprint(public).is_none(), || {
        Refusal::invalid("key is not in valid OpenSSH public key format")
    })
}
