//! Yes or no, one of a few, a number by steps.

use leptos::{
    ev::{KeyboardEvent, MouseEvent},
    prelude::*,
};

use crate::{Glyph, Icon, field::Ties, words};

/// A check box with its words.
#[component]
pub fn Checkbox(
    /// Whether it is ticked.
    #[prop(into)]
    checked: Signal<bool>,
    /// The reader ticked (`true`) or cleared it.
    #[prop(into)]
    on_toggle: Callback<bool>,
    /// What is meant.
    #[prop(into)]
    word: Signal<String>,
    /// What follows from it.
    #[prop(optional, into)]
    note: Signal<Option<String>>,
    /// Some of those it stands for are ticked.
    #[prop(optional, into)]
    mixed: Signal<bool>,
    /// Why it cannot be changed.
    #[prop(optional, into)]
    refusal: Signal<Option<String>>,
    /// Under which name a form sends it.
    #[prop(optional, into)]
    name: Option<&'static str>,
) -> impl IntoView {
    view! {
        <label class="choice">
            <CheckMark checked=checked on_toggle=on_toggle mixed=mixed refusal=refusal name=name.unwrap_or_default()/>
            <span class=move || refusal.with(Option::is_some).then_some("faint")>
                {word}
                {move || note.get().map(|note| view! { <small>{note}</small> })}
            </span>
            {move || refusal.get().map(|reason| view! { <span class="tip" aria-hidden="true">{reason}</span> })}
        </label>
    }
}

/// The box alone, for a table's row or head; `label` says what it stands for where no word does.
#[component]
pub fn CheckMark(
    /// Whether it is ticked.
    #[prop(into)]
    checked: Signal<bool>,
    /// The reader ticked (`true`) or cleared it.
    #[prop(into)]
    on_toggle: Callback<bool>,
    /// What it stands for.
    #[prop(optional, into)]
    label: Option<String>,
    /// Some of those it stands for are ticked.
    #[prop(optional, into)]
    mixed: Signal<bool>,
    /// Why it cannot be changed.
    #[prop(optional, into)]
    refusal: Signal<Option<String>>,
    /// Under which name a form sends it; none when empty.
    #[prop(optional)]
    name: &'static str,
) -> impl IntoView {
    let refused = move |event: MouseEvent| {
        if refusal.with(Option::is_some) {
            event.prevent_default()
        }
    };
    view! {
        <input
            type="checkbox"
            class="check"
            name={(!name.is_empty()).then_some(name)}
            aria-label=label
            aria-disabled=move || refusal.with(Option::is_some).then_some("true")
            aria-description=refusal
            data-mixed=move || mixed.get().then_some("")
            checked=checked.get_untracked()
            prop:checked=checked
            prop:indeterminate=mixed
            on:click=refused
            on:change=move |event| on_toggle.run(event_target_checked(&event))
        />
    }
}

/// A setting that holds at once.
#[component]
pub fn Switch(
    /// Whether it is on.
    #[prop(into)]
    on: Signal<bool>,
    /// The reader turned it on or off.
    #[prop(into)]
    on_toggle: Callback<bool>,
    /// What it turns on.
    #[prop(into)]
    word: Signal<String>,
) -> impl IntoView {
    view! {
        <label class="row">
            <input
                type="checkbox"
                class="switch"
                role="switch"
                checked=on.get_untracked()
                prop:checked=on
                on:change=move |event| on_toggle.run(event_target_checked(&event))
            />
            <span>{word}</span>
        </label>
    }
}

/// A whole number, typed or stepped.
#[component]
pub fn Stepper(
    /// The number.
    value: RwSignal<i64>,
    /// The least it may be.
    #[prop(default = 0)]
    min: i64,
    /// The most it may be.
    #[prop(default = i64::MAX)]
    max: i64,
    /// What a step adds.
    #[prop(default = 1)]
    step: i64,
    /// Its id, when it stands in no field.
    #[prop(optional, into)]
    id: Option<String>,
    /// Its label, when it stands in no field.
    #[prop(optional, into)]
    label: Option<String>,
    /// Under which name a form sends it.
    #[prop(optional, into)]
    name: Option<&'static str>,
) -> impl IntoView {
    let Ties { id, invalid, described } = Ties::find(id);
    let by = move |steps: i64| value.update(|value| *value = value.saturating_add(steps * step).clamp(min, max));
    let typed = move |event| {
        let text = event_target_value(&event);
        // What is no number is put back by the property below.
        value.update(|value| *value = text.trim().parse().unwrap_or(*value).clamp(min, max));
    };
    let key = move |event: KeyboardEvent| {
        let steps = match event.key().as_str() {
            "ArrowUp" => 1,
            "ArrowDown" => -1,
            "PageUp" => 10,
            "PageDown" => -10,
            _ => return,
        };
        event.prevent_default();
        by(steps);
    };
    let words = words();
    view! {
        <div class="stepper">
            <button type="button" tabindex="-1" aria-label=words.less on:click=move |_| by(-1)><Icon glyph=Glyph::Minus/></button>
            <input
                id=id
                name=name
                role="spinbutton"
                inputmode="numeric"
                autocomplete="off"
                aria-label=label
                aria-valuenow=value
                aria-valuemin=min
                aria-valuemax={(max != i64::MAX).then_some(max)}
                aria-invalid=move || invalid.get().then_some("true")
                aria-describedby=described
                value=value.get_untracked().to_string()
                prop:value=move || value.get().to_string()
                on:change=typed
                on:keydown=key
            />
            <button type="button" tabindex="-1" aria-label=words.more on:click=move |_| by(1)><Icon glyph=Glyph::Plus/></button>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn a_refused_box_can_be_focused_and_says_why() {
        let check =
            html(|| view! { <Checkbox checked=true on_toggle=|_| () word="冻结文件系统" refusal="来宾代理不在线"/> });
        assert!(!check.contains(" disabled"));
        assert_parts(
            &check,
            &["<label", "type=\"checkbox\"", "aria-disabled=\"true\"", "冻结文件系统", "来宾代理不在线"],
        );
    }

    #[test]
    fn a_stepper_tells_its_bounds() {
        let stepper = html(|| view! { <Stepper value=RwSignal::new(3) min=1 max=50 label="数量"/> });
        assert_parts(
            &stepper,
            &["aria-label=\"减\"", "role=\"spinbutton\"", "aria-valuemax=\"50\"", "value=\"3\"", "aria-label=\"加\""],
        );
    }
}
