//! The top bar: the way to this page, the palette, how fresh the data is, tasks, language, theme, who is signed in.

use app_ui::{Crumbs, Glyph, Icon, Ring, ToolButton};
use leptos::prelude::*;
use model::Lang;
use model::change::OperationView;
use model::fleet::ClusterView;
use model::quantity::percent;

use super::desk::Desk;
use super::line::Freshness;
use super::me::MeMenu;
use super::preferences::{Theme, remember_lang, remember_theme};
use super::session::{use_lang, use_session};
use super::tasks::running;
use super::trail::Place;
use crate::live::Held;
use crate::locales::use_words;

/// The top bar.
#[component]
pub(crate) fn TopBar(
    /// The page that is open.
    place: Memo<Place>,
    /// All clusters.
    fleet: Held<Vec<ClusterView>>,
    /// Running and recent operations.
    operations: Held<Vec<OperationView>>,
) -> impl IntoView {
    let words = use_words();
    let frame = words.frame;
    let desk = Desk::find();
    let crumbs =
        Signal::derive(move || place.with(|place| desk.named.with(|named| place.crumbs_named(words, named.as_ref()))));
    let theme = RwSignal::new(use_session().preferences.theme);
    let menu_open = move || desk.menu.get().to_string();
    view! {
        <header class="topbar">
            <button
                type="button"
                class="tool only-narrow"
                aria-label=frame.navigation
                aria-controls="nav"
                aria-expanded=menu_open
                on:click=move |_| desk.menu.update(|open| *open = !*open)
            >
                <Icon glyph=Glyph::Menu/>
            </button>
            <Crumbs crumbs=crumbs/>
            <button type="button" class="finder" aria-keyshortcuts="Control+K Meta+K" on:click=move |_| desk.palette.set(true)>
                <Icon glyph=Glyph::Search/><span>{frame.find}</span><kbd>"Ctrl K"</kbd>
            </button>
            <Freshness fleet=fleet/>
            <TaskButton operations=operations/>
            <LangButton/>
            <ThemeButton theme=theme/>
            <MeMenu theme=theme/>
        </header>
    }
}

/// Opens the task centre; a ring and a count while something runs.
#[component]
fn TaskButton(operations: Held<Vec<OperationView>>) -> impl IntoView {
    let words = use_words().frame;
    let desk = Desk::find();
    let counted = operations.value.clone();
    let count = Memo::new(move |_| counted.with(|all| running(all)));
    let steps = Memo::new(move |_| {
        operations.value.with(|all| {
            let open = || all.iter().filter(|operation| !operation.state.is_final());
            percent(open().map(|o| u64::from(o.steps.0)).sum(), open().map(|o| u64::from(o.steps.1)).sum())
        })
    });
    let share = Signal::derive(move || f64::from(steps.get()));
    let label = move || match count.get() {
        0 => words.tasks.to_owned(),
        n => format!("{}, {}", words.tasks, (words.tasks_running)(n)),
    };
    let drawing = move || {
        if count.get() > 0 {
            view! { <Ring used=share label=Signal::derive(move || format!("{}%", steps.get())) small=true moving=true/><em>{count}</em> }.into_any()
        } else {
            view! { <Icon glyph=Glyph::Tasks/> }.into_any()
        }
    };
    view! {
        <button
            type="button"
            class="tool"
            aria-label=label
            title=words.tasks
            aria-expanded=move || desk.tasks.get().to_string()
            on:click=move |_| desk.tasks.update(|open| *open = !*open)
        >
            {drawing}
        </button>
    }
}

/// Speaks the other language.
#[component]
fn LangButton() -> impl IntoView {
    let lang = use_lang();
    view! { <span class="only-wide"><ToolButton label=other_word(lang) glyph=Glyph::Language on_press=move |()| speak_other(lang)/></span> }
}

/// The other language's own word: whoever cannot read this page can read that.
pub(super) fn other_word(lang: Lang) -> &'static str {
    match lang {
        Lang::Zh => "English",
        Lang::En => "简体中文",
    }
}

/// Switches to the other language; the page is loaded again to speak it.
pub(super) fn speak_other(lang: Lang) {
    remember_lang(other(lang));
    // A page that cannot be loaded again speaks the other language at the next click.
    let _ = window().location().reload();
}

/// The other of the two.
fn other(lang: Lang) -> Lang {
    match lang {
        Lang::Zh => Lang::En,
        Lang::En => Lang::Zh,
    }
}

/// Goes round the themes.
#[component]
fn ThemeButton(theme: RwSignal<Theme>) -> impl IntoView {
    let label = theme_label(theme);
    let turn = move |()| turn_theme(theme);
    let glyph = Signal::derive(move || if theme.get() == Theme::Light { Glyph::Sun } else { Glyph::Moon });
    view! { <span class="only-wide"><ToolButton label=label glyph=glyph on_press=turn/></span> }
}

/// The next theme of the round, remembered and shown.
pub(super) fn turn_theme(theme: RwSignal<Theme>) {
    let next = match theme.get_untracked() {
        Theme::Auto => Theme::Light,
        Theme::Light => Theme::Dark,
        Theme::Dark => Theme::Auto,
    };
    theme.set(next);
    remember_theme(next);
}

/// `Theme: dark`.
pub(super) fn theme_label(theme: RwSignal<Theme>) -> Signal<String> {
    let words = use_words().frame;
    let word = move || match theme.get() {
        Theme::Auto => words.theme_auto,
        Theme::Light => words.theme_light,
        Theme::Dark => words.theme_dark,
    };
    Signal::derive(move || format!("{}: {}", words.theme, word()))
}
