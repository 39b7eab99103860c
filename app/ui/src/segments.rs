//! One of a few, all shown: a range of time, a density, a view.

use leptos::{ev::KeyboardEvent, html, prelude::*};

use crate::{Glyph, Icon, dom};

/// One of the few.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment<T> {
    /// What it stands for.
    pub value: T,
    /// Its word; the label when there is a drawing.
    pub word: String,
    /// A drawing instead of the word.
    pub glyph: Option<Glyph>,
}

impl<T> Segment<T> {
    /// One that shows its word.
    pub fn new(value: T, word: impl Into<String>) -> Self {
        Self { value, word: word.into(), glyph: None }
    }

    /// One that shows a drawing and reads out its word.
    pub fn drawn(value: T, word: impl Into<String>, glyph: Glyph) -> Self {
        Self { value, word: word.into(), glyph: Some(glyph) }
    }
}

/// A group of which one is chosen; arrow keys move the choice, as radio buttons do.
#[component]
pub fn Segments<T>(
    /// What is chosen here.
    #[prop(into)]
    label: String,
    /// Those there are.
    segments: Vec<Segment<T>>,
    /// The chosen one.
    #[prop(into)]
    value: Signal<T>,
    /// The reader chose.
    #[prop(into)]
    on_pick: Callback<T>,
    /// In a form: as wide as its place.
    #[prop(optional)]
    large: bool,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let group = NodeRef::<html::Div>::new();
    let values: StoredValue<Vec<T>> = StoredValue::new(segments.iter().map(|segment| segment.value.clone()).collect());
    let key = move |event: KeyboardEvent| {
        let step = match event.key().as_str() {
            "ArrowRight" | "ArrowDown" => 1,
            "ArrowLeft" | "ArrowUp" => -1,
            _ => return,
        };
        event.prevent_default();
        let Some(group) = group.get_untracked() else { return };
        dom::focus_next(&group, "button", Some(step));
        let at = dom::focused(&group, "button");
        if let Some(value) = at.and_then(|at| values.with_value(|values| values.get(at).cloned())) {
            on_pick.run(value);
        }
    };
    let button = move |segment: Segment<T>| {
        let own = segment.value.clone();
        let chosen = Memo::new(move |_| value.with(|value| *value == own));
        let (label, word) =
            if segment.glyph.is_some() { (Some(segment.word), None) } else { (None, Some(segment.word)) };
        let pick = segment.value;
        view! {
            <button
                type="button"
                role="radio"
                aria-checked=move || chosen.get().to_string()
                tabindex=move || if chosen.get() { "0" } else { "-1" }
                aria-label=label.clone()
                title=label
                on:click=move |_| on_pick.run(pick.clone())
            >
                {segment.glyph.map(|glyph| view! { <Icon glyph=glyph/> })}
                {word}
            </button>
        }
    };
    view! {
        <div class="segments" role="radiogroup" aria-label=label data-size=large.then_some("lg") node_ref=group on:keydown=key>
            {segments.into_iter().map(button).collect_view()}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn only_the_chosen_one_is_a_stop_for_tab() {
        let segments = html(|| {
            let segments = vec![Segment::new(1, "1 小时"), Segment::new(6, "6 小时")];
            view! { <Segments label="时间" segments=segments value=6 on_pick=|_| ()/> }
        });
        assert_parts(
            &segments,
            &[
                "role=\"radiogroup\"",
                "aria-checked=\"false\"",
                "tabindex=\"-1\"",
                "aria-checked=\"true\"",
                "tabindex=\"0\"",
            ],
        );
    }
}
