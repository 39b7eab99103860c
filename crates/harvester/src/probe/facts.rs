//! What is asked of a cluster before the matrix is filled in.

use crate::api::Kind;
use crate::api::harvesterhci::Setting;
use crate::view::clean;
use crate::{Cluster, ClusterError};
use futures::future::{join, join_all};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Found, looked for in vain, or not to be looked for (why).
pub(super) type Lookup<T> = Result<Option<T>, String>;

/// Groups whose kinds are looked at.
const GROUPS: [&str; 9] = [
    "harvesterhci.io/v1beta1",
    "network.harvesterhci.io/v1alpha1",
    "network.harvesterhci.io/v1beta1",
    "devices.harvesterhci.io/v1beta1",
    "cdi.kubevirt.io/v1beta1",
    "kubeovn.io/v1",
    "management.harvesterhci.io/v1beta1",
    "snapshot.storage.k8s.io/v1",
    "subresources.kubevirt.io/v1",
];

/// Kinds whose schema is looked at.
const SCHEMAS: [&str; 4] = [
    "virtualmachinebackups.harvesterhci.io",
    "virtualmachinerestores.harvesterhci.io",
    "virtualmachineimages.harvesterhci.io",
    "virtualmachineinstancemigrations.kubevirt.io",
];

/// Settings that are looked at.
const SETTINGS: [&str; 8] = [
    "server-version",
    "max-hotplug-ratio",
    "vm-migration-network",
    "kubevirt-migration",
    "csi-online-expand-validation",
    "longhorn-v2-data-engine-enabled",
    "rwx-network",
    "upgrade-config",
];

/// An add-on as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AddonFact {
    pub(super) name: String,
    pub(super) is_enabled: bool,
    pub(super) status: String,
}

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Group and version → plurals (and `plural/sub`).
    pub(super) resources: BTreeMap<&'static str, Lookup<Vec<String>>>,
    /// CRD name → the schema of its newest served version.
    pub(super) schemas: BTreeMap<&'static str, Lookup<Value>>,
    pub(super) settings: BTreeMap<&'static str, Lookup<String>>,
    /// The KubeVirt object.
    pub(super) kubevirt: Option<Lookup<Value>>,
    pub(super) addons: Option<Lookup<Vec<AddonFact>>>,
    /// A node has CPU pinning switched on.
    pub(super) pinning: Option<Lookup<bool>>,
    pub(super) server_version: Option<String>,
    pub(super) kubernetes: Option<String>,
    pub(super) kubevirt_version: Option<String>,
}

impl Facts {
    pub(super) async fn gather(cluster: &Cluster) -> Result<Self, ClusterError> {
        // The one question that must be answered.
        let kubernetes = cluster.kubernetes_version().await?;
        let resources = join_all(GROUPS.iter().map(|group| resources(cluster, group)));
        let schemas = join_all(SCHEMAS.iter().map(|name| schema(cluster, name)));
        let settings = join_all(SETTINGS.iter().map(|name| setting(cluster, name)));
        let rest = join(join(kubevirt(cluster), addons(cluster)), pinning(cluster));
        let ((resources, schemas), (settings, ((kubevirt, addons), pinning))) =
            join(join(resources, schemas), join(settings, rest)).await;
        let settings: BTreeMap<_, _> = SETTINGS.into_iter().zip(settings).collect();
        let server_version = settings.get("server-version").and_then(|s| s.as_ref().ok()).cloned().flatten();
        let observed =
            kubevirt.as_ref().ok().and_then(|k| k.as_ref()?.pointer("/status/observedKubeVirtVersion")?.as_str());
        Ok(Self {
            kubevirt_version: observed.map(|v| clean::text(v, 64)),
            resources: GROUPS.into_iter().zip(resources).collect(),
            schemas: SCHEMAS.into_iter().zip(schemas).collect(),
            settings,
            kubevirt: Some(kubevirt),
            addons: Some(addons),
            pinning: Some(pinning),
            server_version: server_version.map(|v| clean::text(&v, 64)).filter(|v| !v.is_empty()),
            kubernetes: Some(kubernetes),
        })
    }
}

