//! Badges: a word about a thing, beside its name.

use leptos::prelude::*;

use crate::{Glyph, Icon, tone::Tone};

/// A word in a small frame.
#[component]
pub fn Badge(
    /// What it says.
    #[prop(into)]
    word: Signal<String>,
    /// How loud.
    #[prop(optional, into)]
    tone: Signal<Tone>,
    /// A drawing before the word.
    #[prop(optional, into)]
    glyph: Option<Glyph>,
    /// What it means, on hover.
    #[prop(optional, into)]
    title: Option<String>,
) -> impl IntoView {
    view! {
        <span class="badge" data-tone=move || tone.get().name() title=title>
            {glyph.map(|glyph| view! { <Icon glyph=glyph/> })}
            {word}
        </span>
    }
}

/// A person, as a link to what is theirs: name and number.
#[component]
pub fn Person(
    /// As colleagues call them.
    #[prop(into)]
    name: String,
    /// The number in the directory, or what is to be known about them.
    #[prop(optional, into)]
    number: Option<String>,
    /// Where the person leads to.
    #[prop(into)]
    href: String,
    /// Has left: whatever is theirs needs someone.
    #[prop(optional)]
    gone: bool,
) -> impl IntoView {
    view! {
        <a class="person" href=href data-gone=gone.then_some("")>
            {name}
            {number.map(|number| view! { <code>{number}</code> })}
        </a>
    }
}

/// The first sign of a name in a circle.
#[component]
pub fn Face(
    /// The name it stands for, which is written beside it.
    #[prop(into)]
    name: String,
    /// For a page about the person.
    #[prop(optional)]
    large: bool,
) -> impl IntoView {
    let first = name.chars().next().map(String::from).unwrap_or_default();
    view! { <span class="face" aria-hidden="true" data-size=large.then_some("lg")>{first}</span> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::html;

    #[test]
    fn a_plain_badge_has_no_tone() {
        assert_eq!(html(|| view! { <Badge word="开发"/> }), r#"<span class="badge">开发</span>"#);
        assert!(html(|| view! { <Badge word="生产" tone=Tone::Accent/> }).contains("data-tone=\"accent\""));
    }
}
