//! All clusters: how each answers, how full it is, how old its data is.

use app_ui::{Badge, EmptyState, Glyph, HeadCell, Kind, LinkButton, PageHead, SkeletonTable, StateMark, Table, Tone};
use leptos::prelude::*;
use model::UnixMs;
use model::access::Verb;
use model::fleet::ClusterView;
use model::live::Topic;

use super::api::list_clusters;
use super::{ClusterAge, Gauge, Share, trouble};
use crate::frame::{Loaded, Page, fetched, mark_of_health, may, tell, use_now};
use crate::live::use_value;
use crate::locales::{grouped, use_words};
use crate::paths;

/// The page of all clusters.
#[component]
pub(crate) fn Clusters() -> impl IntoView {
    let words = use_words().fleet;
    let all = fetched(|| (), |()| list_clusters());
    view! {
        <Page title=words.title class="clusters-list">
            <Loaded from=all page=true fallback=|| view! { <SkeletonTable rows=6 columns=6 inset=true/> } let:all>
                <Alive all=all/>
            </Loaded>
        </Page>
    }
}

#[component]
fn Alive(all: Vec<ClusterView>) -> impl IntoView {
    let words = use_words().fleet;
    let all = use_value(Topic::Fleet, all).value;
    let counted = all.clone();
    let lead = move || (words.lead)(counted.with(Vec::len) as u32);
    let content = move || match all.get() {
        all if all.is_empty() => view! { <Empty/> }.into_any(),
        all => view! { <Rows all=all/> }.into_any(),
    };
    view! { <PageHead title=words.title under=move || lead.clone()><Register/></PageHead>{content} }
}

/// The way to the form, for those who may.
#[component]
fn Register() -> impl IntoView {
    let words = use_words().fleet;
    may(Verb::FleetRegister).then(
        || view! { <LinkButton href=paths::NEW_CLUSTER word=words.register glyph=Glyph::Plus kind=Kind::Primary/> },
    )
}

#[component]
fn Empty() -> impl IntoView {
    let words = use_words().fleet;
    view! {
        <EmptyState glyph=Glyph::Cluster title=words.empty meaning=words.empty_more page=true>
            <Register/>
            <a class="button" data-kind="quiet" href=paths::CLUSTER_ROLE rel="external" download="">{words.role_file}</a>
        </EmptyState>
    }
}

#[component]
fn Rows(all: Vec<ClusterView>) -> impl IntoView {
    let words = use_words().fleet;
    let head = move || {
        view! {
            <HeadCell col="c-name" word=words.name/>
            <HeadCell col="c-state" word=words.state/>
            <HeadCell col="c-version" word=words.version/>
            <HeadCell col="c-nodes" word=words.nodes num=true/>
            <HeadCell col="c-vms" word=words.vms num=true/>
            <HeadCell col="c-room" word="CPU"/>
            <HeadCell col="c-room" word=words.mem/>
            <HeadCell col="c-age" word=words.seen/>
        }
    };
    view! {
        <Table label=words.title inset=true two=true head=Box::new(move || head().into_any())>
            {all.into_iter().map(|cluster| view! { <Row cluster=cluster/> }).collect_view()}
        </Table>
    }
}

#[component]
fn Row(cluster: ClusterView) -> impl IntoView {
    let words = use_words().fleet;
    let away = cluster.health.is_away();
    let why = trouble(&cluster, UnixMs(use_now().get_untracked()));
    let title = why.clone();
    let (all, ready) = cluster.nodes;
    let nodes = if all == ready { all.to_string() } else { format!("{ready}/{all}") };
    view! {
        <tr data-away=away.then_some("")>
            <td>
                <a class="name" data-strong="" href=paths::cluster(cluster.id.as_str())>{cluster.name.clone()}</a>
                {cluster.observe_only.map(|why| view! { " "<Badge word=words.observe tone=Tone::Quiet title=tell(&why.say(&cluster.name))/> })}
                <span class="under"><code>{cluster.id.to_string()}</code>" · "{cluster.url.clone()}</span>
            </td>
            <td title=title>
                <StateMark mark=mark_of_health(cluster.health) word=tell(&cluster.health.say())/>
                {why.map(|why| view! { <span class="under">{why}</span> })}
            </td>
            <td>{cluster.version.clone()}</td>
            <td data-num="">{nodes}</td>
            <td data-num="">{grouped(cluster.vms())}</td>
            <td><Gauge name="CPU" share=Share::cpu(&cluster.capacity) away=away/></td>
            <td><Gauge name=words.mem share=Share::memory(&cluster.capacity) away=away/></td>
            <td><ClusterAge cluster=cluster/></td>
        </tr>
    }
}
