//! Every right that the product uses, and what does not work without it.

use model::Say;

/// Which role a right belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Looking.
    Reader,
    /// Changing VMs.
    Operator,
    /// Secrets of VMs, to be bound where VMs are delivered.
    CloudInit,
}

impl Role {
    pub(super) const ALL: [Self; 3] = [Self::Reader, Self::Operator, Self::CloudInit];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Reader => "harvester-admin-reader",
            Self::Operator => "harvester-admin-operator",
            Self::CloudInit => "harvester-admin-cloud-init",
        }
    }
}

/// One right.
pub(super) struct Right {
    pub(super) role: Role,
    pub(super) group: &'static str,
    pub(super) plural: &'static str,
    pub(super) verbs: &'static [&'static str],
    pub(super) costs: Say,
}

impl Right {
    /// `kubevirt.io/virtualmachines`; `nodes` in the core group.
    pub(super) fn resource(&self) -> String {
        if self.group.is_empty() { self.plural.to_owned() } else { format!("{}/{}", self.group, self.plural) }
    }
}

const FOLLOW: &[&str] = &["get", "list", "watch"];
const KUBEVIRT: &str = "kubevirt.io";
const CALLS: &str = "subresources.kubevirt.io";
const HARVESTER: &str = "harvesterhci.io";

pub(super) fn rights() -> Vec<Right> {
    use Role::{CloudInit, Operator, Reader};
    let right = |role, group, plural, verbs, zh, en| Right { role, group, plural, verbs, costs: Say::fixed(zh, en) };
    vec![
        right(Reader, KUBEVIRT, "virtualmachines", FOLLOW, "看不到虚拟机", "no VMs are shown"),
        right(
            Reader,
            KUBEVIRT,
            "virtualmachineinstances",
            FOLLOW,
            "看不到主机、地址与客户机信息",
            "no nodes, addresses and guest data of VMs",
        ),
        right(Reader, KUBEVIRT, "virtualmachineinstancemigrations", FOLLOW, "看不到迁移", "no migrations are shown"),
        right(
            Reader,
            KUBEVIRT,
            "kubevirts",
            &["get"],
            "能力矩阵里特性开关的行未知",
            "capabilities by feature gate are unknown",
        ),
        right(
            Reader,
            CALLS,
            "virtualmachineinstances/guestosinfo",
            &["get"],
            "看不到客户机主机名",
            "no host name of the guest",
        ),
        right(Reader, HARVESTER, "virtualmachineimages", FOLLOW, "交付时没有镜像可选", "no images to deliver from"),
        right(Reader, HARVESTER, "keypairs", FOLLOW, "没有 SSH 密钥可选", "no SSH keys to choose"),
        right(
            Reader,
            HARVESTER,
            "settings",
            &["get"],
            "不知道 Harvester 版本与设置",
            "Harvester's version and settings are unknown",
        ),
        right(
            Reader,
            HARVESTER,
            "addons",
            &["get", "list"],
            "能力矩阵里插件的行未知",
            "capabilities by add-on are unknown",
        ),
        right(
            Reader,
            "k8s.cni.cncf.io",
            "network-attachment-definitions",
            FOLLOW,
            "没有网络可选，看不到 VLAN",
            "no networks to choose, no VLANs",
        ),
        right(Reader, "longhorn.io", "nodes", FOLLOW, "存储容量未知", "the room for storage is unknown"),
        right(Reader, "longhorn.io", "volumes", &["get"], "看不到磁盘是否降级", "degraded disks are not shown"),
        right(Reader, "storage.k8s.io", "storageclasses", FOLLOW, "没有存储类可选", "no storage classes to choose"),
        right(Reader, "", "nodes", FOLLOW, "看不到主机与容量", "no nodes and no room"),
        right(
            Reader,
            "",
            "namespaces",
            FOLLOW,
            "没有命名空间可选，认不出集群",
            "no namespaces to choose, the cluster is not recognised",
        ),
        right(Reader, "", "persistentvolumeclaims", FOLLOW, "看不到磁盘大小", "no sizes of disks"),
        right(Reader, "", "pods", &["get", "list"], "事件里没有 Pod 的", "no events of pods"),
        right(Reader, "", "events", &["get", "list"], "看不到事件", "no events"),
        right(
            Reader,
            "apiextensions.k8s.io",
            "customresourcedefinitions",
            &["get"],
            "能力矩阵改查 OpenAPI",
            "capabilities are looked for in OpenAPI instead",
        ),
        right(
            Operator,
            KUBEVIRT,
            "virtualmachines",
            &["create", "patch", "delete"],
            "不能交付、停机与回收",
            "no deliveries, no stopping, no removal",
        ),
        right(Operator, CALLS, "virtualmachines/start", &["update"], "不能启动", "no starting"),
        right(Operator, CALLS, "virtualmachines/stop", &["update"], "不能强制关机", "no forcing off"),
        right(Operator, CALLS, "virtualmachines/restart", &["update"], "不能重启", "no restarts"),
        right(Operator, CALLS, "virtualmachineinstances/softreboot", &["update"], "不能软重启", "no soft reboots"),
        right(Operator, CALLS, "virtualmachineinstances/pause", &["update"], "不能暂停", "no pausing"),
        right(Operator, CALLS, "virtualmachineinstances/unpause", &["update"], "不能恢复运行", "no resuming"),
        right(Operator, CALLS, "virtualmachineinstances/vnc", &["get"], "打不开屏幕", "no screens"),
        right(Operator, CALLS, "virtualmachineinstances/console", &["get"], "打不开串口", "no serial lines"),
        right(
            Operator,
            "",
            "persistentvolumeclaims",
            &["delete"],
            "回收后磁盘留下",
            "disks stay behind after a removal",
        ),
        right(
            CloudInit,
            "",
            "secrets",
            &["create", "get", "patch", "delete"],
            "不能写 cloud-init，看不到注入的地址（可按命名空间授予）",
            "no cloud-init, no injected addresses (may be granted per namespace)",
        ),
    ]
}
