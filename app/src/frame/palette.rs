//! The palette: anything from anything, by keyboard. Ctrl or ⌘ and K.

use std::time::Duration;

use app_ui::{Glyph, Icon, Mark, StateMark};
use leptos::ev::KeyboardEvent;
use leptos::{html, prelude::*};
use leptos_router::hooks::use_navigate;
use model::palette::Hit;

use super::api::find;
use super::choices::{Choice, choices, sought};
use super::desk::Desk;
use super::rest::when_it_rests;
use super::session::use_session;
use super::states::FaultNote;
use super::tones::mark_of;
use crate::locales::use_words;

/// How long typing must rest before the server is asked.
const REST: Duration = Duration::from_millis(120);

/// The palette; its inside is made when it opens, so each opening starts afresh.
#[component]
pub(crate) fn Palette() -> impl IntoView {
    let desk = Desk::find();
    view! { <Show when=move || desk.palette.get()><Opened/></Show> }
}

#[component]
fn Opened() -> impl IntoView {
    let desk = Desk::find();
    let words = use_words();
    let role = use_session().role();
    let text = RwSignal::new(String::new());
    let at = RwSignal::new(0_usize);
    let search = Action::new(|text: &String| {
        let text = text.clone();
        async move { (text.clone(), find(text).await) }
    });
    // Answers come in any order: only the one to what is written counts, and until it comes the last stays.
    let hits = Memo::new(move |old: Option<&Vec<Hit>>| {
        let wanted = text.with(|text| sought(text).to_owned());
        match search.value().get() {
            _ if wanted.is_empty() => Vec::new(),
            Some((asked, Ok(hits))) if asked == wanted => hits,
            Some((asked, Err(_))) if asked == wanted => Vec::new(),
            _ => old.cloned().unwrap_or_default(),
        }
    });
    let lines = Memo::new(move |_| text.with(|text| hits.with(|hits| choices(text, hits, role, words))));
    let wanted = move || text.with(|text| Some(sought(text).to_owned()).filter(|sought| !sought.is_empty()));
    when_it_rests(REST, wanted, move |sought| {
        search.dispatch(sought);
    });
    let typed = move |event| {
        text.set(event_target_value(&event));
        at.set(0);
    };
    let go = open_choice(desk);
    let key = move |event: KeyboardEvent| {
        let len = lines.with_untracked(Vec::len);
        let step = |by: usize| {
            if len > 0 {
                at.update(|at| *at = (*at + by) % len)
            }
        };
        match event.key().as_str() {
            "Escape" => desk.palette.set(false),
            "ArrowDown" => step(1),
            "ArrowUp" => step(len.saturating_sub(1)),
            "Enter" => {
                let chosen = lines.with_untracked(|lines| lines.get(at.get_untracked()).cloned());
                if let Some(chosen) = chosen {
                    go.run((chosen.href, event.ctrl_key() || event.meta_key()));
                }
            }
            // The lines are walked with the arrows; what lies behind the veil is not to be reached.
            "Tab" => {}
            _ => return,
        }
        event.prevent_default();
    };
    let input = NodeRef::<html::Input>::new();
    focus_and_give_back(input);
    let frame = words.frame;
    // A search that failed has not found nothing.
    let fault = Signal::derive(move || {
        let wanted = wanted()?;
        search.value().get().filter(|(asked, _)| *asked == wanted).and_then(|(_, answer)| answer.err())
    });
    let nothing = move || {
        let is_nothing =
            wanted().is_some() && lines.with(Vec::is_empty) && !search.pending().get() && fault.with(Option::is_none);
        is_nothing.then(|| view! { <p class="palette-none soft">{(frame.find_nothing)(&text.get())}</p> })
    };
    view! {
        <div class="veil" on:click=move |_| desk.palette.set(false)>
            <div class="palette" role="dialog" aria-modal="true" aria-label=frame.find_label on:click=|event| event.stop_propagation() on:keydown=key>
                <div class="palette-head">
                    <Icon glyph=Glyph::Search/>
                    <input
                        node_ref=input
                        role="combobox"
                        aria-label=frame.find_label
                        aria-expanded="true"
                        aria-controls="palette-lines"
                        aria-activedescendant=move || format!("palette-{}", at.get())
                        autocomplete="off"
                        spellcheck="false"
                        placeholder=frame.find_hint
                        prop:value=text
                        on:input=typed
                    />
                    <kbd>"Esc"</kbd>
                </div>
                <div class="palette-body">
                    <Lines lines=lines at=at go=go/>
                    <FaultNote fault=fault/>
                    {nothing}
                </div>
                <div class="palette-foot">
                    <span><kbd>"↑"</kbd><kbd>"↓"</kbd>{frame.key_choose}</span>
                    <span><kbd>"↵"</kbd>{frame.key_open}</span>
                    <span><kbd>"Ctrl"</kbd><kbd>"↵"</kbd>{frame.key_new_tab}</span>
                    <span>{frame.find_foot}</span>
                </div>
            </div>
        </div>
    }
}

