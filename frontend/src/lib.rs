//! The browser half: takes over the page that the server has rendered.
//!
//! It holds no interface of its own; all of that is `app`. What it adds is what to do when the program panics: say so on
//! the page by plain DOM calls, since the interface itself can no longer be trusted to render.

mod panic;

use wasm_bindgen::prelude::wasm_bindgen;

/// Called by the script in the page's head when the WebAssembly is loaded.
#[wasm_bindgen]
pub fn hydrate() {
    panic::install();
    leptos::mount::hydrate_body(app::App);
    mark_hydrated();
}

/// Says on `<html>` that the page reacts now: `end2end` waits for it, and styles may too. Nothing hydrates that element.
fn mark_hydrated() {
    let document = web_sys::window().and_then(|window| window.document());
    if let Some(root) = document.and_then(|document| document.document_element()) {
        // Fails for names that are no attribute names only.
        let _ = root.set_attribute("data-hydrated", "");
    }
}
