//! Having a VM made: the portal and the parcel page of a delivery.

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
pub(crate) fn ProvisioningRoutes() -> AnyNestedRoute {
    view! {
        <Route path=route::PORTAL view=Portal ssr=SsrMode::Async/>
        <Route path=route::DELIVERY view=Delivery ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// The portal.
#[component]
fn Portal() -> impl IntoView {
    let title = use_words().frame.portal;
    view! { <Page title=title><PageHead title=title/></Page> }
}

/// The page of a delivery.
#[component]
fn Delivery() -> impl IntoView {
    let title = use_words().frame.delivery;
    view! { <Page title=title><PageHead title=title/></Page> }
}