fn lookup<T>(found: Result<Option<T>, ClusterError>) -> Lookup<T> {
    found.map_err(|error| clean::text(&error.to_string(), 200))
}

async fn resources(cluster: &Cluster, group: &str) -> Lookup<Vec<String>> {
    #[derive(Deserialize)]
    struct List {
        resources: Option<Vec<Named>>,
    }
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let list: Option<List> = lookup(cluster.read_opt(&format!("/apis/{group}")).await)?;
    Ok(list.map(|l| l.resources.unwrap_or_default().into_iter().map(|r| r.name).collect()))
}

/// From the CRD; without the right to read those, from the OpenAPI document of its group, which anyone may read.
async fn schema(cluster: &Cluster, name: &'static str) -> Lookup<Value> {
    match cluster.read_opt::<Value>(&Kind::CustomResourceDefinition.path("", name)).await {
        Err(ClusterError::Forbidden { .. }) => {}
        Ok(None) => return Ok(None),
        other => {
            let crd = lookup(other)?;
            let versions = crd.as_ref().and_then(|c| c.pointer("/spec/versions")).and_then(Value::as_array);
            let served = versions.and_then(|v| v.iter().find(|v| v.get("served") == Some(&Value::Bool(true))));
            return Ok(served.and_then(|v| v.pointer("/schema/openAPIV3Schema")).cloned());
        }
    }
    let (plural, group) = name.split_once('.').unwrap_or((name, ""));
    let version = if group == "kubevirt.io" { "v1" } else { "v1beta1" };
    let document: Option<Value> = lookup(cluster.read_opt(&format!("/openapi/v3/apis/{group}/{version}")).await)?;
    let schemas = document.as_ref().and_then(|d| d.pointer("/components/schemas")).and_then(Value::as_object);
    let is_it =
        |key: &&String| key.rsplit('.').next().is_some_and(|kind| format!("{}s", kind.to_lowercase()) == plural);
    Ok(schemas.and_then(|s| s.keys().find(is_it).and_then(|key| s.get(key))).cloned())
}

async fn setting(cluster: &Cluster, name: &str) -> Lookup<String> {
    let found: Option<Setting> = lookup(cluster.read_opt(&Kind::Setting.path("", name)).await)?;
    Ok(found.map(|setting| setting.effective().to_owned()))
}

async fn kubevirt(cluster: &Cluster) -> Lookup<Value> {
    lookup(cluster.read_opt(&Kind::KubeVirt.path("harvester-system", "kubevirt")).await)
}

async fn addons(cluster: &Cluster) -> Lookup<Vec<AddonFact>> {
    let list: Option<Value> = lookup(cluster.read_opt(&format!("{}?limit=200", Kind::Addon.collection(None))).await)?;
    let items = list.as_ref().and_then(|l| l.get("items")).and_then(Value::as_array);
    let text = |v: &Value, at: &str| clean::text(v.pointer(at).and_then(Value::as_str).unwrap_or_default(), 100);
    let fact = |v: &Value| AddonFact {
        name: text(v, "/metadata/name"),
        is_enabled: v.pointer("/spec/enabled").and_then(Value::as_bool).unwrap_or_default(),
        status: text(v, "/status/status"),
    };
    Ok(items.map(|items| items.iter().map(fact).collect()))
}

async fn pinning(cluster: &Cluster) -> Lookup<bool> {
    let path = format!("{}?limit=1&labelSelector=cpumanager%3Dtrue", Kind::Node.collection(None));
    let list: Option<Value> = lookup(cluster.read_opt(&path).await)?;
    Ok(list.map(|l| l.get("items").and_then(Value::as_array).is_some_and(|items| !items.is_empty())))
}
