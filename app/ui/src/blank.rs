//! What a page shows instead of its content: nothing yet, nothing found, failed, offline, not allowed, gone. Each says
//! what it is, what it means, and what comes next; no page ends here.

use leptos::prelude::*;

use crate::{Glyph, Icon, tone::Tone};

/// Any of them; the two that stand on many pages have names of their own below.
#[component]
pub fn Blank(
    /// Its drawing.
    glyph: Glyph,
    /// The drawing's colour.
    #[prop(optional)]
    tone: Tone,
    /// What is so.
    #[prop(into)]
    title: Signal<String>,
    /// What it means.
    #[prop(optional, into)]
    meaning: Signal<Option<String>>,
    /// A reference for support, or the age of what was last seen.
    #[prop(optional, into)]
    reference: Signal<Option<String>>,
    /// Stands for the whole page.
    #[prop(optional)]
    page: bool,
    /// Its title is the heading of the page, which has no other.
    #[prop(optional)]
    heads: bool,
    /// What comes next: buttons and links.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let role = (tone == Tone::Error).then_some("alert");
    view! {
        <div class="blank" data-tone=tone.name() data-page=page.then_some("") role=role>
            <Icon glyph=glyph/>
            {if heads { view! { <h1>{title}</h1> }.into_any() } else { view! { <h2>{title}</h2> }.into_any() }}
            {move || meaning.get().map(|meaning| view! { <p>{meaning}</p> })}
            {move || reference.get().map(|reference| view! { <small>{reference}</small> })}
            {children.map(|children| view! { <div class="row" data-wrap="">{children()}</div> })}
        </div>
    }
}

/// Nothing is here yet.
#[component]
pub fn EmptyState(
    /// What is not there.
    #[prop(into)]
    title: Signal<String>,
    /// How it comes to be.
    #[prop(optional, into)]
    meaning: Signal<Option<String>>,
    /// The drawing of what will be here.
    #[prop(default = Glyph::Folder)]
    glyph: Glyph,
    /// Stands for the whole page.
    #[prop(optional)]
    page: bool,
    /// The first step.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! { <Blank glyph=glyph title=title meaning=meaning page=page>{children.map(|children| children())}</Blank> }
}

/// It was here and is no more.
#[component]
pub fn Gone(
    /// What is gone.
    #[prop(into)]
    title: Signal<String>,
    /// When, by whom, what is left of it.
    #[prop(optional, into)]
    meaning: Signal<Option<String>>,
    /// Stands for the whole page.
    #[prop(default = true)]
    page: bool,
    /// Its history, its restore.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! { <Blank glyph=Glyph::Cut title=title meaning=meaning page=page>{children.map(|children| children())}</Blank> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn an_error_says_what_what_it_means_and_its_reference() {
        let error = html(|| {
            view! { <Blank glyph=Glyph::Error tone=Tone::Error title="这一页没能取到" meaning="集群没有应答" reference="编号 7F3A0418"><button>"重试"</button></Blank> }
        });
        assert_parts(
            &error,
            &["data-tone=\"error\"", "role=\"alert\"", "这一页没能取到", "集群没有应答", "7F3A0418", "重试"],
        );
    }

    #[test]
    fn an_empty_page_is_no_alarm() {
        assert!(!html(|| view! { <EmptyState title="还没有虚拟机"/> }).contains("role="));
    }
}
