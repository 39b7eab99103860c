//! What is known of one address: ledger, MAC, where it is seen; and what may be done with it.

use app_ui::{Asked, Button, ConfirmDialog, Confirmed, Fact, Facts, Glyph, Kind, Note, Section, Toast, Tone};
use leptos::prelude::*;
use model::Fault;
use model::access::Verb;
use model::id::SubnetId;
use model::ipam::{AddressView, Standing};

use super::api::{release_address, reserve_address};
use crate::frame::{Desk, Moment, tell, use_refusal};
use crate::locales::use_words;
use crate::paths;

/// The card beside the map.
#[component]
pub(super) fn Card(address: AddressView, subnet: SubnetId, again: Callback<()>) -> impl IntoView {
    let words = use_words().ipam;
    let desk = Desk::find();
    let (reserving, releasing) = (RwSignal::new(false), RwSignal::new(false));
    let failed = RwSignal::new(None::<Fault>);
    let (at, text) = (address.address, address.address.to_string());
    let done = {
        let text = text.clone();
        move |result: Result<(), Fault>, open: RwSignal<bool>, word: fn(&str) -> String| match result {
            Ok(()) => {
                open.set(false);
                desk.toast(Toast::done(word(&text)));
                again.run(());
            }
            Err(fault) => failed.set(Some(fault)),
        }
    };
    let (reserve_in, release_in) = (subnet.clone(), subnet);
    let (reserved, released) = (done.clone(), done);
    let reserve = Action::new(move |note: &String| {
        let (id, note, done) = (reserve_in.clone(), note.clone(), reserved.clone());
        async move { done(reserve_address(id, at, note).await, reserving, words.done_reserved) }
    });
    let release = Action::new(move |reason: &String| {
        let (id, reason, done) = (release_in.clone(), reason.clone(), released.clone());
        async move { done(release_address(id, at, reason).await, releasing, words.done_released) }
    });
    let may_write = use_refusal(Verb::IpamWrite);
    let is_free = address.standing == Standing::Free || address.standing == Standing::Kept;
    let is_held = matches!(address.standing, Standing::Held | Standing::Reserved | Standing::Conflict)
        && address.holder.is_some();
    let reserve_refusal = may_write.clone().or_else(|| (!is_free).then(|| words.not_free.to_owned()));
    let release_refusal = may_write.or_else(|| (!is_held).then(|| words.not_held.to_owned()));
    let trouble =
        move || failed.get().map(|fault| view! { <Note tone=Tone::Error glyph=Glyph::Error title=tell(&fault.say)/> });
    let state = tell(&address.standing.say());
    view! {
        <Section title=text.clone() note=state ruled=true>
            <Facts>
                <Fact name=words.holder>{holder(address.holder.as_deref(), words.nobody)}</Fact>
                {address.mac.map(|mac| view! { <Fact name=words.mac><code>{mac}</code></Fact> })}
                <Fact name=words.seen>{seen(address.seen_at, words.nowhere)}</Fact>
                {address.until.map(|until| view! { <Fact name=words.until><Moment at=until/></Fact> })}
            </Facts>
            <div class="row">
                <Button word=words.reserve kind=Kind::Plain refusal=reserve_refusal on_press=move |()| { failed.set(None); reserving.set(true) }/>
                <Button word=words.release kind=Kind::Plain refusal=release_refusal on_press=move |()| { failed.set(None); releasing.set(true) }/>
            </div>
        </Section>
        <ConfirmDialog open=reserving id="reserve" title=(words.reserve_title)(&text) act=words.do_reserve busy=reserve.pending()
            asked=Asked { name: None, reason: true } on_confirm=move |said: Confirmed| { reserve.dispatch(said.reason); }>
            <p>{words.reserve_more}</p>
            {trouble}
        </ConfirmDialog>
        <ConfirmDialog open=releasing id="release" title=(words.release_title)(&text) act=words.do_release danger=true busy=release.pending()
            asked=Asked { name: None, reason: true } on_confirm=move |said: Confirmed| { release.dispatch(said.reason); }>
            <p>{words.release_more}</p>
            {trouble}
        </ConfirmDialog>
    }
}

/// A holder that is a VM links to it.
fn holder(holder: Option<&str>, nobody: &'static str) -> AnyView {
    match holder {
        None => nobody.into_any(),
        Some(holder) => vm_link(holder).unwrap_or_else(|| holder.to_owned().into_any()),
    }
}

fn seen(at: Vec<String>, nowhere: &'static str) -> AnyView {
    if at.is_empty() {
        return nowhere.into_any();
    }
    at.into_iter()
        .map(|vm| view! { <span class="under">{vm_link(&vm).unwrap_or_else(|| vm.clone().into_any())}</span> })
        .collect_view()
        .into_any()
}

/// `cluster/namespace/name` as a link.
fn vm_link(holder: &str) -> Option<AnyView> {
    let mut parts = holder.split('/');
    let (cluster, namespace, name) = (parts.next()?, parts.next()?, parts.next()?);
    let href = paths::vm(cluster, namespace, name);
    Some(view! { <a class="name" href=href><code>{name.to_owned()}</code></a> }.into_any())
}
