//! `harvesterhci.io/v1beta1`. Source: harvester `pkg/apis/harvesterhci.io/v1beta1/` (`harvester-api.md` §6).

use super::Text;
use super::meta::{Condition, Meta};
use serde::Deserialize;

/// VirtualMachineImage.
#[derive(Debug, Deserialize)]
pub(crate) struct Image<'a> {
    #[serde(borrow)]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow)]
    pub(crate) spec: Option<ImageSpec<'a>>,
    #[serde(borrow)]
    pub(crate) status: Option<ImageStatus<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImageSpec<'a> {
    #[serde(borrow)]
    pub(crate) display_name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) backend: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) target_storage_class_name: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImageStatus<'a> {
    pub(crate) progress: Option<i64>,
    pub(crate) size: Option<i64>,
    pub(crate) virtual_size: Option<i64>,
    #[serde(borrow)]
    pub(crate) storage_class_name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) target_storage_class_name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) conditions: Option<Vec<Condition<'a>>>,
}

/// Setting: no spec, the fields stand at the top.
#[derive(Debug, Deserialize)]
pub(crate) struct Setting {
    pub(crate) value: Option<String>,
    pub(crate) default: Option<String>,
}

impl Setting {
    /// What is in force.
    pub(crate) fn effective(&self) -> &str {
        let set = self.value.as_deref().filter(|v| !v.is_empty());
        set.or(self.default.as_deref()).unwrap_or_default()
    }
}

/// One entry of the annotation `harvesterhci.io/volumeClaimTemplates` (a JSON array of claims).
#[derive(Debug, Deserialize)]
pub(crate) struct ClaimTemplate<'a> {
    #[serde(borrow)]
    pub(crate) metadata: Option<TemplateMeta<'a>>,
    #[serde(borrow)]
    pub(crate) spec: Option<super::core::ClaimSpec<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct TemplateMeta<'a> {
    #[serde(borrow)]
    pub(crate) name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) annotations: Option<super::meta::Annotations<'a>>,
}
