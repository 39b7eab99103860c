//! CDI: a DataVolume gets a claim and is filled.
//!
//! Source: C `pkg/controller/datavolume/`; `harvester-api.md` §8.2.

use super::object::{self, controlled_by};
use super::resources::{DATAVOLUME, PVC, STORAGECLASS};
use super::volume::{RETRY, size_of, takes};
use super::{Behaviour, Effect, Now, Outcome, Role, View};
use serde_json::{Value, json};

/// Fills DataVolumes.
pub(crate) const DATAVOLUMES: Behaviour = Behaviour {
    name: "datavolumes",
    role: Role::Cdi,
    on: DATAVOLUME,
    wakes: &[(PVC, |pvc| vec![object::key(pvc)])],
    step: fill,
};

fn fill(data_volume: &Value, view: &dyn View, now: Now) -> Outcome {
    let (namespace, name) = object::key(data_volume);
    let phase = object::text(data_volume, "/status/phase");
    if object::is_deleting(data_volume) || matches!(phase, "Succeeded" | "Failed") {
        return Outcome::rest();
    }
    let work = work(data_volume);
    let Some(claim) = view.get(PVC, &namespace, &name) else {
        let status = json!({"phase": format!("{work}Scheduled"), "progress": "N/A", "claimName": name});
        let create = Effect::Create { resource: PVC, object: claim_of(data_volume) };
        return Outcome::of([create].into_iter().chain(object::merge_status(DATAVOLUME, data_volume, status)));
    };
    let is_bound = object::text(&claim, "/status/phase") == "Bound";
    let since = object::text(data_volume, "/metadata/creationTimestamp");
    let left = now.until(since, takes(&name, size_of(&claim)) * 2);
    let waits = view
        .get(STORAGECLASS, "", object::text(&claim, "/spec/storageClassName"))
        .is_some_and(|class| object::text(&class, "/volumeBindingMode") == "WaitForFirstConsumer");
    let (phase, progress, done) = match (is_bound, left) {
        (false, _) if waits => ("WaitForFirstConsumer".to_owned(), "N/A", false),
        (false, _) => (format!("{work}Scheduled"), "N/A", false),
        // An upload waits for its bytes, which do not come through the API.
        (true, _) if work == "Upload" => ("UploadReady".to_owned(), "N/A", false),
        (true, Some(_)) => (format!("{work}InProgress"), "50.00%", false),
        (true, None) => ("Succeeded".to_owned(), "100.0%", true),
    };
    let mut conditions = object::items(data_volume, "/status/conditions").to_vec();
    object::set_condition(&mut conditions, "Bound", is_bound, if is_bound { "Bound" } else { "Pending" }, "", now);
    object::set_condition(&mut conditions, "Running", !done, if done { "Completed" } else { "" }, "", now);
    object::set_condition(&mut conditions, "Ready", done, "", "", now);
    let status = json!({"phase": phase, "progress": progress, "claimName": name, "conditions": conditions});
    Outcome::of(object::merge_status(DATAVOLUME, data_volume, status)).again(if done {
        None
    } else {
        left.or(Some(RETRY))
    })
}

/// What is done to fill it; its phases are named after that. Source: C `pkg/controller/datavolume/controller-base.go`.
fn work(data_volume: &Value) -> &'static str {
    let has = |kind: &str| data_volume.pointer(&format!("/spec/source/{kind}")).is_some();
    match (has("pvc") || has("snapshot"), has("upload")) {
        (true, _) => "Clone",
        (_, true) => "Upload",
        _ => "Import",
    }
}

fn claim_of(data_volume: &Value) -> Value {
    let spec =
        ["/spec/pvc", "/spec/storage"].iter().find_map(|at| data_volume.pointer(at)).cloned().unwrap_or_default();
    let mut spec = spec;
    for (field, value) in [("accessModes", json!(["ReadWriteMany"])), ("volumeMode", json!("Block"))] {
        if spec[field].is_null() {
            spec[field] = value;
        }
    }
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": object::name(data_volume), "namespace": object::namespace(data_volume),
            "annotations": data_volume["metadata"]["annotations"], "ownerReferences": [controlled_by(data_volume)],
        },
        "spec": spec,
    })
}
