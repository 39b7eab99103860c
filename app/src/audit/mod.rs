//! The audit trail: one line an act, before and after, and the chain that holds them.

mod api;
mod chain;
mod compare;
mod line;
mod list;

use leptos::prelude::*;
use leptos_router::SsrMode;
use leptos_router::any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute};
use leptos_router::components::Route;

use crate::paths::route;

/// The routes of this noun.
#[component(transparent)]
pub(crate) fn AuditRoutes() -> AnyNestedRoute {
    view! { <Route path=route::AUDIT view=list::Audit ssr=SsrMode::Async/> }.into_inner().into_any_nested_route()
}
