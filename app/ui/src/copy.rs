//! Copy what is shown; keys as they stand on the keyboard.

use std::time::Duration;

use leptos::prelude::*;

use crate::{Glyph, ToolButton, words};

/// How long the tick stays after copying.
const DONE: Duration = Duration::from_millis(1500);

/// Copies a text, and shows for a moment that it did.
#[component]
pub fn CopyButton(
    /// What is copied.
    #[prop(into)]
    text: Signal<String>,
    /// What it is: "copy the name".
    #[prop(optional, into)]
    label: Option<String>,
) -> impl IntoView {
    let done = RwSignal::new(false);
    let words = words();
    let label = label.unwrap_or_else(|| words.copy.to_owned());
    let copy = move |()| {
        // The promise is dropped: where the browser refuses, the text is on screen to be marked.
        drop(window().navigator().clipboard().write_text(&text.get_untracked()));
        done.set(true);
        // The button may be gone by then.
        set_timeout(
            move || {
                let _ = done.try_set(false);
            },
            DONE,
        );
    };
    view! {
        <ToolButton
            label=Signal::derive(move || if done.get() { words.copied.to_owned() } else { label.clone() })
            glyph=Signal::derive(move || if done.get() { Glyph::Check } else { Glyph::Clone })
            on_press=copy
        />
    }
}

/// A cap of the keyboard.
#[component]
pub fn Kbd(
    /// One cap, as it is read.
    #[prop(into)]
    keys: String,
) -> impl IntoView {
    view! { <kbd>{keys}</kbd> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn a_copy_button_says_what_it_copies() {
        assert_parts(
            &html(|| view! { <CopyButton text="erp-db-prod-07" label="复制名称"/> }),
            &["aria-label=\"复制名称\"", "#clone"],
        );
    }
}
