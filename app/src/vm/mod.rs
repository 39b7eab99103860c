//! VMs: the list, the page of one, power.

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
pub(crate) fn VmRoutes() -> AnyNestedRoute {
    view! {
        <Route path=route::VMS view=VmList/>
        <Route path=route::VM view=VmPage ssr=SsrMode::Async/>
    }
    .into_inner()
    .into_any_nested_route()
}

/// The VM list.
#[component]
fn VmList() -> impl IntoView {
    let title = use_words().frame.vms;
    view! { <Page title=title><PageHead title=title/></Page> }
}

/// The page of a VM.
#[component]
fn VmPage() -> impl IntoView {
    let title = use_words().frame.vms;
    view! { <Page title=title><PageHead title=title/></Page> }
}
