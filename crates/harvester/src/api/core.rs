//! `v1`, `storage.k8s.io/v1`. Source: k8s.io/api `core/v1/types.go`, `storage/v1/types.go`.

use super::Text;
use super::kubevirt::{Amounts, Resources};
use super::meta::{Bare, Condition, Meta};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Any object of which only the metadata is read: Namespace, StorageClass, KeyPair.
#[derive(Debug, Deserialize)]
pub(crate) struct Plain<'a> {
    #[serde(borrow)]
    pub(crate) metadata: Meta<'a>,
}

/// Node.
#[derive(Debug, Deserialize)]
pub(crate) struct Node<'a> {
    #[serde(borrow)]
    pub(crate) metadata: Meta<'a>,
    pub(crate) spec: Option<NodeSpec>,
    #[serde(borrow)]
    pub(crate) status: Option<NodeStatus<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct NodeSpec {
    pub(crate) unschedulable: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeStatus<'a> {
    #[serde(borrow)]
    pub(crate) allocatable: Option<Amounts<'a>>,
    #[serde(borrow)]
    pub(crate) addresses: Option<Vec<NodeAddress<'a>>>,
    #[serde(borrow)]
    pub(crate) conditions: Option<Vec<Condition<'a>>>,
    #[serde(borrow)]
    pub(crate) node_info: Option<NodeInfo<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct NodeAddress<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) address: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeInfo<'a> {
    #[serde(borrow)]
    pub(crate) kubelet_version: Option<Text<'a>>,
}

/// PersistentVolumeClaim.
#[derive(Debug, Deserialize)]
pub(crate) struct Claim<'a> {
    #[serde(borrow)]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow)]
    pub(crate) spec: Option<ClaimSpec<'a>>,
    #[serde(borrow)]
    pub(crate) status: Option<ClaimStatus<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaimSpec<'a> {
    #[serde(borrow)]
    pub(crate) resources: Option<Resources<'a>>,
    #[serde(borrow)]
    pub(crate) storage_class_name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) volume_name: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ClaimStatus<'a> {
    #[serde(borrow)]
    pub(crate) phase: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) capacity: Option<Amounts<'a>>,
}

/// A list of events, pods or what else is read in one go.
#[derive(Debug, Deserialize)]
pub(crate) struct List<T> {
    pub(crate) items: Option<Vec<T>>,
}

/// Event. Which fields are set depends on who wrote it (`core/v1` or `events.k8s.io/v1`).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Event<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) reason: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) message: Option<Text<'a>>,
    pub(crate) count: Option<u32>,
    #[serde(borrow)]
    pub(crate) first_timestamp: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) last_timestamp: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) event_time: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) series: Option<Series<'a>>,
    #[serde(borrow)]
    pub(crate) involved_object: Option<Involved<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Series<'a> {
    pub(crate) count: Option<u32>,
    #[serde(borrow)]
    pub(crate) last_observed_time: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Involved<'a> {
    #[serde(borrow)]
    pub(crate) kind: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) name: Option<Text<'a>>,
}

/// A pod, of which only the name is read.
pub(crate) type Pod<'a> = Bare<'a>;

/// Secret; never kept.
#[derive(Deserialize)]
pub(crate) struct Secret {
    pub(crate) data: Option<BTreeMap<String, String>>,
}
