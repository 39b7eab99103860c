//! Harvester's VM controller: claims from the annotation, the remembered run strategy, and what goes with a deleted VM.
//!
//! Source: H `pkg/controller/master/virtualmachine/vm_controller.go`; `harvester-api.md` §1.2, §1.4, §1.5.

use super::object;
use super::quantity::bytes_of;
use super::resources::{BACKUP, DATAVOLUME, IMAGE, PVC, VM, VMI};
use super::vm::run_strategy;
use super::{Behaviour, Effect, Now, Outcome, Role, View};
use serde_json::{Value, json};

/// The claims of VMs.
pub(crate) const CLAIMS: Behaviour =
    Behaviour { name: "claims", role: Role::Harvester, on: VM, wakes: &[(VMI, |vmi| vec![object::key(vmi)])], step };

/// JSON array of the PVCs that a VM wants.
pub(crate) const TEMPLATES: &str = "harvesterhci.io/volumeClaimTemplates";
/// The strategy that comes back after a stop and a start.
pub(crate) const STRATEGY: &str = "harvesterhci.io/vmRunStrategy";
/// Comma-separated names of PVCs that go with the VM.
pub(crate) const REMOVED: &str = "harvesterhci.io/removedPersistentVolumeClaims";
/// Interface name → MAC, as JSON.
pub(crate) const MACS: &str = "harvesterhci.io/mac-address";
/// Finalizer under which Harvester cleans up.
pub(crate) const FINALIZER: &str = "wrangler.cattle.io/VMController.CleanupPVCAndSnapshot";

/// The claims that a VM's annotation asks for; empty when it is absent or unreadable.
pub(crate) fn templates(vm: &Value) -> Vec<Value> {
    object::annotation(vm, TEMPLATES).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

fn step(vm: &Value, view: &dyn View, _now: Now) -> Outcome {
    if object::is_deleting(vm) {
        return cleanup(vm, view);
    }
    let mut effects = Vec::new();
    if !object::has_finalizer(vm, FINALIZER) {
        effects.extend(object::merge(VM, vm, object::with_finalizer(vm, FINALIZER)));
    }
    for template in templates(vm) {
        effects.extend(claim(vm, &template, view));
    }
    let mut notes = serde_json::Map::new();
    if run_strategy(vm) != "Halted" {
        notes.insert(STRATEGY.to_owned(), json!(run_strategy(vm)));
    }
    if let Some(macs) = macs(vm, view) {
        notes.insert(MACS.to_owned(), json!(macs));
    }
    if !notes.is_empty() {
        effects.extend(object::merge(VM, vm, json!({"metadata": {"annotations": notes}})));
    }
    effects.extend(copy_labels(vm, view));
    Outcome::of(effects)
}

fn claim(vm: &Value, template: &Value, view: &dyn View) -> Option<Effect> {
    let (namespace, name) = (object::namespace(vm), object::name(template));
    if name.is_empty() {
        return None;
    }
    if let Some(held) = view.get(PVC, namespace, name) {
        let size = |claim: &Value| claim.pointer("/spec/resources/requests/storage").and_then(bytes_of);
        let grows = size(template) > size(&held) && !object::is_deleting(&held);
        let wanted = template.pointer("/spec/resources/requests/storage")?;
        return grows
            .then(|| object::merge(PVC, &held, json!({"spec": {"resources": {"requests": {"storage": wanted}}}})))
            .flatten();
    }
    if view.get(DATAVOLUME, namespace, name).is_some() {
        return None;
    }
    let image = object::annotation(template, "harvesterhci.io/imageId").and_then(|id| {
        let (image_namespace, image_name) = id.split_once('/')?;
        view.get(IMAGE, image_namespace, image_name)
    });
    match image.filter(|image| object::text(image, "/spec/backend") == "cdi") {
        Some(image) => Some(Effect::Create { resource: DATAVOLUME, object: data_volume(template, namespace, &image) }),
        None => Some(Effect::Create { resource: PVC, object: plain_claim(template, namespace) }),
    }
}

/// A claim of a template, as Harvester creates it.
pub(crate) fn plain_claim(template: &Value, namespace: &str) -> Value {
    let mut metadata = template["metadata"].clone();
    metadata["namespace"] = json!(namespace);
    let mut spec = template["spec"].clone();
    if spec["volumeMode"].is_null() {
        spec["volumeMode"] = json!("Filesystem");
    }
    json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec})
}

