//! Discovery: which groups, versions and kinds there are; and the version of the server.
//!
//! Sources: `k8s.io/apiserver/pkg/endpoints/discovery`, and `…/discovery/aggregated` for the aggregated form.

use super::path::Route;
use super::wire::{self, Form};
use super::{Call, review, subresource};
use crate::world::catalogue::{Kind, Release};
use crate::world::{Status, World};
use axum::response::Response;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, header::ETAG};
use serde_json::{Value, json};

/// Verbs of an object kind, in upstream's order for custom resources.
const VERBS: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// `/version`.
pub(super) fn version(world: &World) -> Value {
    let (minor, git) = world.catalogue().release().kubernetes();
    json!({
        "major": "1", "minor": minor, "gitVersion": git, "gitCommit": "0000000000000000000000000000000000000000",
        "gitTreeState": "clean", "buildDate": "2026-01-01T00:00:00Z", "goVersion": "go1.24", "compiler": "gc",
        "platform": "linux/amd64", "emulationMajor": "1", "emulationMinor": minor,
    })
}

/// A resource as discovery lists it.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) singular: String,
    pub(super) namespaced: bool,
    pub(super) kind: String,
    /// Group and version of the kind, where they differ from the list's.
    pub(super) of: Option<(String, String)>,
    pub(super) verbs: Vec<&'static str>,
    pub(super) short: Vec<&'static str>,
    pub(super) categories: Vec<&'static str>,
}

impl Entry {
    pub(super) fn plain(name: &str, kind: &str, namespaced: bool, verbs: &[&'static str]) -> Self {
        Self {
            name: name.into(),
            singular: String::new(),
            namespaced,
            kind: kind.into(),
            of: None,
            verbs: verbs.to_vec(),
            short: Vec::new(),
            categories: Vec::new(),
        }
    }
}

/// Answers a discovery path.
pub(super) fn serve(call: &Call<'_>, route: &Route) -> Result<Response, Status> {
    let body = match (route, call.accepts.form) {
        (Route::LegacyGroups, Form::Discovery(version)) => return Ok(aggregated(call.world, true, version)),
        (Route::Groups, Form::Discovery(version)) => return Ok(aggregated(call.world, false, version)),
        (route, _) => plain(call, route)?,
    };
    Ok(wire::answer(200, &body, call.accepts.is_yaml))
}

/// The answer of old, a document a path.
fn plain(call: &Call<'_>, route: &Route) -> Result<Value, Status> {
    Ok(match route {
        Route::LegacyGroups => json!({
            "kind": "APIVersions", "versions": ["v1"],
            "serverAddressByClientCIDRs": [{ "clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443" }],
        }),
        Route::Groups => {
            let all: Vec<_> = groups(call.world).iter().filter(|(group, _)| !group.is_empty()).map(group).collect();
            json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": all })
        }
        Route::Group(name) => {
            let found =
                groups(call.world).into_iter().find(|(group, _)| group == name).ok_or_else(Status::no_such_path)?;
            let mut body = group(&found);
            body["kind"] = "APIGroup".into();
            body["apiVersion"] = "v1".into();
            body
        }
        Route::Version(group, version) => {
            let entries = entries(call.world, group, version);
            if entries.is_empty() {
                return Err(Status::no_such_path());
            }
            let group_version = if group.is_empty() { version.clone() } else { format!("{group}/{version}") };
            let resources: Vec<_> = entries.iter().map(listed).collect();
            json!({ "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": resources })
        }
        Route::Object(_) | Route::Other => return Err(Status::no_such_path()),
    })
}

/// Groups with their versions, the preferred one first; core is the empty one.
fn groups(world: &World) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |group: &str, version: &str| match groups.iter_mut().find(|(name, _)| name == group) {
        Some((_, versions)) if versions.iter().any(|known| known == version) => {}
        Some((_, versions)) => versions.push(version.to_owned()),
        None => groups.push((group.to_owned(), vec![version.to_owned()])),
    };
    for kind in world.catalogue().kinds() {
        kind.versions.iter().for_each(|version| add(kind.resource.group, version));
    }
    for version in ["v1", "v1alpha3"] {
        add("subresources.kubevirt.io", version);
    }
    add("authorization.k8s.io", "v1");
    add("authentication.k8s.io", "v1");
    for (_, versions) in &mut groups {
        versions.sort_by_key(|version| std::cmp::Reverse(rank(version)));
    }
    groups
}

/// v1 before v1beta1 before v1alpha1. Source: `apimachinery/pkg/version/helpers.go`.
fn rank(version: &str) -> (u8, u32, u32) {
    let number = |text: &str| text.parse().unwrap_or_default();
    let rest = version.trim_start_matches('v');
    let (stage, major, minor) = match (rest.split_once("beta"), rest.split_once("alpha")) {
        (Some((major, minor)), _) => (1, major, minor),
        (_, Some((major, minor))) => (0, major, minor),
        _ => (2, rest, "0"),
    };
    (stage, number(major), number(minor))
}

fn group((name, versions): &(String, Vec<String>)) -> Value {
    let versions: Vec<_> = versions
        .iter()
        .map(|version| json!({ "groupVersion": format!("{name}/{version}"), "version": version }))
        .collect();
    json!({ "name": name, "versions": versions, "preferredVersion": versions[0] })
}

