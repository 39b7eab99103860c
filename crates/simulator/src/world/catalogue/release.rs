//! What each Harvester release has and lacks: kinds, fields and subresources by the first release that has them. The files
//! of `kinds/` hold what the newest has.
//!
//! Source: `harvester-api.md` §0.2 and §9.5, the CRDs of 1.8.2 and of the development line. A kind or field without a line
//! here is in all releases that are simulated, which of old ones that nobody reads is not proved.

use super::Kind;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A Harvester release line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Release {
    /// Harvester 1.2.2 with KubeVirt 1.1.1.
    #[serde(rename = "1.2")]
    V1_2,
    /// Harvester 1.3.2 with KubeVirt 1.1.1.
    #[serde(rename = "1.3")]
    V1_3,
    /// Harvester 1.4.3 with KubeVirt 1.3.1.
    #[serde(rename = "1.4")]
    V1_4,
    /// Harvester 1.6.1 with KubeVirt 1.5.2.
    #[serde(rename = "1.6")]
    V1_6,
    /// Harvester 1.8.2 with KubeVirt 1.7.4.
    #[serde(rename = "1.8")]
    V1_8,
    /// The development line that becomes 1.9, with KubeVirt 1.8.4.
    #[serde(rename = "1.9")]
    V1_9,
}

impl Release {
    /// All of them, the oldest first.
    pub const ALL: [Self; 6] = [Self::V1_2, Self::V1_3, Self::V1_4, Self::V1_6, Self::V1_8, Self::V1_9];

    /// From `1.4` or `v1.8.2`: the line of such a version.
    pub fn parse(text: &str) -> Option<Self> {
        let wanted: Vec<_> = text.trim_start_matches('v').split('.').take(2).collect();
        Self::ALL.into_iter().find(|release| release.line().split('.').eq(wanted.iter().copied()))
    }

    /// The line's name: `1.8`.
    pub fn line(self) -> &'static str {
        match self {
            Self::V1_2 => "1.2",
            Self::V1_3 => "1.3",
            Self::V1_4 => "1.4",
            Self::V1_6 => "1.6",
            Self::V1_8 => "1.8",
            Self::V1_9 => "1.9",
        }
    }

    /// As the setting `server-version` says.
    pub fn harvester(self) -> &'static str {
        match self {
            Self::V1_2 => "v1.2.2",
            Self::V1_3 => "v1.3.2",
            Self::V1_4 => "v1.4.3",
            Self::V1_6 => "v1.6.1",
            Self::V1_8 => "v1.8.2",
            Self::V1_9 => "v1.9.0-rc1",
        }
    }

    /// As `kubevirts.kubevirt.io` says in `status.observedKubeVirtVersion`.
    pub fn kubevirt(self) -> &'static str {
        match self {
            Self::V1_2 | Self::V1_3 => "v1.1.1",
            Self::V1_4 => "v1.3.1",
            Self::V1_6 => "v1.5.2",
            Self::V1_8 => "v1.7.4",
            Self::V1_9 => "v1.8.4",
        }
    }

    /// As `/version` says: minor version and git version of the RKE2 below.
    pub fn kubernetes(self) -> (&'static str, &'static str) {
        match self {
            Self::V1_2 => ("26", "v1.26.13+rke2r1"),
            Self::V1_3 => ("27", "v1.27.13+rke2r1"),
            Self::V1_4 => ("29", "v1.29.9+rke2r1"),
            Self::V1_6 => ("33", "v1.33.3+rke2r1"),
            Self::V1_8 => ("34", "v1.34.2+rke2r1"),
            Self::V1_9 => ("35", "v1.35.0+rke2r1"),
        }
    }

    /// KubeVirt's feature gates, as Harvester's chart sets them.
    pub fn gates(self) -> &'static [&'static str] {
        match self {
            Self::V1_2 => &["LiveMigration", "HotplugVolumes", "HostDevices"],
            Self::V1_3 => &["LiveMigration", "HotplugVolumes", "HostDevices", "GPU"],
            Self::V1_4 => &["LiveMigration", "HotplugVolumes", "HostDevices", "GPU", "CPUManager"],
            Self::V1_6 => &[
                "LiveMigration",
                "HotplugVolumes",
                "HostDevices",
                "GPU",
                "CPUManager",
                "VMPersistentState",
                "VMLiveUpdateFeatures",
                "ExpandDisks",
            ],
            Self::V1_8 | Self::V1_9 => &[
                "CPUManager",
                "DeclarativeHotplugVolumes",
                "ExpandDisks",
                "EnableVirtioFsConfigVolumes",
                "HostDevices",
            ],
        }
    }

    /// Subresources of VMs and VMIs that virt-api offers, as discovery names them.
    pub fn has_subresource(self, name: &str) -> bool {
        SUBRESOURCES.iter().all(|(end, since)| *since <= self || !name.ends_with(end))
    }
}

/// Ends of subresources' names.
const SUBRESOURCES: &[(&str, Release)] = &[
    ("virtualmachineinstances/reset", Release::V1_6),
    ("evacuate/cancel", Release::V1_8),
    ("objectgraph", Release::V1_8),
];

