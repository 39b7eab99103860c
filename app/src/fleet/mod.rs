//! Clusters: the list, registering one, the page of one.

mod api;
mod capabilities;
mod detail;
mod list;
mod nodes;
mod parts;
mod register;
mod remove;
mod tables;

use leptos::prelude::*;
use leptos_router::SsrMode;
use leptos_router::any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute};
use leptos_router::components::Route;

use crate::paths::route;

pub(crate) use parts::{ClusterAge, Gauge, PowerBar, Share, count_of, trouble};

/// The routes of this noun.
#[component(transparent)]
pub(crate) fn FleetRoutes() -> AnyNestedRoute {
    view! {
        <Route path=route::CLUSTERS view=list::Clusters ssr=SsrMode::Async/>
        <Route path=route::NEW_CLUSTER view=register::RegisterCluster/>
        <Route path=route::CLUSTER view=detail::ClusterPage ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}
