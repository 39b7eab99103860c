//! Every link: the patterns that the router matches and the URLs that pages point at. No other file spells one.
//!
//! Names go in as text, since rows carry them so, and come out encoded; a pattern and the function that fills it stand
//! for the same page, which the tests prove.

use leptos_router::path;
use leptos_router::{ParamSegment, StaticSegment};
use model::Code;
use model::audit::AuditQuery;
use model::console::Mode;
use model::id::VmRef;
use model::overview::Target;
use model::vm::Sort;

/// The overview.
pub const OVERVIEW: &str = "/";
/// Sign-in, page (GET) and form (POST with `login`, `password`, `next`).
pub const SIGN_IN: &str = "/sign-in";
/// Ends the session (POST).
pub const SIGN_OUT: &str = "/sign-out";
/// The live socket.
pub const LIVE: &str = "/live";
/// The socket of a console; its first message is the ticket.
pub const CONSOLE_SOCKET: &str = "/console-stream";
/// The least-privilege ClusterRole, as a file.
pub const CLUSTER_ROLE: &str = "/files/cluster-role.yaml";
/// Where Prometheus reads, on a port of its own.
pub const METRICS: &str = "/metrics";
/// Where the signed-in person sees their sessions.
pub const ACCOUNT: &str = "/account";
/// The portal: order a VM.
pub const PORTAL: &str = "/portal";
/// The VM list.
pub const VMS: &str = "/vms";
/// Subnets.
pub const SUBNETS: &str = "/addresses";
/// The form of a new subnet.
pub const NEW_SUBNET: &str = "/addresses/new";
/// Clusters.
pub const CLUSTERS: &str = "/clusters";
/// The form that registers a cluster.
pub const NEW_CLUSTER: &str = "/clusters/new";
/// The audit trail.
pub const AUDIT: &str = "/audit";

/// Patterns for the router; the parameter names are [`param`]'s.
pub(crate) mod route {
    use super::{ParamSegment, StaticSegment, path};

