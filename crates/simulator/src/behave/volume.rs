//! Longhorn: claims that ask for its driver get volumes, and volumes attach where their instance runs.
//!
//! Invariant: one PV and one Longhorn Volume of the same name a claim; both go when the PV is released. Binding is
//! kube-controller-manager's ([`super::binder`]).
//!
//! Source: L `csi/controller_server.go`, `controller/volume_controller.go`; kubernetes-csi `external-provisioner`,
//! `external-resizer`; `harvester-api.md` §8.

use super::binder::PROVISIONER as ASKED;
use super::object;
use super::quantity::bytes_of;
use super::resources::{
    LONGHORN_NAMESPACE, LONGHORN_NODE, LONGHORN_REPLICA, LONGHORN_SETTING, LONGHORN_VOLUME, PV, PVC, STORAGECLASS, VMI,
};
use super::{Behaviour, Effect, Now, Outcome, Role, View};
use crate::scenario::fault::Fault;
use serde_json::{Value, json};
use std::time::Duration;

/// Makes and grows volumes for claims.
pub(crate) const PROVISIONER: Behaviour =
    Behaviour { name: "provisioner", role: Role::Longhorn, on: PVC, wakes: &[], step: provision };
/// Takes away volumes that were released.
pub(crate) const RECLAIMS: Behaviour =
    Behaviour { name: "reclaim", role: Role::Longhorn, on: PV, wakes: &[], step: reclaim };
/// Attaches the volumes of an instance to its node.
pub(crate) const ATTACHMENTS: Behaviour =
    Behaviour { name: "attachments", role: Role::Longhorn, on: VMI, wakes: &[], step: attach };

/// Longhorn's CSI driver.
pub(crate) const DRIVER: &str = "driver.longhorn.io";
/// Finalizer that keeps a claim in use.
pub(crate) const PROTECTION: &str = "kubernetes.io/pvc-protection";
const SOURCE: &str = "driver.longhorn.io_csi-provisioner";
const GIB: u64 = 1 << 30;
/// How soon something that waits is looked at again.
pub(super) const RETRY: Duration = Duration::from_secs(2);

/// How long a volume of this size takes to come up: two seconds and one more for each 20 GiB.
pub(super) fn takes(name: &str, size: u64) -> Duration {
    let plain = Duration::from_secs(2 + size / (20 * GIB));
    if Fault::SlowDisk.is_in(name) { plain * 20 } else { plain }
}

pub(super) fn size_of(claim: &Value) -> u64 {
    claim.pointer("/spec/resources/requests/storage").and_then(bytes_of).unwrap_or(0)
}

fn provision(claim: &Value, view: &dyn View, now: Now) -> Outcome {
    if object::is_deleting(claim) {
        return Outcome::rest();
    }
    if object::text(claim, "/status/phase") == "Bound" {
        return grow(claim, view, now);
    }
    let name = format!("pvc-{}", object::uid(claim));
    if object::annotation(claim, ASKED) != Some(DRIVER) || view.get(PV, "", &name).is_some() {
        return Outcome::rest();
    }
    let since = object::text(claim, "/metadata/creationTimestamp");
    if let Some(left) = now.until(since, takes(object::name(claim), size_of(claim))) {
        let is_news = now.until(since, Duration::from_secs(1)).is_some();
        let message = format!(
            "External provisioner is provisioning volume for claim \"{}/{}\"",
            object::namespace(claim),
            object::name(claim)
        );
        let told = is_news.then(|| object::event(claim, "Normal", "Provisioning", message, SOURCE));
        return Outcome::of(told).again(left);
    }
    let Some(class) = view.get(STORAGECLASS, "", object::text(claim, "/spec/storageClassName")) else {
        return Outcome::rest().again(RETRY);
    };
    make(claim, &class, &name, view, now)
}

