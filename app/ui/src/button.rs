//! Buttons. One that cannot be pressed stays where it is, can be focused, and says why.

use leptos::{ev::MouseEvent, prelude::*};

use crate::{Glyph, Icon};

/// How a button looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Framed.
    #[default]
    Plain,
    /// What the page is for; one a view.
    Primary,
    /// Text until it is pointed at.
    Quiet,
    /// Destroys something, after a question.
    Danger,
    /// Destroys something now: the last button of the question.
    DangerSolid,
}

impl Kind {
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Primary => Some("primary"),
            Self::Quiet => Some("quiet"),
            Self::Danger => Some("danger"),
            Self::DangerSolid => Some("danger-solid"),
        }
    }
}

/// How large a button is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Size {
    /// 28 px: in a bar.
    #[default]
    Bar,
    /// 36 px: in a form.
    Form,
    /// 44 px: under a thumb.
    Touch,
}

impl Size {
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Bar => None,
            Self::Form => Some("lg"),
            Self::Touch => Some("touch"),
        }
    }
}

/// A button with its word.
#[component]
pub fn Button(
    /// What it does.
    #[prop(optional, into)]
    word: Signal<String>,
    /// A drawing before the word.
    #[prop(optional, into)]
    glyph: Option<Glyph>,
    /// How it looks.
    #[prop(optional)]
    kind: Kind,
    /// How large it is.
    #[prop(optional)]
    size: Size,
    /// As wide as its place.
    #[prop(optional)]
    wide: bool,
    /// Submits its form.
    #[prop(optional)]
    submit: bool,
    /// Why it cannot be pressed now, in the words of the service; `None` when it can.
    #[prop(optional, into)]
    refusal: Signal<Option<String>>,
    /// What it started is under way: it shows so and ignores further presses.
    #[prop(optional, into)]
    busy: Signal<bool>,
    /// For one that stays down.
    #[prop(optional, into)]
    pressed: Signal<Option<bool>>,
    /// Its reason opens above: near the foot of the page.
    #[prop(optional)]
    above: bool,
    /// The key that does the same.
    #[prop(optional, into)]
    key: Option<&'static str>,
    /// Takes the focus when its dialog opens.
    #[prop(optional)]
    autofocus: bool,
    /// What happens.
    #[prop(optional, into)]
    on_press: Option<Callback<()>>,
    /// What stands after the word: a caret, a count.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let press = move |event: MouseEvent| {
        if refusal.with(Option::is_some) || busy.get() {
            event.prevent_default();
            event.stop_propagation();
        } else if let Some(on_press) = on_press {
            on_press.run(());
        }
    };
    let shown = move || if busy.get() { Some(Glyph::Wait) } else { glyph };
    view! {
        <button
            class="button"
            type=if submit { "submit" } else { "button" }
            data-kind=kind.name()
            data-size=size.name()
            data-wide=wide.then_some("")
            autofocus=autofocus
            aria-busy=move || busy.get().then_some("true")
            aria-pressed=move || pressed.get().map(|is| is.to_string())
            aria-disabled=move || refusal.with(Option::is_some).then_some("true")
            aria-description=refusal
            on:click=press
        >
            {move || shown().map(|glyph| view! { <Icon glyph=glyph/> })}
            {word}
            {key.map(|key| view! { <kbd>{key}</kbd> })}
            {children.map(|children| children())}
            {move || refusal.get().map(|reason| view! {
                <span class="tip" aria-hidden="true" data-above=above.then_some("")>{reason}</span>
            })}
        </button>
    }
}

/// A button without a word: its label is read out and shown on hover.
#[component]
pub fn ToolButton(
    /// What it does.
    #[prop(into)]
    label: Signal<String>,
    /// Its drawing.
    #[prop(into)]
    glyph: Signal<Glyph>,
    /// Why it cannot be pressed now.
    #[prop(optional, into)]
    refusal: Signal<Option<String>>,
    /// For one that opens something.
    #[prop(optional, into)]
    expanded: Signal<Option<bool>>,
    /// What happens.
    #[prop(optional, into)]
    on_press: Option<Callback<()>>,
    /// What stands after the drawing: a count.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let press = move |event: MouseEvent| {
        if refusal.with(Option::is_some) {
            event.prevent_default();
        } else if let Some(on_press) = on_press {
            on_press.run(());
        }
    };
    view! {
        <button
            class="tool"
            type="button"
            aria-label=label
            title=label
            aria-expanded=move || expanded.get().map(|is| is.to_string())
            aria-disabled=move || refusal.with(Option::is_some).then_some("true")
            aria-description=refusal
            on:click=press
        >
            <Icon glyph=glyph/>
            {children.map(|children| children())}
            {move || refusal.get().map(|reason| view! { <span class="tip" aria-hidden="true">{reason}</span> })}
        </button>
    }
}

/// A link that looks like a button: it leads somewhere and changes nothing.
#[component]
pub fn LinkButton(
    /// Where to.
    #[prop(into)]
    href: Signal<String>,
    /// What is there.
    #[prop(into)]
    word: Signal<String>,
    /// A drawing before the word.
    #[prop(optional, into)]
    glyph: Option<Glyph>,
    /// How it looks.
    #[prop(optional)]
    kind: Kind,
    /// How large it is.
    #[prop(optional)]
    size: Size,
    /// The key that does the same.
    #[prop(optional, into)]
    key: Option<&'static str>,
) -> impl IntoView {
    view! {
        <a class="button" href=href data-kind=kind.name() data-size=size.name()>
            {glyph.map(|glyph| view! { <Icon glyph=glyph/> })}
            {word}
            {key.map(|key| view! { <kbd>{key}</kbd> })}
        </a>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn a_refused_button_can_be_focused_and_says_why() {
        let button = html(|| view! { <Button word="启动" glyph=Glyph::Play refusal="只有停止的虚拟机可以启动"/> });
        assert!(!button.contains(" disabled"));
        assert_parts(
            &button,
            &[
                "type=\"button\"",
                "aria-disabled=\"true\"",
                "aria-description=\"只有停止的虚拟机可以启动\"",
                "#play",
                "启动",
                "aria-hidden=\"true\" class=\"tip\">只有停止的虚拟机可以启动</span>",
            ],
        );
    }

    #[test]
    fn a_busy_button_shows_that_it_waits() {
        let button = html(|| view! { <Button word="正在保存" glyph=Glyph::Check busy=true/> });
        assert_parts(&button, &["aria-busy=\"true\"", "#wait"]);
    }

    #[test]
    fn a_button_without_a_word_has_a_name() {
        let button = html(|| view! { <ToolButton label="关闭" glyph=Glyph::Close/> });
        assert_parts(&button, &["aria-label=\"关闭\"", "title=\"关闭\"", "#close"]);
    }
}
