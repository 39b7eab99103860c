//! Harvester's VM validator; KubeVirt's follows it.
//!
//! Source: H `pkg/webhook/resources/virtualmachine/validator.go`; `harvester-api.md` §10.1.

use super::{Operation, Refusal, Verdict, Write, deny_if, devices, kubevirt};
use crate::behave::quantity::{bytes, bytes_of, millicores_of};
use crate::behave::resources::{BACKUP, IMAGE, NAD, PVC, QUOTA, STORAGECLASS, VM};
use crate::behave::{claim_name, claim_templates, effective_setting, object};
use crate::world::facts::{CLAIM, MAC, spelled};
use serde_json::Value;

const STRATEGIES: &[&str] = &["Migrate", "ShutdownAndRestartAfterEnable", "ShutdownAndRestartAfterDisable", "Shutdown"];
const TEMPLATES: &str = "/metadata/annotations/harvesterhci.io~1volumeClaimTemplates";

pub(super) fn validate(write: &Write<'_>) -> Verdict {
    match write.operation {
        Operation::Delete => Ok(()),
        Operation::Connect(action) => connect(write, action),
        Operation::Create | Operation::Update => {
            maintenance(write)?;
            grace(write)?;
            memory(write)?;
            templates(write)?;
            volumes(write)?;
            addresses(write)?;
            quota(write)?;
            stop_during_backup(write)?;
            kubevirt::vm(write)?;
            devices::validate(write)
        }
    }
}

fn maintenance(write: &Write<'_>) -> Verdict {
    let strategy = object::label(write.new, "harvesterhci.io/maintain-mode-strategy");
    deny_if(strategy.is_some_and(|strategy| !STRATEGIES.contains(&strategy)), || {
        Refusal::invalid(format!("invalid maintenance mode strategy: {}", strategy.unwrap_or_default()))
    })
}

fn grace(write: &Write<'_>) -> Verdict {
    let grace = object::number(write.new, "/spec/template/spec/terminationGracePeriodSeconds");
    deny_if(grace.is_some_and(|grace| grace < 0), || Refusal::invalid("Termination grace period can't be negative"))
}

fn memory(write: &Write<'_>) -> Verdict {
    let at = |pointer: &str| write.new.pointer(&format!("/spec/template/spec/domain{pointer}"));
    if write.new.pointer("/spec/template/spec").is_none() {
        return Ok(());
    }
    let limit = at("/resources/limits/memory").and_then(bytes_of);
    let guest = at("/memory/guest").and_then(bytes_of);
    deny_if(limit.is_none() && guest.is_none(), || {
        Refusal::invalid("either memory.guest or resources.limits.memory must be set")
    })?;
    let Some(reserved) = object::annotation(write.new, "harvesterhci.io/reservedMemory") else { return Ok(()) };
    deny_if(reserved.trim_start().starts_with('-'), || Refusal::invalid("reservedMemory cannot be less than 0"))?;
    let (Some(reserved), Some(limit)) = (bytes(reserved), limit) else { return Ok(()) };
    deny_if(reserved >= limit, || Refusal::invalid("reservedMemory cannot be equal or greater than limits.memory"))?;
    deny_if(guest.is_some_and(|guest| guest + reserved > limit), || {
        Refusal::invalid("guest memory plus reservedMemory cannot exceed limits.memory")
    })
}

fn templates(write: &Write<'_>) -> Verdict {
    let Some(text) = write.new.pointer(TEMPLATES).and_then(Value::as_str) else { return Ok(()) };
    if !write.changes(TEMPLATES) {
        return Ok(());
    }
    let parsed: Result<Vec<Value>, _> = serde_json::from_str(text);
    let claims = parsed
        .map_err(|error| Refusal::invalid(format!("the volumeClaimTemplates annotation is invalid, error: {error}")))?;
    for claim in &claims {
        template(write, claim)?;
    }
    let Some(old) = write.old else { return Ok(()) };
    for before in claim_templates(old) {
        let Some(after) = claims.iter().find(|claim| object::name(claim) == object::name(&before)) else { continue };
        let size = |claim: &Value| claim.pointer("/spec/resources/requests/storage").and_then(bytes_of).unwrap_or(0);
        let name = object::name(&before);
        deny_if(size(after) < size(&before), || {
            Refusal::invalid(format!("PVC_EXPAND: the size of {name} cannot be less than its current size"))
        })?;
        let class = |claim: &Value| object::text(claim, "/spec/storageClassName").to_owned();
        deny_if(class(after) != class(&before), || {
            Refusal::invalid(format!(
                "storage class names in the volumeClaimTemplates annotation cannot be changed: {name}"
            ))
        })?;
    }
    let moving = claims.iter().filter(|claim| !object::text(claim, "/targetVolume").is_empty()).count();
    deny_if(moving > 1, || Refusal::invalid("only one volume migration is allowed at a time"))
}