    type One = (StaticSegment<&'static str>,);
    type Two = (StaticSegment<&'static str>, StaticSegment<&'static str>);
    type Named = (StaticSegment<&'static str>, ParamSegment);
    type OfVm = (StaticSegment<&'static str>, ParamSegment, ParamSegment, ParamSegment);

    pub(crate) const OVERVIEW: One = (StaticSegment(""),);
    pub(crate) const SIGN_IN: One = path!("/sign-in");
    pub(crate) const ACCOUNT: One = path!("/account");
    pub(crate) const PORTAL: One = path!("/portal");
    pub(crate) const DELIVERY: Named = path!("/deliveries/:id");
    pub(crate) const VMS: One = path!("/vms");
    pub(crate) const VM: OfVm = path!("/vms/:cluster/:namespace/:name");
    pub(crate) const CONSOLE: OfVm = path!("/console/:cluster/:namespace/:name");
    pub(crate) const SUBNETS: One = path!("/addresses");
    pub(crate) const NEW_SUBNET: Two = path!("/addresses/new");
    pub(crate) const SUBNET: Named = path!("/addresses/:id");
    pub(crate) const CLUSTERS: One = path!("/clusters");
    pub(crate) const NEW_CLUSTER: Two = path!("/clusters/new");
    pub(crate) const CLUSTER: Named = path!("/clusters/:id");
    pub(crate) const AUDIT: One = path!("/audit");
}

/// Names of parameters in patterns and in queries.
pub(crate) mod param {
    pub(crate) const ID: &str = "id";
    pub(crate) const CLUSTER: &str = "cluster";
    pub(crate) const NAMESPACE: &str = "namespace";
    pub(crate) const NAME: &str = "name";
    /// Which tab of a page is open.
    pub(crate) const TAB: &str = "tab";
    /// Search text of a list.
    pub(crate) const TEXT: &str = "q";
    /// Order of a list, as [`model::vm::Sort::word`] writes it.
    pub(crate) const SORT: &str = "sort";
    /// How audited acts ended.
    pub(crate) const OUTCOME: &str = "outcome";
    /// The row of a list that is open.
    pub(crate) const OPEN: &str = "open";
    /// Where to go after signing in.
    pub(crate) const NEXT: &str = "next";
    /// The code of a fault that a form without scripts came back with.
    pub(crate) const FAULT: &str = "fault";
    /// Screen or serial line.
    pub(crate) const MODE: &str = "mode";
    /// Template of the portal's form.
    pub(crate) const TEMPLATE: &str = "template";
    /// Block of 256 addresses.
    pub(crate) const BLOCK: &str = "block";
}

/// Sign-in that leads on to `next`.
pub fn sign_in(next: &str) -> String {
    with(SIGN_IN, &[(param::NEXT, if next == OVERVIEW { "" } else { next })])
}

/// Sign-in once more, after a form that the server refused with `code`.
pub fn sign_in_again(next: &str, code: Code) -> String {
    with(SIGN_IN, &[(param::NEXT, if next == OVERVIEW { "" } else { next }), (param::FAULT, code.word())])
}

/// The portal with a template chosen.
pub(crate) fn order(template: &str) -> String {
    with(PORTAL, &[(param::TEMPLATE, template)])
}

/// A delivery.
pub(crate) fn delivery(id: &str) -> String {
    below("/deliveries", &[id])
}

/// The VM list with a search text and an order.
pub(crate) fn vms(text: &str, sort: Sort) -> String {
    let word = if sort == Sort::default() { String::new() } else { sort.word() };
    with(VMS, &[(param::TEXT, text), (param::SORT, &word)])
}

/// The VM list with the preview of one VM (`cluster/namespace/name`) open beside it.
pub(crate) fn vms_open(text: &str, sort: Sort, open: &str) -> String {
    let word = if sort == Sort::default() { String::new() } else { sort.word() };
    with(VMS, &[(param::TEXT, text), (param::SORT, &word), (param::OPEN, open)])
}

/// The VM list with a search text.
pub(crate) fn vms_like(text: &str) -> String {
    vms(text, Sort::default())
}

/// A VM by its names.
pub(crate) fn vm(cluster: &str, namespace: &str, name: &str) -> String {
    below(VMS, &[cluster, namespace, name])
}

/// A tab of a VM's page.
pub(crate) fn vm_tab(vm_ref: &VmRef, tab: &str) -> String {
    let page = vm(vm_ref.cluster.as_str(), vm_ref.namespace.as_str(), vm_ref.name.as_str());
    with(&page, &[(param::TAB, tab)])
}

/// The console of a VM.
pub(crate) fn console(cluster: &str, namespace: &str, name: &str, mode: Mode) -> String {
    let mode = match mode {
        Mode::Vnc => "",
        Mode::Serial => "serial",
    };
    with(&below("/console", &[cluster, namespace, name]), &[(param::MODE, mode)])
}

/// A subnet's map.
pub(crate) fn subnet(id: &str) -> String {
    below(SUBNETS, &[id])
}

/// A block of a subnet's map.
pub(crate) fn subnet_block(id: &str, block: u32) -> String {
    let block = if block == 0 { String::new() } else { block.to_string() };
    with(&subnet(id), &[(param::BLOCK, &block)])
}

/// A cluster.
pub(crate) fn cluster(id: &str) -> String {
    below(CLUSTERS, &[id])
}

/// A tab of a cluster's page; the first has no word.
pub(crate) fn cluster_tab(id: &str, tab: &str) -> String {
    with(&cluster(id), &[(param::TAB, tab)])
}

/// The audit trail, filtered, perhaps with one line open. The cursor is not part of the link.
pub(crate) fn audit(query: &AuditQuery, open: Option<i64>) -> String {
    let outcome = query.outcome.map(|outcome| outcome.word()).unwrap_or_default();
    let open = open.map(|seq| seq.to_string()).unwrap_or_default();
    with(AUDIT, &[(param::TEXT, &query.text), (param::OUTCOME, outcome), (param::OPEN, &open)])
}

/// The audit lines about an object.
pub(crate) fn audit_of(object: &str) -> String {
    audit(&AuditQuery { text: object.to_owned(), ..AuditQuery::default() }, None)
}

/// Where a name of the model leads.
pub(crate) fn target(target: &Target) -> String {
    match target {
        Target::Vm(cluster, namespace, name) => vm(cluster, namespace, name),
        Target::Cluster(id) => cluster(id),
        Target::Delivery(id) => delivery(id),
        Target::Vms(text) => vms_like(text),
        Target::Subnet(id) => subnet(id),
    }
}

/// `next` if it is a path of ours, else the overview: what comes from a URL must not lead away.
pub fn safe_next(next: &str) -> &str {
    let is_ours = next.starts_with('/') && !next.starts_with("//") && !next.contains(['\\', '\n', '\r']);
    if is_ours { next } else { OVERVIEW }
}

fn below(root: &str, names: &[&str]) -> String {
    names.iter().fold(root.to_owned(), |path, name| format!("{path}/{}", encode(name)))
}

/// `path?key=value&…` of the pairs that have a value.
fn with(path: &str, pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<_> = pairs.iter().filter(|(_, value)| !value.is_empty()).collect();
    let query: Vec<_> = pairs.iter().map(|(key, value)| format!("{key}={}", encode(value))).collect();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{}", query.join("&")) }
}

/// Percent-encodes all but the unreserved characters of RFC 3986 §2.3.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use leptos_router::PossibleRouteMatch;
    use model::audit::Outcome;
    use model::vm::SortKey;

    fn params(route: impl PossibleRouteMatch, url: &str) -> Vec<String> {
        let path = url.split('?').next().unwrap();
        let found = route.test(path).unwrap_or_else(|| panic!("{url} is not of this route"));
        assert!(found.remaining().is_empty() || found.remaining() == "/", "{url}: {} is left", found.remaining());
        found.params().into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn every_link_leads_to_its_route() {
        assert_eq!(params(route::VM, &vm("bj-1", "erp-prod", "web-01")), ["bj-1", "erp-prod", "web-01"]);
        assert_eq!(params(route::CONSOLE, &console("bj-1", "a", "b", Mode::Serial)), ["bj-1", "a", "b"]);
        assert_eq!(params(route::CLUSTER, &cluster_tab("bj-1", "nodes")), ["bj-1"]);
        assert_eq!(params(route::SUBNET, &subnet_block("s_1", 3)), ["s_1"]);
        assert_eq!(params(route::DELIVERY, &delivery("01J")), ["01J"]);
        for (route, url) in [
            (route::SIGN_IN, sign_in("/vms")),
            (route::ACCOUNT, ACCOUNT.into()),
            (route::PORTAL, order("app")),
            (route::VMS, vms_like("a b")),
            (route::SUBNETS, SUBNETS.into()),
            (route::CLUSTERS, CLUSTERS.into()),
            (route::AUDIT, audit_of("a/b/c")),
        ] {
            assert!(params(route, &url).is_empty());
        }
        params(route::NEW_CLUSTER, NEW_CLUSTER);
        params(route::NEW_SUBNET, NEW_SUBNET);
    }

    #[test]
    fn queries_carry_what_is_not_the_default() {
        assert_eq!(vms("", Sort::default()), "/vms");
        assert_eq!(
            vms("owner:E1 状态", Sort { key: SortKey::Cpu, descending: true }),
            "/vms?q=owner%3AE1%20%E7%8A%B6%E6%80%81&sort=-cpu"
        );
        let query = AuditQuery { text: "a&b".into(), outcome: Some(Outcome::Refused), before: None };
        assert_eq!(audit(&query, Some(7)), "/audit?q=a%26b&outcome=refused&open=7");
        assert_eq!(sign_in("/"), "/sign-in");
        assert_eq!(sign_in_again("/vms", Code::TooMany), "/sign-in?next=%2Fvms&fault=too-many");
    }

    #[test]
    fn a_link_from_outside_does_not_lead_outside() {
        for bad in ["https://evil", "//evil", "/\\evil", "evil", ""] {
            assert_eq!(safe_next(bad), "/", "{bad}");
        }
        assert_eq!(safe_next("/vms?q=a"), "/vms?q=a");
    }
}
