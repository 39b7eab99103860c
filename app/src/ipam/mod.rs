//! Addresses: subnets and the map of one.

use app_ui::PageHead;
use leptos::prelude::*;
use leptos_router::SsrMode;
use leptos_router::any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute};
use leptos_router::components::Route;

use crate::frame::Page;
use crate::locales::use_words;
use crate::paths::route;

/// The routes of this noun.
#[component(transparent)]
pub(crate) fn IpamRoutes() -> AnyNestedRoute {
    view! {
        <Route path=route::SUBNETS view=Subnets/>
        <Route path=route::NEW_SUBNET view=NewSubnet/>
        <Route path=route::SUBNET view=SubnetMap ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// All subnets.
#[component]
fn Subnets() -> impl IntoView {
    let title = use_words().frame.addresses;
    view! { <Page title=title><PageHead title=title/></Page> }
}

/// The form of a new subnet.
#[component]
fn NewSubnet() -> impl IntoView {
    let title = use_words().frame.new_subnet;
    view! { <Page title=title><PageHead title=title/></Page> }
}

/// The map of a subnet.
#[component]
fn SubnetMap() -> impl IntoView {
    let title = use_words().frame.addresses;
    view! { <Page title=title><PageHead title=title/></Page> }
}
