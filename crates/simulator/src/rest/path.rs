//! What a request is about, from its method and path alone.
//!
//! Pure. Source: `k8s.io/apiserver/pkg/endpoints/request/requestinfo.go`.

/// A request for a resource.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Target {
    /// Group; empty for core.
    pub(crate) group: String,
    /// Version.
    pub(crate) version: String,
    /// Namespace; `None` for cluster-scoped kinds and lists over all namespaces.
    pub(crate) namespace: Option<String>,
    /// Plural.
    pub(crate) plural: String,
    /// Object; `None` for the collection.
    pub(crate) name: Option<String>,
    /// Subresource; may hold slashes, for example `vnc/screenshot`.
    pub(crate) sub: String,
}

impl Target {
    /// `pods`, or `pods/status`, as RBAC and the fault script name it.
    pub(crate) fn resource(&self) -> String {
        if self.sub.is_empty() { self.plural.clone() } else { format!("{}/{}", self.plural, self.sub) }
    }
}

/// What a path is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// Objects.
    Object(Target),
    /// `/api`.
    LegacyGroups,
    /// `/apis`.
    Groups,
    /// `/apis/<group>`.
    Group(String),
    /// `/api/v1` or `/apis/<group>/<version>`.
    Version(String, String),
    /// Anything else, for example `/version`.
    Other,
}

/// Reads a path.
pub(crate) fn parse(path: &str) -> Route {
    let steps: Vec<&str> = path.split('/').filter(|step| !step.is_empty()).collect();
    match steps[..] {
        ["api"] => Route::LegacyGroups,
        ["apis"] => Route::Groups,
        ["api", version] => Route::Version(String::new(), version.into()),
        ["apis", group] => Route::Group(group.into()),
        ["apis", group, version] => Route::Version(group.into(), version.into()),
        ["api", version, ref rest @ ..] => object("", version, rest),
        ["apis", group, version, ref rest @ ..] => object(group, version, rest),
        _ => Route::Other,
    }
}

fn object(group: &str, version: &str, rest: &[&str]) -> Route {
    let decoded: Vec<String> = rest.iter().map(|step| percent_decode(step)).collect();
    let steps: Vec<&str> = decoded.iter().map(String::as_str).collect();
    let (namespace, rest) = match steps[..] {
        // `namespaces/x` alone, or with a subresource of its own, is the namespace itself.
        ["namespaces", _] | ["namespaces", _, "status" | "finalize"] if group.is_empty() => (None, &steps[..]),
        ["namespaces", namespace, ref rest @ ..] if !rest.is_empty() => (Some(namespace), rest),
        _ => (None, &steps[..]),
    };
    let Some((plural, rest)) = rest.split_first() else { return Route::Other };
    let (name, sub) = match rest.split_first() {
        Some((name, sub)) => (Some((*name).to_owned()), sub.join("/")),
        None => (None, String::new()),
    };
    Route::Object(Target {
        group: group.into(),
        version: version.into(),
        namespace: namespace.map(str::to_owned),
        plural: (*plural).to_owned(),
        name,
        sub,
    })
}

/// `%2F` and the like; bytes that are no UTF-8 are replaced.
pub(crate) fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match (first, hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Query parameters, in order; the first of a name counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(query: &str) -> Self {
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let decode = |text: &str| percent_decode(&text.replace('+', " "));
        Self(
            pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).map(|(k, v)| (decode(k), decode(v))).collect(),
        )
    }

    /// The value; empty when absent.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    /// `true` and `1` are true.
    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.text(name), "true" | "1")
    }

    /// All values of a name.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Route, Target, parse};

    #[test]
    fn a_path_says_what_it_is_about() {
        let target = |group: &str, namespace: Option<&str>, plural: &str, name: Option<&str>, sub: &str| {
            Route::Object(Target {
                group: group.into(),
                version: "v1".into(),
                namespace: namespace.map(Into::into),
                plural: plural.into(),
                name: name.map(Into::into),
                sub: sub.into(),
            })
        };
        let cases = [
            ("/api/v1/nodes", target("", None, "nodes", None, "")),
            ("/api/v1/namespaces/a", target("", None, "namespaces", Some("a"), "")),
            ("/api/v1/namespaces/a/finalize", target("", None, "namespaces", Some("a"), "finalize")),
            ("/api/v1/namespaces/a/pods", target("", Some("a"), "pods", None, "")),
            ("/api/v1/namespaces/a/pods/p/status", target("", Some("a"), "pods", Some("p"), "status")),
            (
                "/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachineinstances/vm/vnc/screenshot",
                target("subresources.kubevirt.io", Some("a"), "virtualmachineinstances", Some("vm"), "vnc/screenshot"),
            ),
            ("/apis/kubevirt.io/v1", Route::Version("kubevirt.io".into(), "v1".into())),
            ("/version", Route::Other),
        ];
        for (path, expected) in cases {
            assert_eq!(parse(path), expected, "{path}");
        }
    }
}