fn data_volume(template: &Value, namespace: &str, image: &Value) -> Value {
    let mut metadata = template["metadata"].clone();
    metadata["namespace"] = json!(namespace);
    metadata["annotations"]["cdi.kubevirt.io/storage.usePopulator"] = json!("true");
    json!({
        "apiVersion": "cdi.kubevirt.io/v1beta1",
        "kind": "DataVolume",
        "metadata": metadata,
        "spec": {
            "source": {"pvc": {"namespace": object::namespace(image), "name": object::name(image)}},
            "pvc": template["spec"],
        },
    })
}

/// The MACs of the running instance, kept on the VM.
fn macs(vm: &Value, view: &dyn View) -> Option<String> {
    let (namespace, name) = object::key(vm);
    let vmi = view.get(VMI, &namespace, &name)?;
    let all: serde_json::Map<String, Value> = object::items(&vmi, "/status/interfaces")
        .iter()
        .filter_map(|interface| Some((interface["name"].as_str()?.to_owned(), json!(interface["mac"].as_str()?))))
        .collect();
    (!all.is_empty()).then(|| Value::Object(all).to_string())
}

/// Labels of the VM follow to its instance.
fn copy_labels(vm: &Value, view: &dyn View) -> Option<Effect> {
    let (namespace, name) = object::key(vm);
    let vmi = view.get(VMI, &namespace, &name)?;
    let labels = vm.pointer("/metadata/labels").filter(|labels| labels.is_object())?;
    if object::is_deleting(&vmi) || super::vmi::is_final(&vmi) {
        return None;
    }
    object::merge(VMI, &vmi, json!({"metadata": {"labels": labels}}))
}

fn cleanup(vm: &Value, view: &dyn View) -> Outcome {
    let (namespace, name) = object::key(vm);
    if view.get(VMI, &namespace, &name).is_some() || !object::has_finalizer(vm, FINALIZER) {
        return Outcome::rest();
    }
    let asked = object::annotation(vm, REMOVED).unwrap_or_default().split(',').map(str::trim);
    let mut doomed: Vec<String> = asked.filter(|claim| !claim.is_empty()).map(str::to_owned).collect();
    if object::annotation(vm, "harvesterhci.io/removeAllPersistentVolumeClaims") == Some("true") {
        let all = object::items(vm, "/spec/template/spec/volumes").iter().map(super::vm::claim_name);
        doomed.extend(all.filter(|claim| !claim.is_empty()).map(str::to_owned));
    }
    let mut effects = Vec::new();
    for claim in doomed {
        let held = view.get(PVC, &namespace, &claim);
        let held = held.filter(|held| object::annotation(held, "harvesterhci.io/goldenImage") != Some("true"));
        if view.get(DATAVOLUME, &namespace, &claim).is_some() {
            effects.push(Effect::Delete { resource: DATAVOLUME, namespace: namespace.clone(), name: claim.clone() });
        }
        effects.extend(held.filter(|held| !object::is_deleting(held)).map(|held| object::delete(PVC, &held)));
    }
    let snapshots = view.list(BACKUP, Some(&namespace));
    let of_vm = snapshots.iter().filter(|held| {
        object::text(held, "/spec/type") == "snapshot" && object::text(held, "/spec/source/name") == name
    });
    effects.extend(of_vm.filter(|held| !object::is_deleting(held)).map(|held| object::delete(BACKUP, held)));
    effects.extend(object::merge(VM, vm, object::without_finalizer(vm, FINALIZER)));
    Outcome::of(effects)
}
