//! Who is signed in, and the way out.

use app_ui::{Face, Glyph, Icon};
use leptos::ev::{keydown, pointerdown};
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;

use super::preferences::Theme;
use super::session::{tell, use_session};
use super::topbar::{other_word, speak_other, theme_label, turn_theme};
use crate::locales::use_words;
use crate::paths;

/// A menu under the name. It is the browser's own `<details>`, so that one can sign out before and without scripts; scripts
/// close it when something else is meant.
#[component]
pub(super) fn MeMenu(theme: RwSignal<Theme>) -> impl IntoView {
    let words = use_words().frame;
    let session = use_session();
    let (lang, label) = (session.preferences.lang, theme_label(theme));
    let menu = NodeRef::<html::Details>::new();
    close_by_what_is_elsewhere(menu);
    session.me.clone().map(|me| {
        let name = if me.name.is_empty() { me.login.clone() } else { me.name.clone() };
        let (face, csrf) = (name.clone(), session.csrf.clone());
        view! {
            <details class="pop" data-end="" node_ref=menu>
                <summary class="me"><Face name=face/><span>{name}</span></summary>
                <div class="menu">
                    <header><span>{me.login}</span><span>{tell(&me.role.say())}</span></header>
                    <a class="option" href=paths::ACCOUNT on:click=move |_| close(menu)><Icon glyph=Glyph::User/>{words.sessions}</a>
                    // On a phone the bar has no room for these two.
                    <button type="button" class="option only-phone" on:click=move |_| speak_other(lang)><Icon glyph=Glyph::Language/>{other_word(lang)}</button>
                    <button type="button" class="option only-phone" on:click=move |_| turn_theme(theme)><Icon glyph=Glyph::Moon/>{label}</button>
                    <hr/>
                    <form method="post" action=paths::SIGN_OUT>
                        <input type="hidden" name="csrf" value=csrf/>
                        <button type="submit" class="option"><Icon glyph=Glyph::External/>{words.sign_out}</button>
                    </form>
                </div>
            </details>
        }
    })
}

/// Esc, and a press anywhere else.
fn close_by_what_is_elsewhere(menu: NodeRef<html::Details>) {
    Effect::new(move |_| {
        let pressed = window_event_listener(pointerdown, move |event| {
            let target = event.target().and_then(|target| target.dyn_into::<web_sys::Node>().ok());
            let is_inside = menu.get_untracked().is_some_and(|menu| menu.contains(target.as_ref()));
            if !is_inside {
                close(menu);
            }
        });
        let typed = window_event_listener(keydown, move |event| {
            if event.key() == "Escape" {
                close(menu)
            }
        });
        on_cleanup(move || {
            pressed.remove();
            typed.remove();
        });
    });
}

fn close(menu: NodeRef<html::Details>) {
    if let Some(menu) = menu.get_untracked() {
        let active = document().active_element();
        let summary =
            menu.query_selector("summary").ok().flatten().and_then(|s| s.dyn_into::<web_sys::HtmlElement>().ok());
        // What had the focus goes with the menu: back to what opened it.
        if menu.open()
            && active.is_some_and(|active| menu.contains(Some(&active)))
            && let Some(summary) = summary
        {
            // A summary that is on screen takes the focus.
            let _ = summary.focus();
        }
        // An attribute that is not there need not go.
        let _ = menu.remove_attribute("open");
    }
}
