//! Addresses: subnets, the form of one, the map of one.

mod api;
mod card;
mod draft;
mod form;
mod list;
mod map;

use leptos::prelude::*;
use leptos_router::SsrMode;
use leptos_router::any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute};
use leptos_router::components::Route;

use crate::locales::grouped;
use crate::paths::route;

/// The routes of this noun.
#[component(transparent)]
pub(crate) fn IpamRoutes() -> AnyNestedRoute {
    view! {
        <Route path=route::SUBNETS view=list::Subnets ssr=SsrMode::Async/>
        <Route path=route::NEW_SUBNET view=form::NewSubnet/>
        <Route path=route::SUBNET view=map::SubnetPage ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// Addresses that may be handed out, as a word: of IPv6 subnets nobody counts them all.
fn room_word(room: u64) -> String {
    if room >= 1 << 32 { "2³²+".to_owned() } else { grouped(room) }
}
