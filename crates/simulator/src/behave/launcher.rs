//! The virt-launcher pod that carries an instance.
//!
//! Pure: from a VMI to the pod that KubeVirt's template service renders, as far as schedulers, quotas and people look
//! at it.
//!
//! Source: K `pkg/virt-controller/services/template.go`, `rendercontainer.go`; `harvester-api.md` §1.1, §1.5.

use super::View;
use super::object::{self, controlled_by};
use super::quantity::{bytes_of, bytes_text, cpu_text, millicores_of};
use super::vm::claim_name;
use super::vmi::CREATED_BY;
use serde_json::{Map, Value, json};

const IMAGE: &str = "registry.suse.com/suse/sles/15.7/virt-launcher:1.7.4-150700.3.22.1";
const MIB: u64 = 1 << 20;

/// The claims that an instance needs, in the order of its volumes.
pub(crate) fn claims(vmi: &Value) -> impl Iterator<Item = &str> {
    object::items(vmi, "/spec/volumes").iter().map(claim_name).filter(|claim| !claim.is_empty())
}

/// Message of the `SuccessfulCreate` event; the pod's random suffix is the server's, so it is not in it.
pub(crate) fn created(vmi: &Value) -> String {
    format!("Created virtual machine pod virt-launcher-{}", object::name(vmi))
}

/// Builds the pod.
pub(crate) fn pod(vmi: &Value, view: &dyn View) -> Value {
    let name = object::name(vmi);
    let mut labels = object::part(vmi, "/metadata/labels").as_object().cloned().unwrap_or_default();
    labels.remove(super::vmi::NODE_NAME);
    for (key, value) in [
        ("kubevirt.io", "virt-launcher"),
        (CREATED_BY, object::uid(vmi)),
        ("vm.kubevirt.io/name", name),
        ("vmi.kubevirt.io/id", name),
    ] {
        labels.insert(key.to_owned(), json!(value));
    }
    let mut annotations = Map::new();
    annotations.insert("kubevirt.io/domain".to_owned(), json!(name));
    annotations.insert("kubevirt.io/migrationTransportUnix".to_owned(), json!("true"));
    annotations.insert("kubectl.kubernetes.io/default-container".to_owned(), json!("compute"));
    if let Some(networks) = multus(vmi) {
        annotations.insert("k8s.v1.cni.cncf.io/networks".to_owned(), json!(networks));
    }
    let mut selector = object::part(vmi, "/spec/nodeSelector").as_object().cloned().unwrap_or_default();
    selector.insert("kubevirt.io/schedulable".to_owned(), json!("true"));
    selector.insert("kubernetes.io/arch".to_owned(), json!("amd64"));
    let volumes: Vec<Value> = object::items(vmi, "/spec/volumes")
        .iter()
        .filter(|volume| !claim_name(volume).is_empty())
        .map(|volume| json!({"name": volume["name"], "persistentVolumeClaim": {"claimName": claim_name(volume)}}))
        .collect();
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": format!("virt-launcher-{name}-"),
            "namespace": object::namespace(vmi),
            "labels": labels,
            "annotations": annotations,
            "ownerReferences": [controlled_by(vmi)],
        },
        "spec": {
            "restartPolicy": "Never",
            "hostname": name,
            "schedulerName": "default-scheduler",
            "terminationGracePeriodSeconds": vmi["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or(120) + 15,
            "nodeSelector": selector,
            "affinity": vmi["spec"]["affinity"],
            "tolerations": vmi["spec"]["tolerations"],
            "automountServiceAccountToken": false,
            "enableServiceLinks": false,
            "containers": [{
                "name": "compute",
                "image": IMAGE,
                "imagePullPolicy": "IfNotPresent",
                "resources": resources(vmi, view),
            }],
            "volumes": volumes,
            "readinessGates": [{"conditionType": "kubevirt.io/virtual-machine-unpaused"}],
        },
        "status": {"phase": "Pending", "qosClass": "Burstable"},
    })
}

