//! The hosts of a cluster: nodes with their leases, Longhorn's view of their disks, and who they are in the cluster.
//!
//! Source: RKE2 and Harvester node objects (`harvester-api.md` §4.1, §4.5, §8.3, §8.4).

use super::Seeder;
use crate::behave::object::stamp_of;
use crate::behave::resources::{LEASE, LONGHORN_NAMESPACE, LONGHORN_NODE, NODE};
use crate::world::catalogue::Release;
use serde_json::{Value, json};

/// What one host is made of.
#[derive(Debug, Clone, Copy)]
pub struct Host {
    /// Cores.
    pub cores: u64,
    /// Memory in GiB.
    pub memory_gib: u64,
    /// Disk for Longhorn in GiB.
    pub disk_gib: u64,
}

impl Host {
    /// A usual two-socket server.
    pub const USUAL: Self = Self { cores: 96, memory_gib: 768, disk_gib: 20_480 };
}

const GIB: u64 = 1 << 30;

impl Seeder<'_> {
    /// Adds `count` hosts named `hv-01`…; the first three form the control plane.
    pub(super) fn hosts(&self, count: usize, host: Host) {
        for at in 0..count {
            let name = host_name(at);
            let mut made = node(&name, at, count, host, self.release, self.now_ms);
            let address = self.site.host(at);
            made["metadata"]["annotations"]["rke2.io/internal-ip"] = json!(address);
            made["status"]["addresses"] =
                json!([{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": name}]);
            self.put(NODE, made);
            self.put(LONGHORN_NODE, longhorn_node(&name, host));
            let renewed = stamp_of(self.now_ms).replace('Z', ".000000Z");
            self.put(
                LEASE,
                json!({
                    "metadata": {"name": name, "namespace": "kube-node-lease"},
                    "spec": {"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": renewed},
                }),
            );
        }
    }
}

/// The n-th host's name.
pub(crate) fn host_name(at: usize) -> String {
    format!("hv-{:02}", at + 1)
}

fn node(name: &str, at: usize, count: usize, host: Host, release: Release, now_ms: i64) -> Value {
    let mut labels = json!({
        "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64",
        "harvesterhci.io/managed": "true", "kubevirt.io/schedulable": "true", "cpumanager": "false",
        "network.harvesterhci.io/mgmt": "true", "network.harvesterhci.io/cn-data": "true",
        "network.harvesterhci.io/vlanconfig": "cn-data-all",
        "node.longhorn.io/create-default-disk": "config",
        "topology.kubernetes.io/zone": format!("rack-{}", char::from(b'a' + u8::try_from(at % 3).unwrap_or(0))),
        "cpu-model.node.kubevirt.io/Icelake-Server": "true", "cpu-model.node.kubevirt.io/Cascadelake-Server": "true",
        "host-model-cpu.node.kubevirt.io/Icelake-Server": "true", "cpu-model-migration.node.kubevirt.io/Icelake-Server": "true",
        "cpu-model-migration.node.kubevirt.io/Cascadelake-Server": "true", "cpu-vendor.node.kubevirt.io/Intel": "true",
        "machine-type.node.kubevirt.io/q35": "true", "machine-type.node.kubevirt.io/pc-q35-rhel9.6.0": "true",
    });
    let is_control = at < 3.min(count);
    if is_control {
        for role in ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/etcd"] {
            labels[role] = json!("true");
        }
        labels["node-role.harvesterhci.io/management"] = json!("true");
    } else {
        labels["node-role.harvesterhci.io/worker"] = json!("true");
    }
    let (kubelet, since) = (release.kubernetes().1, stamp_of(now_ms - 90 * 86_400_000));
    let condition = |kind: &str, status: &str, reason: &str, message: &str| {
        json!({
            "type": kind, "status": status, "reason": reason, "message": message,
            "lastHeartbeatTime": stamp_of(now_ms), "lastTransitionTime": since,
        })
    };
    let amount = |cores: u64, memory_gib: u64| {
        json!({
            "cpu": cores.to_string(), "memory": format!("{}Ki", memory_gib * (GIB >> 10)), "pods": "200",
            "ephemeral-storage": "209715200Ki", "devices.kubevirt.io/kvm": "1k", "devices.kubevirt.io/tun": "1k",
            "devices.kubevirt.io/vhost-net": "1k", "hugepages-1Gi": "0", "hugepages-2Mi": "0",
        })
    };
    let kernel = match release {
        Release::V1_2 | Release::V1_3 | Release::V1_4 => "5.14.21-150500.55.97-default",
        Release::V1_6 => "6.4.0-150600.23.65-default",
        Release::V1_8 | Release::V1_9 => "6.12.0-160000.9-default",
    };
    json!({
        "metadata": {
            "name": name, "labels": labels, "creationTimestamp": since,
            "annotations": {
                "kubevirt.io/heartbeat": stamp_of(now_ms),
                "management.cattle.io/pod-requests": "{\"cpu\":\"1200m\",\"memory\":\"3Gi\",\"pods\":\"30\"}",
                "harvesterhci.io/host-custom-name": format!("机柜{}-{:02}号", ["甲", "乙", "丙"][at % 3], at + 1),
            },
        },
        "spec": {"podCIDR": format!("10.52.{at}.0/24"), "podCIDRs": [format!("10.52.{at}.0/24")], "providerID": format!("rke2://{name}")},
        "status": {
            "capacity": amount(host.cores, host.memory_gib),
            "allocatable": amount(host.cores - 2, host.memory_gib - 8),
            "conditions": [
                condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
                condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
                condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
                condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
            ],
            "nodeInfo": {
                "architecture": "amd64", "operatingSystem": "linux", "osImage": format!("Harvester {}", release.harvester()), "kernelVersion": kernel,
                "kubeletVersion": kubelet, "kubeProxyVersion": kubelet, "containerRuntimeVersion": "containerd://2.1.4-k3s2",
                "machineID": format!("{at:032x}"), "systemUUID": format!("4c4c4544-0000-4000-8000-{at:012x}"), "bootID": format!("{at:08x}-0000-4000-8000-000000000001"),
            },
        },
    })
}

fn longhorn_node(name: &str, host: Host) -> Value {
    let disk = format!("{name}-disk-1");
    let size = host.disk_gib * GIB;
    json!({
        "metadata": {"name": name, "namespace": LONGHORN_NAMESPACE},
        "spec": {
            "name": name, "allowScheduling": true, "evictionRequested": false, "tags": [],
            "disks": {&disk: {"path": "/var/lib/harvester/defaultdisk", "diskType": "filesystem", "storageReserved": size / 10, "allowScheduling": true, "evictionRequested": false, "tags": []}},
        },
        "status": {
            "region": "", "zone": "",
            "conditions": [
                {"type": "Ready", "status": "True", "reason": "", "message": format!("Node {name} is ready")},
                {"type": "Schedulable", "status": "True", "reason": "", "message": ""},
            ],
            "diskStatus": {&disk: {
                "diskUUID": format!("{name}-uuid"), "diskType": "filesystem", "diskPath": "/var/lib/harvester/defaultdisk",
                "storageMaximum": size, "storageAvailable": size - size / 10, "storageScheduled": 0, "scheduledReplica": {},
                "conditions": [
                    {"type": "Ready", "status": "True", "reason": "", "message": ""},
                    {"type": "Schedulable", "status": "True", "reason": "", "message": ""},
                ],
            }},
        },
    })
}
