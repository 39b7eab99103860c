//! What the server says of its kinds: their names, whether they live in namespaces, whether their status is apart.
//!
//! Source: `k8s.io/apimachinery/pkg/apis/meta/v1` (`APIResourceList`).

use super::client::{Client, ClientError};
use crate::behave::{Resource, object};
use std::collections::{BTreeSet, HashMap};

/// One kind as the server has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kind {
    /// For example `Pod`.
    pub(crate) kind: String,
    /// Whether its objects are in namespaces.
    pub(crate) is_namespaced: bool,
    /// Whether `status` is written apart from the rest.
    pub(crate) has_status: bool,
}

/// The kinds that the server has, of those that the agent knows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kinds(HashMap<Resource, Kind>);

/// `apiVersion` of a resource's objects.
pub(crate) fn api_version(resource: Resource) -> String {
    match resource.group {
        "" => resource.version.to_owned(),
        group => format!("{group}/{}", resource.version),
    }
}

fn root(resource: Resource) -> String {
    match resource.group {
        "" => format!("/api/{}", resource.version),
        group => format!("/apis/{group}/{}", resource.version),
    }
}

/// The path of a resource's objects, in a namespace or (when that is empty) over all.
pub(crate) fn path(resource: Resource, namespace: &str) -> String {
    let root = root(resource);
    match namespace {
        "" => format!("{root}/{}", resource.plural),
        namespace => format!("{root}/namespaces/{namespace}/{}", resource.plural),
    }
}

impl Kinds {
    /// Asks for the kinds of these resources; those that the server lacks are left out.
    ///
    /// # Errors
    /// When the server does not answer.
    pub(crate) async fn discover(client: &Client, wanted: &[Resource]) -> Result<Self, ClientError> {
        let mut found = HashMap::new();
        let roots: BTreeSet<String> = wanted.iter().map(|resource| root(*resource)).collect();
        for place in roots {
            let list = match client.get(&place).await {
                Ok(list) => list,
                Err(error) if error.code() == 404 => continue,
                Err(error) => return Err(error),
            };
            let entries = object::items(&list, "/resources");
            for resource in wanted.iter().filter(|resource| root(**resource) == place) {
                let entry = entries.iter().find(|entry| entry["name"] == resource.plural);
                let status = format!("{}/status", resource.plural);
                found.extend(entry.map(|entry| {
                    let kind = Kind {
                        kind: object::text(entry, "/kind").to_owned(),
                        is_namespaced: object::flag(entry, "/namespaced"),
                        has_status: entries.iter().any(|entry| entry["name"] == status.as_str()),
                    };
                    (*resource, kind)
                }));
            }
        }
        Ok(Self(found))
    }

    /// The kind of a resource, if the server has it.
    pub(crate) fn get(&self, resource: Resource) -> Option<&Kind> {
        self.0.get(&resource)
    }
}
