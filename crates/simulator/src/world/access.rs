//! Who may do what: bearer tokens, users, rules.
//!
//! Rules have the shape of a ClusterRole's. Roles and bindings that stand in the world as objects do not count; a test
//! that needs a user with few rights grants them here. Source: `plugin/pkg/auth/authorizer/rbac/rbac.go`.

use super::state::Random;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// A rule of a role: `rbac.authorization.k8s.io/v1 PolicyRule`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rule {
    /// Verbs or `*`.
    pub verbs: Vec<String>,
    /// Groups or `*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub api_groups: Vec<String>,
    /// `resource`, `resource/sub`, `*/sub` or `*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// Only these objects; empty: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_names: Vec<String>,
    /// Paths that are no resources.
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "Vec::is_empty")]
    pub non_resource_urls: Vec<String>,
    /// Only in these namespaces (a Role instead of a ClusterRole); empty: everywhere.
    #[serde(skip_serializing)]
    pub namespaces: Vec<String>,
}

/// Someone who holds a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Name, for example `system:serviceaccount:default:platform`.
    pub name: String,
    /// Groups.
    pub groups: Vec<String>,
    /// Stable id.
    pub uid: String,
    /// What they may do.
    pub rules: Vec<Rule>,
}

/// What someone wants to do.
#[derive(Debug, Clone, Default)]
pub struct Wish<'a> {
    /// `get`, `list`, …
    pub verb: &'a str,
    /// Group.
    pub group: &'a str,
    /// `resource` or `resource/sub`.
    pub resource: &'a str,
    /// Empty: all namespaces, or a cluster-scoped kind.
    pub namespace: &'a str,
    /// Empty: no object in particular.
    pub name: &'a str,
    /// Set for requests that are about no resource.
    pub path: &'a str,
}

impl Rule {
    fn allows(&self, wish: &Wish<'_>) -> bool {
        let has = |list: &[String], wanted: &str| list.iter().any(|item| item == "*" || item == wanted);
        if !has(&self.verbs, wish.verb) {
            return false;
        }
        if !wish.path.is_empty() {
            return self.non_resource_urls.iter().any(|url| {
                url == "*"
                    || url == wish.path
                    || url.strip_suffix('*').is_some_and(|start| wish.path.starts_with(start))
            });
        }
        let sub = wish.resource.split_once('/').map(|(_, sub)| format!("*/{sub}"));
        let resource = has(&self.resources, wish.resource) || sub.is_some_and(|sub| self.resources.contains(&sub));
        let name = self.resource_names.is_empty() || self.resource_names.iter().any(|name| name == wish.name);
        let namespace =
            self.namespaces.is_empty() || self.namespaces.iter().any(|namespace| namespace == wish.namespace);
        resource && name && namespace && has(&self.api_groups, wish.group)
    }
}

impl User {
    /// Whether any rule allows it.
    pub fn may(&self, wish: &Wish<'_>) -> bool {
        self.rules.iter().any(|rule| rule.allows(wish))
    }
}

/// Tokens and their users.
#[derive(Debug)]
pub struct Access {
    admin: String,
    reader: String,
    users: RwLock<BTreeMap<String, User>>,
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

/// What everyone may do. Source: `system:basic-user`, `system:discovery`, `system:public-info-viewer`.
fn everyone() -> Vec<Rule> {
    let reviews = |resource: &str, group: &str| Rule {
        verbs: words(&["create"]),
        api_groups: words(&[group]),
        resources: words(&[resource]),
        ..Rule::default()
    };
    let mut rules: Vec<_> =
        ["selfsubjectaccessreviews", "selfsubjectrulesreviews"].map(|it| reviews(it, "authorization.k8s.io")).into();
    rules.push(reviews("selfsubjectreviews", "authentication.k8s.io"));
    rules.push(Rule {
        verbs: words(&["get"]),
        non_resource_urls: words(&[
            "/api",
            "/api/*",
            "/apis",
            "/apis/*",
            "/healthz",
            "/livez",
            "/openapi",
            "/openapi/*",
            "/readyz",
            "/version",
            "/version/",
        ]),
        ..Rule::default()
    });
    rules
}

impl Access {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random(seed ^ 0xa11c_e55e);
        let mut token = |who: &str| format!("sim-{who}-{:016x}", random.next());
        let (admin, reader) = (token("admin"), token("reader"));
        let access = Self { admin: admin.clone(), reader: reader.clone(), users: RwLock::default() };
        let all = Rule { verbs: words(&["*"]), api_groups: words(&["*"]), resources: words(&["*"]), ..Rule::default() };
        let any_path = Rule { verbs: words(&["*"]), non_resource_urls: words(&["*"]), ..Rule::default() };
        let read = Rule { verbs: words(&["get", "list", "watch"]), ..all.clone() };
        access.grant(&admin, "system:admin", &["system:masters"], vec![all, any_path]);
        access.grant(&reader, "system:serviceaccount:default:reader", &["system:serviceaccounts"], vec![read]);
        access
    }

    /// The token that may do everything.
    pub fn admin_token(&self) -> &str {
        &self.admin
    }

    /// The token that may only read.
    pub fn reader_token(&self) -> &str {
        &self.reader
    }

    /// Lets the holder of `token` be `name` and do what the rules say, besides what everyone may.
    pub fn grant(&self, token: &str, name: &str, groups: &[&str], rules: Vec<Rule>) {
        let mut groups = words(groups);
        groups.push("system:authenticated".into());
        let mut hash = Random(name.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into())));
        let user = User { name: name.into(), groups, uid: hash.uid(), rules: [rules, everyone()].concat() };
        self.users.write().unwrap_or_else(PoisonError::into_inner).insert(token.into(), user);
    }

    /// Takes a token back: from now on it gets 401.
    pub fn revoke(&self, token: &str) {
        self.users.write().unwrap_or_else(PoisonError::into_inner).remove(token);
    }

    /// Somebody by name; `None` when nobody holds a token of that name.
    pub fn named(&self, name: &str) -> Option<User> {
        let users = self.users.read().unwrap_or_else(PoisonError::into_inner);
        users.values().find(|user| user.name == name).cloned()
    }

    /// Whose token it is.
    pub fn user(&self, token: &str) -> Option<User> {
        self.users.read().unwrap_or_else(PoisonError::into_inner).get(token).cloned()
    }
}
