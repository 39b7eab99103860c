//! What the network plug-ins give a pod: its address, and Multus's note about its other interfaces.
//!
//! Source: multus-cni `pkg/types/types.go`, `network-attachment-definition-client/pkg/utils` (`SetNetworkStatus`).

use crate::behave::object;
use serde_json::{Value, json};

/// Annotation in which Multus asks for interfaces.
const WANTED: &str = "k8s.v1.cni.cncf.io/networks";
/// Annotation in which Multus tells what it made; virt-controller reads it.
pub(crate) const STATUS: &str = "k8s.v1.cni.cncf.io/network-status";
/// Annotation of the simulator's own: the address that a pod is to have; a `*` in it is the number in its node's name.
pub(crate) const ADDRESS: &str = "simulator.harvester-admin/pod-ip";

/// An address out of the pod network 10.52.0.0/16, made from the pod's uid; or the one that an annotation asks for.
pub(crate) fn address(pod: &Value) -> String {
    if let Some(asked) = object::annotation(pod, ADDRESS) {
        let digits: String = object::text(pod, "/spec/nodeName").chars().filter(char::is_ascii_digit).collect();
        return asked.replace('*', &digits.parse::<u8>().unwrap_or_default().to_string());
    }
    let mut hash: u32 = 0x811c_9dc5;
    for byte in object::uid(pod).bytes().chain(object::name(pod).bytes()) {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    format!("10.52.{}.{}", (hash >> 8) & 0xff, 2 + (hash & 0xff) % 252)
}

/// Multus's note, when interfaces are asked for.
pub(crate) fn annotation(pod: &Value) -> Option<String> {
    let wanted: Vec<Value> = serde_json::from_str(object::annotation(pod, WANTED)?).ok()?;
    let own =
        json!({"name": "k8s-pod-network", "interface": "eth0", "ips": [address(pod)], "default": true, "dns": {}});
    let made = wanted.iter().enumerate().map(|(at, network)| {
        let namespace = match object::text(network, "/namespace") {
            "" => object::namespace(pod),
            namespace => namespace,
        };
        let interface = match object::text(network, "/interface") {
            "" => format!("net{}", at + 1),
            interface => interface.to_owned(),
        };
        json!({
            "name": format!("{namespace}/{}", object::text(network, "/name")), "interface": interface,
            "mac": object::text(network, "/mac"), "dns": {},
        })
    });
    Some(std::iter::once(own).chain(made).collect::<Value>().to_string())
}

/// The interfaces of a pod that Multus made.
pub(crate) fn interfaces(pod: &Value) -> Vec<String> {
    let noted = object::annotation(pod, STATUS).and_then(|text| serde_json::from_str::<Value>(text).ok());
    let noted = noted.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    noted.iter().map(|held| object::text(held, "/interface").to_owned()).collect()
}
