//! What a page shows instead of its content: nothing yet, nothing found, failed, offline, not allowed, gone. Each says
//! what it is, what it means, and what comes next; no page ends here.

use leptos::prelude::*;

use crate::{Glyph, Icon, tone::Tone};

/// The frame of all of them; the named ones below choose drawing and tone.
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

/// Something is here, but nothing that was asked for.
#[component]
pub fn NothingFound(
    /// That nothing was found.
    #[prop(into)]
    title: Signal<String>,
    /// What the nearest thing is that would find something.
    #[prop(optional, into)]
    meaning: Signal<Option<String>>,
    /// Buttons that drop a token.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! { <Blank glyph=Glyph::Search title=title meaning=meaning>{children.map(|children| children())}</Blank> }
}

/// It could not be fetched or done.
#[component]
pub fn ErrorState(
    /// What failed.
    #[prop(into)]
    title: Signal<String>,
    /// What it means and what to do.
    #[prop(optional, into)]
    meaning: Signal<Option<String>>,
    /// The reference that the log has too.
    #[prop(optional, into)]
    reference: Signal<Option<String>>,
    /// Stands for the whole page.
    #[prop(optional)]
    page: bool,
    /// Try again, ask for help.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <Blank glyph=Glyph::Error tone=Tone::Error title=title meaning=meaning reference=reference page=page>
            {children.map(|children| children())}
        </Blank>
    }
}

/// The server or a cluster cannot be reached; what was seen last stays if there is any.
#[component]
pub fn Offline(
    /// Who is away.
    #[prop(into)]
    title: Signal<String>,
    /// What still holds.
    #[prop(optional, into)]
    meaning: Signal<Option<String>>,
    /// Since when; when it is tried again.
    #[prop(optional, into)]
    reference: Signal<Option<String>>,
    /// Try now.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <Blank glyph=Glyph::Offline tone=Tone::Warning title=title meaning=meaning reference=reference>
            {children.map(|children| children())}
        </Blank>
    }
}

/// The reader's role may not see it.
#[component]
pub fn Forbidden(
    /// What may not be seen.
    #[prop(into)]
    title: Signal<String>,
    /// Which role may, and who gives it.
    #[prop(optional, into)]
    meaning: Signal<Option<String>>,
    /// Stands for the whole page.
    #[prop(default = true)]
    page: bool,
    /// Ask for it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! { <Blank glyph=Glyph::Lock title=title meaning=meaning page=page>{children.map(|children| children())}</Blank> }
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
            view! { <ErrorState title="这一页没能取到" meaning="集群没有应答" reference="编号 7F3A0418"><button>"重试"</button></ErrorState> }
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
