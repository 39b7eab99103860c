//! The console of a VM: its page fills the window, so it stands outside the frame.

use leptos::prelude::*;
use leptos_router::any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute};
use leptos_router::components::Route;

use crate::locales::use_words;
use crate::paths::route;

/// The routes of this noun; they stand outside the frame.
#[component(transparent)]
pub(crate) fn ConsoleRoutes() -> AnyNestedRoute {
    view! { <Route path=route::CONSOLE view=Console/> }.into_inner().into_any_nested_route()
}

/// The page of a console.
#[component]
fn Console() -> impl IntoView {
    view! { <main class="console"><h1 class="unseen">{use_words().frame.console}</h1></main> }
}
