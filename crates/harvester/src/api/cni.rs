//! `k8s.cni.cncf.io/v1`, and what Harvester puts into it. Source: network-controller-harvester `pkg/utils/nad.go`
//! (`harvester-api.md` §7.1).

use super::Text;
use super::meta::Meta;
use serde::Deserialize;

/// NetworkAttachmentDefinition.
#[derive(Debug, Deserialize)]
pub(crate) struct Nad<'a> {
    #[serde(borrow)]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow)]
    pub(crate) spec: Option<NadSpec<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct NadSpec<'a> {
    #[serde(borrow)]
    pub(crate) config: Option<Text<'a>>,
}

/// The JSON text in `spec.config`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct NadConfig<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) bridge: Option<Text<'a>>,
    pub(crate) vlan: Option<u32>,
}

/// The JSON text in annotation `network.harvesterhci.io/route`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Route<'a> {
    #[serde(borrow)]
    pub(crate) cidr: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) gateway: Option<Text<'a>>,
}
