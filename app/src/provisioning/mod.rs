//! Having a VM made: the portal and the parcel page of a delivery.

mod api;
mod checks;
mod filled;
mod form;
mod parcel;
mod portal;
mod promise;
mod recent;
mod templates;

use leptos::prelude::*;
use leptos_router::SsrMode;
use leptos_router::any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute};
use leptos_router::components::Route;

use crate::paths::route;

/// The routes of this noun.
#[component(transparent)]
pub(crate) fn ProvisioningRoutes() -> AnyNestedRoute {
    view! {
        <Route path=route::PORTAL view=portal::Portal ssr=SsrMode::Async/>
        <Route path=route::DELIVERY view=parcel::Parcel ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}
