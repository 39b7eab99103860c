//! The capability matrix: one row a capability. Source: `harvester-api.md` §9.5, which says how each first version was found.

use super::Version;
use super::marker::Marker::{
    self, Addon, All, Between, Field, Gate, KubeVirt, KubeVirtVersion, Pinning, Resource, Setting, SettingHas,
    SettingTrue, Since,
};
use model::Say;

/// A row.
pub(super) struct Row {
    pub(super) key: &'static str,
    pub(super) name: Say,
    /// First Harvester that has it.
    pub(super) since: &'static str,
    pub(super) marker: Marker,
    /// What to do without.
    pub(super) instead: Option<Say>,
}

const HARVESTER: &str = "harvesterhci.io/v1beta1";
const BACKUPS: &str = "virtualmachinebackups.harvesterhci.io";
const RESTORES: &str = "virtualmachinerestores.harvesterhci.io";
const IMAGES: &str = "virtualmachineimages.harvesterhci.io";
const SUBRESOURCES: &str = "subresources.kubevirt.io/v1";

const fn row(
    key: &'static str,
    since: &'static str,
    marker: Marker,
    name: (&'static str, &'static str),
    instead: (&'static str, &'static str),
) -> Row {
    let instead = if instead.0.is_empty() { None } else { Some(Say::fixed(instead.0, instead.1)) };
    Row { key, name: Say::fixed(name.0, name.1), since, marker, instead }
}

const UPGRADE: (&str, &str) = ("升级 Harvester", "upgrade Harvester");
const NOTHING: (&str, &str) = ("", "");

