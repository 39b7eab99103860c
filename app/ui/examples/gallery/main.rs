//! Prints every widget in every state as one static page, to be looked at.
//!
//! `cargo run -p app-ui --example gallery -- out.html [dark]`, then serve the repository's folder, since a browser loads
//! no sprite from `file:`; the page expects `/style/main.css`, `/style/public/icons.svg` and this folder's `gallery.css`.

#![expect(unreachable_pub, reason = "the component macro makes what it generates public")]

use app_ui::*;
use leptos::prelude::*;

mod parts;

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let out = args.next().unwrap_or_else(|| "gallery.html".to_owned());
    let theme = args.next().unwrap_or_else(|| "light".to_owned());
    let owner = Owner::new();
    let body = owner.with(|| {
        provide_context(Sprite("/style/public/icons.svg"));
        provide_context(Now(Signal::stored(64_000)));
        view! { <Gallery/> }.into_any().to_html()
    });
    let page = format!(
        r#"<!doctype html><html lang="zh-CN" data-theme="{theme}"><head><meta charset="utf-8"><title>gallery</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="/style/public/favicon.svg">
<link rel="stylesheet" href="/style/main.css"><link rel="stylesheet" href="/app/ui/examples/gallery/gallery.css"></head>
<body>{body}</body></html>"#
    );
    std::fs::write(out, page)
}

/// All samples, one under the other.
#[component]
fn Gallery() -> impl IntoView {
    view! {
        <ChartDefs/>
        <main class="page">
            <PageHead title="样式表" under=|| "每个部件的每个状态。"/>
            <parts::Words/>
            <parts::Controls/>
            <parts::Tables/>
            <parts::Numbers/>
            <parts::Blanks/>
            <parts::Overlays/>
            <parts::Texts/>
        </main>
    }
}

/// One row of the gallery: what it shows, and it.
#[component]
fn Sample(title: &'static str, note: &'static str, children: Children) -> impl IntoView {
    view! { <section class="sample"><h2>{title}<small>{note}</small></h2><div>{children()}</div></section> }
}
