//! The bar over the screen: who, how it stands, keys, paste, fit, full screen, view only, screenshot, the way out. It hides
//! itself once there is a picture, and comes back under the pointer or the focus, or when it is pinned.

use std::sync::Arc;

use app_ui::{Fresh, Freshness, Glyph, Icon, Menu, MenuItem, ToolButton};
use leptos::prelude::*;
use model::console::Mode;

use super::drive;
use super::keys::COMBINATIONS;
use super::screen::{BAR, focus_screen};
use super::session::Session;
use super::stage::Stage;
use crate::locales::use_words;
use crate::paths;
use crate::vm::environment_badge;

/// The bar.
#[component]
pub(super) fn Bar(
    session: Session,
    environment: Option<Arc<str>>,
    fit: RwSignal<bool>,
    paste: RwSignal<bool>,
) -> impl IntoView {
    let all = use_words();
    let words = all.console;
    let pinned = RwSignal::new(false);
    let stage = {
        let stage = session.stage.clone();
        Memo::new(move |_| stage.get())
    };
    let hides = move || (stage.with(|stage| *stage == Stage::Connected) && !pinned.get() && !paste.get()).then_some("");
    let freshness = Signal::derive(move || match stage.get() {
        Stage::Connected => Freshness::Live,
        Stage::Waiting(..) | Stage::Ended(_) => Freshness::Away,
        _ => Freshness::Partial,
    });
    let word = Signal::derive(move || stage.with(|stage| stage.say(all)).to_owned());
    let vm = session.vm.clone();
    let (cluster, namespace, name) = (vm.cluster.to_string(), vm.namespace.to_string(), vm.name.to_string());
    let page = paths::vm(&cluster, &namespace, &name);
    let (other, other_word, other_glyph) = match session.mode {
        Mode::Vnc => (Mode::Serial, words.to_serial, Glyph::Console),
        Mode::Serial => (Mode::Vnc, words.to_screen, Glyph::Window),
    };
    let other = paths::console(&cluster, &namespace, &name, other);
    let is_screen = session.mode == Mode::Vnc;
    let closing = session.clone();
    view! {
        <div class="console-bar" id=BAR role="toolbar" aria-label=words.bar data-hidden=hides>
            <a class="name" href=page title=words.back><b>{name}</b></a>
            {environment.map(|word| environment_badge(&word))}
            <Fresh freshness=freshness word=word/>
            <hr/>
            {is_screen.then(|| view! { <ScreenTools session=session.clone() fit=fit paste=paste/> })}
            <Toggles session=session.clone()/>
            <a class="tool" href=other aria-label=other_word title=other_word><Icon glyph=other_glyph/></a>
            <hr/>
            <ToolButton label=words.disconnect glyph=Glyph::Power on_press=move |()| closing.close()/>
            <Pressed label=words.pin glyph=Glyph::Pin on=pinned on_press=move |()| pinned.update(|is| *is = !*is)/>
        </div>
    }
}

/// What only a screen has.
#[component]
fn ScreenTools(session: Session, fit: RwSignal<bool>, paste: RwSignal<bool>) -> impl IntoView {
    let words = use_words().console;
    let item = |&(word, keys): &(&'static str, &'static [(&'static str, &'static str)])| {
        let session = session.clone();
        MenuItem::new(
            word,
            Callback::new(move |()| {
                drive::press(&session, keys);
                focus_screen();
            }),
        )
    };
    let items: Vec<MenuItem> = COMBINATIONS.iter().map(item).collect();
    let name = session.vm.name.to_string();
    view! {
        <Menu label=words.keys items=items glyph=Glyph::Keyboard tool=true/>
        <ToolButton
            label=words.paste
            glyph=Glyph::Paste
            expanded=Signal::derive(move || Some(paste.get()))
            on_press=move |()| paste.update(|open| *open = !*open)
        />
        <Pressed label=words.fit glyph=Glyph::Fit on=fit on_press=move |()| fit.update(|is| *is = !*is)/>
        <ToolButton label=words.screenshot glyph=Glyph::Snapshot on_press=move |()| drive::screenshot(&name)/>
    }
}

/// Full screen and view only.
#[component]
fn Toggles(session: Session) -> impl IntoView {
    let words = use_words().console;
    let full = move |()| {
        let document = document();
        if document.fullscreen_element().is_some() {
            document.exit_fullscreen();
        } else if let Some(root) = document.document_element() {
            // Refused where the browser's owner forbids it; the page stays as it is.
            let _ = root.request_fullscreen();
        }
    };
    let is_full = is_full_screen();
    let is_view_only = session.is_view_only.clone();
    let on = {
        let is = is_view_only.clone();
        Signal::derive(move || is.get())
    };
    let toggle = move |()| {
        drive::release_keys();
        is_view_only.update(|is| *is = !*is);
    };
    view! {
        <Pressed label=words.full_screen glyph=Glyph::External on=is_full on_press=full/>
        <Pressed label=words.view_only glyph=Glyph::Eye on=on on_press=toggle/>
    }
}

/// Whether the browser shows the page alone. Escape leaves that without us, so the browser is asked, not remembered.
fn is_full_screen() -> RwSignal<bool> {
    let is_full = RwSignal::new(false);
    Effect::new(move |_| {
        let told = window_event_listener(leptos::ev::fullscreenchange, move |_| {
            is_full.set(document().fullscreen_element().is_some());
        });
        on_cleanup(move || told.remove());
    });
    is_full
}

/// A tool that stays down.
#[component]
fn Pressed(
    label: &'static str,
    glyph: Glyph,
    #[prop(into)] on: Signal<bool>,
    #[prop(into)] on_press: Callback<()>,
) -> impl IntoView {
    view! {
        <button
            class="tool"
            type="button"
            aria-label=label
            title=label
            aria-pressed=move || on.get().to_string()
            on:click=move |_| on_press.run(())
        >
            <Icon glyph=glyph/>
        </button>
    }
}
