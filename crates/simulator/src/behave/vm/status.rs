//! What a VM's status shows: `printableStatus`, `created`, `ready`, conditions, open requests.
//!
//! The order of [`PRINTABLE`] is upstream's and is the rule: the first claim that holds gives the word.
//!
//! Source: K `pkg/virt-controller/watch/vm/vm.go` (`setPrintableStatus`, `syncConditions`); `harvester-api.md` §1.7.

use super::strategy::{Decision, run_strategy};
use crate::behave::object::{self, condition, is_true};
use crate::behave::quantity::bytes_of;
use crate::behave::resources::{DATAVOLUME, PVC, STORAGECLASS, VOLUMESNAPSHOTCLASS};
use crate::behave::{Now, View};
use serde_json::{Value, json};

/// Conditions that a VM does not take over from its instance as they are.
const OWN: &[&str] = &["Ready", "Failure", "RestartRequired"];

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
    ("WaitingForVolumeBinding", |s| s.is_set_to_start() && s.has_unbound_claim()),
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

    /// Source: `isSetToStart`; who starts again on failure counts as such even where it rests.
    fn is_set_to_start(&self) -> bool {
        let is_first = |action: &str| self.decision.requests.first().is_some_and(|held| held["action"] == action);
        match (run_strategy(self.vm), self.vmi) {
            ("Always", _) | ("RerunOnFailure" | "Once", None) => true,
            ("RerunOnFailure", Some(_)) => self.phase() != "Succeeded",
            ("Manual", Some(_)) => !is_first("Stop"),
            ("Manual", None) => is_first("Start"),
            _ => false,
        }
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
    let created = vmi.is_some();
    // Who was never started has no strategy that it was started with.
    let was_created = created || !object::text(vm, "/status/runStrategy").is_empty();
    let ready = vmi.is_some_and(|vmi| is_true(vmi, "Ready"));
    let requests = if decision.requests.is_empty() { Value::Null } else { json!(decision.requests) };
    let truth = |held: bool| if held { json!(true) } else { Value::Null };
    json!({
        "printableStatus": word,
        "created": truth(created),
        "ready": truth(ready),
        "runStrategy": if was_created { json!(run_strategy(vm)) } else { Value::Null },
        "stateChangeRequests": requests,
        "startFailure": decision.start_failure,
        "conditions": conditions(vm, vmi, now),
        "volumeSnapshotStatuses": snapshot_statuses(vm, view),
        "observedGeneration": vm["metadata"]["generation"],
        "desiredGeneration": vm["metadata"]["generation"],
    })
}

fn conditions(vm: &Value, vmi: Option<&Value>, now: Now) -> Vec<Value> {
    let mut all = object::items(vm, "/status/conditions").to_vec();
    let Some(vmi) = vmi else {
        // What the last instance said of itself stays.
        object::drop_condition(&mut all, "RestartRequired");
        object::set_condition(&mut all, "Ready", false, "VMINotExists", "VMI does not exist", now);
        return all;
    };
    let theirs = object::items(vmi, "/status/conditions");
    let is_own = |held: &Value| OWN.iter().any(|own| held["type"] == *own);
    all.retain(|held| is_own(held) && held["type"] != "Ready");
    match condition(vmi, "Ready") {
        Some(held) => all.push(held.clone()),
        None => {
            let message = "VMI is missing the Ready condition";
            object::set_condition(&mut all, "Ready", false, "VMIConditionMissing", message, now);
        }
    }
    all.extend(theirs.iter().filter(|held| !is_own(held)).cloned());
    if object::is_deleting(vmi) {
        object::drop_condition(&mut all, "RestartRequired");
    } else if let Some(message) = restart_reason(vm, vmi) {
        object::set_condition(&mut all, "RestartRequired", true, "", message, now);
    }
    all
}

/// What of a template may change under a running guest, or is compared in another way.
const LIVE: &[&str] = &[
    "/nodeSelector",
    "/affinity",
    "/tolerations",
    "/domain/cpu/sockets",
    "/domain/memory/guest",
    "/domain/resources",
    "/domain/devices/disks",
    "/domain/devices/interfaces",
    "/networks",
    "/volumes",
    "/terminationGracePeriodSeconds",
];

/// Why the template says something that a running instance cannot take over.
///
/// Source: K `pkg/virt-controller/watch/vm/vm.go` (`addRestartRequiredIfNeeded`, `handleCPUChangeRequest`,
/// `handleMemoryHotplugRequest`).
fn restart_reason(vm: &Value, vmi: &Value) -> Option<&'static str> {
    if super::super::vmi::is_final(vmi) {
        return None;
    }
    let (wanted, held) = (object::part(vm, "/spec/template/spec"), &vmi["spec"]);
    if !is_carried(&wanted, held, "") || has_new_disks(&wanted, held) {
        return Some("a non-live-updatable field was changed in the template spec");
    }
    let sockets = object::number(&wanted, "/domain/cpu/sockets");
    if sockets.is_some() && sockets > object::number(held, "/domain/cpu/maxSockets").or(sockets) {
        return Some("CPU sockets updated in template spec to a value higher than what's available");
    }
    if sockets.is_some_and(|sockets| sockets > 0) && sockets < object::number(held, "/domain/cpu/sockets") {
        return Some("Reduction of CPU socket count requires a restart");
    }
    let memory = |of: &Value, pointer: &str| object::at(of, pointer).and_then(bytes_of);
    let (asked, has) = (memory(&wanted, "/domain/memory/guest")?, memory(held, "/domain/memory/guest")?);
    let at_boot = memory(vmi, "/status/memory/guestAtBoot").unwrap_or(has);
    match memory(held, "/domain/memory/maxGuest") {
        _ if asked == has || memory(vmi, "/status/memory/guestCurrent").is_none() => None,
        _ if !is_true(vmi, "LiveMigratable") => {
            Some("memory updated in template spec. Memory-hotplug is only available for migratable VMs")
        }
        None => Some("memory updated in template spec. Memory-hotplug is not available for this VM configuration"),
        Some(_) if asked < at_boot => {
            Some("memory updated in template spec to a value lower than what the VM started with")
        }
        Some(most) if asked > most => Some("memory updated in template spec to a value higher than what's available"),
        Some(_) => None,
    }
}

/// Whether all that is wanted is held, apart from what may change.
fn is_carried(wanted: &Value, held: &Value, at: &str) -> bool {
    if LIVE.contains(&at) {
        return true;
    }
    match (wanted, held) {
        (Value::Object(fields), held) if held.is_object() || fields.is_empty() => {
            fields.iter().all(|(key, value)| is_carried(value, &held[key.as_str()], &format!("{at}/{key}")))
        }
        (wanted, held) => wanted == held || wanted.is_null(),
    }
}

/// Whether volumes came or went that cannot be plugged in.
fn has_new_disks(wanted: &Value, held: &Value) -> bool {
    let fixed = |spec: &Value| -> Vec<Value> {
        let volumes = object::items(spec, "/volumes").iter();
        volumes
            .filter(|volume| !crate::behave::is_hotplugged(volume) && volume.get("memoryDump").is_none())
            .cloned()
            .collect()
    };
    fixed(wanted) != fixed(held)
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
