//! What objects are looked up by without reading them all: some labels, and some facts in their specs.

use crate::behave::{claim_name, object};
use serde_json::Value;

/// Labels that behaviours and consoles look objects up by; each has an index.
pub(crate) const INDEXED_LABELS: &[&str] = &[
    "kubevirt.io/created-by",
    "kubevirt.io/nodeName",
    "vm.kubevirt.io/name",
    "harvesterhci.io/vmName",
    "kubevirt.io/vmi-name",
    "longhornvolume",
    "kubevirt.io/migrationTargetNodeName",
];

/// The claims in a VM's or a pod's volumes, for [`View::labelled`](crate::behave::View::labelled).
pub(crate) const CLAIM: &str = "simulator/claim";
/// The node that a pod was given.
pub(crate) const ON_NODE: &str = "simulator/node";
/// The MACs of a VM's interfaces, in lower case with colons.
pub(crate) const MAC: &str = "simulator/mac";

/// A fact with an index of its own.
pub(crate) struct Fact {
    pub(crate) name: &'static str,
    kind: &'static str,
    pub(crate) read: fn(&Value) -> Vec<String>,
}

/// All facts.
pub(crate) const FACTS: &[Fact] = &[
    Fact { name: CLAIM, kind: "VirtualMachine", read: claims },
    Fact { name: CLAIM, kind: "Pod", read: pod_claims },
    Fact { name: ON_NODE, kind: "Pod", read: node },
    Fact { name: MAC, kind: "VirtualMachine", read: macs },
];

impl Fact {
    pub(crate) fn is_about(&self, object: Option<&Value>) -> bool {
        object.is_some_and(|object| object["kind"] == self.kind)
    }
}

fn claims(vm: &Value) -> Vec<String> {
    let volumes = object::items(vm, "/spec/template/spec/volumes").iter().map(claim_name);
    volumes.filter(|claim| !claim.is_empty()).map(str::to_owned).collect()
}

fn pod_claims(pod: &Value) -> Vec<String> {
    let volumes = object::items(pod, "/spec/volumes").iter();
    let claims = volumes.map(|volume| object::text(volume, "/persistentVolumeClaim/claimName"));
    claims.filter(|claim| !claim.is_empty()).map(str::to_owned).collect()
}

fn node(pod: &Value) -> Vec<String> {
    let node = object::text(pod, "/spec/nodeName");
    if node.is_empty() { Vec::new() } else { vec![node.to_owned()] }
}

fn macs(vm: &Value) -> Vec<String> {
    let interfaces = object::items(vm, "/spec/template/spec/domain/devices/interfaces").iter();
    let macs = interfaces.map(|interface| spelled(object::text(interface, "/macAddress")));
    macs.filter(|mac| !mac.is_empty()).collect()
}

/// A MAC as the index spells it.
pub(crate) fn spelled(mac: &str) -> String {
    mac.to_ascii_lowercase().replace('-', ":")
}
