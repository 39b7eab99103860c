//! What a page shows when it has nothing to show, by the fault's code: signed out, forbidden, not found, offline, broken.

use app_ui::{Blank, Button, Glyph, Kind, LinkButton, Note, Tone};
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use model::{Code, Fault};

use super::page::WindowTitle;
use super::session::{answer_with, tell};
use crate::locales::use_words;
use crate::paths;

/// The place of a page or a part of it that could not be fetched.
#[component]
pub(crate) fn FaultState(
    /// Why.
    fault: Fault,
    /// Stands for the whole page.
    #[prop(optional)]
    page: bool,
    /// Fetches it again.
    #[prop(optional, into)]
    retry: Option<Callback<()>>,
) -> impl IntoView {
    let words = use_words().fault;
    let (glyph, tone, title, meaning) = match fault.code {
        Code::Unauthenticated => {
            (Glyph::Key, Tone::Plain, words.unauthenticated, words.unauthenticated_more.to_owned())
        }
        Code::Forbidden => (Glyph::Lock, Tone::Plain, words.forbidden, tell(&fault.say)),
        Code::NotFound => (Glyph::Cut, Tone::Plain, words.not_found, words.not_found_more.to_owned()),
        Code::Conflict => (Glyph::Diff, Tone::Warning, words.conflict, tell(&fault.say)),
        Code::Refused | Code::KeyReused => (Glyph::No, Tone::Warning, words.refused, tell(&fault.say)),
        Code::Invalid => (Glyph::Edit, Tone::Warning, words.invalid, tell(&fault.say)),
        Code::TooMany => (Glyph::Clock, Tone::Warning, words.too_many, tell(&fault.say)),
        Code::Away => (Glyph::Offline, Tone::Warning, words.away, tell(&fault.say)),
        Code::Offline => (Glyph::Offline, Tone::Warning, words.offline, words.offline_more.to_owned()),
        Code::Internal => (Glyph::Error, Tone::Error, words.internal, words.internal_more.to_owned()),
    };
    let reference = fault.reference.as_deref().map(use_words().frame.copy_reference);
    let is_signed_out = fault.code == Code::Unauthenticated;
    let may_retry = !matches!(fault.code, Code::Unauthenticated | Code::Forbidden | Code::NotFound);
    let detail = fault.detail.clone();
    view! {
        <Blank glyph=glyph tone=tone title=title meaning=meaning reference=reference page=page heads=page>
            {is_signed_out.then(|| {
                let here = use_location().pathname;
                view! { <LinkButton href=Signal::derive(move || paths::sign_in(&here.get())) word=words.sign_in kind=Kind::Primary/> }
            })}
            {retry.filter(|_| may_retry).map(|retry| view! { <Button word=words.retry glyph=Glyph::Refresh on_press=retry/> })}
            {(page && !is_signed_out).then(|| view! { <LinkButton href=paths::OVERVIEW word=words.home kind=Kind::Quiet/> })}
            {detail.map(|detail| view! { <details class="small faint"><summary>{words.detail}</summary><p>{detail}</p></details> })}
        </Blank>
    }
}

/// A fault beside what it is about: above a form or a table that stays where it is.
#[component]
pub(crate) fn FaultNote(
    /// Why it did not work; nothing is shown without.
    #[prop(into)]
    fault: Signal<Option<Fault>>,
) -> impl IntoView {
    let reference = use_words().frame.copy_reference;
    move || {
        fault.get().map(|fault| {
            let more: Vec<String> = fault.detail.into_iter().chain(fault.reference.as_deref().map(reference)).collect();
            let more = (!more.is_empty()).then(|| more.join(" · "));
            view! { <Note tone=Tone::Error glyph=Glyph::Error title=tell(&fault.say) more=more/> }
        })
    }
}

/// The page of an address that leads nowhere.
#[component]
pub(crate) fn NotFound() -> impl IntoView {
    answer_with(404);
    let words = use_words().fault;
    view! {
        <WindowTitle text=words.no_page/>
        <main class="page" id="main" tabindex="-1">
            <Blank glyph=Glyph::Search title=words.no_page meaning=words.no_page_more page=true heads=true>
                <LinkButton href=paths::OVERVIEW word=words.home kind=Kind::Primary/>
            </Blank>
        </main>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};
    use model::access::Role;
    use model::{Lang, Say};

    #[test]
    fn what_broke_shows_its_reference_and_a_way_to_try_again() {
        let state = html(Role::Viewer, Lang::Zh, || {
            let mut fault = Fault::new(Code::Internal, Say::fixed("出错", "broken"));
            fault.reference = Some("7F3A-0418".into());
            view! { <FaultState fault=fault retry=Callback::new(|()| ())/> }
        });
        assert_parts(&state, &["role=\"alert\"", "这一页没能取到", "编号 7F3A-0418", "重试"]);
    }

    #[test]
    fn what_may_not_be_seen_is_not_tried_again() {
        let state = html(Role::Viewer, Lang::En, || {
            let fault = Fault::new(Code::Forbidden, Say::fixed("需要运维员", "that takes operator"));
            view! { <FaultState fault=fault retry=Callback::new(|()| ())/> }
        });
        assert_parts(&state, &["Your role does not see this", "that takes operator"]);
        assert!(!state.contains("Retry"));
    }
}
