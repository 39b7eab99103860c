//! The page of a subnet: its map, and what is known of the address that is pointed at.

use app_ui::{
    AddressGrid, Button, ConfirmDialog, Confirmed, Fact, Facts, Figure, Glyph, Kind, LinkButton, Meter, Note, PageHead,
    Section, SkeletonHead, Square, Toast, Tone,
};
use leptos::prelude::*;
use leptos_router::hooks::{use_navigate, use_params_map, use_query_map};
use model::access::Verb;
use model::id::SubnetId;
use model::ipam::{AddressMap, AddressView, Standing};
use model::quantity::percent;
use model::{Code, Fault, Lang};

use super::api::{read_map, remove_subnet};
use super::card::Card;
use super::draft::Typed;
use super::form::SubnetForm;
use super::room_word;
use crate::frame::{Desk, Loaded, Page, fetched, tell, use_lang, use_refusal};
use crate::locales::{grouped, use_words};
use crate::paths::{self, param};

/// The page of a subnet.
#[component]
pub(crate) fn SubnetPage() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let id = Memo::new(move |_| params.with(|p| p.get(param::ID)).unwrap_or_default());
    let block = Memo::new(move |_| query.with(|q| q.get(param::BLOCK)).and_then(|b| b.parse().ok()).unwrap_or(0));
    let map = fetched(
        move || (id.get(), block.get()),
        |(id, block)| async move {
            match SubnetId::parse(&id) {
                Ok(id) => read_map(id, block).await,
                Err(_) => Err(Fault { code: Code::NotFound, ..Fault::not_found() }),
            }
        },
    );
    let title = use_words().ipam.title;
    let again = Callback::new(move |()| map.refetch());
    view! {
        <Page title=title>
            <Loaded from=map page=true fallback=|| view! { <SkeletonHead/> } let:map>
                <Alive map=map again=again/>
            </Loaded>
        </Page>
    }
}