fn template(write: &Write<'_>, claim: &Value) -> Verdict {
    let name = object::name(claim);
    deny_if(name.is_empty(), || Refusal::invalid("the volumeClaimTemplates annotation is invalid, PVC name is empty"))?;
    let Some(image) = object::annotation(claim, "harvesterhci.io/imageId").filter(|id| !id.is_empty()) else {
        return Ok(());
    };
    let (namespace, image_name) = image.split_once('/').ok_or_else(|| {
        Refusal::invalid(format!("the volumeClaimTemplates annotation is invalid, bad imageId {image}"))
    })?;
    let found = write.view.get(IMAGE, namespace, image_name).ok_or_else(|| {
        Refusal::invalid(format!("the volumeClaimTemplates annotation is invalid, image {image} not found"))
    })?;
    let (class, wanted) =
        (object::text(claim, "/spec/storageClassName"), object::text(&found, "/status/storageClassName"));
    let is_plain = object::text(&found, "/spec/backend") != "cdi";
    deny_if(is_plain && !wanted.is_empty() && class != wanted, || {
        Refusal::invalid(format!(
            "the volumeClaimTemplates annotation is invalid, imageId {image} does not match storage class {class}"
        ))
    })
}

fn claims(vm: &Value) -> impl Iterator<Item = &str> {
    object::items(vm, "/spec/template/spec/volumes").iter().map(claim_name).filter(|claim| !claim.is_empty())
}

fn volumes(write: &Write<'_>) -> Verdict {
    if !write.changes("/spec/template/spec/volumes") {
        return Ok(());
    }
    let ours: Vec<&str> = claims(write.new).collect();
    if ours.is_empty() {
        return Ok(());
    }
    for claim in &ours {
        let Some(held) = write.view.get(PVC, write.namespace(), claim) else { continue };
        deny_if(object::annotation(&held, "harvesterhci.io/goldenImage") == Some("true"), || {
            Refusal::invalid(format!(
                "PVC {}/{claim} is a golden image, it can't be used as a volume in VM",
                write.namespace()
            ))
        })?;
    }
    for claim in ours {
        let users = write.view.labelled(VM, Some(write.namespace()), CLAIM, claim);
        let Some(other) = users.iter().find(|other| object::name(other) != write.name()) else { continue };
        deny_if(!is_shareable(write, claim), || {
            Refusal::invalid(format!(
                "the volume {claim} is already used by other VM {}/{}",
                write.namespace(),
                object::name(other)
            ))
        })?;
    }
    Ok(())
}

/// RWX and not Longhorn (1.5+).
fn is_shareable(write: &Write<'_>, claim: &str) -> bool {
    let Some(held) = write.view.get(PVC, write.namespace(), claim) else { return false };
    let shared = object::items(&held, "/spec/accessModes").iter().any(|mode| mode == "ReadWriteMany");
    let class = write.view.get(STORAGECLASS, "", object::text(&held, "/spec/storageClassName"));
    let is_longhorn = class.is_none_or(|class| object::text(&class, "/provisioner") == crate::behave::LONGHORN_DRIVER);
    shared && !is_longhorn
}

/// MACs of a VM with the cluster network that each is in.
fn macs(vm: &Value, write: &Write<'_>) -> Vec<(String, String)> {
    let networks = object::items(vm, "/spec/template/spec/networks");
    let interfaces = object::items(vm, "/spec/template/spec/domain/devices/interfaces");
    interfaces
        .iter()
        .filter_map(|interface| {
            let mac = spelled(object::text(interface, "/macAddress"));
            let network = networks.iter().find(|network| network["name"] == interface["name"])?;
            let full = object::text(network, "/multus/networkName");
            let (namespace, name) = full.split_once('/').unwrap_or((object::namespace(vm), full));
            let nad = write.view.get(NAD, namespace, name)?;
            let cluster_network = object::label(&nad, "network.harvesterhci.io/clusternetwork")?;
            (!mac.is_empty()).then(|| (mac, cluster_network.to_owned()))
        })
        .collect()
}

