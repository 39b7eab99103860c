//! A search field whose words become tokens: `owner:E10432 -status:stopped 10.20.30.`

use leptos::{ev::KeyboardEvent, html, prelude::*};

use crate::{Glyph, Icon, words};

/// A word of the search that was understood, or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Token {
    /// The field with its operator, `owner:` or `cpu>`; empty for a bare word.
    pub field: String,
    /// What is searched in it.
    pub value: String,
    /// It excludes.
    pub not: bool,
    /// Why it is not understood.
    pub wrong: Option<String>,
}

/// A proposal under the field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Completion {
    /// What is written when it is taken.
    pub text: String,
    /// What it means.
    pub meaning: String,
    /// How many values or hits.
    pub note: String,
}

/// The field: tokens, what is being typed, proposals, and how many were found.
#[component]
pub fn SearchBox(
    /// Its id: unique in the page and the same at each render.
    #[prop(into)]
    id: String,
    /// What is searched.
    #[prop(into)]
    label: String,
    /// The tokens that hold.
    #[prop(into)]
    tokens: Signal<Vec<Token>>,
    /// What is being typed.
    text: RwSignal<String>,
    /// Proposals for what is being typed.
    #[prop(optional, into)]
    completions: Signal<Vec<Completion>>,
    /// The heading of the proposals.
    #[prop(optional, into)]
    completions_label: Option<String>,
    /// Examples, when nothing is typed.
    #[prop(optional, into)]
    placeholder: Option<String>,
    /// What was found: "38 · 3 ms".
    #[prop(optional, into)]
    found: Signal<Option<String>>,
    /// What was typed is to become a token: Enter, a space after it.
    #[prop(into)]
    on_enter: Callback<String>,
    /// The token at this place goes.
    #[prop(into)]
    on_remove: Callback<usize>,
) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    let (open, picked) = (RwSignal::new(false), RwSignal::new(None::<usize>));
    let is_open = Signal::derive(move || open.get() && completions.with(|all| !all.is_empty()));
    let enter = move |word: String| {
        picked.set(None);
        text.set(String::new());
        on_enter.run(word);
    };
    // A proposal that ends in an operator is only half a token: it is written, not entered.
    let take = move |completion: Completion| {
        picked.set(None);
        if completion.text.ends_with([':', '>', '<', '=']) {
            text.set(completion.text)
        } else {
            enter(completion.text)
        }
        if let Some(input) = input.get_untracked() {
            // The field is on screen and takes the focus.
            let _ = input.focus();
        }
    };
    let chosen = move || picked.get_untracked().and_then(|at| completions.with_untracked(|all| all.get(at).cloned()));
    let keys = move |event: KeyboardEvent| {
        let count = completions.with_untracked(Vec::len);
        match event.key().as_str() {
            "ArrowDown" if count > 0 => picked.update(|at| *at = Some(at.map_or(0, |at| (at + 1) % count))),
            "ArrowUp" if count > 0 => {
                picked.update(|at| *at = Some(at.map_or(count - 1, |at| (at + count - 1) % count)))
            }
            "Tab" if is_open.get_untracked() => {
                let Some(completion) = chosen().or_else(|| completions.with_untracked(|all| all.first().cloned()))
                else {
                    return;
                };
                take(completion);
            }
            "Enter" => match chosen() {
                Some(completion) => take(completion),
                None if text.with_untracked(|text| !text.trim().is_empty()) => {
                    enter(text.get_untracked().trim().to_owned())
                }
                None => return,
            },
            "Backspace" if text.with_untracked(String::is_empty) => {
                let Some(last) = tokens.with_untracked(Vec::len).checked_sub(1) else { return };
                on_remove.run(last);
            }
            "Escape" if is_open.get_untracked() => open.set(false),
            _ => return,
        }
        event.prevent_default();
    };
    let list_id = format!("{id}-list");
    let (controls, option_id) = (list_id.clone(), list_id.clone());
    let active = move || picked.get().filter(|_| is_open.get()).map(|at| format!("{option_id}-{at}"));
    let wrong = move || tokens.with(|tokens| tokens.iter().find_map(|token| token.wrong.clone()));
    let hint_id = format!("{id}-wrong");
    let described = {
        let hint_id = hint_id.clone();
        move || wrong().map(|_| hint_id.clone())
    };
    view! {
        <div class="search" role="search">
            <Icon glyph=Glyph::Search/>
            {move || tokens.get().into_iter().enumerate().map(|(at, token)| view! { <TokenView token=token on_remove=move |()| on_remove.run(at)/> }).collect_view()}
            <input
                id=id
                type="text"
                role="combobox"
                autocomplete="off"
                spellcheck="false"
                aria-label=label
                aria-autocomplete="list"
                aria-expanded=move || is_open.get().to_string()
                aria-controls=controls
                aria-activedescendant=active
                aria-describedby=described
                placeholder=placeholder
                prop:value=text
                node_ref=input
                on:input=move |event| { open.set(true); picked.set(None); text.set(event_target_value(&event)) }
                on:focus=move |_| open.set(true)
                on:blur=move |_| open.set(false)
                on:keydown=keys
            />
            <em role="status">{found}</em>
            <Show when=move || is_open.get()>
                <Proposals id=list_id.clone() label=completions_label.clone().unwrap_or_default() completions=completions picked=picked on_take=take/>
            </Show>
        </div>
        {move || wrong().map(|wrong| view! { <p class="small tone-error" id=hint_id.clone()>{wrong}</p> })}
    }
}

