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

/// The claims in a VM's volumes, for [`View::labelled`](crate::behave::View::labelled).
pub(crate) const CLAIM: &str = "simulator/claim";
/// The MACs of a VM's interfaces, in lower case with colons.
pub(crate) const MAC: &str = "simulator/mac";

/// A fact with an index of its own.
pub(super) struct Fact {
    pub(super) name: &'static str,
    kind: &'static str,
    pub(super) read: fn(&Value) -> Vec<String>,
}

/// All facts.
pub(super) const FACTS: &[Fact] = &[
    Fact { name: CLAIM, kind: "VirtualMachine", read: claims },
    Fact { name: MAC, kind: "VirtualMachine", read: macs },
];

impl Fact {
    pub(super) fn is_about(&self, object: Option<&Value>) -> bool {
        object.is_some_and(|object| object["kind"] == self.kind)
    }
}

fn claims(vm: &Value) -> Vec<String> {
    let volumes = object::items(vm, "/spec/template/spec/volumes").iter().map(claim_name);
    volumes.filter(|claim| !claim.is_empty()).map(str::to_owned).collect()
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
