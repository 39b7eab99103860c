//! kube-controller-manager's volume controllers: claims are bound to volumes, protected while in use, released at the end.
//!
//! Invariant: a claim is bound to the one volume whose `claimRef` has its uid. Who makes volumes is the provisioner of the
//! class ([`super::volume`]); this controller only asks for them, by annotation.
//!
//! Source: kubernetes `pkg/controller/volume/persistentvolume/pv_controller.go`, `pkg/controller/volume/pvcprotection`.

use super::object;
use super::pod::has_ended;
use super::resources::{POD, PV, PVC, STORAGECLASS};
use super::scheduler::SELECTED_NODE;
use super::volume::PROTECTION;
use super::{Behaviour, Key, Now, Outcome, Role, View};
use crate::world::facts::CLAIM;
use serde_json::{Value, json};
use std::time::Duration;

/// Binds claims.
pub(crate) const BINDER: Behaviour =
    Behaviour { name: "binder", role: Role::ControllerManager, on: PVC, wakes: &[(PV, claim_of_volume)], step: bind };
/// Lets go of volumes whose claim is gone.
pub(crate) const RELEASES: Behaviour = Behaviour {
    name: "release",
    role: Role::ControllerManager,
    on: PV,
    wakes: &[(PVC, volume_of_claim)],
    step: release,
};
/// Keeps claims that pods use.
pub(crate) const PROTECTIONS: Behaviour = Behaviour {
    name: "claim-protection",
    role: Role::ControllerManager,
    on: PVC,
    wakes: &[(POD, claims_of_pod)],
    step: protect,
};

/// Annotation: the provisioner that is to make a volume.
pub(crate) const PROVISIONER: &str = "volume.kubernetes.io/storage-provisioner";
const OLD_PROVISIONER: &str = "volume.beta.kubernetes.io/storage-provisioner";
const SOURCE: &str = "persistentvolume-controller";
/// How soon an unbound claim is looked at again.
const RETRY: Duration = Duration::from_secs(15);

fn claim_of_volume(volume: &Value) -> Vec<Key> {
    let reference = &volume["spec"]["claimRef"];
    match object::text(reference, "/name") {
        "" => Vec::new(),
        name => vec![(object::text(reference, "/namespace").to_owned(), name.to_owned())],
    }
}

fn volume_of_claim(claim: &Value) -> Vec<Key> {
    match object::text(claim, "/spec/volumeName") {
        "" => Vec::new(),
        name => vec![(String::new(), name.to_owned())],
    }
}

fn claims_of_pod(pod: &Value) -> Vec<Key> {
    let claims = object::items(pod, "/spec/volumes").iter();
    let names = claims.map(|volume| object::text(volume, "/persistentVolumeClaim/claimName"));
    names.filter(|name| !name.is_empty()).map(|name| (object::namespace(pod).to_owned(), name.to_owned())).collect()
}

fn bind(claim: &Value, view: &dyn View, _now: Now) -> Outcome {
    if object::is_deleting(claim) || object::text(claim, "/status/phase") == "Bound" {
        return Outcome::rest();
    }
    let name = match object::text(claim, "/spec/volumeName") {
        "" => format!("pvc-{}", object::uid(claim)),
        name => name.to_owned(),
    };
    let ours = |volume: &Value| object::text(volume, "/spec/claimRef/uid") == object::uid(claim);
    match view.get(PV, "", &name).filter(|volume| ours(volume)) {
        Some(volume) => bound(claim, &volume),
        None => ask(claim, view),
    }
}

fn bound(claim: &Value, volume: &Value) -> Outcome {
    let notes = json!({"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"});
    let main = json!({"metadata": {"annotations": notes}, "spec": {"volumeName": object::name(volume)}});
    let status = json!({
        "phase": "Bound", "accessModes": volume["spec"]["accessModes"], "capacity": volume["spec"]["capacity"],
    });
    let effects = [
        object::merge_status(PV, volume, json!({"phase": "Bound"})),
        object::merge(PVC, claim, main),
        object::merge_status(PVC, claim, status),
    ];
    Outcome::of(effects.into_iter().flatten())
}

/// Tells the class's provisioner that a volume is wanted, and people why there is none yet.
fn ask(claim: &Value, view: &dyn View) -> Outcome {
    let class_name = object::text(claim, "/spec/storageClassName");
    let told = |level, reason: &str, message: String| object::event(claim, level, reason, message, SOURCE);
    let pending = object::merge_status(PVC, claim, json!({"phase": "Pending"}));
    let Some(class) = view.get(STORAGECLASS, "", class_name) else {
        let message = format!("storageclass.storage.k8s.io \"{class_name}\" not found");
        let said = told("Warning", "ProvisioningFailed", message);
        return Outcome::of(pending.into_iter().chain([said])).again(RETRY);
    };
    let waits = object::text(&class, "/volumeBindingMode") == "WaitForFirstConsumer";
    if waits && object::annotation(claim, SELECTED_NODE).is_none() {
        let message = "waiting for first consumer to be created before binding".to_owned();
        let said = told("Normal", "WaitForFirstConsumer", message);
        return Outcome::of(pending.into_iter().chain([said])).again(RETRY);
    }
    let driver = object::text(&class, "/provisioner");
    if object::annotation(claim, PROVISIONER) == Some(driver) {
        return Outcome::of(pending);
    }
    let notes = json!({"metadata": {"annotations": {PROVISIONER: driver, OLD_PROVISIONER: driver}}});
    let message = format!(
        "Waiting for a volume to be created either by the external provisioner '{driver}' or manually by the system \
         administrator. If volume creation is delayed, please verify that the provisioner is running and correctly \
         registered."
    );
    let said = told("Normal", "ExternalProvisioning", message);
    Outcome::of(pending.into_iter().chain(object::merge(PVC, claim, notes)).chain([said]))
}

fn release(volume: &Value, view: &dyn View, _now: Now) -> Outcome {
    let reference = &volume["spec"]["claimRef"];
    let (namespace, name) = (object::text(reference, "/namespace"), object::text(reference, "/name"));
    if object::text(volume, "/status/phase") != "Bound" || name.is_empty() {
        return Outcome::rest();
    }
    let is_held = view.get(PVC, namespace, name).is_some_and(|claim| reference["uid"] == object::uid(&claim));
    if is_held {
        return Outcome::rest();
    }
    Outcome::of(object::merge_status(PV, volume, json!({"phase": "Released"})))
}

fn protect(claim: &Value, view: &dyn View, _now: Now) -> Outcome {
    if !object::is_deleting(claim) || !object::has_finalizer(claim, PROTECTION) {
        return Outcome::rest();
    }
    let users = view.labelled(POD, Some(object::namespace(claim)), CLAIM, object::name(claim));
    if users.iter().any(|pod| !has_ended(pod)) {
        return Outcome::rest();
    }
    Outcome::of(object::merge(PVC, claim, object::without_finalizer(claim, PROTECTION)))
}
