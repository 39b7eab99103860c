//! Which kinds we touch, and where the API server keeps them.

use crate::call::segment;
use serde::{Deserialize, Serialize};

/// A kind of object; the words are stored with changes: never rename one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `kubevirt.io/v1`
    VirtualMachine,
    /// `kubevirt.io/v1`
    VirtualMachineInstance,
    /// `kubevirt.io/v1`
    VirtualMachineInstanceMigration,
    /// `kubevirt.io/v1`
    KubeVirt,
    /// `harvesterhci.io/v1beta1`
    VirtualMachineImage,
    /// `harvesterhci.io/v1beta1`
    KeyPair,
    /// `harvesterhci.io/v1beta1`, cluster-scoped
    Setting,
    /// `harvesterhci.io/v1beta1`
    Addon,
    /// `k8s.cni.cncf.io/v1`
    NetworkAttachmentDefinition,
    /// `longhorn.io/v1beta2`, in `longhorn-system`
    LonghornVolume,
    /// `longhorn.io/v1beta2`, in `longhorn-system`
    LonghornNode,
    /// `v1`, cluster-scoped
    Node,
    /// `v1`, cluster-scoped
    Namespace,
    /// `v1`
    PersistentVolumeClaim,
    /// `v1`
    Pod,
    /// `v1`
    Event,
    /// `v1`
    Secret,
    /// `storage.k8s.io/v1`, cluster-scoped
    StorageClass,
    /// `apiextensions.k8s.io/v1`, cluster-scoped
    CustomResourceDefinition,
}

impl Kind {
    /// Group, version, plural, kind, and whether it lives in a namespace.
    const fn names(self) -> (&'static str, &'static str, &'static str, &'static str, bool) {
        match self {
            Self::VirtualMachine => ("kubevirt.io", "v1", "virtualmachines", "VirtualMachine", true),
            Self::VirtualMachineInstance => {
                ("kubevirt.io", "v1", "virtualmachineinstances", "VirtualMachineInstance", true)
            }
            Self::VirtualMachineInstanceMigration => {
                ("kubevirt.io", "v1", "virtualmachineinstancemigrations", "VirtualMachineInstanceMigration", true)
            }
            Self::KubeVirt => ("kubevirt.io", "v1", "kubevirts", "KubeVirt", true),
            Self::VirtualMachineImage => {
                ("harvesterhci.io", "v1beta1", "virtualmachineimages", "VirtualMachineImage", true)
            }
            Self::KeyPair => ("harvesterhci.io", "v1beta1", "keypairs", "KeyPair", true),
            Self::Setting => ("harvesterhci.io", "v1beta1", "settings", "Setting", false),
            Self::Addon => ("harvesterhci.io", "v1beta1", "addons", "Addon", true),
            Self::NetworkAttachmentDefinition => {
                ("k8s.cni.cncf.io", "v1", "network-attachment-definitions", "NetworkAttachmentDefinition", true)
            }
            Self::LonghornVolume => ("longhorn.io", "v1beta2", "volumes", "Volume", true),
            Self::LonghornNode => ("longhorn.io", "v1beta2", "nodes", "Node", true),
            Self::Node => ("", "v1", "nodes", "Node", false),
            Self::Namespace => ("", "v1", "namespaces", "Namespace", false),
            Self::PersistentVolumeClaim => ("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true),
            Self::Pod => ("", "v1", "pods", "Pod", true),
            Self::Event => ("", "v1", "events", "Event", true),
            Self::Secret => ("", "v1", "secrets", "Secret", true),
            Self::StorageClass => ("storage.k8s.io", "v1", "storageclasses", "StorageClass", false),
            Self::CustomResourceDefinition => {
                ("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false)
            }
        }
    }

    /// API group, empty for the core.
    pub fn group(self) -> &'static str {
        self.names().0
    }

    /// `kubevirt.io/v1`, `v1`.
    pub fn api_version(self) -> String {
        match self.names() {
            ("", version, ..) => version.to_owned(),
            (group, version, ..) => format!("{group}/{version}"),
        }
    }

    /// Plural, lower case.
    pub fn plural(self) -> &'static str {
        self.names().2
    }

    /// The value of an object's `kind`.
    pub fn kind(self) -> &'static str {
        self.names().3
    }

    /// `virtualmachines.kubevirt.io`, as people name a resource.
    pub fn resource(self) -> String {
        match self.group() {
            "" => self.plural().to_owned(),
            group => format!("{}.{group}", self.plural()),
        }
    }

    /// Path of all objects, or of one namespace's.
    pub fn collection(self, namespace: Option<&str>) -> String {
        let (group, version, plural, ..) = self.names();
        let root = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
        match namespace {
            Some(namespace) => format!("{root}/namespaces/{}/{plural}", segment(namespace)),
            None => format!("{root}/{plural}"),
        }
    }

    /// Path of one object; `namespace` is left out for a cluster-scoped kind.
    pub fn path(self, namespace: &str, name: &str) -> String {
        let namespace = Some(namespace).filter(|_| self.names().4);
        format!("{}/{}", self.collection(namespace), segment(name))
    }
}

/// One object of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ObjectRef {
    /// Kind.
    pub kind: Kind,
    /// Namespace; empty for a cluster-scoped kind.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl ObjectRef {
    /// A VM.
    pub fn vm(namespace: &str, name: &str) -> Self {
        Self { kind: Kind::VirtualMachine, namespace: namespace.to_owned(), name: name.to_owned() }
    }

    /// Its path.
    pub fn path(&self) -> String {
        self.kind.path(&self.namespace, &self.name)
    }
}

impl std::fmt::Display for ObjectRef {
    /// `VirtualMachine team-a/web-01`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.namespace.as_str() {
            "" => write!(f, "{} {}", self.kind.kind(), self.name),
            namespace => write!(f, "{} {namespace}/{}", self.kind.kind(), self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_both_scopes_and_of_the_core_group() {
        assert_eq!(ObjectRef::vm("a", "b").path(), "/apis/kubevirt.io/v1/namespaces/a/virtualmachines/b");
        assert_eq!(Kind::Secret.path("a", "b"), "/api/v1/namespaces/a/secrets/b");
        assert_eq!(Kind::Setting.path("", "server-version"), "/apis/harvesterhci.io/v1beta1/settings/server-version");
        assert_eq!(Kind::Node.collection(None), "/api/v1/nodes");
        assert_eq!(Kind::LonghornVolume.resource(), "volumes.longhorn.io");
    }
}
