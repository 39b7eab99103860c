//! The head of a page, the way to it, and the head of its parts.

use leptos::prelude::*;

use crate::words;

/// A page's title, the sentence under it, and what can be done here.
#[component]
pub fn PageHead(
    /// The title; machine names go into `before` or `after` as badges do.
    #[prop(into)]
    title: Signal<String>,
    /// Stands before the title: the state.
    #[prop(optional, into)]
    before: Option<ViewFn>,
    /// Stands after the title: copy, badges.
    #[prop(optional, into)]
    after: Option<ViewFn>,
    /// The sentence under the title.
    #[prop(optional, into)]
    under: Option<ViewFn>,
    /// What can be done here, at the far end.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="page-head">
            <div>
                <div class="row">
                    {before.map(|before| before.run())}
                    <h1 class="cut" title=title>{title}</h1>
                    {after.map(|after| after.run())}
                </div>
                {under.map(|under| view! { <p>{under.run()}</p> })}
            </div>
            {children.map(|children| view! { <div class="row" data-wrap="">{children()}</div> })}
        </div>
    }
}

/// One step of the way to a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Crumb {
    /// What it is called.
    pub word: String,
    /// Where it is.
    pub href: String,
    /// A machine's name: in monospace.
    pub mono: bool,
}

impl Crumb {
    /// A step by its name.
    pub fn new(href: impl Into<String>, word: impl Into<String>) -> Self {
        Self { href: href.into(), word: word.into(), mono: false }
    }
}

/// The way to this page; its last step is the page itself.
#[component]
pub fn Crumbs(
    /// The steps from the outside in.
    #[prop(into)]
    crumbs: Signal<Vec<Crumb>>,
) -> impl IntoView {
    let step = |(crumb, is_last): (Crumb, bool)| {
        let word = if crumb.mono { view! { <code>{crumb.word}</code> }.into_any() } else { crumb.word.into_any() };
        view! { <li><a href=crumb.href aria-current=is_last.then_some("page")>{word}</a></li> }
    };
    let steps = move || {
        let crumbs = crumbs.get();
        let last = crumbs.len().saturating_sub(1);
        crumbs.into_iter().enumerate().map(|(at, crumb)| (crumb, at == last)).map(step).collect_view()
    };
    view! { <ol class="crumbs" aria-label=words().path>{steps}</ol> }
}

/// A part of a page under its own head.
#[component]
pub fn Section(
    /// What it is about.
    #[prop(into)]
    title: Signal<String>,
    /// How many, how often: quieter, behind the title.
    #[prop(optional, into)]
    note: Signal<Option<String>>,
    /// What can be done with it, at the far end.
    #[prop(optional, into)]
    actions: Option<ViewFn>,
    /// A hairline parts it from what stands above.
    #[prop(optional)]
    ruled: bool,
    /// What it holds.
    children: Children,
) -> impl IntoView {
    view! {
        <section class="section" data-ruled=ruled.then_some("")>
            <header>
                <h2>{title}</h2>
                {move || note.get().map(|note| view! { <em>{note}</em> })}
                {actions.map(|actions| view! { <div class="row" data-push="">{actions.run()}</div> })}
            </header>
            {children()}
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn a_page_has_one_title_and_its_actions_at_the_end() {
        let head = html(|| view! { <PageHead title="虚拟机" under=|| "12,431 台"><button>"创建"</button></PageHead> });
        assert_parts(&head, &["<h1", ">虚拟机</h1>", "<p>12,431 台</p>", "class=\"row\"><button>创建"]);
    }

    #[test]
    fn the_last_crumb_is_the_page() {
        let crumbs = html(|| view! { <Crumbs crumbs=vec![Crumb::new("/vms", "虚拟机"), Crumb::new("/vms/a", "a")]/> });
        assert_parts(&crumbs, &["aria-label=\"路径\"", "href=\"/vms\">虚拟机", "aria-current=\"page\">a"]);
        assert_eq!(crumbs.matches("aria-current").count(), 1);
    }
}