fn entries(world: &World, group: &str, version: &str) -> Vec<Entry> {
    let kinds = world.catalogue().kinds().iter();
    let kinds = kinds.filter(|kind| kind.resource.group == group && kind.versions.contains(&version));
    let mut entries: Vec<Entry> = kinds.flat_map(of_kind).collect();
    let release: Release = world.catalogue().release();
    match (group, version) {
        ("subresources.kubevirt.io", "v1" | "v1alpha3") => entries.extend(subresource::entries(release)),
        ("authorization.k8s.io" | "authentication.k8s.io", "v1") => entries.extend(review::entries(group)),
        _ => {}
    }
    entries
}

fn of_kind(kind: &Kind) -> Vec<Entry> {
    let verbs = VERBS.iter().copied().filter(|verb| kind.allows(verb)).collect();
    let mut all = vec![Entry {
        name: kind.resource.plural.into(),
        singular: kind.singular.clone(),
        namespaced: kind.namespaced,
        kind: kind.kind.into(),
        of: None,
        verbs,
        short: kind.short.clone(),
        categories: kind.categories.clone(),
    }];
    for sub in &kind.subresources {
        let name = format!("{}/{sub}", kind.resource.plural);
        let mut entry = Entry::plain(&name, kind.kind, kind.namespaced, &["get", "patch", "update"]);
        if *sub == "scale" {
            entry.kind = "Scale".into();
            entry.of = Some(("autoscaling".into(), "v1".into()));
        }
        all.push(entry);
    }
    if kind.resource.group.is_empty() && kind.resource.plural == "pods" {
        let mut entry = Entry::plain("pods/eviction", "Eviction", true, &["create"]);
        entry.of = Some(("policy".into(), "v1".into()));
        all.push(entry);
    }
    all
}

fn listed(entry: &Entry) -> Value {
    let mut body = json!({
        "name": entry.name, "singularName": entry.singular, "namespaced": entry.namespaced, "kind": entry.kind,
        "verbs": entry.verbs,
    });
    if let Some((group, version)) = &entry.of {
        body["group"] = group.as_str().into();
        body["version"] = version.as_str().into();
    }
    if !entry.short.is_empty() {
        body["shortNames"] = json!(entry.short);
    }
    if !entry.categories.is_empty() {
        body["categories"] = json!(entry.categories);
    }
    body
}

/// All of it in one answer.
fn aggregated(world: &World, is_core: bool, form: &str) -> Response {
    let mut items = Vec::new();
    for (group, versions) in groups(world).into_iter().filter(|(group, _)| group.is_empty() == is_core) {
        let versions: Vec<_> = versions
            .iter()
            .map(|version| {
                let entries = entries(world, &group, version);
                json!({ "version": version, "freshness": "Current", "resources": nested(&group, version, &entries) })
            })
            .collect();
        items.push(json!({ "metadata": { "name": group, "creationTimestamp": null }, "versions": versions }));
    }
    let api_version = format!("apidiscovery.k8s.io/{form}");
    let body = json!({ "kind": "APIGroupDiscoveryList", "apiVersion": api_version, "metadata": {}, "items": items });
    let mut response = wire::answer(200, &body, false);
    let content_type = format!("application/json;g=apidiscovery.k8s.io;v={form};as=APIGroupDiscoveryList");
    if let Ok(content_type) = HeaderValue::from_str(&content_type) {
        response.headers_mut().insert(CONTENT_TYPE, content_type);
    }
    response.headers_mut().insert(ETAG, HeaderValue::from_static("\"simulator\""));
    response
}

/// Subresources stand inside their resource. Source: `aggregated/fake.go` and `endpoints/installer.go`
/// (`ConvertGroupVersionIntoToDiscovery`): a subresource without a resource gets an empty one.
fn nested(group: &str, version: &str, entries: &[Entry]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for entry in entries {
        let (own_group, own_version) =
            entry.of.as_ref().map_or((group, version), |(group, version)| (group.as_str(), version.as_str()));
        let response_kind = json!({ "group": own_group, "version": own_version, "kind": entry.kind });
        let scope = if entry.namespaced { "Namespaced" } else { "Cluster" };
        let Some((parent, sub)) = entry.name.split_once('/') else {
            let mut body = json!({
                "resource": entry.name, "responseKind": response_kind, "scope": scope,
                "singularResource": entry.singular, "verbs": entry.verbs,
            });
            if !entry.short.is_empty() {
                body["shortNames"] = json!(entry.short);
            }
            if !entry.categories.is_empty() {
                body["categories"] = json!(entry.categories);
            }
            all.push(body);
            continue;
        };
        let at = all.iter().position(|body| body["resource"] == parent).unwrap_or_else(|| {
            all.push(json!({
                "resource": parent, "responseKind": { "group": "", "version": "", "kind": "" }, "scope": scope,
                "singularResource": "", "verbs": [],
            }));
            all.len() - 1
        });
        if all[at].get("subresources").is_none() {
            all[at]["subresources"] = json!([]);
        }
        if let Some(subs) = all[at]["subresources"].as_array_mut() {
            subs.push(json!({ "subresource": sub, "responseKind": response_kind, "verbs": entry.verbs }));
        }
    }
    all
}
