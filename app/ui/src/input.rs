//! One line, many lines, one of many.

use leptos::{html, prelude::*};

use crate::{Glyph, Icon, button::Size, field::Ties};

/// One line of text.
#[component]
pub fn TextInput(
    /// What is written.
    value: RwSignal<String>,
    /// Its id, when it stands in no field.
    #[prop(optional, into)]
    id: Option<String>,
    /// Its label, when it stands in no field.
    #[prop(optional, into)]
    label: Option<String>,
    /// Under which name a form sends it.
    #[prop(optional, into)]
    name: Option<&'static str>,
    /// `text`, `password`, `email`, `search`, `date`, `number`.
    #[prop(default = "text")]
    kind: &'static str,
    /// An example, never the label.
    #[prop(optional, into)]
    placeholder: Option<String>,
    /// What a browser or a password manager may fill in.
    #[prop(optional, into)]
    autocomplete: Option<&'static str>,
    /// `numeric`, `decimal`, `url`: which keys a phone shows.
    #[prop(optional, into)]
    inputmode: Option<&'static str>,
    /// A drawing before the text.
    #[prop(optional, into)]
    glyph: Option<Glyph>,
    /// The unit after it.
    #[prop(optional, into)]
    unit: Option<String>,
    /// For names of machines, addresses, keys.
    #[prop(optional)]
    mono: bool,
    /// How large it is.
    #[prop(default = Size::Form)]
    size: Size,
    /// The id of a `<datalist>` with what is likely.
    #[prop(optional, into)]
    list: Option<&'static str>,
    /// Can be read and copied, not changed.
    #[prop(optional, into)]
    readonly: Signal<bool>,
    /// A form without it is not sent.
    #[prop(optional)]
    required: bool,
    /// Takes the focus when the page or its dialog opens.
    #[prop(optional)]
    autofocus: bool,
    /// After the reader has finished: on leaving or Enter.
    #[prop(optional, into)]
    on_change: Option<Callback<String>>,
) -> impl IntoView {
    let Ties { id, invalid, described } = Ties::find(id);
    let input = NodeRef::<html::Input>::new();
    let dom = move || input.get();
    in_step(
        value,
        move || dom().map(|input| input.value()),
        move |text| {
            if let Some(input) = dom() {
                input.set_value(text)
            }
        },
    );
    view! {
        <div class="input" data-size=size_name(size) data-readonly=move || readonly.get().then_some("")>
            {glyph.map(|glyph| view! { <Icon glyph=glyph/> })}
            <input
                node_ref=input
                id=id
                class=mono.then_some("mono")
                type=kind
                name=name
                placeholder=placeholder
                autocomplete=autocomplete.unwrap_or("off")
                inputmode=inputmode
                list=list
                spellcheck="false"
                required=required
                autofocus=autofocus
                readonly=readonly
                aria-label=label
                aria-invalid=move || invalid.get().then_some("true")
                aria-describedby=described
                value=value.get_untracked()
                on:input=move |event| value.set(event_target_value(&event))
                on:change=move |event| if let Some(on_change) = on_change { on_change.run(event_target_value(&event)) }
            />
            {unit.map(|unit| view! { <em>{unit}</em> })}
            {move || readonly.get().then(|| view! { <Icon glyph=Glyph::Lock/> })}
        </div>
    }
}

/// Keeps a control and its signal in step. What the reader, or a password manager, wrote before the page came alive is
/// taken over at first, and not wiped: the one time that an effect writes a signal, since only the document knows it.
fn in_step(value: RwSignal<String>, read: impl Fn() -> Option<String> + 'static, write: impl Fn(&str) + 'static) {
    Effect::new(move |is_alive: Option<bool>| {
        let held = value.get();
        let Some(shown) = read() else { return false };
        if shown != held {
            if is_alive == Some(true) { write(&held) } else { value.set(shown) }
        }
        true
    });
}

fn size_name(size: Size) -> Option<&'static str> {
    match size {
        Size::Bar => Some("sm"),
        Size::Form => None,
        Size::Touch => Some("touch"),
    }
}

