//! What every object has. Source: k8s.io/apimachinery `pkg/apis/meta/v1/types.go`.

use super::Text;
use model::UnixMs;
use serde::Deserialize;

/// `metadata`, with the labels and annotations that any of our kinds reads.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Meta<'a> {
    #[serde(borrow)]
    pub(crate) name: Text<'a>,
    #[serde(borrow)]
    pub(crate) namespace: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) uid: Text<'a>,
    #[serde(borrow)]
    pub(crate) resource_version: Text<'a>,
    #[serde(borrow)]
    pub(crate) creation_timestamp: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) deletion_timestamp: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) labels: Option<Labels<'a>>,
    #[serde(borrow)]
    pub(crate) annotations: Option<Annotations<'a>>,
}

impl Meta<'_> {
    pub(crate) fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or_default()
    }

    pub(crate) fn created(&self) -> UnixMs {
        time(self.creation_timestamp.as_ref()).unwrap_or_default()
    }
}

/// RFC 3339, as Kubernetes writes times.
pub(crate) fn time(text: Option<&Text<'_>>) -> Option<UnixMs> {
    text.and_then(|text| UnixMs::parse_rfc3339(text))
}

/// Labels that we read, of all kinds. Sources: `model::ownership`; H `pkg/util/constants.go`; N `pkg/utils/labels.go`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Labels<'a> {
    #[serde(borrow, rename = "ops.example.com/managed-by")]
    pub(crate) managed_by: Option<Text<'a>>,
    #[serde(borrow, rename = "ops.example.com/owner")]
    pub(crate) owner: Option<Text<'a>>,
    #[serde(borrow, rename = "ops.example.com/service")]
    pub(crate) service: Option<Text<'a>>,
    #[serde(borrow, rename = "ops.example.com/env")]
    pub(crate) environment: Option<Text<'a>>,
    #[serde(borrow, rename = "harvesterhci.io/os")]
    pub(crate) os: Option<Text<'a>>,
    #[serde(borrow, rename = "network.harvesterhci.io/clusternetwork")]
    pub(crate) cluster_network: Option<Text<'a>>,
    #[serde(borrow, rename = "network.harvesterhci.io/type")]
    pub(crate) network_type: Option<Text<'a>>,
    #[serde(borrow, rename = "network.harvesterhci.io/vlan-id")]
    pub(crate) vlan: Option<Text<'a>>,
    #[serde(borrow, rename = "network.harvesterhci.io/ready")]
    pub(crate) network_ready: Option<Text<'a>>,
    #[serde(borrow, rename = "node-role.kubernetes.io/control-plane")]
    pub(crate) control_plane: Option<Text<'a>>,
    #[serde(borrow, rename = "node-role.kubernetes.io/etcd")]
    pub(crate) etcd: Option<Text<'a>>,
    #[serde(borrow, rename = "node-role.harvesterhci.io/worker")]
    pub(crate) worker: Option<Text<'a>>,
    #[serde(borrow, rename = "node-role.harvesterhci.io/witness")]
    pub(crate) witness: Option<Text<'a>>,
}

/// Annotations that we read, of all kinds. Sources as for [`Labels`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Annotations<'a> {
    #[serde(borrow, rename = "ops.example.com/owner-name")]
    pub(crate) owner_name: Option<Text<'a>>,
    #[serde(borrow, rename = "ops.example.com/change")]
    pub(crate) change: Option<Text<'a>>,
    #[serde(borrow, rename = "harvesterhci.io/vmDisplayName")]
    pub(crate) display_name: Option<Text<'a>>,
    #[serde(borrow, rename = "field.cattle.io/description")]
    pub(crate) description: Option<Text<'a>>,
    #[serde(borrow, rename = "harvesterhci.io/volumeClaimTemplates")]
    pub(crate) claim_templates: Option<Text<'a>>,
    #[serde(borrow, rename = "harvesterhci.io/insufficient-resource-quota")]
    pub(crate) no_quota: Option<Text<'a>>,
    #[serde(borrow, rename = "harvesterhci.io/imageId")]
    pub(crate) image_id: Option<Text<'a>>,
    #[serde(borrow, rename = "harvesterhci.io/os-upgrade-image")]
    pub(crate) os_upgrade_image: Option<Text<'a>>,
    #[serde(borrow, rename = "harvesterhci.io/maintain-status")]
    pub(crate) maintain_status: Option<Text<'a>>,
    #[serde(borrow, rename = "network.harvesterhci.io/route")]
    pub(crate) route: Option<Text<'a>>,
    #[serde(borrow, rename = "storage-network.settings.harvesterhci.io")]
    pub(crate) storage_network: Option<Text<'a>>,
    #[serde(borrow, rename = "rwx-network.settings.harvesterhci.io")]
    pub(crate) rwx_network: Option<Text<'a>>,
    #[serde(borrow, rename = "vm-migration-network.settings.harvesterhci.io")]
    pub(crate) migration_network: Option<Text<'a>>,
    #[serde(borrow, rename = "storageclass.kubernetes.io/is-default-class")]
    pub(crate) default_class: Option<Text<'a>>,
}

/// A condition of any kind.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Condition<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) status: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) reason: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) message: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) last_transition_time: Option<Text<'a>>,
}

impl Condition<'_> {
    pub(crate) fn is(&self, kind: &str, status: &str) -> bool {
        self.kind.as_deref() == Some(kind) && self.status.as_deref() == Some(status)
    }
}

/// The condition of that kind.
pub(crate) fn condition<'c, 'a>(conditions: Option<&'c [Condition<'a>]>, kind: &str) -> Option<&'c Condition<'a>> {
    conditions.unwrap_or_default().iter().find(|c| c.kind.as_deref() == Some(kind))
}

/// Name, namespace, uid and version, of any kind: all that a deletion needs.
#[derive(Debug, Deserialize)]
pub(crate) struct Bare<'a> {
    #[serde(borrow)]
    pub(crate) metadata: BareMeta<'a>,
}

/// See [`Bare`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BareMeta<'a> {
    #[serde(borrow)]
    pub(crate) name: Text<'a>,
    #[serde(borrow)]
    pub(crate) namespace: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) uid: Text<'a>,
    #[serde(borrow)]
    pub(crate) resource_version: Text<'a>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ownership;
    use serde_json::json;

    #[test]
    fn our_own_keys_are_those_of_the_model() {
        let text = json!({ ownership::OWNER: "E1", ownership::SERVICE: "s", ownership::ENVIRONMENT: "prod", ownership::MANAGED_BY: "m" })
            .to_string();
        let labels: Labels = serde_json::from_str(&text).unwrap();
        let all = [labels.owner, labels.service, labels.environment, labels.managed_by];
        assert!(all.iter().all(Option::is_some), "{all:?}");
        let text = json!({ ownership::OWNER_NAME: "张伟", ownership::CHANGE: "c" }).to_string();
        let annotations: Annotations = serde_json::from_str(&text).unwrap();
        assert!(annotations.owner_name.is_some() && annotations.change.is_some());
    }
}
