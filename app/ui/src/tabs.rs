//! Tabs are links: the tab is in the address, so that it can be sent to someone.

use leptos::prelude::*;

use crate::{Glyph, Icon};

/// One tab.
#[derive(Clone, Debug, PartialEq)]
pub struct Tab {
    /// Where it leads.
    pub href: String,
    /// What is there.
    pub word: String,
    /// How many are there, already written for the reader.
    pub count: Option<String>,
}

impl Tab {
    /// A tab without a count.
    pub fn new(href: impl Into<String>, word: impl Into<String>) -> Self {
        Self { href: href.into(), word: word.into(), count: None }
    }

    /// The same with a count.
    pub fn count(mut self, count: impl ToString) -> Self {
        self.count = Some(count.to_string());
        self
    }
}

/// A row of tabs; that whose `href` is `current` is underlined.
#[component]
pub fn Tabs(
    /// What the row is about, for screen readers.
    #[prop(into)]
    label: String,
    /// The tabs, from the left.
    #[prop(into)]
    tabs: Signal<Vec<Tab>>,
    /// The `href` of the one that is open.
    #[prop(into)]
    current: Signal<String>,
    /// A further class, for the page's own padding.
    #[prop(optional, into)]
    class: Option<&'static str>,
    /// What stands at the far end.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let class = class.map_or_else(|| "tabs".to_owned(), |more| format!("tabs {more}"));
    view! {
        <nav class=class aria-label=label>
            <For each=move || tabs.get() key=|tab| (tab.href.clone(), tab.word.clone(), tab.count.clone()) let:tab>
                <a
                    href=tab.href.clone()
                    aria-current={
                        let href = tab.href.clone();
                        move || current.with(|current| *current == href).then_some("page")
                    }
                >
                    {tab.word}
                    {tab.count.map(|count| view! { <em>{count}</em> })}
                </a>
            </For>
            {children.map(|children| children())}
        </nav>
    }
}

/// A button at the far end of a row of tabs, such as "save as view".
#[component]
pub fn TabAction(
    /// What it does.
    #[prop(into)]
    word: Signal<String>,
    /// Its drawing.
    glyph: Glyph,
    /// What happens.
    #[prop(into)]
    on_press: Callback<()>,
) -> impl IntoView {
    view! { <button type="button" data-push="" on:click=move |_| on_press.run(())><Icon glyph=glyph/>{word}</button> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn the_open_tab_is_said_and_the_others_are_links() {
        let tabs = html(|| {
            let tabs = vec![Tab::new("/vms/a", "概览"), Tab::new("/vms/a/disks", "磁盘").count(3)];
            view! { <Tabs label="erp-db-prod-07" tabs=tabs current="/vms/a/disks"/> }
        });
        assert_parts(&tabs, &["<nav", "aria-label=", "href=\"/vms/a\">概览", "aria-current=\"page\">磁盘<em>3</em>"]);
        assert_eq!(tabs.matches("aria-current").count(), 1);
    }
}
