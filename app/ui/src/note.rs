//! A sentence that belongs to what stands beneath it, and lists of short news.

use leptos::prelude::*;

use crate::{
    Glyph, Icon,
    tone::{Mark, Tone},
};

/// A sentence above a form, a table, a page: what changed meanwhile, what waits, what is not so.
#[component]
pub fn Note(
    /// How loud.
    #[prop(optional, into)]
    tone: Signal<Tone>,
    /// Its drawing.
    #[prop(default = Glyph::Info.into(), into)]
    glyph: Signal<Glyph>,
    /// What is so.
    #[prop(into)]
    title: Signal<String>,
    /// What it means and what comes next.
    #[prop(optional, into)]
    more: Signal<Option<String>>,
    /// What can be done about it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let role = move || if tone.get() == Tone::Error { "alert" } else { "status" };
    view! {
        <div class="note" data-tone=move || tone.get().name() role=role>
            <Icon glyph=glyph/>
            <p>{title}</p>
            {move || more.get().map(|more| view! { <p class="small">{more}</p> })}
            {children.map(|children| view! { <span class="row" data-wrap="">{children()}</span> })}
        </div>
    }
}

/// A line of a `<ul class="list">`: a drawing, what happened, who and why, and at the end a time or a button.
#[component]
pub fn ListItem(
    /// Its drawing.
    glyph: Glyph,
    /// The drawing's colour.
    #[prop(optional)]
    tone: Tone,
    /// What happened.
    #[prop(into)]
    title: Signal<String>,
    /// Who, why, since when.
    #[prop(optional, into)]
    more: Signal<Option<String>>,
    /// A time or a button.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <li>
            <Icon glyph=glyph tone=tone.name().unwrap_or_default()/>
            <div>
                <p title=title>{title}</p>
                {move || more.get().map(|more| view! { <small>{more}</small> })}
            </div>
            {children.map(|children| children())}
        </li>
    }
}

/// One check of a `<ul class="verdicts">`: how it came out, what was checked, the finding, and the way out as children.
#[component]
pub fn Verdict(
    /// How it came out: `Ok`, `Warning`, `No`, `Wait`; `Unknown` for "not yet".
    #[prop(into)]
    mark: Signal<Mark>,
    /// What was checked.
    #[prop(into)]
    word: Signal<String>,
    /// What was found.
    #[prop(optional, into)]
    finding: Signal<Option<String>>,
    /// What to do about it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let state = move || match mark.get() {
        Mark::Ok => None,
        Mark::Unknown => Some("next"),
        other => Some(other.name()),
    };
    view! {
        <li data-state=state>
            <Icon glyph=Signal::derive(move || mark.get().glyph())/>
            <span>{word}</span>
            <small>{finding}</small>
            {children.map(|children| view! { <p>{children()}</p> })}
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn an_error_note_interrupts_and_others_do_not() {
        let note = html(|| view! { <Note tone=Tone::Error glyph=Glyph::Error title="没成"/> });
        assert_parts(&note, &["data-tone=\"error\"", "role=\"alert\"", "#error", "<p>没成</p>"]);
        assert!(html(|| view! { <Note title="稍等"/> }).contains("role=\"status\""));
    }
}
