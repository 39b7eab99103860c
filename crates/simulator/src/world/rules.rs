//! What the API server demands of an object beyond its schema: metadata of every kind, and of built-in kinds what their
//! strategies say, as far as the product could meet it.
//!
//! Pure. Sources: `apimachinery/pkg/api/validation/objectmeta.go`, `kubernetes/pkg/apis/core/validation/validation.go`.

use super::catalogue::Kind;
use super::{meta, validate};
use serde_json::{Value, json};

/// Fields of `metadata`; others are unknown.
const METADATA: &[&str] = &[
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "managedFields",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];
/// A label's value or the name in its key may be so long.
const NAME_CHARS: usize = 63;
const QUALIFIED: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
     alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/// `(field, fault)`.
type Fault = (String, String);

/// Whether `metadata` has such a field.
pub(super) fn is_metadata(field: &str) -> bool {
    METADATA.contains(&field)
}

/// Drops what `metadata` does not know.
pub(super) fn prune_metadata(object: &mut Value) {
    meta::metadata(object).retain(|field, _| is_metadata(field));
}

/// Faults of a new object, or of a changed one; `old` is what it was.
pub(super) fn faults(kind: &Kind, old: Option<&Value>, new: &Value) -> Vec<Fault> {
    let mut faults = metadata_faults(new);
    match (kind.resource.group, kind.resource.plural, old) {
        ("", "configmaps" | "secrets", Some(old)) => faults.extend(immutable_faults(kind, old, new)),
        ("", "pods", None) => faults.extend(pod_faults(new)),
        ("", "pods", Some(old)) => faults.extend(pod_change_fault(old, new)),
        ("", "persistentvolumeclaims", Some(old)) => faults.extend(claim_change_fault(old, new)),
        ("", "events", None) => faults.extend(event_fault(new)),
        _ => {}
    }
    faults
}

fn metadata_faults(object: &Value) -> Vec<Fault> {
    let mut faults = Vec::new();
    let labels = object["metadata"]["labels"].as_object();
    for (key, value) in labels.into_iter().flatten() {
        faults.extend(qualified_faults(key).map(|why| invalid("metadata.labels", key, &why)));
        let value = value.as_str().unwrap_or_default();
        faults.extend(label_fault(value).map(|why| invalid("metadata.labels", value, &why)));
    }
    for finalizer in meta::finalizers(object) {
        faults.extend(qualified_faults(finalizer).map(|why| invalid("metadata.finalizers", finalizer, &why)));
    }
    let owners = object["metadata"]["ownerReferences"].as_array();
    let mut controller = None;
    for owner in owners.into_iter().flatten() {
        let text = |field: &str| owner[field].as_str().unwrap_or_default();
        let demands = [("apiVersion", "version must not be empty"), ("kind", EMPTY), ("name", EMPTY), ("uid", EMPTY)];
        for (field, why) in demands.into_iter().filter(|(field, _)| text(field).is_empty()) {
            faults.push(invalid(&format!("metadata.ownerReferences.{field}"), "", why));
        }
        if owner["controller"] == true {
            let own = format!("{}/{}", text("kind"), text("name"));
            match &controller {
                None => controller = Some(own),
                Some(first) => faults.push((
                    "metadata.ownerReferences".into(),
                    format!(
                        "Invalid value: {}: Only one reference can have Controller set to true. Found \"true\" in references for {first} and {own}",
                        object["metadata"]["ownerReferences"]
                    ),
                )),
            }
        }
    }
    faults
}

const EMPTY: &str = "must not be empty";

fn invalid(field: &str, value: &str, why: &str) -> Fault {
    (field.into(), format!("Invalid value: {value:?}: {why}"))
}

fn is_name(name: &str) -> bool {
    let is_edge = |c: char| c.is_ascii_alphanumeric();
    name.starts_with(is_edge)
        && name.ends_with(is_edge)
        && name.chars().all(|c| is_edge(c) || matches!(c, '-' | '_' | '.'))
}

/// Why a text is no qualified name. Source: `apimachinery/pkg/util/validation` (`IsQualifiedName`).
fn qualified_faults(text: &str) -> impl Iterator<Item = String> {
    let mut faults = Vec::new();
    let name = match text.split('/').collect::<Vec<_>>()[..] {
        [name] => name,
        [prefix, name] => {
            match validate::name_fault(prefix) {
                _ if prefix.is_empty() => faults.push("prefix part must be non-empty".to_owned()),
                Some(fault) => faults.push(format!(
                    "prefix part {}",
                    fault.trim_start_matches(&format!("Invalid value: \"{prefix}\": "))
                )),
                None => {}
            }
            name
        }
        _ => {
            let optional = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![format!("a qualified name {QUALIFIED} {optional}")].into_iter();
        }
    };
    if name.is_empty() {
        faults.push("name part must be non-empty".into());
    } else if name.len() > NAME_CHARS {
        faults.push(format!("name part must be no more than {NAME_CHARS} characters"));
    }
    if !is_name(name) {
        faults.push(format!("name part {QUALIFIED}"));
    }
    faults.into_iter()
}