fn make(claim: &Value, class: &Value, name: &str, view: &dyn View, now: Now) -> Outcome {
    let places = place(view, size_of(claim), replicas_of(class));
    let is_placed = places.is_some();
    let places = places.unwrap_or_default();
    let volume = longhorn_volume(claim, class, name, is_placed, now);
    let mut effects = Vec::new();
    if view.get(LONGHORN_VOLUME, LONGHORN_NAMESPACE, name).is_none() {
        effects.push(Effect::Create { resource: LONGHORN_VOLUME, object: volume });
        for (at, node) in places.iter().enumerate() {
            let object = replica(name, at, node, size_of(claim), now);
            effects.push(Effect::Create { resource: LONGHORN_REPLICA, object });
        }
        effects.extend(book(view, &places, size_of(claim)));
    }
    let mut object = persistent_volume(claim, class, name, is_placed);
    // Its phase is the binder's to say.
    object.as_object_mut().map(|fields| fields.remove("status"));
    effects.push(Effect::Create { resource: PV, object });
    let message = format!("Successfully provisioned volume {name}");
    effects.push(object::event(claim, "Normal", "ProvisioningSucceeded", message, SOURCE));
    Outcome::of(effects)
}

/// Annotations of a bound claim.
pub(crate) fn bound_annotations() -> [(String, Value); 4] {
    [
        ("pv.kubernetes.io/bind-completed", "yes"),
        ("pv.kubernetes.io/bound-by-controller", "yes"),
        ("volume.kubernetes.io/storage-provisioner", DRIVER),
        ("volume.beta.kubernetes.io/storage-provisioner", DRIVER),
    ]
    .map(|(key, value)| (key.to_owned(), json!(value)))
}

fn replicas_of(class: &Value) -> usize {
    object::text(class, "/parameters/numberOfReplicas").parse().unwrap_or(3)
}

/// The nodes that take a replica each, least loaded first; `None` when not all fit.
fn place(view: &dyn View, size: u64, replicas: usize) -> Option<Vec<String>> {
    let percent = view.get(LONGHORN_SETTING, LONGHORN_NAMESPACE, "storage-over-provisioning-percentage");
    let percent: u64 = percent.as_deref().and_then(|held| object::text(held, "/value").parse().ok()).unwrap_or(100);
    let mut room: Vec<(u64, String)> = view
        .list(LONGHORN_NODE, Some(LONGHORN_NAMESPACE))
        .iter()
        .filter(|node| object::flag(node, "/spec/allowScheduling"))
        .map(|node| {
            let sum =
                |field: &str| disks(node).iter().filter_map(|disk| disk.get(field).and_then(bytes_of)).sum::<u64>();
            let reserved: u64 = node
                .pointer("/spec/disks")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .filter_map(|(_, disk)| disk.get("storageReserved").and_then(bytes_of))
                .sum();
            let most = sum("storageMaximum").saturating_sub(reserved) / 100 * percent;
            (most.saturating_sub(sum("storageScheduled")), object::name(node).to_owned())
        })
        .filter(|(free, _)| *free >= size)
        .collect();
    room.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let all: Vec<String> = room.into_iter().map(|(_, node)| node).take(replicas).collect();
    (!all.is_empty()).then_some(all)
}

fn disks(node: &Value) -> Vec<&Value> {
    node.pointer("/status/diskStatus").and_then(Value::as_object).into_iter().flatten().map(|(_, disk)| disk).collect()
}

/// Adds `size` to what the first disk of each node has scheduled.
fn book(view: &dyn View, places: &[String], size: u64) -> Vec<Effect> {
    places
        .iter()
        .filter_map(|place| {
            let node = view.get(LONGHORN_NODE, LONGHORN_NAMESPACE, place)?;
            let (disk, status) = node.pointer("/status/diskStatus")?.as_object()?.iter().next()?;
            let scheduled = status.get("storageScheduled").and_then(bytes_of).unwrap_or(0) + size;
            object::merge_status(LONGHORN_NODE, &node, json!({"diskStatus": {disk: {"storageScheduled": scheduled}}}))
        })
        .collect()
}

