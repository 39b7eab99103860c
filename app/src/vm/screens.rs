//! The way to a VM's screen and serial line: a link, or the reason why there is none now.

use app_ui::{Button, Glyph, Kind, LinkButton};
use leptos::prelude::*;
use model::access::Verb;
use model::console::Mode;
use model::vm::VmRow;

use crate::frame::{use_lang, use_refusal};
use crate::locales::use_words;
use crate::paths;

/// The buttons of one VM, as its row says at the moment.
#[component]
pub(super) fn Screens(
    /// The VM.
    #[prop(into)]
    row: Signal<VmRow>,
    /// With the way to the serial line.
    #[prop(optional)]
    serial: bool,
    /// The cluster has deleted it.
    #[prop(optional, into)]
    gone: Signal<bool>,
) -> impl IntoView {
    let (words, lang) = (use_words().vm, use_lang());
    let may_not = use_refusal(Verb::ConsoleOpen);
    let refusal = Memo::new(move |_| {
        let dark = || row.with(|row| row.power.screen_refusal()).map(|say| say.text(lang).to_owned());
        may_not.clone().or_else(|| gone.get().then(|| words.gone_refusal.to_owned())).or_else(dark)
    });
    let href =
        move |mode: Mode| row.with_untracked(|row| paths::console(&row.cluster, &row.namespace, &row.name, mode));
    move || match refusal.get() {
        Some(why) => view! { <Button word=words.console glyph=Glyph::Console refusal=why/> }.into_any(),
        None => view! {
            <LinkButton href=href(Mode::Vnc) word=words.console glyph=Glyph::Console kind=Kind::Primary key="c"/>
            {serial.then(|| view! { <LinkButton href=href(Mode::Serial) word=words.serial kind=Kind::Quiet/> })}
        }
        .into_any(),
    }
}