fn label_fault(value: &str) -> Option<String> {
    if value.len() > NAME_CHARS {
        return Some(format!("must be no more than {NAME_CHARS} bytes"));
    }
    (!value.is_empty() && !is_name(value)).then(|| {
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start \
         and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation \
         is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
            .to_owned()
    })
}

/// What stays as it is in maps and secrets.
fn immutable_faults(kind: &Kind, old: &Value, new: &Value) -> Vec<Fault> {
    let mut faults = Vec::new();
    let (was, is) = (&old["type"], &new["type"]);
    if kind.resource.plural == "secrets" && was != is {
        faults.push(("type".to_owned(), format!("Invalid value: {is}: field is immutable")));
    }
    if old["immutable"] == true {
        for field in ["immutable", "data", "binaryData"].into_iter().filter(|field| old[field] != new[field]) {
            faults.push((field.to_owned(), "Forbidden: field is immutable when `immutable` is set".to_owned()));
        }
    }
    faults
}

fn pod_faults(pod: &Value) -> Option<Fault> {
    let is_empty = pod["spec"]["containers"].as_array().is_none_or(Vec::is_empty);
    is_empty.then(|| ("spec.containers".to_owned(), "Required value".to_owned()))
}

/// Source: `ValidatePodUpdate`.
fn pod_change_fault(old: &Value, new: &Value) -> Option<Fault> {
    let fixed = |pod: &Value| {
        let mut spec = pod["spec"].clone();
        for field in ["activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds", "schedulingGates"] {
            meta::map(&mut spec).remove(field);
        }
        for list in ["containers", "initContainers"] {
            for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                meta::map(container).remove("image");
            }
        }
        spec
    };
    // A node is chosen once; upstream through `binding`, here by a patch.
    let is_bound = old["spec"].get("nodeName").is_none() && new["spec"].get("nodeName").is_some();
    (!is_bound && fixed(old) != fixed(new)).then(|| {
        let fault = "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,\
             `spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing \
             tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n";
        ("spec".to_owned(), fault.to_owned())
    })
}

/// Source: `ValidatePersistentVolumeClaimUpdate`.
fn claim_change_fault(old: &Value, new: &Value) -> Option<Fault> {
    let fixed = |claim: &Value| {
        let mut spec = claim["spec"].clone();
        let map = meta::map(&mut spec);
        for field in ["resources", "volumeAttributesClassName", "volumeName"] {
            map.remove(field);
        }
        // What was empty may be set once, by the binder and by the default class.
        if old["spec"].get("storageClassName").is_none() {
            map.remove("storageClassName");
        }
        spec
    };
    let is_bound_anew = old["spec"].get("volumeName").is_some_and(|was| *was != new["spec"]["volumeName"]);
    (is_bound_anew || fixed(old) != fixed(new)).then(|| {
        let fault = "Forbidden: spec is immutable after creation except resources.requests and \
             volumeAttributesClassName for bound claims\n";
        ("spec".to_owned(), fault.to_owned())
    })
}

/// Source: `kubernetes/pkg/apis/core/validation/events.go`.
fn event_fault(event: &Value) -> Option<Fault> {
    let about = event["involvedObject"]["namespace"].as_str().unwrap_or_default();
    let own = meta::namespace(event);
    let fits = if about.is_empty() { matches!(own, "" | "default") } else { about == own };
    (!fits).then(|| invalid("involvedObject.namespace", about, "does not match event.namespace"))
}

/// What built-in kinds are given beyond plain defaults. Source: `kubernetes/pkg/apis/core/v1/defaults.go`.
pub(super) fn complete(kind: &Kind, object: &mut Value) {
    match (kind.resource.group, kind.resource.plural) {
        ("", "services") => complete_service(object),
        ("", "pods") if object["status"].get("qosClass").is_none() => {
            let asks = |container: &Value| container["resources"].as_object().is_some_and(|asked| !asked.is_empty());
            let containers = object["spec"]["containers"].as_array();
            let class = if containers.into_iter().flatten().any(asks) { "Burstable" } else { "BestEffort" };
            object["status"]["qosClass"] = class.into();
        }
        _ => {}
    }
}

fn complete_service(service: &mut Value) {
    let Some(spec) = service.get_mut("spec").and_then(Value::as_object_mut) else { return };
    spec.entry("type").or_insert_with(|| "ClusterIP".into());
    spec.entry("sessionAffinity").or_insert_with(|| "None".into());
    for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        let number = port["port"].clone();
        let map = meta::map(port);
        map.entry("protocol").or_insert_with(|| json!("TCP"));
        map.entry("targetPort").or_insert(number);
    }
}
