//! Which page a path is: the crumbs above it, its entry in the navigation, whether it fills the window.
//!
//! All of it follows from the path, so that the frame can draw it before the page has run.

use app_ui::Crumb;
use leptos_router::PossibleRouteMatch;
use model::vm::Sort;

use crate::locales::Words;
use crate::paths::{self, route};

/// A page, with the names that are in its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Overview,
    Portal,
    Delivery(String),
    Vms,
    Vm(String, String, String),
    Console(String, String, String),
    Subnets,
    NewSubnet,
    Subnet(String),
    Clusters,
    NewCluster,
    Cluster(String),
    Audit,
    Account,
    Elsewhere,
}

/// An entry of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Overview,
    Portal,
    Vms,
    Addresses,
    Clusters,
    Audit,
}

impl Place {
    /// The page of `path`.
    pub(crate) fn of(path: &str) -> Self {
        let is = |names: Option<Vec<String>>| names.is_some();
        if is(names(route::OVERVIEW, path)) {
            Self::Overview
        } else if is(names(route::PORTAL, path)) {
            Self::Portal
        } else if is(names(route::VMS, path)) {
            Self::Vms
        } else if is(names(route::CLUSTERS, path)) {
            Self::Clusters
        } else if is(names(route::NEW_CLUSTER, path)) {
            Self::NewCluster
        } else if is(names(route::SUBNETS, path)) {
            Self::Subnets
        } else if is(names(route::NEW_SUBNET, path)) {
            Self::NewSubnet
        } else if is(names(route::AUDIT, path)) {
            Self::Audit
        } else if is(names(route::ACCOUNT, path)) {
            Self::Account
        } else {
            Self::named(path).unwrap_or(Self::Elsewhere)
        }
    }

    fn named(path: &str) -> Option<Self> {
        let one = |names: Vec<String>| names.into_iter().next();
        if let Some([cluster, namespace, name]) =
            names(route::VM, path).and_then(|names| <[String; 3]>::try_from(names).ok())
        {
            return Some(Self::Vm(cluster, namespace, name));
        }
        if let Some([cluster, namespace, name]) =
            names(route::CONSOLE, path).and_then(|names| <[String; 3]>::try_from(names).ok())
        {
            return Some(Self::Console(cluster, namespace, name));
        }
        let cluster = names(route::CLUSTER, path).and_then(one).map(Self::Cluster);
        let subnet = || names(route::SUBNET, path).and_then(one).map(Self::Subnet);
        let delivery = || names(route::DELIVERY, path).and_then(one).map(Self::Delivery);
        cluster.or_else(subnet).or_else(delivery)
    }

    /// Its entry in the navigation.
    pub(crate) fn section(&self) -> Option<Section> {
        match self {
            Self::Overview => Some(Section::Overview),
            Self::Portal | Self::Delivery(_) => Some(Section::Portal),
            Self::Vms | Self::Vm(..) | Self::Console(..) => Some(Section::Vms),
            Self::Subnets | Self::NewSubnet | Self::Subnet(_) => Some(Section::Addresses),
            Self::Clusters | Self::NewCluster | Self::Cluster(_) => Some(Section::Clusters),
            Self::Audit => Some(Section::Audit),
            Self::Account | Self::Elsewhere => None,
        }
    }

    /// The page fills the window and scrolls inside itself.
    pub(crate) fn is_fitted(&self) -> bool {
        matches!(self, Self::Vms)
    }

    /// The way to it, whose last step bears what `named` says of its path.
    pub(crate) fn crumbs_named(&self, words: &Words, named: Option<&(String, String)>) -> Vec<Crumb> {
        let mut crumbs = self.crumbs(words);
        if let (Some(last), Some((path, name))) = (crumbs.last_mut(), named)
            && last.href == *path
        {
            last.word.clone_from(name);
        }
        crumbs
    }

