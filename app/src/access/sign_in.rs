//! The sign-in page: a plain form, so that it works before and without scripts. What went wrong is told by its code.

use app_ui::{Button, Field, Glyph, Kind, Size, TextInput};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use model::{Code, Lang};

use crate::frame::{Brand, WindowTitle, remember_lang, use_lang};
use crate::locales::use_words;
use crate::paths::{self, param};

/// The sign-in page.
#[component]
pub(crate) fn SignIn() -> impl IntoView {
    let words = use_words().access;
    let query = use_query_map();
    let asked = move |name: &str| query.with_untracked(|query| query.get(name)).unwrap_or_default();
    let next = paths::safe_next(&asked(param::NEXT)).to_owned();
    let code = asked(param::FAULT);
    let (login, password) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    view! {
        <WindowTitle text=words.sign_in/>
        <div class="login">
            <main class="login-box" id="main">
                <div class="brand"><Brand/><b>"harvester-admin"</b></div>
                <h1>{words.sign_in}</h1>
                <p class="soft">{words.lead}</p>
                <form method="post" action=paths::SIGN_IN>
                    <input type="hidden" name="next" value=next/>
                    <Field id="login" label=words.login>
                        <TextInput value=login name="login" glyph=Glyph::User autocomplete="username" size=Size::Touch required=true autofocus=true/>
                    </Field>
                    <Field id="password" label=words.password error=sentence(&code)>
                        <TextInput value=password name="password" kind="password" glyph=Glyph::Lock autocomplete="current-password" size=Size::Touch required=true/>
                    </Field>
                    <Button word=words.sign_in kind=Kind::Primary size=Size::Touch wide=true submit=true/>
                </form>
                <p class="small faint">{words.notice}</p>
            </main>
            <footer class="login-foot"><Language lang=Lang::Zh word="简体中文"/><Language lang=Lang::En word="English"/></footer>
        </div>
    }
}

/// The sentence of a code that came through the URL; what else came with it is not shown.
fn sentence(code: &str) -> Option<String> {
    let words = use_words().access;
    let is = |wanted: Code| code == wanted.word();
    if code.is_empty() {
        None
    } else if is(Code::Unauthenticated) || is(Code::Forbidden) || is(Code::Refused) || is(Code::Invalid) {
        Some(words.wrong.to_owned())
    } else if is(Code::TooMany) {
        Some(words.locked.to_owned())
    } else {
        Some(words.broken.to_owned())
    }
}

#[component]
fn Language(lang: Lang, word: &'static str) -> impl IntoView {
    let current = (use_lang() == lang).then_some("true");
    let switch = move |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        remember_lang(lang);
        // A page that cannot be loaded again speaks the other language at the next click.
        let _ = window().location().reload();
    };
    view! { <a href="" rel="external" lang=lang.tag() aria-current=current on:click=switch>{word}</a> }
}
