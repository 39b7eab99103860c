//! Cluster networks, their uplinks, and the networks that VMs attach to.
//!
//! Source: N `pkg/apis/network.harvesterhci.io/v1beta1`, `pkg/utils/nad.go`; `harvester-api.md` §7.

use super::Seeder;
use super::hosts::host_name;
use crate::behave::resources::{CLUSTERNETWORK, NAD, VLANCONFIG, VLANSTATUS};
use serde_json::{Value, json};

/// Namespace of the networks that several teams share.
pub(crate) const SHARED: &str = "harvester-public";

/// Sites besides the first whose plans do not overlap.
const SITES: u64 = 48;
/// Seeds of the first site: its plan is written down in tests and demonstrations.
const FIRST_SITE: [u64; 3] = [1, 7, 18];
/// VLAN ids of the first site's networks.
const FIRST_IDS: [u16; NETWORKS] = [120, 130, 140, 150];
/// Second octets of the first site's networks.
const FIRST_OCTETS: [u8; NETWORKS] = [20, 30, 40, 60];
/// VM networks a site.
const NETWORKS: usize = 4;

/// Where a cluster stands: it follows from the seed, and so do its VLANs, addresses and MACs.
///
/// Two seeds are two sites unless they are equal in the remainder of [`SITES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Site(u8);

/// What a VM network is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Business,
    Database,
    Testing,
    Office,
}

/// A VM network of the company.
///
/// Each has a /16, so that 100,000 VMs find an address of their own in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Vlan {
    /// VLAN id.
    pub(crate) id: u16,
    /// The second octet of its subnet.
    octet: u8,
    /// What it is for.
    description: &'static str,
}

impl Site {
    /// The site of a world with this seed.
    pub(crate) fn of(seed: u64) -> Self {
        let number = if FIRST_SITE.contains(&seed) { 0 } else { 1 + seed % SITES };
        Self(u8::try_from(number).expect("the remainder is smaller than SITES"))
    }

    /// Its network for a purpose.
    pub(crate) fn vlan(self, purpose: Purpose) -> Vlan {
        let (at, description) = match purpose {
            Purpose::Business => (0, "生产业务网"),
            Purpose::Database => (1, "生产数据库网"),
            Purpose::Testing => (2, "测试网"),
            Purpose::Office => (3, "办公与管理网"),
        };
        if self.0 == 0 {
            return Vlan { id: FIRST_IDS[usize::from(at)], octet: FIRST_OCTETS[usize::from(at)], description };
        }
        // From VLAN 200 and 10.64 on, behind the first site, the hosts and the pod and service networks.
        Vlan { id: 160 + 40 * u16::from(self.0) + 10 * u16::from(at), octet: 60 + 4 * self.0 + at, description }
    }

    /// All its networks.
    pub(crate) fn vlans(self) -> [Vlan; NETWORKS] {
        [Purpose::Business, Purpose::Database, Purpose::Testing, Purpose::Office].map(|purpose| self.vlan(purpose))
    }

    /// The management address of the n-th host.
    pub(crate) fn host(self, at: usize) -> String {
        let (block, last) = (at / 200, 11 + at % 200);
        match usize::from(self.0) {
            0 => format!("10.10.{block}.{last}"),
            site => format!("172.{}.{}.{last}", 16 + site / 16, site % 16 * 16 + block),
        }
    }

    /// The MAC of the n-th machine.
    pub(crate) fn mac(self, at: usize) -> String {
        let number = at + 0x10_0000 + usize::from(self.0) * 0x2_0000;
        let [_, a, b, c] = u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes();
        format!("52:54:00:{a:02x}:{b:02x}:{c:02x}")
    }
}

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
                    "localAreas": self.site.vlans().iter().map(|vlan| json!({"vlanID": vlan.id, "cidr": vlan.cidr()})).collect::<Vec<_>>(),
                    "conditions": [{"type": "ready", "status": "True"}],
                },
            }));
        }
        for vlan in self.site.vlans() {
            self.put(NAD, vlan.nad(SHARED));
        }
    }
}

impl Vlan {
    /// Name of the NAD.
    pub(crate) fn name(self) -> String {
        format!("vlan-{}", self.id)
    }

    /// The subnet.
    pub(crate) fn cidr(self) -> String {
        format!("10.{}.0.0/16", self.octet)
    }

    /// The gateway.
    pub(crate) fn gateway(self) -> String {
        format!("10.{}.0.1", self.octet)
    }

    /// A name server in it.
    pub(crate) fn name_server(self) -> String {
        format!("10.{}.0.5", self.octet)
    }

    /// The address of the n-th machine, were it here.
    pub(crate) fn address(self, at: usize) -> String {
        let at = at % 60_000;
        format!("10.{}.{}.{}", self.octet, 1 + at / 250, 2 + at % 250)
    }

    /// The NAD in a namespace.
    pub(crate) fn nad(self, namespace: &str) -> Value {
        let config = json!({
            "cniVersion": "0.3.1", "name": self.name(), "type": "bridge", "bridge": "cn-data-br", "promiscMode": true,
            "vlan": self.id, "ipam": {},
        });
        let route = json!({
            "mode": "manual", "cidr": self.cidr(), "gateway": self.gateway(), "serverIPAddr": "", "connectivity": "true",
        });
        json!({
            "metadata": {
                "name": self.name(), "namespace": namespace,
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
