//! The document around the interface, rendered on the server only: language and theme from the request, stylesheet, the
//! script that hydrates, and the content security policy with the nonce of this answer.
//!
//! Nothing here is hydrated, so nonces and names that change with each build are safe here and nowhere else.

use http::HeaderValue;
use http::header::CONTENT_SECURITY_POLICY;
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;
use leptos_meta::MetaTags;
use serde::Deserialize;

use crate::{App, Theme, backend};

/// Where the files of this build are, as `cargo xtask build` writes it into `site/manifest.json`. All are absolute
/// URL paths under `/pkg/<build>/`.
#[derive(Clone, Debug, Deserialize)]
pub struct Assets {
    /// Names the build: changes whenever one of its files does.
    pub build: String,
    /// The folder of the build, without a slash at the end.
    pub base: String,
    /// The JavaScript module that loads the WebAssembly.
    pub script: String,
    /// The WebAssembly of the interface.
    pub wasm: String,
    /// The stylesheet.
    pub style: String,
}

/// The whole document for one request.
pub fn shell(assets: &Assets) -> AnyView {
    send_policy();
    let session = backend::session(assets);
    if backend::leads_to_sign_in(&session) {
        // Nothing of the page is made: what it would fetch is refused, and its refusals would change the answer's status.
        return view! { <!DOCTYPE html><html><head></head><body></body></html> }.into_any();
    }
    let preferences = session.preferences;
    provide_context(session);
    provide_context(backend::answer());
    view! {
        <!DOCTYPE html>
        <html lang=preferences.lang.tag() data-theme=preferences.theme.word()>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                {(preferences.theme == Theme::Auto).then(|| view! { <SystemTheme/> })}
                <link rel="icon" type="image/svg+xml" href=format!("{}/favicon.svg", assets.base)/>
                <link rel="stylesheet" href=assets.style.clone()/>
                <HydrationScripts assets=assets.clone()/>
                <MetaTags/>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
    .into_any()
}

/// Picks the theme that the system has, before anything is drawn: only the browser knows it.
#[component]
fn SystemTheme() -> impl IntoView {
    let pick =
        "document.documentElement.dataset.theme=matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light'";
    view! { <script nonce=use_nonce()>{pick}</script> }
}

/// Fetches script and WebAssembly at once and hydrates when both are there.
#[component]
fn HydrationScripts(assets: Assets) -> impl IntoView {
    let start = format!(
        "import({:?}).then(m => m.default({{ module_or_path: {:?} }}).then(() => m.hydrate()))",
        assets.script, assets.wasm
    );
    view! {
        <link rel="modulepreload" href=assets.script nonce=use_nonce()/>
        <link rel="preload" href=assets.wasm r#as="fetch" r#type="application/wasm" crossorigin="anonymous"/>
        <script type="module" nonce=use_nonce()>{start}</script>
    }
}

/// Sets the policy on this answer. It is done here because leptos_axum makes the nonce inside its handler.
fn send_policy() {
    let (Some(options), Some(nonce)) = (use_context::<ResponseOptions>(), use_nonce()) else { return };
    if let Ok(value) = HeaderValue::from_str(&policy(&nonce.to_string())) {
        options.insert_header(CONTENT_SECURITY_POLICY, value);
    }
}

/// The policy of a page. `wasm-unsafe-eval` allows compiling WebAssembly, and nothing else.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; \
         img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}
