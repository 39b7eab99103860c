//! Signing in, and one's own sessions.

mod account;
mod api;
mod sign_in;

use leptos::prelude::*;
use leptos_router::SsrMode;
use leptos_router::any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute};
use leptos_router::components::Route;

use crate::paths::route;

/// The routes that stand outside the frame.
#[component(transparent)]
pub(crate) fn SignInRoutes() -> AnyNestedRoute {
    view! { <Route path=route::SIGN_IN view=sign_in::SignIn ssr=SsrMode::Async/> }.into_inner().into_any_nested_route()
}

/// The routes inside the frame.
#[component(transparent)]
pub(crate) fn AccessRoutes() -> AnyNestedRoute {
    view! { <Route path=route::ACCOUNT view=account::Account ssr=SsrMode::Async/> }.into_inner().into_any_nested_route()
}
