//! The head of a VM's page: state, name, what it is, and what can be done with it.

use app_ui::{Badge, CopyButton, PageHead, StateMark, Tone};
use leptos::prelude::*;
use model::ownership::Environment;
use model::time::long;
use model::vm::VmDetail;

use super::power::Switchboard;
use super::screens::Screens;
use super::switches::Switches;
use crate::frame::{mark_of, tell, use_lang, use_now, use_zone};
use crate::locales::use_words;

/// The head.
#[component]
pub(super) fn Head(detail: Memo<VmDetail>, board: Switchboard, gone: Memo<bool>) -> impl IntoView {
    let (words, lang, zone, now) = (use_words().vm, use_lang(), use_zone(), use_now());
    let row = Memo::new(move |_| detail.with(|detail| detail.row.clone()));
    let name = Signal::derive(move || row.with(|row| row.name.to_string()));
    let shown = board.clone();
    let power = Memo::new(move |_| row.with(|row| shown.power(row)));
    let mark = Signal::derive(move || mark_of(power.get().tone()));
    let word = Signal::derive(move || power.get().say().text(lang).to_owned());
    let environment = Memo::new(move |_| row.with(|row| row.environment.clone()));
    let before = move || view! { <StateMark mark=mark word=word tint=true/> };
    let after = move || {
        view! {
            <CopyButton text=name label=words.copy_name/>
            {move || environment.get().map(|word| environment_badge(&word))}
        }
    };
    let about = Memo::new(move |_| {
        detail.with(|detail| {
            let row = &detail.row;
            let own = [row.display_name.as_deref().map(str::to_owned), detail.description.clone()];
            (own, row.namespace.to_string(), row.created, detail.running_since)
        })
    });
    // Days and hours need no tick of a second: the age is that of the last news or minute.
    let minute = Memo::new(move |_| now.get() / 60_000 * 60_000);
    let under = move || {
        move || {
            let (own, namespace, created, since) = about.get();
            let running = since.map(|since| (words.running_for)(&long(minute.get() - since.0, lang)));
            let own = own.into_iter().flatten().map(|text| view! { <span>{text}" · "</span> }).collect_view();
            view! {
                {own}
                {words.in_namespace}" "<code>{namespace}</code>
                " · "<span title=zone.full(created)>{(words.created)(&zone.short(created))}</span>
                {running.map(|text| format!(" · {text}"))}
            }
        }
    };
    view! {
        <PageHead title=name before=before after=after under=under>
            <Screens row=row serial=true gone=gone/>
            <Switches row=row board=board id="vm-power" gone=gone/>
        </PageHead>
    }
}

/// An environment as a badge; production stands out.
pub(crate) fn environment_badge(word: &str) -> AnyView {
    let known = Environment::parse(word);
    let tone = if known == Some(Environment::Prod) { Tone::Accent } else { Tone::Quiet };
    let word = known.map_or_else(|| word.to_owned(), |environment| tell(&environment.say()));
    view! { <Badge word=word tone=tone/> }.into_any()
}
