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
    ("max-hotplug-ratio", "4", Release::V1_6),
    ("vm-force-reset-policy", r#"{"enable":true,"period":15,"vmMigrationTimeout":180}"#, Release::V1_2),
    (
        "kubevirt-migration",
        r#"{"parallelOutboundMigrationsPerNode":2,"parallelMigrationsPerCluster":5,"allowAutoConverge":false,"bandwidthPerMigration":0,"completionTimeoutPerGiB":150,"progressTimeout":150,"unsafeMigrationOverride":false,"allowPostCopy":false,"allowWorkloadDisruption":false,"disableTLS":false,"matchSELinuxLevelOnMigration":false}"#,
        Release::V1_8,
    ),
    ("vm-migration-network", "", Release::V1_6),
    ("default-vm-termination-grace-period-seconds", "120", Release::V1_4),
    ("backup-target", "", Release::V1_2),
    (
        "csi-driver-config",
        r#"{"driver.longhorn.io":{"volumeSnapshotClassName":"longhorn-snapshot","backupVolumeSnapshotClassName":"longhorn"}}"#,
        Release::V1_2,
    ),
    ("csi-online-expand-validation", r#"{"driver.longhorn.io":true}"#, Release::V1_6),
    ("volume-snapshot-class", "longhorn", Release::V1_2),
    ("default-storage-class", "longhorn", Release::V1_2),
    ("storage-network", "", Release::V1_2),
    ("rwx-network", r#"{"share-storage-network":false}"#, Release::V1_8),
    ("longhorn-v2-data-engine-enabled", "false", Release::V1_4),
    ("instance-manager-resources", r#"{"cpu":{}}"#, Release::V1_8),
    (
        "cluster-pod-security-standard",
        r#"{"enabled":false,"whitelistedNamespacesList":"","privilegedNamespacesList":"","restrictedNamespacesList":""}"#,
        Release::V1_8,
    ),
    ("ntp-servers", "", Release::V1_2),
    ("http-proxy", "{}", Release::V1_2),
    ("additional-ca", "", Release::V1_2),
    ("ssl-certificates", "{}", Release::V1_2),
    ("ssl-parameters", "{}", Release::V1_2),
    ("containerd-registry", "", Release::V1_2),
    ("vip-pools", "", Release::V1_2),
    ("auto-disk-provision-paths", "", Release::V1_2),
    ("auto-rotate-rke2-certs", r#"{"enable":false,"expiringInHours":240}"#, Release::V1_4),
    ("kubeconfig-default-token-ttl-minutes", "0", Release::V1_4),
    ("support-bundle-timeout", "10", Release::V1_2),
    ("support-bundle-expiration", "30", Release::V1_2),
    ("support-bundle-node-collection-timeout", "30", Release::V1_4),
    ("support-bundle-namespaces", "", Release::V1_2),
    ("rancher-cluster", "{}", Release::V1_8),
    ("cluster-registration-url", r#"{"url":"","insecureSkipTLSVerify":false}"#, Release::V1_2),
    ("upgrade-checker-enabled", "true", Release::V1_2),
    ("release-download-url", "https://releases.rancher.com/harvester", Release::V1_2),
    ("log-level", "info", Release::V1_2),
    ("ui-index", "https://releases.rancher.com/harvester-ui/dashboard/latest/index.html", Release::V1_2),
    ("ui-source", "auto", Release::V1_2),
];

/// Name, namespace, on, experimental, first release.
const ADDONS: &[(&str, &str, bool, bool, Release)] = &[
    ("rancher-monitoring", "cattle-monitoring-system", true, false, Release::V1_2),
    ("rancher-logging", "cattle-logging-system", false, false, Release::V1_2),
    ("vm-import-controller", "harvester-system", false, false, Release::V1_2),
    ("pcidevices-controller", "harvester-system", false, false, Release::V1_2),
    ("nvidia-driver-toolkit", "harvester-system", false, true, Release::V1_3),
    ("harvester-seeder", "harvester-system", false, true, Release::V1_2),
    ("descheduler", "kube-system", false, true, Release::V1_8),
    ("kubeovn-operator", "kube-system", false, true, Release::V1_6),
    ("harvester-vm-dhcp-controller", "harvester-system", false, true, Release::V1_3),
    ("rancher-vcluster", "rancher-vcluster", false, true, Release::V1_2),
];

impl Seeder<'_> {
    /// Puts the platform there.
    pub(super) fn platform(&self) {
        for name in NAMESPACES {
            self.namespace(name, "");
        }
        self.namespace("rancher-vcluster", "");
        self.put(KUBEVIRT, kubevirt(self.release));
        let is_sparing = self.release >= Release::V1_8;
        let overcommit = match is_sparing {
            false => r#"{"cpu":1600,"memory":150,"storage":200}"#,
            true => r#"{"cpu":1000,"memory":150,"storage":100}"#,
        };
        self.setting("server-version", self.release.harvester(), "dev");
        self.setting("overcommit-config", "", overcommit);
        let upgrade = match self.release {
            Release::V1_2 | Release::V1_3 => None,
            Release::V1_4 | Release::V1_6 => Some(
                r#"{"imagePreloadOption":{"strategy":{"type":"sequential"}},"restoreVM":false,"logReadyTimeout":"5"}"#,
            ),
            Release::V1_8 | Release::V1_9 => Some(
                r#"{"imagePreloadOption":{"strategy":{"type":"sequential"}},"nodeUpgradeOption":{"strategy":{"mode":"auto"}},"restoreVM":false,"logReadyTimeout":"5"}"#,
            ),
        };
        upgrade.into_iter().for_each(|default| self.setting("upgrade-config", "", default));
        for (name, default, _) in SETTINGS.iter().filter(|(_, _, since)| *since <= self.release) {
            self.setting(name, "", default);
        }
        for (name, namespace, on, experimental, _) in ADDONS.iter().filter(|addon| addon.4 <= self.release) {
            self.put(ADDON, addon(name, namespace, *on, *experimental));
        }
        for (name, value) in [
            ("storage-over-provisioning-percentage", if is_sparing { "100" } else { "200" }),
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
    let mut configuration = json!({
        "developerConfiguration": {"featureGates": release.gates()},
        "network": {"defaultNetworkInterface": "bridge", "permitBridgeInterfaceOnPodNetwork": true, "permitSlirpInterface": true},
        "emulatedMachines": ["q35", "pc-q35*", "pc", "pc-i440fx*"],
    });
    if release >= Release::V1_6 {
        configuration["vmRolloutStrategy"] = json!("LiveUpdate");
        configuration["vmStateStorageClass"] = json!("vmstate-persistence");
    }
    if release >= Release::V1_8 {
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
