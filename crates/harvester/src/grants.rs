//! The rights that we want, which of them the credential has, and the role that has exactly them.
//!
//! One table is read by the page, by the check and by the ClusterRole in `deploy/`, so they cannot disagree. Source:
//! `harvester-api.md` §11, cut to what this product uses.

mod table;

use crate::view::clean;
use crate::{Cluster, ClusterError};
use futures::stream::{self, StreamExt as _};
use http::Method;
use model::fleet::Grant;
use serde::Deserialize;
use serde_json::json;
use table::{Right, Role, rights};

/// A namespace that is not there: only rights for the whole cluster hold in it.
const NOWHERE: &str = "harvester-admin-asks";

/// Questions at a time.
const AT_ONCE: usize = 8;

/// What the least-privilege role wants against what the credential has.
pub async fn grants(cluster: &Cluster) -> Result<Vec<Grant>, ClusterError> {
    let held = held(cluster, NOWHERE).await?;
    let mut grants = Vec::new();
    for right in rights() {
        let mut missing: Vec<&'static str> =
            right.verbs.iter().copied().filter(|verb| !held.has(&right, verb)).collect();
        if held.is_incomplete && !missing.is_empty() {
            missing = still_missing(cluster, &right, missing).await?;
        }
        let own = |verbs: &[&str]| verbs.iter().map(|&v| v.to_owned()).collect();
        grants.push(Grant {
            resource: right.resource(),
            wanted: own(right.verbs),
            missing: own(&missing),
            costs: right.costs.clone(),
        });
    }
    Ok(grants)
}

/// Namespaces that are asked about, each by itself; in a cluster of more, what cannot be found out is taken for a yes.
const MOST_NAMESPACES: usize = 200;

/// Whether the credential may change anything that we change, in the whole cluster or in one of its namespaces.
pub async fn may_change(cluster: &Cluster) -> Result<bool, ClusterError> {
    #[derive(Deserialize)]
    struct Names {
        items: Vec<Named>,
    }
    #[derive(Deserialize)]
    struct Named {
        metadata: Name,
    }
    #[derive(Deserialize)]
    struct Name {
        name: String,
    }
    let changes: Vec<Right> = rights().into_iter().filter(|right| right.role == Role::Operator).collect();
    let may = |held: &Held| {
        let changing = |right: &Right| right.verbs.iter().any(|verb| *verb != "get" && held.has(right, verb));
        held.is_incomplete || changes.iter().any(changing)
    };
    if may(&held(cluster, NOWHERE).await?) {
        return Ok(true);
    }
    let names: Names = cluster.read(&format!("/api/v1/namespaces?limit={}", MOST_NAMESPACES + 1)).await?;
    let is_more = names.items.len() > MOST_NAMESPACES;
    // A loop, not a closure: see `still_missing`.
    let mut questions = Vec::new();
    for Named { metadata } in names.items.into_iter().take(MOST_NAMESPACES) {
        questions.push(Box::pin(async move { held(cluster, &metadata.name).await }));
    }
    let mut answers = stream::iter(questions).buffer_unordered(AT_ONCE);
    while let Some(answer) = answers.next().await {
        if may(&answer?) {
            return Ok(true);
        }
    }
    Ok(is_more)
}

/// The ClusterRoles that have exactly those rights; `deploy/clusterrole.yaml` is this text.
pub fn cluster_role_yaml() -> String {
    let mut yaml = String::from(
        "# Made by `harvester::grants::cluster_role_yaml`; a test compares. Bind reader and operator with ClusterRoleBindings,\n\
         # and cloud-init with a RoleBinding in each namespace that VMs are delivered into.\n",
    );
    for role in Role::ALL {
        let name = role.name();
        yaml += &format!(
            "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: {name}}}\nrules:\n"
        );
        for right in rights().into_iter().filter(|r| r.role == role) {
            let group = if right.group.is_empty() { "\"\"" } else { right.group };
            let verbs = right.verbs.join(", ");
            yaml += &format!("- {{apiGroups: [{group}], resources: [{}], verbs: [{verbs}]}}\n", right.plural);
        }
    }
    yaml
}

#[derive(Deserialize)]
struct Review {
    status: Held,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Held {
    resource_rules: Vec<Rule>,
    #[serde(rename = "incomplete")]
    is_incomplete: bool,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Rule {
    verbs: Vec<String>,
    api_groups: Vec<String>,
    resources: Vec<String>,
    resource_names: Vec<String>,
}

impl Held {
    fn has(&self, right: &Right, verb: &str) -> bool {
        let any = |list: &[String], wanted: &str| list.iter().any(|item| item == "*" || item == wanted);
        let sub = right.plural.split_once('/').map(|(_, sub)| format!("*/{sub}"));
        self.resource_rules.iter().any(|rule| {
            let resource =
                any(&rule.resources, right.plural) || sub.as_ref().is_some_and(|sub| rule.resources.contains(sub));
            resource && any(&rule.verbs, verb) && any(&rule.api_groups, right.group) && rule.resource_names.is_empty()
        })
    }
}

/// Source: k8s.io/api `authorization/v1/types.go` (SelfSubjectRulesReview).
async fn held(cluster: &Cluster, namespace: &str) -> Result<Held, ClusterError> {
    let review = json!({ "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": { "namespace": namespace } });
    let path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    let review: Review = ask(cluster, path, &review).await?;
    Ok(review.status)
}

/// Some authorizers cannot list their rules; then each right is asked for.
async fn still_missing(
    cluster: &Cluster,
    right: &Right,
    missing: Vec<&'static str>,
) -> Result<Vec<&'static str>, ClusterError> {
    #[derive(Deserialize)]
    struct Access {
        status: Allowed,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Allowed {
        #[serde(rename = "allowed")]
        is_allowed: bool,
    }
    let (resource, sub) = right.plural.split_once('/').unwrap_or((right.plural, ""));
    // A loop, not a closure: the compiler cannot prove a closure's future `Send` for every lifetime of its argument.
    let mut questions = Vec::new();
    for verb in missing {
        questions.push(Box::pin(async move {
            let attributes = json!({ "group": right.group, "resource": resource, "subresource": sub, "verb": verb });
            let review = json!({ "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": { "resourceAttributes": attributes } });
            let answer: Access = ask(cluster, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", &review).await?;
            Ok((verb, answer.status.is_allowed))
        }));
    }
    let answers: Vec<Result<_, ClusterError>> = stream::iter(questions).buffered(AT_ONCE).collect().await;
    let answers: Vec<_> = answers.into_iter().collect::<Result<_, _>>()?;
    Ok(answers.into_iter().filter(|(_, is_allowed)| !is_allowed).map(|(verb, _)| verb).collect())
}

/// Reviews are asked by POST but change nothing.
async fn ask<T: serde::de::DeserializeOwned>(
    cluster: &Cluster,
    path: &str,
    review: &serde_json::Value,
) -> Result<T, ClusterError> {
    let answer = cluster.call(Method::POST, path, "application/json", review.to_string().into_bytes()).await?;
    serde_json::from_slice(&answer).map_err(|e| ClusterError::garbled(clean::text(&format!("{path}: {e}"), 200)))
}

#[cfg(test)]
mod tests;
