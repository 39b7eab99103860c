//! Who is signed in, and the way out.

use app_ui::{Face, Glyph, Icon};
use leptos::ev::{keydown, pointerdown};
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;

use super::session::{tell, use_session};
use crate::locales::use_words;
use crate::paths;

/// A menu under the name. It is the browser's own `<details>`, so that one can sign out before and without scripts; scripts
/// close it when something else is meant.
#[component]
pub(super) fn MeMenu() -> impl IntoView {
    let words = use_words().frame;
    let session = use_session();
    let menu = NodeRef::<html::Details>::new();
    close_by_what_is_elsewhere(menu);
    session.me.clone().map(|me| {
        let name = if me.name.is_empty() { me.login.clone() } else { me.name.clone() };
        let face = name.clone();
        view! {
            <details class="pop" data-end="" node_ref=menu>
                <summary class="me"><Face name=face/><span>{name}</span></summary>
                <div class="menu">
                    <header><span>{me.login}</span><span>{tell(&me.role.say())}</span></header>
                    <a class="option" href=paths::ACCOUNT on:click=move |_| close(menu)><Icon glyph=Glyph::User/>{words.sessions}</a>
                    <hr/>
                    <form method="post" action=paths::SIGN_OUT>
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
        // An attribute that is not there need not go.
        let _ = menu.remove_attribute("open");
    }
}
