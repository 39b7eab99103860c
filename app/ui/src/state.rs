//! State of a thing as icon, word and colour, so that none of them has to be seen.

use leptos::prelude::*;

use crate::{Icon, tone::Mark};

/// `● 运行`: the mark and the word of a state.
#[component]
pub fn StateMark(
    /// Shape and colour.
    #[prop(into)]
    mark: Signal<Mark>,
    /// The state in the reader's language.
    #[prop(into)]
    word: Signal<String>,
    /// Stands on a soft ground of its colour: once a page, in the head.
    #[prop(optional)]
    tint: bool,
    /// What belongs to it, smaller: a percentage, a cause.
    #[prop(optional, into)]
    note: Signal<Option<String>>,
) -> impl IntoView {
    view! {
        <span class="state" data-state=move || mark.get().name() data-tint=tint.then_some("")>
            <Icon glyph=Signal::derive(move || mark.get().glyph())/>
            {word}
            {move || note.get().map(|note| view! { <small>{note}</small> })}
        </span>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn a_state_is_a_shape_and_a_word() {
        let state = html(|| view! { <StateMark mark=Mark::Error word="故障" tint=true/> });
        assert_parts(&state, &["data-state=\"error\"", "data-tint", "#error", "故障</span>"]);
    }
}
