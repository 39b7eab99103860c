//! A field: its label, its control, and the word about it right beneath. Where it is wrong, there it says so.

use leptos::{context::Provider, prelude::*};

use crate::{Glyph, Icon, tone::Tone};

/// What a control learns from the field around it.
#[derive(Clone)]
pub(crate) struct InField {
    id: String,
    invalid: Signal<bool>,
    described: Signal<bool>,
}

/// The attributes a control takes from the field around it; none where there is no field.
#[derive(Clone, Default)]
pub(crate) struct Ties {
    /// The control's own id, which the label points at.
    pub(crate) id: Option<String>,
    /// `true` while the field has an error.
    pub(crate) invalid: Signal<bool>,
    /// The id of the word beneath, while there is one.
    pub(crate) described: Signal<Option<String>>,
}

impl Ties {
    /// Ties of the field around the caller; `id` wins over the field's.
    pub(crate) fn find(id: Option<String>) -> Self {
        let Some(field) = use_context::<InField>() else { return Self { id, ..Self::default() } };
        let word = word_id(&field.id);
        Self {
            id: id.or(Some(field.id)),
            invalid: field.invalid,
            described: Signal::derive(move || field.described.get().then(|| word.clone())),
        }
    }
}

fn word_id(id: &str) -> String {
    format!("{id}-word")
}

/// A label, a control of this crate as child, and a hint or an error beneath.
#[component]
pub fn Field(
    /// The control's id: unique in the page and the same at each render.
    #[prop(into)]
    id: String,
    /// What is asked for.
    #[prop(into)]
    label: Signal<String>,
    /// Beside the label, quieter: "locked by the template", "6 digits".
    #[prop(optional, into)]
    aside: Option<ViewFn>,
    /// What helps to fill it in.
    #[prop(optional, into)]
    hint: Signal<Option<String>>,
    /// How the hint sounds: `Ok` for "free", `Warning` for "will be tight".
    #[prop(optional, into)]
    hint_tone: Signal<Tone>,
    /// What is wrong and what to do about it; takes the hint's place.
    #[prop(optional, into)]
    error: Signal<Option<String>>,
    /// Takes both columns of its form.
    #[prop(optional)]
    full: bool,
    /// The control.
    children: Children,
) -> impl IntoView {
    let ties = InField {
        id: id.clone(),
        invalid: Signal::derive(move || error.with(Option::is_some)),
        described: Signal::derive(move || error.with(Option::is_some) || hint.with(Option::is_some)),
    };
    let word = word_id(&id);
    view! {
        <div class="field" data-full=full.then_some("")>
            <label for=id>{label}{aside.map(|aside| view! { <em>{aside.run()}</em> })}</label>
            <Provider value=ties>{children()}</Provider>
            {move || match (error.get(), hint.get()) {
                (Some(error), _) => Some(Beneath { id: word.clone(), tone: Tone::Error, text: error }.into_view()),
                (None, Some(hint)) => Some(Beneath { id: word.clone(), tone: hint_tone.get(), text: hint }.into_view()),
                (None, None) => None,
            }}
        </div>
    }
}

/// The line beneath a control.
struct Beneath {
    id: String,
    tone: Tone,
    text: String,
}

impl Beneath {
    fn into_view(self) -> AnyView {
        let glyph = match self.tone {
            Tone::Error => Some(Glyph::Error),
            Tone::Warning => Some(Glyph::Warning),
            Tone::Ok => Some(Glyph::Check),
            _ => None,
        };
        let role = (self.tone == Tone::Error).then_some("alert");
        view! {
            <small id=self.id data-tone=self.tone.name() role=role>
                {glyph.map(|glyph| view! { <Icon glyph=glyph/> })}
                <span>{self.text}</span>
            </small>
        }
        .into_any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        TextInput,
        testing::{assert_parts, html},
    };

    #[test]
    fn the_error_stands_beneath_its_control_and_is_tied_to_it() {
        let field = html(|| {
            let value = RwSignal::new("10.20.33.105".to_owned());
            view! { <Field id="ip" label="地址" hint="空着则自动分配" error="已归 prod-pay-gateway-05"><TextInput value=value/></Field> }
        });
        assert_parts(
            &field,
            &[
                "<label for=\"ip\">地址",
                "id=\"ip\"",
                "aria-invalid=\"true\"",
                "aria-describedby=\"ip-word\"",
                "id=\"ip-word\"",
                "role=\"alert\"",
                "已归 prod-pay-gateway-05",
            ],
        );
        assert!(!field.contains("空着则自动分配"));
    }

    #[test]
    fn a_field_without_a_word_describes_nothing() {
        let field = html(|| {
            let value = RwSignal::new(String::new());
            view! { <Field id="n" label="名称"><TextInput value=value/></Field> }
        });
        assert!(!field.contains("aria-describedby") && !field.contains("aria-invalid"), "{field}");
    }
}