/// The Longhorn Volume of a claim, detached.
pub(crate) fn longhorn_volume(claim: &Value, class: &Value, name: &str, placed: bool, now: Now) -> Value {
    let size = size_of(claim);
    let actual = size / 10 * (2 + now.draw(11, 5));
    json!({
        "apiVersion": "longhorn.io/v1beta2",
        "kind": "Volume",
        "metadata": {"name": name, "namespace": LONGHORN_NAMESPACE, "finalizers": ["longhorn.io"], "labels": {"longhornvolume": name, "setting.longhorn.io/remove-snapshots-during-filesystem-trim": "ignored"}},
        "spec": {
            "size": size.to_string(), "numberOfReplicas": replicas_of(class), "dataEngine": "v1",
            "dataLocality": match object::text(class, "/parameters/dataLocality") { "" => "disabled", locality => locality },
            "accessMode": if is_shared(claim) { "rwx" } else { "rwo" },
            "migratable": object::text(class, "/parameters/migratable") == "true",
            "encrypted": object::text(class, "/parameters/encrypted") == "true",
            "backingImage": object::text(class, "/parameters/backingImage"),
            "frontend": "blockdev", "nodeID": "", "migrationNodeID": "", "staleReplicaTimeout": 30, "fromBackup": "",
            "diskSelector": [], "nodeSelector": [],
        },
        "status": {
            "state": "detached", "robustness": "unknown", "actualSize": actual, "currentNodeID": "", "ownerID": "",
            "conditions": [
                {"type": "Scheduled", "status": if placed { "True" } else { "False" }, "reason": if placed { "" } else { "ReplicaSchedulingFailure" },
                 "message": if placed { "" } else { "insufficient storage" }, "lastProbeTime": "", "lastTransitionTime": now.stamp()},
                {"type": "Restore", "status": "False", "reason": "", "message": "", "lastProbeTime": "", "lastTransitionTime": now.stamp()},
                {"type": "TooManySnapshots", "status": "False", "reason": "", "message": "", "lastProbeTime": "", "lastTransitionTime": now.stamp()},
            ],
            "kubernetesStatus": {
                "pvName": name, "pvStatus": "Bound", "namespace": object::namespace(claim), "pvcName": object::name(claim),
                "lastPodRefAt": "", "lastPVCRefAt": now.stamp(), "workloadsStatus": [],
            },
        },
    })
}

fn is_shared(claim: &Value) -> bool {
    object::items(claim, "/spec/accessModes").iter().any(|mode| mode == "ReadWriteMany")
}

/// The PV of a claim.
pub(crate) fn persistent_volume(claim: &Value, class: &Value, name: &str, placed: bool) -> Value {
    let mut annotations = json!({"pv.kubernetes.io/provisioned-by": DRIVER});
    if !placed {
        annotations["longhorn.io/volume-scheduling-error"] = json!("insufficient storage");
    }
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "annotations": annotations},
        "spec": {
            "capacity": claim["spec"]["resources"]["requests"],
            "accessModes": claim["spec"]["accessModes"],
            "volumeMode": claim["spec"]["volumeMode"],
            "persistentVolumeReclaimPolicy": "Delete",
            "storageClassName": claim["spec"]["storageClassName"],
            "csi": {"driver": DRIVER, "volumeHandle": name, "volumeAttributes": class["parameters"]},
            "claimRef": {
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": object::namespace(claim),
                "name": object::name(claim), "uid": object::uid(claim),
            },
        },
        "status": {"phase": "Bound"},
    })
}

/// One healthy replica.
pub(crate) fn replica(volume: &str, at: usize, node: &str, size: u64, now: Now) -> Value {
    json!({
        "apiVersion": "longhorn.io/v1beta2",
        "kind": "Replica",
        "metadata": {
            "name": format!("{volume}-r-{at}"), "namespace": LONGHORN_NAMESPACE,
            "labels": {"longhornvolume": volume, "longhornnode": node},
        },
        "spec": {"volumeName": volume, "volumeSize": size.to_string(), "nodeID": node, "diskID": format!("{node}-disk-1"), "failedAt": "", "healthyAt": now.stamp(), "active": true},
        "status": {"currentState": "stopped", "started": false},
    })
}

