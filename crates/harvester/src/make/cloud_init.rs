//! The Secret that a VM's cloud-init disk is made of. Source: `harvester-api.md` §1.6, §13.

use super::{VmSpec, labels};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::id::VmName;
use serde_json::{Map, Value, json};

/// What the guest reads at its first boot.
#[derive(Clone, PartialEq, Eq)]
pub struct CloudInit {
    /// `#cloud-config` and what follows.
    pub user_data: String,
    /// Network configuration, version 2, without a `network:` key around it (§0.4).
    pub network_data: String,
}

impl std::fmt::Debug for CloudInit {
    /// Sizes only: it may carry a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CloudInit {{ user_data: <{}>, network_data: <{}> }}", self.user_data.len(), self.network_data.len())
    }
}

/// Name of the cloud-init Secret of a VM; the same each time, so that making it twice makes one.
pub fn cloud_init_name(vm: &VmName) -> String {
    format!("{vm}-cloudinit")
}

/// The Secret; always this rather than inline data, which is limited to 2,048 bytes and readable with the VM.
pub fn cloud_init_secret(spec: &VmSpec, cloud_init: &CloudInit) -> Value {
    let mut all = labels::labels(spec);
    all.insert("harvesterhci.io/cloud-init-template".into(), "harvester".into());
    let mut data = Map::new();
    for (key, text) in [("userdata", &cloud_init.user_data), ("networkdata", &cloud_init.network_data)] {
        data.insert(key.to_owned(), STANDARD.encode(text).into());
    }
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {
            "name": cloud_init_name(&spec.name), "namespace": spec.namespace.as_str(),
            "labels": all, "annotations": labels::annotations(spec),
        },
        "data": data,
    })
}

/// A merge patch that makes the VM the Secret's owner, so that the Secret goes with it.
pub fn owner_patch(vm: &VmName, uid: &str) -> Value {
    let owner = json!({ "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "name": vm.as_str(), "uid": uid });
    json!({ "metadata": { "ownerReferences": [owner] } })
}
