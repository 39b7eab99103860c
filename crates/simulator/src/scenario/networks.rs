//! Cluster networks, their uplinks, and the networks that VMs attach to.
//!
//! Source: N `pkg/apis/network.harvesterhci.io/v1beta1`, `pkg/utils/nad.go`; `harvester-api.md` §7.

use super::Seeder;
use super::hosts::host_name;
use crate::behave::resources::{CLUSTERNETWORK, NAD, VLANCONFIG, VLANSTATUS};
use serde_json::{Value, json};

/// A VM network of the company.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vlan {
    /// VLAN id; 0 is untagged.
    pub(crate) id: u16,
    /// Name of the NAD.
    pub(crate) name: &'static str,
    /// The first two octets of its subnet.
    pub(crate) prefix: (u8, u8),
    /// What it is for.
    pub(crate) description: &'static str,
}

/// Namespace of the networks that several teams share.
pub(crate) const SHARED: &str = "harvester-public";

/// Each has a /16, so that 100,000 VMs find an address of their own in it: 10.x or 172.x, never two the same.
pub(crate) const VLANS: &[Vlan] = &[
    Vlan { id: 120, name: "vlan-120", prefix: (10, 20), description: "生产业务网" },
    Vlan { id: 130, name: "vlan-130", prefix: (10, 30), description: "生产数据库网" },
    Vlan { id: 140, name: "vlan-140", prefix: (10, 40), description: "测试网" },
    Vlan { id: 150, name: "vlan-150", prefix: (10, 60), description: "办公与管理网" },
];

impl Seeder<'_> {
    /// Puts the networks there.
    pub(super) fn networks(&self, hosts: usize) {
        let nodes: Vec<String> = (0..hosts).map(host_name).collect();
        for (name, mtu) in [("mgmt", 1500), ("cn-data", 9000)] {
            self.put(
                CLUSTERNETWORK,
                json!({
                    "metadata": {"name": name, "annotations": {"network.harvesterhci.io/uplink-mtu": mtu.to_string()}},
                    "status": {"conditions": [{"type": "ready", "status": "True"}]},
                }),
            );
        }
        self.put(VLANCONFIG, json!({
            "metadata": {
                "name": "cn-data-all",
                "annotations": {"network.harvesterhci.io/matched-nodes": json!(nodes).to_string()},
            },
            "spec": {
                "clusterNetwork": "cn-data", "description": "双万兆业务上联", "nodeSelector": {"kubernetes.io/os": "linux"},
                "uplink": {
                    "nics": ["ens2f0", "ens2f1"], "bondOptions": {"mode": "802.3ad", "miimon": 100},
                    "linkAttributes": {"mtu": 9000, "txQLen": -1},
                },
            },
            "status": {"conditions": [{"type": "ready", "status": "True"}]},
        }));
        for node in &nodes {
            self.put(VLANSTATUS, json!({
                "metadata": {"name": format!("cn-data-all-{node}-status"), "labels": {"network.harvesterhci.io/clusternetwork": "cn-data", "network.harvesterhci.io/vlanconfig": "cn-data-all", "network.harvesterhci.io/node": node}},
                "status": {
                    "clusterNetwork": "cn-data", "vlanConfig": "cn-data-all", "linkMonitor": "", "node": node,
                    "localAreas": VLANS.iter().map(|vlan| json!({"vlanID": vlan.id, "cidr": vlan.cidr()})).collect::<Vec<_>>(),
                    "conditions": [{"type": "ready", "status": "True"}],
                },
            }));
        }
        for vlan in VLANS {
            self.put(NAD, vlan.nad(SHARED));
        }
    }
}

impl Vlan {
    /// The subnet.
    pub(crate) fn cidr(&self) -> String {
        format!("{}.{}.0.0/16", self.prefix.0, self.prefix.1)
    }

    /// The gateway.
    pub(crate) fn gateway(&self) -> String {
        format!("{}.{}.0.1", self.prefix.0, self.prefix.1)
    }

    /// The NAD in a namespace.
    pub(crate) fn nad(&self, namespace: &str) -> Value {
        let config = json!({
            "cniVersion": "0.3.1", "name": self.name, "type": "bridge", "bridge": "cn-data-br", "promiscMode": true,
            "vlan": self.id, "ipam": {},
        });
        let route = json!({
            "mode": "manual", "cidr": self.cidr(), "gateway": self.gateway(), "serverIPAddr": "", "connectivity": "true",
        });
        json!({
            "metadata": {
                "name": self.name, "namespace": namespace,
                "labels": {
                    "network.harvesterhci.io/clusternetwork": "cn-data", "network.harvesterhci.io/type": "L2VlanNetwork",
                    "network.harvesterhci.io/vlan-id": self.id.to_string(), "network.harvesterhci.io/ready": "true",
                },
                "annotations": {
                    "network.harvesterhci.io/route": route.to_string(), "field.cattle.io/description": self.description,
                },
            },
            "spec": {"config": config.to_string()},
        })
    }
}
