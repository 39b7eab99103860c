//! Every kind that the behaviours touch, once, as the API addresses it.
//!
//! Source: CRDs of Harvester 1.8.2, KubeVirt 1.7.4, Longhorn 1.11.2 (`harvester-api.md` §1.1, §5–§8).

use super::Resource;

const fn kind(group: &'static str, version: &'static str, plural: &'static str) -> Resource {
    Resource { group, version, plural }
}

/// `VirtualMachine`.
pub const VM: Resource = kind("kubevirt.io", "v1", "virtualmachines");
/// `VirtualMachineInstance`; has no status subresource.
pub const VMI: Resource = kind("kubevirt.io", "v1", "virtualmachineinstances");
/// `VirtualMachineInstanceMigration`.
pub const VMIM: Resource = kind("kubevirt.io", "v1", "virtualmachineinstancemigrations");
/// `KubeVirt`, the installation.
pub const KUBEVIRT: Resource = kind("kubevirt.io", "v1", "kubevirts");

/// `Pod`.
pub const POD: Resource = kind("", "v1", "pods");
/// `DaemonSet`.
pub const DAEMONSET: Resource = kind("apps", "v1", "daemonsets");
/// `PersistentVolumeClaim`.
pub const PVC: Resource = kind("", "v1", "persistentvolumeclaims");
/// `PersistentVolume`.
pub const PV: Resource = kind("", "v1", "persistentvolumes");
/// `Node`.
pub const NODE: Resource = kind("", "v1", "nodes");
/// Core `Event`.
pub const EVENT: Resource = kind("", "v1", "events");
/// `Secret`.
pub const SECRET: Resource = kind("", "v1", "secrets");
/// `ConfigMap`.
pub const CONFIGMAP: Resource = kind("", "v1", "configmaps");
/// `Namespace`.
pub const NAMESPACE: Resource = kind("", "v1", "namespaces");
/// Core `ResourceQuota`; Harvester has one of its own, see [`SNAPSHOT_QUOTA`].
pub const QUOTA: Resource = kind("", "v1", "resourcequotas");
/// Node heartbeat.
pub const LEASE: Resource = kind("coordination.k8s.io", "v1", "leases");
/// `StorageClass`.
pub const STORAGECLASS: Resource = kind("storage.k8s.io", "v1", "storageclasses");
/// `VolumeSnapshot`.
pub const VOLUMESNAPSHOT: Resource = kind("snapshot.storage.k8s.io", "v1", "volumesnapshots");
/// `VolumeSnapshotClass`.
pub const VOLUMESNAPSHOTCLASS: Resource = kind("snapshot.storage.k8s.io", "v1", "volumesnapshotclasses");

/// CDI `DataVolume`.
pub const DATAVOLUME: Resource = kind("cdi.kubevirt.io", "v1beta1", "datavolumes");

/// `VirtualMachineImage`.
pub const IMAGE: Resource = kind("harvesterhci.io", "v1beta1", "virtualmachineimages");
/// `KeyPair`.
pub const KEYPAIR: Resource = kind("harvesterhci.io", "v1beta1", "keypairs");
/// `VirtualMachineBackup`.
pub const BACKUP: Resource = kind("harvesterhci.io", "v1beta1", "virtualmachinebackups");
/// `VirtualMachineRestore`.
pub const RESTORE: Resource = kind("harvesterhci.io", "v1beta1", "virtualmachinerestores");
/// `ScheduleVMBackup`.
pub const SCHEDULE: Resource = kind("harvesterhci.io", "v1beta1", "schedulevmbackups");
/// `Setting`, cluster-scoped, no spec.
pub const SETTING: Resource = kind("harvesterhci.io", "v1beta1", "settings");
/// `Addon`.
pub const ADDON: Resource = kind("harvesterhci.io", "v1beta1", "addons");
/// `VirtualMachineTemplate`.
pub const TEMPLATE: Resource = kind("harvesterhci.io", "v1beta1", "virtualmachinetemplates");
/// `VirtualMachineTemplateVersion`.
pub const TEMPLATE_VERSION: Resource = kind("harvesterhci.io", "v1beta1", "virtualmachinetemplateversions");
/// Harvester's `ResourceQuota` for snapshot sizes.
pub const SNAPSHOT_QUOTA: Resource = kind("harvesterhci.io", "v1beta1", "resourcequotas");

/// `NetworkAttachmentDefinition`.
pub const NAD: Resource = kind("k8s.cni.cncf.io", "v1", "network-attachment-definitions");
/// `ClusterNetwork`.
pub const CLUSTERNETWORK: Resource = kind("network.harvesterhci.io", "v1beta1", "clusternetworks");
/// `VlanConfig`.
pub const VLANCONFIG: Resource = kind("network.harvesterhci.io", "v1beta1", "vlanconfigs");
/// `VlanStatus`.
pub const VLANSTATUS: Resource = kind("network.harvesterhci.io", "v1beta1", "vlanstatuses");
/// DHCP pool of the vm-dhcp-controller add-on.
pub const DHCP_POOL: Resource = kind("network.harvesterhci.io", "v1alpha1", "ippools");
/// Address that the add-on gave to a VM.
pub const VM_NETWORK_CONFIG: Resource = kind("network.harvesterhci.io", "v1alpha1", "virtualmachinenetworkconfigs");
/// Load-balancer pool.
pub const LB_POOL: Resource = kind("loadbalancer.harvesterhci.io", "v1beta1", "ippools");
/// `LoadBalancer`.
pub const LOADBALANCER: Resource = kind("loadbalancer.harvesterhci.io", "v1beta1", "loadbalancers");

/// Longhorn `Volume`.
pub const LONGHORN_VOLUME: Resource = kind("longhorn.io", "v1beta2", "volumes");
/// Longhorn `Replica`.
pub const LONGHORN_REPLICA: Resource = kind("longhorn.io", "v1beta2", "replicas");
/// Longhorn `Node`.
pub const LONGHORN_NODE: Resource = kind("longhorn.io", "v1beta2", "nodes");
/// Longhorn `Setting`.
pub const LONGHORN_SETTING: Resource = kind("longhorn.io", "v1beta2", "settings");

/// Where Longhorn keeps its objects.
pub const LONGHORN_NAMESPACE: &str = "longhorn-system";

/// Everything that steps look at: what an agent has to follow. A kind that a server lacks is as good as empty.
pub const FOLLOWED: &[Resource] = &[
    VM,
    VMI,
    VMIM,
    KUBEVIRT,
    POD,
    PVC,
    PV,
    NODE,
    SECRET,
    NAMESPACE,
    QUOTA,
    LEASE,
    STORAGECLASS,
    DATAVOLUME,
    IMAGE,
    KEYPAIR,
    BACKUP,
    RESTORE,
    SETTING,
    ADDON,
    TEMPLATE,
    TEMPLATE_VERSION,
    NAD,
    CLUSTERNETWORK,
    VLANCONFIG,
    VLANSTATUS,
    DHCP_POOL,
    VM_NETWORK_CONFIG,
    LONGHORN_VOLUME,
    LONGHORN_REPLICA,
    LONGHORN_NODE,
    LONGHORN_SETTING,
    VOLUMESNAPSHOTCLASS,
];