#[component]
fn Alive(map: AddressMap, again: Callback<()>) -> impl IntoView {
    let words = use_words().ipam;
    let AddressMap { view, block, blocks, squares } = map;
    let subnet = view.subnet.clone();
    let id = subnet.id.clone();
    let (editing, removing) = (RwSignal::new(false), RwSignal::new(false));
    let typed = Typed::of(&subnet);
    let lang = use_lang();
    let drawn: Vec<Square> = squares.iter().map(|s| square(s, lang)).collect();
    let current = RwSignal::new(None::<usize>);
    let picked = {
        let squares = StoredValue::new(squares.clone());
        Signal::derive(move || current.get().and_then(|at| squares.with_value(|all| all.get(at).cloned())))
    };
    let used = percent(view.held, view.room);
    let (edit_id, remove_id, card_id) = (id.clone(), id.clone(), id.clone());
    let serves = subnet.serves.iter().map(|s| format!("{} · {}", s.cluster, s.network)).collect::<Vec<_>>().join("，");
    let under_vlan = subnet.vlan.map(|vlan| format!("VLAN {vlan} · ")).unwrap_or_default();
    let under_gateway = subnet.gateway.map(|g| format!("{} {g} · ", words.gateway)).unwrap_or_default();
    let under = format!("{under_vlan}{under_gateway}{serves}");
    Desk::find().name(paths::subnet(id.as_str()), subnet.name.clone());
    let (name, cidr) = (subnet.name.clone(), subnet.cidr.to_string());
    let of = (words.of)(&grouped(view.held), &room_word(view.room));
    view! {
        <PageHead title=name.clone() after=move || view! { <code class="soft">{cidr.clone()}</code> } under=move || under.clone()>
            <Button word=words.edit glyph=Glyph::Edit refusal=use_refusal(Verb::IpamWrite) on_press=move |()| editing.update(|e| *e = !*e)/>
            <Button word=words.remove kind=Kind::Danger refusal=use_refusal(Verb::IpamWrite) on_press=move |()| removing.set(true)/>
        </PageHead>
        {move || editing.get().then(|| {
            let saved = Callback::new(move |()| { editing.set(false); again.run(()) });
            view! { <SubnetForm typed=typed.clone() id=edit_id.clone() on_saved=saved/> }
        })}
        <div class="subnet">
            <div class="subnet-main">
                <AddressGrid label=words.map squares=drawn current=current/>
                <Legend squares=squares/>
                <Blocks id=id block=block blocks=blocks/>
            </div>
            <aside class="subnet-side">
                <Figure name=words.used value=used.to_string() unit="%" note=of>
                    <Meter used=f64::from(used) label=format!("{} {used}%", words.used)/>
                </Figure>
                {move || match picked.get() {
                    Some(address) => view! { <Card address=address subnet=card_id.clone() again=again/> }.into_any(),
                    None => view! { <Note glyph=Glyph::Info title=words.choose/> }.into_any(),
                }}
                <Section title=words.facts ruled=true>
                    <Facts>
                        <Fact name=words.dns><code>{subnet.dns.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")}</code></Fact>
                        <Fact name=words.search><code>{subnet.search.join(" ")}</code></Fact>
                        <Fact name=words.quarantined>{view.quarantined}</Fact>
                    </Facts>
                </Section>
            </aside>
        </div>
        <Remove open=removing id=remove_id name=subnet.name/>
    }
}

/// A square as the grid draws it.
fn square(address: &AddressView, lang: Lang) -> Square {
    let (state, mark) = match address.standing {
        Standing::Free => ("free", None),
        Standing::Reserved => ("reserved", None),
        Standing::Held if address.seen_at.is_empty() => ("off", None),
        Standing::Held => ("used", None),
        Standing::Quarantined => ("quarantine", None),
        Standing::Gateway => ("gateway", Some('G')),
        Standing::Forbidden => ("forbidden", None),
        Standing::Kept => ("reserved", None),
        Standing::Dhcp => ("dhcp", None),
        Standing::Stray => ("stray", Some('?')),
        Standing::Conflict => ("conflict", Some('!')),
    };
    Square { state, mark, label: format!("{} {}", address.address, address.standing.say().text(lang)) }
}

/// What the fills mean, and how many there are of each here.
#[component]
fn Legend(squares: Vec<AddressView>) -> impl IntoView {
    let lang = use_lang();
    let order = [
        Standing::Held,
        Standing::Free,
        Standing::Reserved,
        Standing::Kept,
        Standing::Quarantined,
        Standing::Dhcp,
        Standing::Gateway,
        Standing::Forbidden,
        Standing::Stray,
        Standing::Conflict,
    ];
    let keys = order.into_iter().filter_map(|standing| {
        let mine: Vec<&AddressView> = squares.iter().filter(|s| s.standing == standing).collect();
        let first = mine.first()?;
        let drawn = square(first, lang);
        let (word, n) = (standing.say().text(lang).to_owned(), mine.len());
        Some(view! { <li><span class="map-key" data-state=drawn.state>{drawn.mark.map(String::from)}</span>{word}<b>{n}</b></li> })
    });
    view! { <ul class="map-legend">{keys.collect_view()}</ul> }
}

/// The way to other blocks of 256.
#[component]
fn Blocks(id: SubnetId, block: u32, blocks: u32) -> impl IntoView {
    let words = use_words().ipam;
    (blocks > 1).then(|| {
        let back = block.checked_sub(1).map(|b| paths::subnet_block(id.as_str(), b));
        let forth = (block + 1 < blocks).then(|| paths::subnet_block(id.as_str(), block + 1));
        view! {
            <nav class="row" aria-label=words.map>
                {back.map(|href| view! { <LinkButton href=href word=words.previous kind=Kind::Quiet/> })}
                <span class="small faint">{(words.block)(block + 1, blocks)}</span>
                {forth.map(|href| view! { <LinkButton href=href word=words.next kind=Kind::Quiet/> })}
            </nav>
        }
    })
}

#[component]
fn Remove(open: RwSignal<bool>, id: SubnetId, name: String) -> impl IntoView {
    let words = use_words().ipam;
    let (desk, navigate) = (Desk::find(), use_navigate());
    let failed = RwSignal::new(None::<Fault>);
    let removing = Action::new(move |reason: &String| {
        let (id, reason, navigate) = (id.clone(), reason.clone(), navigate.clone());
        async move {
            match remove_subnet(id, reason).await {
                Ok(()) => {
                    open.set(false);
                    desk.toast(Toast::done(words.removed));
                    navigate(paths::SUBNETS, Default::default());
                }
                Err(fault) => failed.set(Some(fault)),
            }
        }
    });
    view! {
        <ConfirmDialog open=open id="remove-subnet" title=(words.remove_title)(&name) act=words.remove danger=true busy=removing.pending()
            on_confirm=move |said: Confirmed| { removing.dispatch(said.reason); }>
            <p>{words.remove_more}</p>
            {move || failed.get().map(|fault| view! { <Note tone=Tone::Error glyph=Glyph::Error title=tell(&fault.say)/> })}
        </ConfirmDialog>
    }
}
