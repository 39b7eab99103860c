//! A drawer: a preview beside a table, or what the top bar opens over the page.

use leptos::{ev::KeyboardEvent, prelude::*};

/// What stands at the side until it is closed; Esc closes it.
#[component]
pub fn Drawer(
    /// What it shows.
    #[prop(into)]
    label: Signal<String>,
    /// A further class, for the page's own measures.
    #[prop(optional, into)]
    class: Option<&'static str>,
    /// Over the page instead of beside it.
    #[prop(optional)]
    over: bool,
    /// The reader wants it away.
    #[prop(into)]
    on_close: Callback<()>,
    /// Name, state, actions; a close button is the page's to place.
    #[prop(into)]
    head: ViewFn,
    /// Keys, totals.
    #[prop(optional, into)]
    foot: Option<ViewFn>,
    /// `<section>`s.
    children: Children,
) -> impl IntoView {
    let class = class.map_or_else(|| "drawer".to_owned(), |more| format!("drawer {more}"));
    let keys = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            on_close.run(())
        }
    };
    view! {
        <aside class=class aria-label=label data-over=over.then_some("") on:keydown=keys>
            <header>{head.run()}</header>
            <div tabindex="-1">{children()}</div>
            {foot.map(|foot| view! { <footer>{foot.run()}</footer> })}
        </aside>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn a_drawer_is_a_landmark_with_a_name() {
        let drawer =
            html(|| view! { <Drawer label="预览" on_close=|()| () head=|| "erp-db-prod-07" over=true>"正文"</Drawer> });
        assert_parts(
            &drawer,
            &["<aside", "aria-label=\"预览\"", "data-over", "<header>erp-db-prod-07</header>", "正文"],
        );
    }
}
