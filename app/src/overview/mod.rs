//! The first page: what there is, what runs, what needs someone.

mod api;
mod clusters;
mod figures;
mod needs;
mod page;

use leptos::prelude::*;
use leptos_router::SsrMode;
use leptos_router::any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute};
use leptos_router::components::Route;

use crate::paths::route;

/// The routes of this noun.
#[component(transparent)]
pub(crate) fn OverviewRoutes() -> AnyNestedRoute {
    view! { <Route path=route::OVERVIEW view=page::Overview ssr=SsrMode::Async/> }.into_inner().into_any_nested_route()
}
