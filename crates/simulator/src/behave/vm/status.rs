//! What a VM's status shows: `printableStatus`, `created`, `ready`, conditions, open requests.
//!
//! The order of [`PRINTABLE`] is upstream's and is the rule: the first claim that holds gives the word.
//!
//! Source: K `pkg/virt-controller/watch/vm/vm.go` (`setPrintableStatus`, `syncConditions`); `harvester-api.md` §1.7.

use super::strategy::{Decision, run_strategy};
use crate::behave::object::{self, condition, is_true};
use crate::behave::resources::{DATAVOLUME, PVC, STORAGECLASS, VOLUMESNAPSHOTCLASS};
use crate::behave::{Now, View};
use serde_json::{Value, json};

/// VMI conditions that appear on the VM too.
const COPIED: &[&str] = &[
    "Ready",
    "Paused",
    "AgentConnected",
    "LiveMigratable",
    "StorageLiveMigratable",
    "VolumesChange",
    "DataVolumesReady",
    "HotVCPUChange",
    "HotMemoryChange",
    "MigrationRequired",
];

struct Sight<'a> {
    vm: &'a Value,
    vmi: Option<&'a Value>,
    view: &'a dyn View,
    decision: &'a Decision,
}

type Claim = fn(&Sight<'_>) -> bool;

/// Words in upstream's order.
const PRINTABLE: &[(&str, Claim)] = &[
    ("Terminating", |s| object::is_deleting(s.vm)),
    ("Stopping", |s| s.vmi.is_some_and(|vmi| object::is_deleting(vmi) && !super::super::vmi::is_final(vmi))),
    ("Migrating", |s| s.vmi.is_some_and(super::super::migration::is_migrating)),
    ("Paused", |s| s.vmi.is_some_and(|vmi| is_true(vmi, "Paused"))),
    ("Running", |s| s.phase() == "Running"),
    ("ErrorPvcNotFound", |s| s.has_reason("Synchronized", "FailedPvcNotFound")),
    ("DataVolumeError", |s| s.data_volumes(|phase| phase == "Failed")),
    ("ErrorUnschedulable", |s| s.has_reason("PodScheduled", "Unschedulable")),
    ("Provisioning", |s| s.data_volumes(|phase| !matches!(phase, "Succeeded" | "Failed" | "WaitForFirstConsumer"))),
    ("WaitingForVolumeBinding", |s| s.decision.wants_instance && s.has_unbound_claim()),
    ("ErrImagePull", |s| s.has_reason("Synchronized", "ErrImagePull")),
    ("ImagePullBackOff", |s| s.has_reason("Synchronized", "ImagePullBackOff")),
    ("Starting", |s| s.is_starting()),
    ("CrashLoopBackOff", |s| s.is_crash_looping()),
    ("Stopped", |s| s.vmi.is_none_or(super::super::vmi::is_final)),
    ("WaitingForReceiver", |s| s.phase() == "WaitingForSync"),
];

impl Sight<'_> {
    fn phase(&self) -> &str {
        self.vmi.map(|vmi| object::text(vmi, "/status/phase")).unwrap_or_default()
    }

    fn has_reason(&self, kind: &str, reason: &str) -> bool {
        let held = self.vmi.and_then(|vmi| condition(vmi, kind));
        held.is_some_and(|held| held["status"] == "False" && held["reason"] == reason)
    }

    fn volumes(&self) -> &[Value] {
        object::items(self.vm, "/spec/template/spec/volumes")
    }

    fn data_volumes(&self, is: fn(&str) -> bool) -> bool {
        let namespace = object::namespace(self.vm);
        self.decision.wants_instance
            && self.volumes().iter().any(|volume| {
                let name = match (object::text(volume, "/dataVolume/name"), claim_name(volume)) {
                    ("", claim) => claim,
                    (name, _) => name,
                };
                !name.is_empty()
                    && view_get(self.view, DATAVOLUME, namespace, name)
                        .is_some_and(|held| is(object::text(&held, "/status/phase")))
            })
    }

    fn has_unbound_claim(&self) -> bool {
        let namespace = object::namespace(self.vm);
        self.volumes().iter().map(claim_name).filter(|claim| !claim.is_empty()).any(|claim| {
            view_get(self.view, PVC, namespace, claim)
                .is_some_and(|held| object::text(&held, "/status/phase") != "Bound")
        })
    }

    fn is_starting(&self) -> bool {
        let in_progress = matches!(self.phase(), "Pending" | "Scheduling" | "Scheduled")
            || (self.vmi.is_some() && self.phase().is_empty());
        in_progress || self.decision.start
    }

    /// Failed starts are being counted and there is no instance that runs: before, between and while it is replaced.
    fn is_crash_looping(&self) -> bool {
        let failed = object::number(&self.decision.start_failure, "/consecutiveFailCount").unwrap_or(0) > 0;
        failed && run_strategy(self.vm) != "Halted" && self.vmi.is_none_or(super::super::vmi::is_final)
    }
}

fn view_get(
    view: &dyn View,
    resource: crate::behave::Resource,
    namespace: &str,
    name: &str,
) -> Option<std::sync::Arc<Value>> {
    view.get(resource, namespace, name)
}

