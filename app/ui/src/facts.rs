//! Names and values, and numbers that are read first.

use leptos::prelude::*;

use crate::tone::Tone;

/// A list of names and values; its children are [`Fact`]s.
#[component]
pub fn Facts(
    /// Side by side instead of one under the other.
    #[prop(optional)]
    across: bool,
    /// The facts.
    children: Children,
) -> impl IntoView {
    view! { <dl class="facts" data-across=across.then_some("")>{children()}</dl> }
}

/// One name and its value.
#[component]
pub fn Fact(
    /// What it is.
    #[prop(into)]
    name: Signal<String>,
    /// What it is now: text, a link, a state.
    children: Children,
) -> impl IntoView {
    view! { <dt>{name}</dt><dd>{children()}</dd> }
}

/// One number that is read first.
#[component]
pub fn Figure(
    /// What is counted.
    #[prop(into)]
    name: Signal<String>,
    /// The number.
    #[prop(into)]
    value: Signal<String>,
    /// Its unit, or what it is out of.
    #[prop(optional, into)]
    unit: Signal<Option<String>>,
    /// What it means: "43 days to 85%".
    #[prop(optional, into)]
    note: Signal<Option<String>>,
    /// How loud the note is.
    #[prop(optional, into)]
    tone: Signal<Tone>,
    /// A bar under it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="figure">
            <span>{name}</span>
            <b>{value}{move || unit.get().map(|unit| view! { <small>{unit}</small> })}</b>
            {children.map(|children| children())}
            {move || note.get().map(|note| view! { <em data-tone=tone.get().name()>{note}</em> })}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::html;

    #[test]
    fn facts_are_a_definition_list() {
        let facts = html(|| view! { <Facts><Fact name="主机">"bj1-hv-03"</Fact></Facts> });
        assert_eq!(facts, r#"<dl class="facts"><dt>主机</dt><dd>bj1-hv-03</dd></dl>"#);
    }

    #[test]
    fn a_figure_keeps_its_unit_smaller() {
        let figure = html(|| view! { <Figure name="内存" value="71" unit="%" note="43 天到 85%" tone=Tone::Warning/> });
        assert!(figure.contains("<b>71<small>%</small></b>") && figure.contains("data-tone=\"warning\">43 天到 85%"));
    }
}