/// No MAC twice in a cluster network, from Harvester 1.5 on.
fn addresses(write: &Write<'_>) -> Verdict {
    if effective_setting(write.view, "server-version").is_some_and(|version| version.starts_with("v1.4")) {
        return Ok(());
    }
    let touched = ["/spec/template/spec/domain/devices/interfaces", "/spec/template/spec/networks"];
    if !touched.iter().any(|pointer| write.changes(pointer)) {
        return Ok(());
    }
    let ours = macs(write.new, write);
    if ours.is_empty() {
        return Ok(());
    }
    let others = ours.iter().flat_map(|(mac, _)| write.view.labelled(VM, None, MAC, mac));
    for other in others {
        if object::name(&other) == write.name() && object::namespace(&other) == write.namespace() {
            continue;
        }
        if let Some((mac, network)) = macs(&other, write).into_iter().find(|held| ours.contains(held)) {
            return Err(Refusal::invalid(format!(
                "duplicate mac address {mac} for cluster network {network}: it is used by VM {}/{}",
                object::namespace(&other),
                object::name(&other)
            )));
        }
    }
    Ok(())
}

/// Limits of the core ResourceQuotas of the namespace.
fn quota(write: &Write<'_>) -> Verdict {
    let starts = |vm: &Value| crate::behave::run_strategy(vm) != "Halted";
    let begins = starts(write.new) && write.old.is_none_or(|old| !starts(old));
    if !begins {
        return Ok(());
    }
    for quota in write.view.list(QUOTA, Some(write.namespace())) {
        for (field, word, read) in [
            ("cpu", "cpu", millicores_of as fn(&Value) -> Option<u64>),
            ("memory", "memory", bytes_of as fn(&Value) -> Option<u64>),
        ] {
            let Some(hard) = quota.pointer(&format!("/spec/hard/limits.{field}")).and_then(read) else { continue };
            let limit = |vm: &Value| {
                vm.pointer(&format!("/spec/template/spec/domain/resources/limits/{field}")).and_then(read).unwrap_or(0)
            };
            let others = write.view.list(VM, Some(write.namespace()));
            let used: u64 =
                others.iter().filter(|vm| starts(vm) && object::name(vm) != write.name()).map(|vm| limit(vm)).sum();
            deny_if(used + limit(write.new) > hard, || {
                Refusal::invalid(format!("{word} insufficient resources due to resource quota"))
            })?;
        }
    }
    Ok(())
}

fn backup_in_progress(write: &Write<'_>) -> Option<String> {
    let backups = write.view.list(BACKUP, Some(write.namespace()));
    let open = backups.iter().find(|backup| {
        object::text(backup, "/spec/source/name") == write.name()
            && !object::flag(backup, "/status/readyToUse")
            && object::text(backup, "/status/error/message").is_empty()
    })?;
    Some(object::name(open).to_owned())
}

fn in_progress(write: &Write<'_>) -> Verdict {
    match backup_in_progress(write) {
        Some(_) => Err(Refusal::invalid(format!(
            "there is vmbackup in progress for vm {}/{}, please wait for the vmbackup or remove it before stop/restart the vm",
            write.namespace(),
            write.name()
        ))),
        None => Ok(()),
    }
}

fn stop_during_backup(write: &Write<'_>) -> Verdict {
    let strategy = |vm: &Value| crate::behave::run_strategy(vm).to_owned();
    let stops =
        write.updates() && strategy(write.new) == "Halted" && write.old.is_some_and(|old| strategy(old) != "Halted");
    if stops { in_progress(write) } else { Ok(()) }
}

/// Subresources that Harvester's webhook watches.
fn connect(write: &Write<'_>, action: &str) -> Verdict {
    match action {
        "stop" | "restart" => in_progress(write),
        "start" => {
            let mut started = write.new.clone();
            started["spec"]["runStrategy"] = serde_json::json!("Always");
            let mut halted = write.new.clone();
            halted["spec"]["runStrategy"] = serde_json::json!("Halted");
            quota(&Write {
                operation: Operation::Update,
                old: Some(&halted),
                new: &started,
                view: write.view,
                caller: write.caller,
            })
        }
        _ => Ok(()),
    }
}
