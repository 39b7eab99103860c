//! `longhorn.io/v1beta2`, read only. Source: longhorn-manager `k8s/pkg/apis/longhorn/v1beta2/` (`harvester-api.md` §8.3).

use super::Text;
use super::meta::Meta;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Volume.
#[derive(Debug, Deserialize)]
pub(crate) struct Volume<'a> {
    #[serde(borrow)]
    pub(crate) status: Option<VolumeStatus<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VolumeStatus<'a> {
    #[serde(borrow)]
    pub(crate) robustness: Option<Text<'a>>,
}

/// Node.
#[derive(Debug, Deserialize)]
pub(crate) struct Node<'a> {
    #[serde(borrow)]
    pub(crate) metadata: Meta<'a>,
    pub(crate) spec: Option<NodeSpec>,
    pub(crate) status: Option<NodeStatus>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeSpec {
    pub(crate) allow_scheduling: Option<bool>,
    pub(crate) disks: Option<BTreeMap<String, DiskSpec>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiskSpec {
    pub(crate) allow_scheduling: Option<bool>,
    pub(crate) storage_reserved: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeStatus {
    pub(crate) disk_status: Option<BTreeMap<String, DiskStatus>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiskStatus {
    pub(crate) storage_maximum: Option<i64>,
}
