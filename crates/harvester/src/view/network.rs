//! NetworkAttachmentDefinition → [`NetworkView`]. Source: `harvester-api.md` §7.1.

use super::clean::{self, MAX_NAME};
use crate::api::cni::{Nad, NadConfig, Route};
use model::network::NetworkView;

/// `None` for the internal ones: storage, RWX and migration networks.
pub(crate) fn of(nad: &Nad<'_>) -> Option<NetworkView> {
    let meta = &nad.metadata;
    let annotations = meta.annotations.as_ref();
    if annotations
        .is_some_and(|a| a.storage_network.is_some() || a.rwx_network.is_some() || a.migration_network.is_some())
    {
        return None;
    }
    let labels = meta.labels.as_ref();
    let config = nad.spec.as_ref().and_then(|s| s.config.as_deref()).unwrap_or_default();
    let config: NadConfig<'_> = serde_json::from_str(config).unwrap_or_default();
    let route = annotations.and_then(|a| a.route.as_deref()).unwrap_or_default();
    let route: Route<'_> = serde_json::from_str(route).unwrap_or_default();

    let label = labels.and_then(|l| l.cluster_network.as_deref());
    let bridge = config.bridge.as_deref().and_then(|b| b.strip_suffix("-br"));
    let vlan = labels.and_then(|l| l.vlan.as_deref()).and_then(|v| v.parse().ok());
    let vlan = vlan.or_else(|| config.vlan.and_then(|v| u16::try_from(v).ok())).filter(|v| (1..=4094).contains(v));
    let kind = labels.and_then(|l| l.network_type.as_deref()).unwrap_or(match (vlan, config.kind.as_deref()) {
        (_, Some("kube-ovn")) => "OverlayNetwork",
        (Some(_), _) => "L2VlanNetwork",
        _ => "UntaggedNetwork",
    });
    let text = |text: Option<&str>| text.filter(|t| !t.is_empty()).map(|t| clean::text(t, 64));
    Some(NetworkView {
        namespace: clean::text(meta.namespace(), MAX_NAME),
        name: clean::text(&meta.name, MAX_NAME),
        cluster_network: clean::text(label.or(bridge).unwrap_or_default(), MAX_NAME),
        kind: clean::text(kind, 64),
        vlan,
        cidr: text(route.cidr.as_deref()),
        gateway: text(route.gateway.as_deref()),
        // Clusters before the label (1.1) say nothing: taken for ready.
        is_ready: labels.and_then(|l| l.network_ready.as_deref()) != Some("false"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn labels_annotation_and_config_make_a_network() {
        let nad = json!({"metadata": {"name": "vlan-120", "namespace": "team-a", "uid": "u", "resourceVersion": "1",
                "labels": {"network.harvesterhci.io/clusternetwork": "cn-data", "network.harvesterhci.io/vlan-id": "120", "network.harvesterhci.io/ready": "true"},
                "annotations": {"network.harvesterhci.io/route": "{\"mode\":\"manual\",\"cidr\":\"10.20.0.0/24\",\"gateway\":\"10.20.0.1\"}"}},
            "spec": {"config": "{\"type\":\"bridge\",\"bridge\":\"cn-data-br\",\"vlan\":120}"}})
        .to_string();
        let view = of(&serde_json::from_str(&nad).unwrap()).unwrap();
        assert_eq!(
            (view.reference().as_str(), view.vlan, view.cidr.as_deref()),
            ("team-a/vlan-120", Some(120), Some("10.20.0.0/24"))
        );
        assert_eq!(
            (view.cluster_network.as_str(), view.kind.as_str(), view.is_ready),
            ("cn-data", "L2VlanNetwork", true)
        );
    }

    #[test]
    fn networks_of_the_cluster_itself_are_hidden_and_broken_config_is_no_error() {
        let nad = |annotations, config| {
            json!({"metadata": {"name": "n", "namespace": "a", "uid": "u", "resourceVersion": "1", "annotations": annotations}, "spec": {"config": config}}).to_string()
        };
        let internal = nad(json!({"storage-network.settings.harvesterhci.io": "true"}), "{}");
        assert_eq!(of(&serde_json::from_str(&internal).unwrap()), None);
        let broken = nad(json!({}), "{nonsense");
        assert_eq!(of(&serde_json::from_str(&broken).unwrap()).unwrap().kind, "UntaggedNetwork");
    }
}