#[component]
fn TokenView(token: Token, #[prop(into)] on_remove: Callback<()>) -> impl IntoView {
    let remove = format!("{} {}{}", words().remove, token.field, token.value);
    let plain = token.field.is_empty().then_some("");
    view! {
        <span
            class="token"
            data-not=token.not.then_some("")
            data-plain=plain
            aria-invalid=token.wrong.is_some().then_some("true")
        >
            {plain.is_none().then(|| view! { <b>{token.field}</b> })}
            <span>{token.value}</span>
            <button type="button" aria-label=remove on:click=move |_| on_remove.run(())><Icon glyph=Glyph::Close/></button>
        </span>
    }
}

#[component]
fn Proposals(
    id: String,
    label: String,
    completions: Signal<Vec<Completion>>,
    picked: RwSignal<Option<usize>>,
    #[prop(into)] on_take: Callback<Completion>,
) -> impl IntoView {
    let row_id = id.clone();
    let row = move |(at, completion): (usize, Completion)| {
        let taken = completion.clone();
        view! {
            // The field must not lose the focus before the click is through.
            <button
                class="option"
                type="button"
                role="option"
                tabindex="-1"
                id=format!("{row_id}-{at}")
                aria-selected=move || (picked.get() == Some(at)).to_string()
                on:mousedown=move |event| event.prevent_default()
                on:click=move |_| on_take.run(taken.clone())
            >
                <code>{completion.text}</code>
                <small>{completion.meaning}</small>
                <em>{completion.note}</em>
            </button>
        }
    };
    let heading = label.clone();
    view! {
        <div class="menu" data-drop="" role="listbox" id=id aria-label=label>
            {(!heading.is_empty()).then(|| view! { <header>{heading}</header> })}
            {move || completions.get().into_iter().enumerate().map(row.clone()).collect_view()}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn tokens_can_be_taken_away_by_name_and_a_wrong_one_says_why() {
        let search = html(|| {
            let tokens = vec![
                Token { field: "status:".into(), value: "stopped".into(), not: true, wrong: None },
                Token { field: "cpuu>".into(), value: "4".into(), not: false, wrong: Some("没有字段 cpuu".into()) },
            ];
            view! {
                <SearchBox
                    id="q"
                    label="查找虚拟机"
                    tokens=tokens
                    text=RwSignal::new(String::new())
                    found="38 台"
                    on_enter=|_| ()
                    on_remove=|_| ()
                />
            }
        });
        assert_parts(
            &search,
            &[
                "role=\"search\"",
                "data-not",
                "<b>status:</b>",
                "aria-label=\"移除 status:stopped\"",
                "aria-invalid=\"true\"",
                "role=\"combobox\"",
                "aria-expanded=\"false\"",
                "aria-describedby=\"q-wrong\"",
                "38 台",
                "id=\"q-wrong\"",
                "没有字段 cpuu",
            ],
        );
    }
}
