//! A page: what its window is called, and the element that holds it.

use leptos::prelude::*;
use leptos_meta::Title;

/// A page: its title for the window, and the element that holds it.
#[component]
pub(crate) fn Page(
    /// The window's title.
    #[prop(into)]
    title: TextProp,
    /// It has no padding of its own.
    #[prop(optional)]
    flush: bool,
    /// A further class for rules that only this page has.
    #[prop(optional)]
    class: &'static str,
    /// What it holds.
    children: Children,
) -> impl IntoView {
    let class = if class.is_empty() { "page".to_owned() } else { format!("page {class}") };
    view! {
        <WindowTitle text=title/>
        <main class=class id="main" tabindex="-1" data-flush=flush.then_some("")>{children()}</main>
    }
}

/// What the window is called.
///
/// The server puts the title into the head after everything below it is drawn; when the whole page was ready in one go, the
/// signals of the page are gone by then, and `leptos_meta` asks one that is no more (a page in some thousands was an
/// error 500). So the server asks now, and keeps what it heard: nothing changes in a page that is drawn once.
#[component]
pub(crate) fn WindowTitle(
    /// The words, which the browser follows.
    #[prop(into)]
    text: TextProp,
) -> impl IntoView {
    let text = if cfg!(feature = "ssr") { TextProp::from(untrack(|| text.get())) } else { text };
    view! { <Title text=text/> }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use futures::StreamExt;
    use leptos_meta::ServerMetaContext;

    #[tokio::test]
    async fn a_title_outlives_the_signals_of_its_page() {
        // Another test of this process may have been first.
        let _ = any_spawner::Executor::init_tokio();
        let (meta, told) = ServerMetaContext::new();
        let head = "<head></head>".to_owned();
        let root = Owner::new();
        root.with(|| provide_context(meta));
        let page = root.child();
        page.with(|| {
            let id = RwSignal::new("site-a".to_owned());
            view! { <WindowTitle text=move || id.get()/> }.into_any().to_html()
        });
        page.unset_with_forced_cleanup();
        let whole: String = told.inject_meta_context(futures::stream::iter([head])).await.collect().await;
        assert_eq!(whole, "<head><title>site-a</title></head>");
    }
}