    /// The way to it.
    fn crumbs(&self, words: &Words) -> Vec<Crumb> {
        let frame = words.frame;
        let clusters = || Crumb::new(paths::CLUSTERS, frame.clusters);
        let subnets = || Crumb::new(paths::SUBNETS, frame.addresses);
        let vms = || Crumb::new(paths::VMS, frame.vms);
        let mono = |href: String, word: &str| Crumb { mono: true, ..Crumb::new(href, word) };
        match self {
            Self::Overview => vec![Crumb::new(paths::OVERVIEW, frame.overview)],
            Self::Portal => vec![Crumb::new(paths::PORTAL, frame.portal)],
            Self::Delivery(id) => {
                vec![Crumb::new(paths::PORTAL, frame.portal), Crumb::new(paths::delivery(id), frame.delivery)]
            }
            Self::Vms => vec![vms()],
            Self::Vm(cluster, namespace, name) => {
                vec![vms(), in_cluster(cluster), mono(paths::vm(cluster, namespace, name), name)]
            }
            Self::Console(cluster, namespace, name) => {
                vec![vms(), mono(paths::vm(cluster, namespace, name), name), Crumb::new("", frame.console)]
            }
            Self::Subnets => vec![subnets()],
            Self::NewSubnet => vec![subnets(), Crumb::new(paths::NEW_SUBNET, frame.new_subnet)],
            Self::Subnet(id) => vec![subnets(), Crumb::new(paths::subnet(id), frame.kind_subnet)],
            Self::Clusters => vec![clusters()],
            Self::NewCluster => vec![clusters(), Crumb::new(paths::NEW_CLUSTER, frame.register)],
            Self::Cluster(id) => vec![clusters(), mono(paths::cluster(id), id)],
            Self::Audit => vec![Crumb::new(paths::AUDIT, frame.audit)],
            Self::Account => vec![Crumb::new(paths::ACCOUNT, frame.account)],
            Self::Elsewhere => Vec::new(),
        }
    }
}

/// The list of one cluster's VMs.
fn in_cluster(cluster: &str) -> Crumb {
    Crumb { mono: true, ..Crumb::new(paths::vms(&format!("cluster:{cluster}"), Sort::default()), cluster) }
}

/// The names in `path` if it is of `route`, all of it.
fn names(route: impl PossibleRouteMatch, path: &str) -> Option<Vec<String>> {
    let found = route.test(path)?;
    let is_all = matches!(found.remaining(), "" | "/");
    is_all.then(|| found.params().into_iter().map(|(_, value)| value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locales::words_of;
    use model::Lang;

    #[test]
    fn places_are_read_back_from_their_links() {
        for (path, place) in [
            ("/", Place::Overview),
            ("/vms", Place::Vms),
            ("/vms/bj-1/erp/web-01", Place::Vm("bj-1".into(), "erp".into(), "web-01".into())),
            ("/clusters/new", Place::NewCluster),
            ("/clusters/bj-1", Place::Cluster("bj-1".into())),
            ("/addresses/s1", Place::Subnet("s1".into())),
            ("/deliveries/o1", Place::Delivery("o1".into())),
            ("/audit", Place::Audit),
            ("/nowhere/at/all", Place::Elsewhere),
        ] {
            assert_eq!(Place::of(path), place, "{path}");
        }
    }

    #[test]
    fn the_way_to_a_vm_leads_through_its_cluster() {
        let crumbs = Place::of("/vms/bj-1/erp/web-01").crumbs(words_of(Lang::En));
        let words: Vec<_> = crumbs.iter().map(|crumb| crumb.word.as_str()).collect();
        assert_eq!(words, ["VMs", "bj-1", "web-01"]);
    }

    #[test]
    fn a_subnet_is_called_by_its_name_once_that_is_known() {
        let (place, words) = (Place::of("/addresses/s1"), words_of(Lang::En));
        let last = |named: Option<(String, String)>| place.crumbs_named(words, named.as_ref()).pop().unwrap().word;
        let name = |path: &str| (path.to_owned(), "office".to_owned());
        assert_eq!(last(Some(name("/addresses/s1"))), "office");
        // The name of the page before this one.
        assert_eq!(last(Some(name("/addresses/s2"))), words.frame.kind_subnet);
        assert_eq!(last(None), words.frame.kind_subnet);
    }
}
