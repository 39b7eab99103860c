//! The console of a VM: its page fills the window, so it stands outside the frame.
//!
//! The protocol is `rfb`'s, in the browser only; on the server the same components stand still (`still.rs`).
#![cfg_attr(not(feature = "hydrate"), allow(dead_code, reason = "what only the line calls is for browsers"))]

mod api;
mod bar;
#[cfg(feature = "hydrate")]
mod drive;
#[cfg(not(feature = "hydrate"))]
#[path = "still.rs"]
mod drive;
mod keys;
mod page;
mod paste;
mod screen;
mod serial;
mod session;
mod stage;
mod terminal;
mod watermark;

use leptos::prelude::*;
use leptos_router::SsrMode;
use leptos_router::any_nested_route::{AnyNestedRoute, IntoAnyNestedRoute};
use leptos_router::components::Route;

use crate::paths::route;

/// The routes of this noun; they stand outside the frame.
#[component(transparent)]
pub(crate) fn ConsoleRoutes() -> AnyNestedRoute {
    view! { <Route path=route::CONSOLE view=page::ConsolePage ssr=SsrMode::Async/> }
        .into_inner()
        .into_any_nested_route()
}
