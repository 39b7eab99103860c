//! The interface in Leptos: pages by noun, live state, server functions.
//!
//! The same components render on the server (feature `ssr`) and hydrate in the browser (feature `hydrate`); exactly one
//! of the two is on in a build. Never in here: SQL, Kubernetes, rules of the platform.
#![recursion_limit = "256"]

#[cfg(feature = "ssr")]
pub mod shell;

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::{Route, Router, Routes};
use leptos_router::path;

/// Everything inside `<body>`: the same on the server and in the browser.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    view! {
        <Title text="harvester-admin"/>
        <Router>
            <main>
                <Routes fallback=|| view! { <p>"Not found"</p> }>
                    <Route path=path!("/") view=Home/>
                </Routes>
            </main>
        </Router>
    }
}

/// A page that shows whether hydration has happened: the button counts only in the browser.
#[component]
fn Home() -> impl IntoView {
    let count = RwSignal::new(0);
    view! {
        <h1>"harvester-admin"</h1>
        <button type="button" on:click=move |_| count.update(|n| *n += 1)>"Pressed " {count} " times"</button>
    }
}