/// All rows, by first version.
pub(super) fn rows() -> Vec<Row> {
    vec![
        row(
            "vm-snapshot",
            "1.1",
            Field(BACKUPS, "type"),
            ("虚拟机快照", "VM snapshots"),
            ("用备份代替", "use a backup instead"),
        ),
        row(
            "force-stop",
            "1.2",
            KubeVirtVersion(Version(1, 1)),
            ("强制关机（宽限期为零）", "Force off (no grace period)"),
            ("等关机完成，或删除 launcher Pod", "wait for the shutdown, or delete the launcher pod"),
        ),
        row(
            "quota-auto-scale",
            "1.2",
            Since(Version(1, 2)),
            ("迁移时自动放大配额", "Quota grows for migrations"),
            ("迁移前留出配额余量", "leave room in the quota before migrating"),
        ),
        row(
            "keep-mac",
            "1.3",
            Field(RESTORES, "keepMacAddress"),
            ("恢复时保留 MAC", "Restores keep MAC addresses"),
            ("恢复后手工设回 MAC", "set the MAC address by hand after a restore"),
        ),
        row(
            "managed-dhcp",
            "1.3",
            All(&[Resource("network.harvesterhci.io/v1alpha1", "ippools"), Addon("harvester-vm-dhcp-controller")]),
            ("托管 DHCP", "Managed DHCP"),
            ("用平台台账配静态地址", "use static addresses from the platform's ledger"),
        ),
        row(
            "maintain-strategy",
            "1.4",
            Since(Version(1, 4)),
            ("按虚拟机设维护策略", "Maintenance strategy per VM"),
            ("维护前手工关停不能迁移的虚拟机", "shut down VMs that cannot move by hand before maintenance"),
        ),
        row(
            "schedule-backup",
            "1.4",
            Resource(HARVESTER, "schedulevmbackups"),
            ("定时备份", "Scheduled backups"),
            ("由外部任务定时创建备份", "have an outside job create backups"),
        ),
        row(
            "snapshot-quota",
            "1.4",
            Resource(HARVESTER, "resourcequotas"),
            ("快照容量配额", "Snapshot size quota"),
            UPGRADE,
        ),
        row(
            "cpu-pinning",
            "1.4",
            All(&[Gate("CPUManager"), Pinning]),
            ("CPU 绑核", "CPU pinning"),
            ("在主机上启用 CPU Manager", "switch the CPU manager on for a node"),
        ),
        row("image-encryption", "1.4", Field(IMAGES, "securityParameters"), ("镜像加密", "Image encryption"), UPGRADE),
        row(
            "usb-passthrough",
            "1.4",
            All(&[Resource("devices.harvesterhci.io/v1beta1", "usbdevices"), Addon("pcidevices-controller")]),
            ("USB 直通", "USB passthrough"),
            ("启用 pcidevices-controller 插件", "switch on the add-on pcidevices-controller"),
        ),
        row(
            "longhorn-v2",
            "1.4",
            SettingTrue("longhorn-v2-data-engine-enabled"),
            ("Longhorn v2 数据引擎", "Longhorn v2 data engine"),
            ("用 v1 数据引擎", "use the v1 data engine"),
        ),
        row(
            "cdi-images",
            "1.5",
            All(&[Field(IMAGES, "backend"), Resource("cdi.kubevirt.io/v1beta1", "cdis")]),
            ("第三方存储与 CDI 镜像", "Third-party storage, images by CDI"),
            ("用 Longhorn v1 的镜像", "use images on Longhorn v1"),
        ),
        row(
            "persistent-tpm",
            "1.5",
            KubeVirt("/spec/configuration/vmStateStorageClass"),
            ("持久 TPM/EFI", "Persistent TPM and EFI"),
            (
                "不要在客户机里用 BitLocker 之类依赖 TPM 的加密",
                "do not use encryption in the guest that relies on the TPM",
            ),
        ),
        row(
            "duplicate-mac-check",
            "1.5",
            Since(Version(1, 5)),
            ("集群自查重复 MAC", "The cluster refuses duplicate MACs"),
            ("平台自己查重", "the platform checks"),
        ),
        row(
            "untagged-network",
            "1.5",
            Since(Version(1, 5)),
            ("无标签网络", "Untagged networks"),
            ("用 VLAN 网络", "use a VLAN network"),
        ),
        row(
            "vmi-reset",
            "1.6",
            Resource(SUBRESOURCES, "virtualmachineinstances/reset"),
            ("硬复位", "Hard reset"),
            ("用重启", "use Restart"),
        ),
        row(
            "cpu-memory-hotplug",
            "1.6",
            Setting("max-hotplug-ratio"),
            ("CPU/内存热插", "CPU and memory hot-plug"),
            ("关机后改规格", "change the size while it is shut down"),
        ),
        row(
            "migration-network",
            "1.6",
            Setting("vm-migration-network"),
            ("专用迁移网络", "Migration network"),
            ("迁移走管理网，避开高峰", "migrations use the management network, avoid busy hours"),
        ),
        row(
            "online-expansion",
            "1.6",
            All(&[Gate("ExpandDisks"), Setting("csi-online-expand-validation")]),
            ("在线扩盘", "Online expansion of disks"),
            ("关机后扩", "expand while it is shut down"),
        ),
        row(
            "vpc",
            "1.6",
            All(&[Resource("kubeovn.io/v1", "vpcs"), Addon("kubeovn-operator")]),
            ("Kube-OVN VPC", "Kube-OVN VPC"),
            ("用 VLAN 网络", "use VLAN networks"),
        ),
        row(
            "migration-target",
            "1.7",
            Field("virtualmachineinstancemigrations.kubevirt.io", "addedNodeSelector"),
            ("迁移时指定目标主机", "Target node of a migration"),
            ("迁移时由调度器选主机", "let the scheduler choose the node"),
        ),
        row(
            "nic-hotplug",
            "1.7",
            Since(Version(1, 7)),
            ("网卡热插", "NIC hot-plug"),
            ("关机后加网卡", "add the NIC while it is shut down"),
        ),
        row(
            "migration-settings",
            "1.7",
            Setting("kubevirt-migration"),
            ("迁移参数", "Migration settings"),
            ("改 KubeVirt 对象（需集群管理员）", "change the KubeVirt object (cluster administrator)"),
        ),
        row(
            "descheduler",
            "1.7",
            Addon("descheduler"),
            ("自动均衡", "Automatic balancing"),
            ("手工迁移", "migrate by hand"),
        ),
        row(
            "vlan-trunk",
            "1.7",
            Since(Version(1, 7)),
            ("VLAN trunk 网络", "VLAN trunk networks"),
            ("每个 VLAN 一块网卡", "one NIC a VLAN"),
        ),
        row(
            "upgrade-pause",
            "1.7",
            SettingHas("upgrade-config", "nodeUpgradeOption"),
            ("升级时逐台暂停", "Pausing an upgrade per node"),
            NOTHING,
        ),
        row(
            "longhorn-v2-backup",
            "1.7",
            Between(Version(1, 7), Version(1, 9)),
            ("Longhorn v2 卷的备份", "Backups of Longhorn v2 volumes"),
            ("在客户机里备份", "back up inside the guest"),
        ),
        row(
            "declarative-hotplug",
            "1.8",
            Gate("DeclarativeHotplugVolumes"),
            ("声明式热插盘、光驱换盘", "Declarative hot-plug, CD-ROM exchange"),
            ("用 addvolume/removevolume", "use addvolume and removevolume"),
        ),
        row(
            "storage-migration",
            "1.8",
            Since(Version(1, 8)),
            ("存储迁移", "Storage migration"),
            ("备份后恢复到新存储类", "back up, then restore to the new storage class"),
        ),
        row(
            "evacuate-cancel",
            "1.8",
            Resource(SUBRESOURCES, "virtualmachines/evacuate/cancel"),
            ("取消疏散", "Cancelling an evacuation"),
            ("取消主机维护", "leave the maintenance of the node"),
        ),
        row(
            "host-network",
            "1.8",
            Resource("network.harvesterhci.io/v1beta1", "hostnetworkconfigs"),
            ("主机网络配置", "Host network configuration"),
            UPGRADE,
        ),
        row("rwx-network", "1.8", Setting("rwx-network"), ("RWX 专用网络", "RWX network"), NOTHING),
        row(
            "managedtap",
            "1.8",
            KubeVirt("/spec/configuration/network/binding/managedtap"),
            ("managedtap 绑定", "managedtap binding"),
            ("用 bridge 绑定", "use the bridge binding"),
        ),
        row(
            "halt-after-restore",
            "1.9",
            Field(RESTORES, "haltAfterRestore"),
            ("恢复后不启动", "Restores that do not start"),
            ("恢复到隔离网络", "restore into an isolated network"),
        ),
        row(
            "fs-freeze-deadline",
            "1.9",
            Field(BACKUPS, "fsFreezeDeadline"),
            ("冻结文件系统限时", "Deadline for freezing file systems"),
            NOTHING,
        ),
        row(
            "static-ip-annotation",
            "1.9",
            Since(Version(1, 9)),
            ("Kube-OVN 静态地址", "Static addresses in Kube-OVN"),
            ("用 cloud-init 写静态地址", "write static addresses by cloud-init"),
        ),
        row(
            "upgrade-plan",
            "1.9",
            Resource("management.harvesterhci.io/v1beta1", "upgradeplans"),
            ("升级计划对象", "UpgradePlan objects"),
            NOTHING,
        ),
        row(
            "image-size-check",
            "1.10",
            Since(Version(1, 10)),
            ("集群自查盘不小于镜像", "The cluster refuses disks smaller than the image"),
            ("平台自己检查", "the platform checks"),
        ),
    ]
}
