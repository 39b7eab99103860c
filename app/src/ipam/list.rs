//! All subnets and how full they are.

use app_ui::{EmptyState, Glyph, HeadCell, Kind, LinkButton, Meter, PageHead, SkeletonTable, Table};
use leptos::prelude::*;
use model::access::Verb;
use model::ipam::SubnetView;
use model::quantity::percent;

use super::api::list_subnets;
use super::room_word;
use crate::frame::{Loaded, Page, fetched, may};
use crate::locales::{grouped, use_words};
use crate::paths;

/// The page of all subnets.
#[component]
pub(crate) fn Subnets() -> impl IntoView {
    let words = use_words().ipam;
    let all = fetched(|| (), |()| list_subnets());
    view! {
        <Page title=words.title>
            <PageHead title=words.title under=move || words.lead><New/></PageHead>
            <Loaded from=all page=true fallback=|| view! { <SkeletonTable rows=4 columns=6 inset=true/> } let:all>
                {if all.is_empty() { view! { <Empty/> }.into_any() } else { view! { <Rows all=all/> }.into_any() }}
            </Loaded>
        </Page>
    }
}

/// The way to the form, for those who may.
#[component]
fn New() -> impl IntoView {
    let words = use_words().ipam;
    may(Verb::IpamWrite)
        .then(|| view! { <LinkButton href=paths::NEW_SUBNET word=words.new glyph=Glyph::Plus kind=Kind::Primary/> })
}

#[component]
fn Empty() -> impl IntoView {
    let words = use_words().ipam;
    view! { <EmptyState glyph=Glyph::Address title=words.empty meaning=words.empty_more page=true><New/></EmptyState> }
}

#[component]
fn Rows(all: Vec<SubnetView>) -> impl IntoView {
    let words = use_words().ipam;
    let head = move || {
        view! {
            <HeadCell col="s-name" word=words.name/>
            <HeadCell col="s-cidr" word=words.cidr/>
            <HeadCell col="s-vlan" word=words.vlan num=true/>
            <HeadCell col="s-gateway" word=words.gateway/>
            <HeadCell col="s-serves" word=words.serves/>
            <HeadCell col="s-used" word=words.used/>
            <HeadCell col="s-rest" word=words.quarantined num=true/>
        }
    };
    view! {
        <Table label=words.title inset=true two=true head=Box::new(move || head().into_any())>
            {all.into_iter().map(|view| view! { <Row view=view/> }).collect_view()}
        </Table>
    }
}

#[component]
fn Row(view: SubnetView) -> impl IntoView {
    let words = use_words().ipam;
    let SubnetView { subnet, room, held, quarantined } = view;
    let used = percent(held, room);
    let serves = subnet.serves.iter().map(|s| format!("{} · {}", s.cluster, s.network)).collect::<Vec<_>>();
    let serves = if serves.is_empty() { words.none.to_owned() } else { serves.join("，") };
    view! {
        <tr>
            <td><a class="name" data-strong="" href=paths::subnet(subnet.id.as_str())>{subnet.name}</a></td>
            <td><code>{subnet.cidr.to_string()}</code></td>
            <td data-num="">{subnet.vlan.map(|vlan| vlan.to_string())}</td>
            <td><code>{subnet.gateway.map(|a| a.to_string())}</code></td>
            <td>{serves}</td>
            <td>
                <div class="gauge">
                    <p><b>{format!("{used}%")}</b><span>{(words.of)(&grouped(held), &room_word(room))}</span></p>
                    <Meter used=f64::from(used) label=format!("{} {used}%", words.used) thin=true/>
                </div>
            </td>
            <td data-num="">{quarantined}</td>
        </tr>
    }
}
