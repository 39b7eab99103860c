//! What Harvester itself brings: namespaces, settings, add-ons, storage classes, the KubeVirt installation.
//!
//! Source: H `pkg/settings/settings.go`, `deploy/charts/harvester/`; A `rancherd-22-addons.yaml`; `harvester-api.md`
//! §0.2, §6.4, §6.5, §8.1.

use super::Seeder;
use crate::behave::resources::{
    ADDON, KUBEVIRT, LONGHORN_NAMESPACE, LONGHORN_SETTING, NAMESPACE, SETTING, STORAGECLASS, VOLUMESNAPSHOTCLASS,
};
use crate::world::catalogue::Release;
use serde_json::{Value, json};

const NAMESPACES: &[&str] = &[
    "default",
    "kube-system",
    "kube-public",
    "kube-node-lease",
    "harvester-system",
    "harvester-public",
    "longhorn-system",
    "cattle-system",
    "cattle-monitoring-system",
    "cattle-logging-system",
    "fleet-local",
];

/// Name, default, first release.
const SETTINGS: &[(&str, &str, Release)] = &[
    ("additional-guest-memory-overhead-ratio", "1.5", Release::V1_4),
    ("max-hotplug-ratio", "4", Release::V1_8),
    ("vm-force-reset-policy", r#"{"enable":true,"period":15,"vmMigrationTimeout":180}"#, Release::V1_4),
    (
        "kubevirt-migration",
        r#"{"parallelOutboundMigrationsPerNode":2,"parallelMigrationsPerCluster":5,"allowAutoConverge":false,"bandwidthPerMigration":0,"completionTimeoutPerGiB":150,"progressTimeout":150,"unsafeMigrationOverride":false,"allowPostCopy":false,"allowWorkloadDisruption":false,"disableTLS":false,"matchSELinuxLevelOnMigration":false}"#,
        Release::V1_8,
    ),
    ("vm-migration-network", "", Release::V1_8),
    ("default-vm-termination-grace-period-seconds", "120", Release::V1_4),
    ("backup-target", "", Release::V1_4),
    (
        "csi-driver-config",
        r#"{"driver.longhorn.io":{"volumeSnapshotClassName":"longhorn-snapshot","backupVolumeSnapshotClassName":"longhorn"}}"#,
        Release::V1_4,
    ),
    ("csi-online-expand-validation", r#"{"driver.longhorn.io":true}"#, Release::V1_8),
    ("volume-snapshot-class", "longhorn", Release::V1_4),
    ("default-storage-class", "longhorn", Release::V1_4),
    ("storage-network", "", Release::V1_4),
    ("rwx-network", r#"{"share-storage-network":false}"#, Release::V1_8),
    ("longhorn-v2-data-engine-enabled", "false", Release::V1_4),
    ("instance-manager-resources", r#"{"cpu":{}}"#, Release::V1_8),
    (
        "cluster-pod-security-standard",
        r#"{"enabled":false,"whitelistedNamespacesList":"","privilegedNamespacesList":"","restrictedNamespacesList":""}"#,
        Release::V1_8,
    ),
    ("ntp-servers", "", Release::V1_4),
    ("http-proxy", "{}", Release::V1_4),
    ("additional-ca", "", Release::V1_4),
    ("ssl-certificates", "{}", Release::V1_4),
    ("ssl-parameters", "{}", Release::V1_4),
    ("containerd-registry", "", Release::V1_4),
    ("vip-pools", "", Release::V1_4),
    ("auto-disk-provision-paths", "", Release::V1_4),
    ("auto-rotate-rke2-certs", r#"{"enable":false,"expiringInHours":240}"#, Release::V1_4),
    ("kubeconfig-default-token-ttl-minutes", "0", Release::V1_4),
    ("support-bundle-timeout", "10", Release::V1_4),
    ("support-bundle-expiration", "30", Release::V1_4),
    ("support-bundle-node-collection-timeout", "30", Release::V1_4),
    ("support-bundle-namespaces", "", Release::V1_4),
    ("rancher-cluster", "{}", Release::V1_8),
    ("cluster-registration-url", r#"{"url":"","insecureSkipTLSVerify":false}"#, Release::V1_4),
    ("upgrade-checker-enabled", "true", Release::V1_4),
    ("release-download-url", "https://releases.rancher.com/harvester", Release::V1_4),
    ("log-level", "info", Release::V1_4),
    ("ui-index", "https://releases.rancher.com/harvester-ui/dashboard/latest/index.html", Release::V1_4),
    ("ui-source", "auto", Release::V1_4),
];

/// Name, namespace, on, experimental, first release.
const ADDONS: &[(&str, &str, bool, bool, Release)] = &[
    ("rancher-monitoring", "cattle-monitoring-system", true, false, Release::V1_4),
    ("rancher-logging", "cattle-logging-system", false, false, Release::V1_4),
    ("vm-import-controller", "harvester-system", false, false, Release::V1_4),
    ("pcidevices-controller", "harvester-system", false, false, Release::V1_4),
    ("nvidia-driver-toolkit", "harvester-system", false, true, Release::V1_4),
    ("harvester-seeder", "harvester-system", false, true, Release::V1_4),
    ("descheduler", "kube-system", false, true, Release::V1_8),
    ("kubeovn-operator", "kube-system", false, true, Release::V1_8),
    ("harvester-vm-dhcp-controller", "harvester-system", false, true, Release::V1_4),
    ("rancher-vcluster", "rancher-vcluster", false, true, Release::V1_4),
];

impl Seeder<'_> {
    /// Puts the platform there.
    pub(super) fn platform(&self) {
        for name in NAMESPACES {
            self.namespace(name, "");
        }
        self.namespace("rancher-vcluster", "");
        self.put(KUBEVIRT, kubevirt(self.release));
        let overcommit = match self.release {
            Release::V1_4 => r#"{"cpu":1600,"memory":150,"storage":200}"#,
            Release::V1_8 => r#"{"cpu":1000,"memory":150,"storage":100}"#,
        };
        self.setting("server-version", self.release.harvester(), "dev");
        self.setting("overcommit-config", "", overcommit);
        let upgrade = match self.release {
            Release::V1_4 => {
                r#"{"imagePreloadOption":{"strategy":{"type":"sequential"}},"restoreVM":false,"logReadyTimeout":"5"}"#
            }
            Release::V1_8 => {
                r#"{"imagePreloadOption":{"strategy":{"type":"sequential"}},"nodeUpgradeOption":{"strategy":{"mode":"auto"}},"restoreVM":false,"logReadyTimeout":"5"}"#
            }
        };
        self.setting("upgrade-config", "", upgrade);
        for (name, default, since) in SETTINGS.iter().filter(|(_, _, since)| *since <= self.release) {
            let _ = since;
            self.setting(name, "", default);
        }
        for (name, namespace, on, experimental, _) in ADDONS.iter().filter(|addon| addon.4 <= self.release) {
            self.put(ADDON, addon(name, namespace, *on, *experimental));
        }
        for (name, value) in [
            ("storage-over-provisioning-percentage", if self.release == Release::V1_4 { "200" } else { "100" }),
            ("storage-minimal-available-percentage", "25"),
            ("default-replica-count", "3"),
            ("node-drain-policy", "allow-if-replica-is-stopped"),
            ("default-data-path", "/var/lib/harvester/defaultdisk"),
        ] {
            self.put(LONGHORN_SETTING, json!({
                "metadata": {"name": name, "namespace": LONGHORN_NAMESPACE}, "value": value, "status": {"applied": true},
            }));
        }
        self.classes();
    }

    /// A namespace; `description` may be empty.
    pub(super) fn namespace(&self, name: &str, description: &str) {
        let mut annotations = json!({});
        if !description.is_empty() {
            annotations["field.cattle.io/description"] = json!(description);
        }
        self.put(
            NAMESPACE,
            json!({
                "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}, "annotations": annotations},
                "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
            }),
        );
    }

    fn setting(&self, name: &str, value: &str, default: &str) {
        let mut object = json!({"metadata": {"name": name}, "value": value, "default": default});
        if !value.is_empty() {
            object["status"] = json!({"conditions": [{"type": "configured", "status": "True"}]});
        }
        self.put(SETTING, object);
    }

    fn classes(&self) {
        let class = |name: &str, replicas: &str, annotations: Value| {
            json!({
                "metadata": {"name": name, "annotations": annotations},
                "provisioner": "driver.longhorn.io", "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate",
                "allowVolumeExpansion": true,
                "parameters": {"numberOfReplicas": replicas, "staleReplicaTimeout": "30", "migratable": "true"},
            })
        };
        let reserved = json!({"harvesterhci.io/is-reserved-storageclass": "true"});
        let default = json!({
            "harvesterhci.io/is-reserved-storageclass": "true", "storageclass.kubernetes.io/is-default-class": "true",
        });
        self.put(STORAGECLASS, class("harvester-longhorn", "3", default));
        self.put(STORAGECLASS, class("longhorn", "3", json!({})));
        self.put(STORAGECLASS, class("longhorn-static", "3", reserved.clone()));
        self.put(STORAGECLASS, class("vmstate-persistence", "3", reserved));
        self.put(
            STORAGECLASS,
            class("single-replica", "1", json!({"field.cattle.io/description": "单副本，仅用于测试环境"})),
        );
        for (name, kind) in [("longhorn-snapshot", "snap"), ("longhorn", "bak")] {
            self.put(VOLUMESNAPSHOTCLASS, json!({
                "metadata": {"name": name}, "driver": "driver.longhorn.io", "deletionPolicy": "Delete", "parameters": {"type": kind},
            }));
        }
    }
}

fn kubevirt(release: Release) -> Value {
    let gates = match release {
        Release::V1_4 => json!(["LiveMigration", "HotplugVolumes", "HostDevices", "GPU", "CPUManager"]),
        Release::V1_8 => json!([
            "CPUManager",
            "DeclarativeHotplugVolumes",
            "ExpandDisks",
            "EnableVirtioFsConfigVolumes",
            "HostDevices"
        ]),
    };
    let mut configuration = json!({
        "developerConfiguration": {"featureGates": gates},
        "network": {"defaultNetworkInterface": "bridge", "permitBridgeInterfaceOnPodNetwork": true, "permitSlirpInterface": true},
        "emulatedMachines": ["q35", "pc-q35*", "pc", "pc-i440fx*"],
    });
    if release >= Release::V1_8 {
        configuration["vmRolloutStrategy"] = json!("LiveUpdate");
        configuration["vmStateStorageClass"] = json!("vmstate-persistence");
        configuration["network"]["binding"] =
            json!({"managedtap": {"domainAttachmentType": "managedTap", "migration": {}}});
    }
    json!({
        "metadata": {"name": "kubevirt", "namespace": "harvester-system"},
        "spec": {"configuration": configuration, "workloadUpdateStrategy": {"workloadUpdateMethods": ["LiveMigrate"]}},
        "status": {
            "phase": "Deployed", "observedKubeVirtVersion": release.kubevirt(), "operatorVersion": release.kubevirt(),
            "targetKubeVirtVersion": release.kubevirt(),
            "conditions": [
                {"type": "Available", "status": "True", "reason": "AllComponentsReady", "message": "All components are ready."},
                {"type": "Progressing", "status": "False", "reason": "AllComponentsReady", "message": "All components are ready."},
                {"type": "Degraded", "status": "False", "reason": "AllComponentsReady", "message": "All components are ready."},
            ],
        },
    })
}

fn addon(name: &str, namespace: &str, on: bool, experimental: bool) -> Value {
    let mut labels = json!({});
    if experimental {
        labels["addon.harvesterhci.io/experimental"] = json!("true");
    }
    let state = if on { "AddonDeploySuccessful" } else { "AddonDisabled" };
    json!({
        "metadata": {"name": name, "namespace": namespace, "labels": labels, "annotations": {"addon.harvesterhci.io/displayName": name}},
        "spec": {
            "repo": "http://harvester-cluster-repo.cattle-system.svc/charts", "chart": name, "version": "109.0.3",
            "enabled": on, "valuesContent": "",
        },
        "status": {"status": state, "conditions": [
            {"type": "Completed", "status": "True"}, {"type": "InProgress", "status": "False"}, {"type": "OperationFailed", "status": "False"},
        ]},
    })
}
