//! VMs: the list, the page of one, power.

mod api;
mod blank;
mod bulk;
mod cells;
mod conditions;
mod detail;
mod devices;
mod events;
mod facts;
mod foot;
mod head;
mod list;
mod overview;
mod place;
mod power;
mod preview;
mod screens;
mod search;
mod selection;
mod switches;
mod table;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod truths;
mod views;
mod yaml;

use leptos::prelude::*;
use leptos_router::SsrMode;
use leptos_router::any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute};
use leptos_router::components::Route;

use crate::paths::route;

pub(crate) use api::read_vm;
pub(crate) use head::environment_badge;
pub(crate) use power::fresh_key;

/// The routes of this noun.
#[component(transparent)]
pub(crate) fn VmRoutes() -> AnyNestedRoute {
    view! {
        <Route path=route::VMS view=list::VmList ssr=SsrMode::Async/>
        <Route path=route::VM view=detail::VmPage ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}
