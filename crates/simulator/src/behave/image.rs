//! Harvester's image controller: from a download to a usable storage class.
//!
//! Source: H `pkg/image/backingimage/`, `pkg/image/cdi/`; `harvester-api.md` §6.1.

use super::object;
use super::resources::{IMAGE, STORAGECLASS};
use super::volume::DRIVER;
use super::{Behaviour, Effect, Now, Outcome, Role, View};
use crate::scenario::fault::Fault;
use serde_json::{Value, json};
use std::time::Duration;

/// The image controller.
pub(crate) const IMAGES: Behaviour = Behaviour { name: "image", role: Role::Harvester, on: IMAGE, wakes: &[], step };

/// From zero to a hundred percent.
const DOWNLOAD: Duration = Duration::from_secs(20);
const TICK: Duration = Duration::from_secs(2);
const GIB: i64 = 1 << 30;

fn step(image: &Value, view: &dyn View, now: Now) -> Outcome {
    if object::is_deleting(image) || object::is_true(image, "Imported") || object::is_true(image, "RetryLimitExceeded")
    {
        return Outcome::rest();
    }
    let mut conditions = object::items(image, "/status/conditions").to_vec();
    object::set_condition(&mut conditions, "Initialized", true, "", "", now);
    // An upload waits for its bytes, which come over Steve and not through the API.
    if object::text(image, "/spec/sourceType") == "upload" && object::number(image, "/status/progress").is_none() {
        return Outcome::of(object::merge(IMAGE, image, json!({"status": {"progress": 0, "conditions": conditions}})));
    }
    let left = now.until(object::text(image, "/metadata/creationTimestamp"), DOWNLOAD);
    let fails = Fault::ImageFails.is_in(object::name(image))
        || Fault::ImageFails.is_in(object::text(image, "/spec/displayName"));
    if let Some(left) = left {
        let passed = DOWNLOAD.saturating_sub(left).as_millis() * 100 / DOWNLOAD.as_millis();
        let progress = i64::try_from(passed).unwrap_or(0).min(99);
        object::set_condition(&mut conditions, "Imported", false, "Importing", "", now);
        let status = json!({"progress": progress, "appliedUrl": image["spec"]["url"], "conditions": conditions});
        return Outcome::of(object::merge(IMAGE, image, json!({"status": status}))).again(TICK.min(left));
    }
    if fails {
        let message = "failed to download file: expected status code 200, got 404";
        object::set_condition(&mut conditions, "Imported", false, "ImportFailed", message, now);
        object::set_condition(&mut conditions, "RetryLimitExceeded", true, "", "", now);
        let retries = object::number(image, "/spec/retry").unwrap_or(3) + 1;
        let status = json!({"failed": retries, "lastFailedTime": now.stamp(), "conditions": conditions});
        return Outcome::of(object::merge(IMAGE, image, json!({"status": status})));
    }
    let class = class_name(image);
    object::set_condition(&mut conditions, "Imported", true, "Imported", "", now);
    let status = json!({
        "progress": 100, "size": 600 * (1 << 20), "virtualSize": 10 * GIB, "storageClassName": class,
        "conditions": conditions,
    });
    let labels = json!({"harvesterhci.io/imageDisplayName": image["spec"]["displayName"]});
    let patch = json!({"metadata": {"labels": labels}, "status": status});
    let create = view.get(STORAGECLASS, "", &class).is_none();
    let create = create.then(|| Effect::Create { resource: STORAGECLASS, object: storage_class(image, &class) });
    Outcome::of(create.into_iter().chain(object::merge(IMAGE, image, patch)))
}

/// `longhorn-<image>`, or the class that a CDI image was asked to use.
pub(crate) fn class_name(image: &Value) -> String {
    match object::text(image, "/spec/targetStorageClassName") {
        "" => format!("longhorn-{}", object::name(image)),
        class => class.to_owned(),
    }
}

/// The storage class from which an image's disks are made.
pub(crate) fn storage_class(image: &Value, class: &str) -> Value {
    let mut parameters = json!({
        "numberOfReplicas": "3", "staleReplicaTimeout": "30", "migratable": "true",
        "backingImage": format!("vmi-{}", object::uid(image)),
    });
    for (key, value) in object::map(image, "/spec/storageClassParameters") {
        parameters[key] = json!(value);
    }
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {"name": class},
        "provisioner": DRIVER, "parameters": parameters, "reclaimPolicy": "Delete",
        "volumeBindingMode": "Immediate", "allowVolumeExpansion": true,
    })
}