const KINDS: &[(&str, Release)] = &[
    ("ippools.network.harvesterhci.io", Release::V1_3),
    ("virtualmachinenetworkconfigs.network.harvesterhci.io", Release::V1_3),
    ("schedulevmbackups.harvesterhci.io", Release::V1_4),
    ("resourcequotas.harvesterhci.io", Release::V1_4),
    ("usbdevices.devices.harvesterhci.io", Release::V1_4),
    ("usbdeviceclaims.devices.harvesterhci.io", Release::V1_4),
    ("networkfilesystems.harvesterhci.io", Release::V1_6),
    ("lvmvolumegroups.harvesterhci.io", Release::V1_6),
    ("virtualmachineimagedownloaders.harvesterhci.io", Release::V1_6),
    ("backupbackingimages.longhorn.io", Release::V1_6),
    ("hostnetworkconfigs.network.harvesterhci.io", Release::V1_8),
    ("migconfigurations.devices.harvesterhci.io", Release::V1_8),
    ("volumeremotebackups.harvesterhci.io", Release::V1_8),
    ("volumeremoterestores.harvesterhci.io", Release::V1_8),
    ("hugepages.node.harvesterhci.io", Release::V1_8),
];

/// Kube-OVN came with 1.6; CDI is bundled since 1.5.
const GROUPS: &[(&str, Release)] =
    &[("kubeovn.io", Release::V1_6), ("cdi.kubevirt.io", Release::V1_6), ("management.harvesterhci.io", Release::V1_9)];

const FIELDS: &[(&str, &str, Release)] = &[
    ("virtualmachinerestores.harvesterhci.io", "spec.keepMacAddress", Release::V1_3),
    ("virtualmachineimages.harvesterhci.io", "spec.securityParameters", Release::V1_4),
    ("virtualmachineimages.harvesterhci.io", "spec.backend", Release::V1_6),
    ("virtualmachineimages.harvesterhci.io", "spec.targetStorageClassName", Release::V1_6),
    ("virtualmachineimages.harvesterhci.io", "status.virtualSize", Release::V1_6),
    ("virtualmachines.kubevirt.io", "spec.updateVolumesStrategy", Release::V1_6),
    ("virtualmachineinstancemigrations.kubevirt.io", "spec.addedNodeSelector", Release::V1_8),
    ("virtualmachineinstancemigrations.kubevirt.io", "spec.priority", Release::V1_8),
    ("virtualmachinerestores.harvesterhci.io", "spec.haltAfterRestore", Release::V1_9),
    ("virtualmachinebackups.harvesterhci.io", "spec.fsFreezeDeadline", Release::V1_9),
    ("schedulevmbackups.harvesterhci.io", "spec.vmbackup.fsFreezeDeadline", Release::V1_9),
];

/// Takes away what the release lacks.
pub(super) fn trim(kinds: &mut Vec<Kind>, release: Release) {
    let lacks =
        |table: &[(&str, Release)], name: &str| table.iter().any(|(newer, since)| *since > release && *newer == name);
    kinds.retain(|kind| !lacks(GROUPS, kind.resource.group) && !lacks(KINDS, &kind.qualified()));
    for (name, path, _) in FIELDS.iter().filter(|(_, _, since)| *since > release) {
        let path: Vec<_> = path.split('.').collect();
        if let Some(kind) = kinds.iter_mut().find(|kind| kind.qualified() == *name) {
            kind.schema = Arc::new(kind.schema.without(&path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Catalogue;
    use super::*;

    #[test]
    fn a_version_is_of_its_line() {
        for (text, release) in
            [("1.2", Some(Release::V1_2)), ("v1.6.1", Some(Release::V1_6)), ("v1.8.2-rc3", Some(Release::V1_8))]
        {
            assert_eq!(Release::parse(text), release, "{text}");
        }
        assert_eq!((Release::parse("1.5"), Release::parse("1"), Release::parse("1.20")), (None, None, None));
        assert!(Release::ALL.is_sorted() && Release::ALL.iter().all(|r| Release::parse(r.harvester()) == Some(*r)));
    }

    /// A line about something that no release has would never be missed.
    #[test]
    fn all_that_the_tables_name_is_in_the_newest_and_not_in_the_one_before() {
        let newest = Catalogue::of(Release::V1_9);
        for (name, since) in KINDS {
            let (plural, group) = name.split_once('.').unwrap();
            for release in Release::ALL {
                assert_eq!(
                    Catalogue::of(release).find(group, plural).is_some(),
                    release >= *since,
                    "{name} in {release:?}"
                );
            }
        }
        for (group, since) in GROUPS {
            for release in Release::ALL {
                let catalogue = Catalogue::of(release);
                assert_eq!(catalogue.kinds().iter().any(|k| k.resource.group == *group), release >= *since, "{group}");
            }
        }
        for (name, path, _) in FIELDS {
            let (plural, group) = name.split_once('.').unwrap();
            let path: Vec<_> = path.split('.').collect();
            let schema = &newest.find(group, plural).unwrap().schema;
            assert_ne!(format!("{:?}", schema.without(&path)), format!("{schema:?}"), "{name} {path:?}");
        }
    }
}