/// The PVC of a volume of a VM: of its own name or the one that a DataVolume of that name makes.
pub(crate) fn claim_name(volume: &Value) -> &str {
    match object::text(volume, "/persistentVolumeClaim/claimName") {
        "" => object::text(volume, "/dataVolume/name"),
        claim => claim,
    }
}

/// The whole status as it should stand; fields to remove are null.
pub(super) fn status(vm: &Value, vmi: Option<&Value>, view: &dyn View, decision: &Decision, now: Now) -> Value {
    let sight = Sight { vm, vmi, view, decision };
    let word = PRINTABLE.iter().find(|(_, holds)| holds(&sight)).map_or("Unknown", |(word, _)| word);
    let created = vmi.is_some_and(|vmi| !super::super::vmi::is_final(vmi));
    let ready = vmi.is_some_and(|vmi| is_true(vmi, "Ready"));
    let requests = if decision.requests.is_empty() { Value::Null } else { json!(decision.requests) };
    let truth = |held: bool| if held { json!(true) } else { Value::Null };
    json!({
        "printableStatus": word,
        "created": truth(created),
        "ready": truth(ready),
        "runStrategy": run_strategy(vm),
        "stateChangeRequests": requests,
        "startFailure": decision.start_failure,
        "conditions": conditions(vm, vmi, now),
        "volumeSnapshotStatuses": snapshot_statuses(vm, view),
        "observedGeneration": vm["metadata"]["generation"],
        "desiredGeneration": vm["metadata"]["generation"],
    })
}

fn conditions(vm: &Value, vmi: Option<&Value>, now: Now) -> Vec<Value> {
    let mut all: Vec<Value> = object::items(vm, "/status/conditions")
        .iter()
        .filter(|held| !COPIED.iter().any(|copied| held["type"] == *copied))
        .cloned()
        .collect();
    match vmi {
        None => {
            object::drop_condition(&mut all, "RestartRequired");
            let old = condition(vm, "Ready").filter(|held| held["status"] == "False").cloned();
            all.extend(old);
            object::set_condition(&mut all, "Ready", false, "VMINotExists", "VMI does not exist", now);
        }
        Some(vmi) => {
            all.extend(COPIED.iter().filter_map(|kind| condition(vmi, kind).cloned()));
            if needs_restart(vm, vmi) {
                let message = "a non-live-updatable field was changed in the template spec";
                object::set_condition(&mut all, "RestartRequired", true, "RestartRequired", message, now);
            }
        }
    }
    all
}

/// Whether the template now says something that a running instance cannot take over.
fn needs_restart(vm: &Value, vmi: &Value) -> bool {
    if super::super::vmi::is_final(vmi) {
        return false;
    }
    let differs = |pointer: &str| {
        let wanted = object::at(vm, &format!("/spec/template/spec{pointer}"));
        wanted.is_some_and(|wanted| object::at(vmi, &format!("/spec{pointer}")) != Some(wanted))
    };
    let sockets = object::number(vm, "/spec/template/spec/domain/cpu/sockets");
    let above = sockets > object::number(vmi, "/spec/domain/cpu/maxSockets").or(sockets);
    let below = sockets < object::number(vmi, "/spec/domain/cpu/sockets");
    ["/domain/cpu/cores", "/domain/cpu/threads", "/domain/firmware/bootloader", "/domain/resources/limits", "/hostname"]
        .into_iter()
        .any(differs)
        || above
        || (sockets.is_some() && below)
}

/// Whether KubeVirt could snapshot each volume: one snapshot class of its driver, or a default among several.
///
/// Source: K `pkg/storage/snapshot/snapshot.go` (`getVolumeSnapshotStatus`, `getVolumeSnapshotClassName`).
fn snapshot_statuses(vm: &Value, view: &dyn View) -> Vec<Value> {
    object::items(vm, "/spec/template/spec/volumes")
        .iter()
        .map(|volume| {
            let name = object::text(volume, "/name");
            match snapshot_obstacle(vm, volume, view) {
                Some(reason) => json!({"name": name, "enabled": false, "reason": reason}),
                None => json!({"name": name, "enabled": true}),
            }
        })
        .collect()
}

fn snapshot_obstacle(vm: &Value, volume: &Value, view: &dyn View) -> Option<String> {
    let name = object::text(volume, "/name");
    if claim_name(volume).is_empty() {
        return Some(format!("Snapshot is not supported for this volumeSource type [{name}]"));
    }
    let claim = view.get(PVC, object::namespace(vm), claim_name(volume));
    let class_name = claim.as_deref().map(|claim| object::text(claim, "/spec/storageClassName")).unwrap_or_default();
    let driver = view.get(STORAGECLASS, "", class_name)?;
    let classes = view.list(VOLUMESNAPSHOTCLASS, None);
    let ours: Vec<_> = classes.iter().filter(|class| class["driver"] == driver["provisioner"]).collect();
    let has_default =
        ours.iter().any(|class| object::annotation(class, "snapshot.storage.kubernetes.io/is-default-class").is_some());
    match ours.len() {
        0 => Some(format!(
            "No VolumeSnapshotClass: Volume snapshots are not configured for this StorageClass [{class_name}] [{name}]"
        )),
        1 => None,
        _ if has_default => None,
        many => Some(format!("{many} matching VolumeSnapshotClasses for {class_name}")),
    }
}
