//! The interface in Leptos: pages by noun, live state, server functions.
//!
//! The same components render on the server (feature `ssr`) and hydrate in the browser (feature `hydrate`); exactly one
//! of the two is on in a build. Never in here: SQL, Kubernetes, rules of the platform.
#![recursion_limit = "256"]
#![allow(unreachable_pub, reason = "the component macro makes the builders of properties `pub`")]

mod access;
mod audit;
#[cfg(feature = "ssr")]
pub mod backend;
mod console;
mod courier;
mod fleet;
mod frame;
mod ipam;
mod live;
mod locales;
mod overview;
pub mod paths;
mod provisioning;
#[cfg(feature = "ssr")]
pub mod shell;
#[cfg(test)]
mod testing;
mod vm;

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::WildcardSegment;
use leptos_router::components::{ParentRoute, Route, Router, Routes};

use access::{AccessRoutes, SignInRoutes};
use audit::AuditRoutes;
use console::ConsoleRoutes;
use fleet::FleetRoutes;
use frame::{Frame, NotFound};
use ipam::IpamRoutes;
use live::Live;
use overview::OverviewRoutes;
use provisioning::ProvisioningRoutes;
use vm::VmRoutes;

// What a page is made from besides its data: the server reads it from the request, the document is drawn by it.
pub use courier::CSRF_HEADER;
pub use frame::{Answer, Preferences, Session, Theme};

/// Everything inside `<body>`: the same on the server and in the browser.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    let session = Session::share();
    locales::provide_words(session.preferences.lang);
    provide_context(app_ui::Sprite(session.sprite()));
    let live = Live::provide();
    frame::provide_clock(&live);
    let offset = session.preferences.offset;
    Effect::new(move |_| frame::remember_offset(offset));
    view! {
        <Title formatter=|text: String| if text.is_empty() { "harvester-admin".to_owned() } else { format!("{text} · harvester-admin") }/>
        <Router>
            <Routes fallback=NotFound>
                <SignInRoutes/>
                <ConsoleRoutes/>
                <ParentRoute path=() view=Frame>
                    <OverviewRoutes/>
                    <ProvisioningRoutes/>
                    <VmRoutes/>
                    <IpamRoutes/>
                    <FleetRoutes/>
                    <AuditRoutes/>
                    <AccessRoutes/>
                    <Route path=WildcardSegment("any") view=NotFound/>
                </ParentRoute>
            </Routes>
        </Router>
    }
}