fn multus(vmi: &Value) -> Option<String> {
    let wanted: Vec<Value> = object::items(vmi, "/spec/networks")
        .iter()
        .enumerate()
        .filter_map(|(at, network)| {
            let full = object::text(network, "/multus/networkName");
            let (namespace, name) = full.split_once('/').unwrap_or((object::namespace(vmi), full));
            let mac = super::hardware::interface_mac(vmi, object::text(network, "/name"));
            (!name.is_empty()).then(|| {
                json!({"name": name, "namespace": namespace, "interface": pod_interface(object::text(network, "/name"), at), "mac": mac})
            })
        })
        .collect();
    (!wanted.is_empty()).then(|| Value::Array(wanted).to_string())
}

/// Name of the interface inside the pod: `pod` and eleven hexadecimal digits, a hash of the network's name.
///
/// Source: K `pkg/network/namescheme`; the digest is ours, only its shape is upstream's.
pub(crate) fn pod_interface(network: &str, at: usize) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325 ^ at as u64;
    for byte in network.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("pod{:011x}", hash & 0xfff_ffff_ffff)
}

/// The interface that a pod has for a network: as its own Multus annotation says.
pub(crate) fn pod_interface_of(pod: &Value, network: &Value, at: usize) -> String {
    let full = object::text(network, "/multus/networkName");
    let (namespace, name) = full.split_once('/').unwrap_or((object::namespace(pod), full));
    let asked = object::annotation(pod, "k8s.v1.cni.cncf.io/networks")
        .and_then(|text| serde_json::from_str::<Vec<Value>>(text).ok())
        .unwrap_or_default();
    let ours = pod_interface(object::text(network, "/name"), at);
    let same = |held: &&Value| held["name"] == name && held["namespace"] == namespace;
    let found =
        asked.iter().filter(same).find(|held| held["interface"] == ours.as_str()).or_else(|| asked.iter().find(same));
    found.map_or(ours, |held| object::text(held, "/interface").to_owned())
}

fn resources(vmi: &Value, view: &dyn View) -> Value {
    let held = |pointer: &str| object::at(vmi, &format!("/spec/domain/resources{pointer}"));
    let overhead = overhead(vmi, view);
    let guest = object::at(vmi, "/spec/domain/memory/guest").and_then(bytes_of).unwrap_or(0);
    let limit = held("/limits/memory").and_then(bytes_of);
    let memory = held("/requests/memory").and_then(bytes_of).or(limit).unwrap_or(guest);
    let cpu_limit = held("/limits/cpu").and_then(millicores_of);
    let cpu = held("/requests/cpu").and_then(millicores_of).or(cpu_limit).unwrap_or(100);
    let mut made = json!({
        "requests": {
            "cpu": cpu_text(cpu), "memory": bytes_text(memory + overhead), "ephemeral-storage": "50M",
            "devices.kubevirt.io/kvm": "1", "devices.kubevirt.io/tun": "1", "devices.kubevirt.io/vhost-net": "1",
        },
        "limits": {"devices.kubevirt.io/kvm": "1", "devices.kubevirt.io/tun": "1", "devices.kubevirt.io/vhost-net": "1"},
    });
    if let Some(limit) = limit {
        made["limits"]["memory"] = json!(bytes_text(limit + overhead));
    }
    if let Some(limit) = cpu_limit {
        made["limits"]["cpu"] = json!(cpu_text(limit));
    }
    made
}

/// Memory that KubeVirt adds to the guest's, times Harvester's ratio, in whole MiB.
///
/// Source: K `pkg/virt-controller/services/renderresources.go` (`GetMemoryOverhead`), rounded.
pub(crate) fn overhead(vmi: &Value, view: &dyn View) -> u64 {
    let guest = object::at(vmi, "/spec/domain/memory/guest").and_then(bytes_of).unwrap_or(0);
    let count =
        |field: &str| object::at(vmi, &format!("/spec/domain/cpu/{field}")).and_then(Value::as_u64).unwrap_or(1);
    let vcpus = count("cores") * count("sockets") * count("threads");
    let base = guest / 512 + (220 + 8 * vcpus + 8 + 32) * MIB;
    let ratio = super::effective_setting(view, "additional-guest-memory-overhead-ratio");
    let ratio: f64 = ratio.as_deref().and_then(|text| text.parse().ok()).filter(|ratio| *ratio >= 1.0).unwrap_or(1.0);
    ((base as f64 * ratio) as u64).div_ceil(MIB) * MIB
}