/// Some lines of text.
#[component]
pub fn TextArea(
    /// What is written.
    value: RwSignal<String>,
    /// Its id, when it stands in no field.
    #[prop(optional, into)]
    id: Option<String>,
    /// Its label, when it stands in no field.
    #[prop(optional, into)]
    label: Option<String>,
    /// Under which name a form sends it.
    #[prop(optional, into)]
    name: Option<&'static str>,
    /// How many lines it shows.
    #[prop(default = 3)]
    rows: u32,
    /// An example, never the label.
    #[prop(optional, into)]
    placeholder: Option<String>,
    /// For certificates, YAML, keys.
    #[prop(optional)]
    mono: bool,
    /// A form without it is not sent.
    #[prop(optional)]
    required: bool,
) -> impl IntoView {
    let Ties { id, invalid, described } = Ties::find(id);
    let area = NodeRef::<html::Textarea>::new();
    let dom = move || area.get();
    in_step(
        value,
        move || dom().map(|area| area.value()),
        move |text| {
            if let Some(area) = dom() {
                area.set_value(text)
            }
        },
    );
    view! {
        <textarea
            node_ref=area
            id=id
            class=if mono { "input mono" } else { "input" }
            name=name
            rows=rows
            placeholder=placeholder
            spellcheck="false"
            required=required
            aria-label=label
            aria-invalid=move || invalid.get().then_some("true")
            aria-describedby=described
            on:input=move |event| value.set(event_target_value(&event))
        >
            {value.get_untracked()}
        </textarea>
    }
}

/// One of those a [`Select`] offers.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What is sent.
    pub value: String,
    /// What is read.
    pub word: String,
    /// Why it cannot be chosen; written behind the word.
    pub refusal: Option<String>,
}

impl Choice {
    /// One that can be chosen.
    pub fn new(value: impl Into<String>, word: impl Into<String>) -> Self {
        Self { value: value.into(), word: word.into(), refusal: None }
    }

    /// The same, refused for a reason.
    pub fn refused(mut self, reason: impl Into<String>) -> Self {
        self.refusal = Some(reason.into());
        self
    }
}

/// One of many.
#[component]
pub fn Select(
    /// The chosen one's value.
    value: RwSignal<String>,
    /// Those that are offered.
    #[prop(into)]
    choices: Signal<Vec<Choice>>,
    /// Its id, when it stands in no field.
    #[prop(optional, into)]
    id: Option<String>,
    /// Its label, when it stands in no field.
    #[prop(optional, into)]
    label: Option<String>,
    /// Under which name a form sends it.
    #[prop(optional, into)]
    name: Option<&'static str>,
    /// How large it is.
    #[prop(default = Size::Form)]
    size: Size,
) -> impl IntoView {
    let Ties { id, invalid, described } = Ties::find(id);
    let option = move |choice: Choice| {
        let word = match &choice.refusal {
            Some(reason) => format!("{} · {reason}", choice.word),
            None => choice.word,
        };
        let chosen = {
            let own = choice.value.clone();
            move || value.with(|value| *value == own)
        };
        view! {
            <option value=choice.value disabled=choice.refusal.is_some() selected=chosen.clone() prop:selected=chosen>
                {word}
            </option>
        }
    };
    view! {
        <div class="input" data-size=size_name(size)>
            <select
                id=id
                name=name
                aria-label=label
                aria-invalid=move || invalid.get().then_some("true")
                aria-describedby=described
                on:change=move |event| value.set(event_target_value(&event))
            >
                <For each=move || choices.get() key=|choice| (choice.value.clone(), choice.word.clone()) children=option/>
            </select>
            <Icon glyph=Glyph::Down/>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn what_is_written_is_in_the_html_so_that_a_form_works_without_scripts() {
        let input = html(|| {
            let value = RwSignal::new("E10432".to_owned());
            view! { <TextInput value=value label="工号" name="user" autocomplete="username" glyph=Glyph::User/> }
        });
        assert_parts(
            &input,
            &["#user", "name=\"user\"", "autocomplete=\"username\"", "aria-label=\"工号\"", "value=\"E10432\""],
        );
    }

    #[test]
    fn a_refused_choice_says_why() {
        let select = html(|| {
            let choices = vec![Choice::new("a", "4C16G"), Choice::new("b", "8C32G").refused("配额不足")];
            view! { <Select value=RwSignal::new("a".to_owned()) choices=choices label="规格"/> }
        });
        assert_parts(&select, &["<option", "selected", "4C16G", "disabled", "8C32G · 配额不足"]);
    }
}