#[component]
fn Lines(lines: Memo<Vec<Choice>>, at: RwSignal<usize>, go: Callback<(String, bool)>) -> impl IntoView {
    let words = use_words();
    let line = move |index: usize, choice: Choice, is_first: bool| {
        let head = is_first.then(|| view! { <h3 role="presentation">{choice.group.word(words)}</h3> });
        let mark: Option<Mark> = choice.tone.map(mark_of);
        let href = choice.href.clone();
        view! {
            {head}
            <button
                type="button"
                class="option"
                role="option"
                tabindex="-1"
                id=format!("palette-{index}")
                aria-selected=move || (at.get() == index).to_string()
                on:pointermove=move |_| if at.get_untracked() != index { at.set(index) }
                on:click=move |event| go.run((href.clone(), event.ctrl_key() || event.meta_key()))
            >
                <Icon glyph=choice.glyph/>
                {mark.map(|mark| view! { <StateMark mark=mark word=""/> })}
                <span>{choice.title}</span>
                <small>{choice.note}</small>
                <em>{choice.kind}</em>
            </button>
        }
    };
    let all = move || {
        let lines = lines.get();
        let firsts: Vec<bool> =
            lines.iter().enumerate().map(|(n, c)| n == 0 || lines[n - 1].group != c.group).collect();
        lines.into_iter().enumerate().map(|(index, choice)| line(index, choice, firsts[index])).collect_view()
    };
    view! { <div id="palette-lines" role="listbox" aria-label=words.frame.find_found>{all}</div> }
}

/// Opens a link here or in a new tab, and closes the palette.
fn open_choice(desk: Desk) -> Callback<(String, bool)> {
    let navigate = use_navigate();
    Callback::new(move |(href, in_new_tab): (String, bool)| {
        desk.palette.set(false);
        if in_new_tab {
            // A browser that refuses the new tab says so by itself.
            let _ = window().open_with_url_and_target(&href, "_blank");
        } else {
            navigate(&href, Default::default());
        }
    })
}

/// The input has the focus while the palette is open; then it goes back to where it was.
fn focus_and_give_back(input: NodeRef<html::Input>) {
    use send_back::SendBack;
    let before = SendBack::remember();
    Effect::new(move |_| {
        if let Some(input) = input.get() {
            // An input that does not take the focus can still be clicked.
            let _ = input.focus();
        }
    });
    on_cleanup(move || before.give_back());
}

mod send_back {
    //! Where the focus was. An element is not `Send`, so it is found again by this thread only.

    use std::cell::RefCell;

    use leptos::prelude::document;
    use wasm_bindgen::JsCast;
    use web_sys::HtmlElement;

    thread_local! {
        static BEFORE: RefCell<Option<HtmlElement>> = const { RefCell::new(None) };
    }

    /// A promise to give the focus back.
    pub(super) struct SendBack;

    impl SendBack {
        /// Remembers what has the focus now.
        pub(super) fn remember() -> Self {
            let active = document().active_element().and_then(|element| element.dyn_into().ok());
            BEFORE.with_borrow_mut(|before| *before = active);
            Self
        }

        /// Gives it back, if that element is still there.
        pub(super) fn give_back(&self) {
            if let Some(element) = BEFORE.with_borrow_mut(Option::take) {
                let _ = element.focus();
            }
        }
    }
}