fn grow(claim: &Value, view: &dyn View, _now: Now) -> Outcome {
    let held = claim.pointer("/status/capacity/storage").and_then(bytes_of).unwrap_or(0);
    let wanted = size_of(claim);
    if wanted <= held {
        return Outcome::rest();
    }
    let name = object::text(claim, "/spec/volumeName");
    let capacity = json!({"storage": claim["spec"]["resources"]["requests"]["storage"]});
    let mut effects = Vec::new();
    if let Some(volume) = view.get(LONGHORN_VOLUME, LONGHORN_NAMESPACE, name) {
        effects.extend(object::merge(LONGHORN_VOLUME, &volume, json!({"spec": {"size": wanted.to_string()}})));
    }
    if let Some(pv) = view.get(PV, "", name) {
        effects.extend(object::merge(PV, &pv, json!({"spec": {"capacity": capacity}})));
    }
    effects.extend(object::merge_status(PVC, claim, json!({"capacity": capacity})));
    effects.push(object::event(
        claim,
        "Normal",
        "VolumeResizeSuccessful",
        "Resize volume succeeded",
        "external-resizer driver.longhorn.io",
    ));
    Outcome::of(effects)
}

fn reclaim(volume: &Value, view: &dyn View, _now: Now) -> Outcome {
    let is_ours = object::text(volume, "/spec/csi/driver") == DRIVER
        && object::text(volume, "/status/phase") == "Released"
        && object::text(volume, "/spec/persistentVolumeReclaimPolicy") == "Delete";
    if !is_ours || object::is_deleting(volume) {
        return Outcome::rest();
    }
    let name = object::name(volume);
    let own = view.get(LONGHORN_VOLUME, LONGHORN_NAMESPACE, name);
    if own.as_deref().is_some_and(|own| object::text(own, "/status/state") == "attached") {
        // It is let go first.
        return Outcome::rest().again(RETRY);
    }
    let mut effects = vec![object::delete(PV, volume)];
    if let Some(own) = own {
        effects.extend(
            view.labelled(LONGHORN_REPLICA, Some(LONGHORN_NAMESPACE), "longhornvolume", name)
                .iter()
                .map(|replica| object::delete(LONGHORN_REPLICA, replica)),
        );
        effects.extend(object::merge(LONGHORN_VOLUME, &own, object::without_finalizer(&own, "longhorn.io")));
        effects.push(object::delete(LONGHORN_VOLUME, &own));
    }
    Outcome::of(effects)
}

fn attach(vmi: &Value, view: &dyn View, now: Now) -> Outcome {
    let phase = object::text(vmi, "/status/phase");
    let lives = matches!(phase, "Scheduled" | "Running");
    if !lives && !super::vmi::is_final(vmi) {
        return Outcome::rest();
    }
    let node = object::text(vmi, "/status/nodeName");
    let pods = super::vmi::pods_of(vmi, view);
    let pod = super::vmi::active_pod(vmi, &pods).map(|pod| object::name(pod).to_owned()).unwrap_or_default();
    let effects = super::launcher::claims(vmi).filter_map(|claim| {
        let claim = view.get(PVC, object::namespace(vmi), claim)?;
        let volume = view.get(LONGHORN_VOLUME, LONGHORN_NAMESPACE, object::text(&claim, "/spec/volumeName"))?;
        let status = if lives { attached(&volume, vmi, node, &pod, now) } else { detached() };
        object::merge_status(LONGHORN_VOLUME, &volume, status)
    });
    Outcome::of(effects)
}

/// The status of a volume in use.
pub(crate) fn attached(volume: &Value, vmi: &Value, node: &str, pod: &str, now: Now) -> Value {
    let degraded = Fault::DegradedVolume.is_in(object::name(vmi));
    let since = match (degraded, object::text(volume, "/status/lastDegradedAt")) {
        (true, "") => now.stamp(),
        (true, held) => held.to_owned(),
        (false, _) => String::new(),
    };
    json!({
        "state": "attached", "robustness": if degraded { "degraded" } else { "healthy" }, "lastDegradedAt": since,
        "currentNodeID": node, "ownerID": node,
        "kubernetesStatus": {"workloadsStatus": [{
            "podName": pod, "podStatus": "Running", "workloadName": object::name(vmi), "workloadType": "VirtualMachineInstance",
        }]},
    })
}

fn detached() -> Value {
    json!({"state": "detached", "robustness": "unknown", "currentNodeID": "", "kubernetesStatus": {"workloadsStatus": []}})
}
