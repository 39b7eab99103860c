//! The page of a cluster: how it answers, and in tabs its nodes, what it can do, networks, images, rights, watches.

use app_ui::{
    Badge, Button, Fact, Facts, Glyph, Kind, LinkButton, Note, PageHead, SkeletonHead, SkeletonTable, StateMark, Tab,
    Tabs, Toast, Tone,
};
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};
use model::Fault;
use model::UnixMs;
use model::access::Verb;
use model::fleet::{ClusterDetail, ClusterView, Inventory};
use model::id::ClusterId;
use model::live::Topic;

use super::api::{probe_cluster, read_cluster, refresh_cluster};
use super::capabilities::Capabilities;
use super::nodes::Nodes;
use super::remove::RemoveButton;
use super::tables::{Images, Networks, Rights, Watches};
use super::{ClusterAge, trouble};
use crate::frame::{Desk, Loaded, Moment, Page, fetched, mark_of_health, tell, use_lang, use_now, use_refusal};
use crate::live::use_value;
use crate::locales::{Words, use_words};
use crate::paths::{self, param};

/// Words of the tabs in the address; the first has none.
const CAPABILITIES: &str = "capabilities";
const NETWORKS: &str = "networks";
const IMAGES: &str = "images";
const RIGHTS: &str = "rights";
const WATCHES: &str = "watches";

/// The page of a cluster.
#[component]
pub(crate) fn ClusterPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|params| params.get(param::ID)).unwrap_or_default());
    let detail = fetched(
        move || id.get(),
        |id| async move {
            match ClusterId::parse(&id) {
                Ok(id) => read_cluster(id).await,
                Err(_) => Err(Fault::not_found()),
            }
        },
    );
    view! {
        <Page title=move || id.get()>
            <Loaded from=detail page=true fallback=|| view! { <SkeletonHead/><SkeletonTable rows=6 columns=6 inset=true/> } let:detail_of>
                <Alive detail=detail_of again=Callback::new(move |()| detail.refetch())/>
            </Loaded>
        </Page>
    }
}

#[component]
fn Alive(detail: ClusterDetail, again: Callback<()>) -> impl IntoView {
    let words = use_words();
    let id = detail.cluster.id.clone();
    let fleet = use_value(Topic::Fleet, vec![detail.cluster.clone()]).value;
    let seed = detail.cluster.clone();
    // Removed elsewhere meanwhile: the last that was known stays until the page is left.
    let cluster = Memo::new(move |old: Option<&ClusterView>| {
        let found = fleet.with(|all| all.iter().find(|cluster| cluster.id == seed.id).cloned());
        found.or_else(|| old.cloned()).unwrap_or_else(|| seed.clone())
    });
    let held = use_value(Topic::Cluster(id.clone()), Some(detail.inventory.clone())).value;
    let seed = detail.inventory;
    let inventory =
        Memo::new(move |old: Option<&Inventory>| held.get().or_else(|| old.cloned()).unwrap_or_else(|| seed.clone()));
    let query = use_query_map();
    let tab = Memo::new(move |_| query.with(|query| query.get(param::TAB)).unwrap_or_default());
    let current = {
        let id = id.clone();
        Signal::derive(move || paths::cluster_tab(id.as_str(), &tab.get()))
    };
    let of = id.clone();
    let tabs = Signal::derive(move || inventory.with(|held| tabs(words, &of, held)));
    // A closure a table: what changes in one is drawn into it, and a tab that is not open is not drawn.
    let content = move || {
        let (id, probe, grants) = (id.clone(), detail.probe.clone(), detail.grants.clone());
        let part = move |of: fn(Inventory, ClusterId) -> AnyView| (move || of(inventory.get(), id.clone())).into_any();
        match tab.get().as_str() {
            CAPABILITIES => view! { <Capabilities probe=probe/> }.into_any(),
            RIGHTS => view! { <Rights grants=grants/> }.into_any(),
            NETWORKS => part(|held, _| view! { <Networks networks=held.networks/> }.into_any()),
            IMAGES => part(|held, _| view! { <Images images=held.images/> }.into_any()),
            WATCHES => part(|held, _| view! { <Watches watches=held.watches quarantine=held.quarantine/> }.into_any()),
            _ => part(|held, id| view! { <Nodes cluster=id nodes=held.nodes/> }.into_any()),
        }
    };
    view! {
        <Head cluster=cluster again=again/>
        <Tabs label=words.fleet.title tabs=tabs current=current/>
        {content}
    }
}

fn tabs(words: &Words, id: &ClusterId, held: &Inventory) -> Vec<Tab> {
    let words = words.fleet;
    let tab = |word: &str, name: &'static str| Tab::new(paths::cluster_tab(id.as_str(), word), name);
    vec![
        tab("", words.tab_nodes).count(held.nodes.len()),
        tab(CAPABILITIES, words.tab_capabilities),
        tab(NETWORKS, words.tab_networks).count(held.networks.len()),
        tab(IMAGES, words.tab_images).count(held.images.len()),
        tab(RIGHTS, words.tab_rights),
        tab(WATCHES, words.tab_watches).count(held.watches.len()),
    ]
}

/// What it is, how it stands, what can be done with it.
#[component]
fn Head(cluster: Memo<ClusterView>, again: Callback<()>) -> impl IntoView {
    let words = use_words().fleet;
    let name = Signal::derive(move || cluster.with(|cluster| cluster.name.clone()));
    let id = cluster.with_untracked(|cluster| cluster.id.clone());
    let vms = paths::vms_like(&format!("cluster:{id}"));
    let mark = Signal::derive(move || cluster.with(|cluster| mark_of_health(cluster.health)));
    let word = Signal::derive(move || cluster.with(|cluster| tell(&cluster.health.say())));
    let before = move || view! { <StateMark mark=mark word=word tint=true/> };
    // Slots are drawn once: what changes in them is a closure of its own.
    let observed = move || {
        let why = cluster.with(|cluster| cluster.observe_only.map(|why| tell(&why.say(&cluster.name))));
        why.map(|why| view! { <Badge word=words.observe tone=Tone::Quiet title=why/> })
    };
    let after = move || observed;
    let now = use_now();
    let note = move || {
        let why = cluster.with(|cluster| trouble(cluster, UnixMs(now.get_untracked())));
        why.map(|why| view! { <Note tone=Tone::Warning glyph=Glyph::Offline title=why/> })
    };
    let facts = move || {
        let cluster = cluster.get();
        let version = cluster.version.clone().unwrap_or_else(|| words.never.to_owned());
        let (id, url, registered) = (cluster.id.to_string(), cluster.url.clone(), cluster.registered);
        view! {
            <Facts across=true>
                <Fact name=words.id><code>{id}</code></Fact>
                <Fact name=words.api_server><code>{url}</code></Fact>
                <Fact name=words.version>{version}</Fact>
                <Fact name=words.seen><ClusterAge cluster=cluster/></Fact>
                <Fact name=words.registered_at><Moment at=registered/></Fact>
            </Facts>
        }
    };
    view! {
        <PageHead title=name before=before after=after>
            <LinkButton href=vms word=words.its_vms glyph=Glyph::Vm kind=Kind::Quiet/>
            <Acts id=id.clone() again=again/>
            <RemoveButton id=id name=name/>
        </PageHead>
        {note}
        {facts}
    }
}

/// Probing and reading again.
#[component]
fn Acts(id: ClusterId, again: Callback<()>) -> impl IntoView {
    let words = use_words().fleet;
    let (desk, lang) = (Desk::find(), use_lang());
    let told = move |result: Result<(), Fault>, done: &'static str| {
        desk.toast(match result {
            Ok(()) => Toast::done(done),
            Err(fault) => Toast::failed(fault.say.text(lang)),
        });
        again.run(());
    };
    let (probed, refreshed) = (id.clone(), id);
    let probing = Action::new(move |_: &()| {
        let id = probed.clone();
        async move { told(probe_cluster(id).await.map(|_| ()), words.probed) }
    });
    let refreshing = Action::new(move |_: &()| {
        let id = refreshed.clone();
        async move { told(refresh_cluster(id).await, words.refreshed) }
    });
    let refusal = use_refusal(Verb::FleetRead);
    view! {
        <Button word=words.refresh glyph=Glyph::Refresh kind=Kind::Quiet busy=refreshing.pending() refusal=refusal.clone() on_press=move |()| { refreshing.dispatch(()); }/>
        <Button word=words.probe glyph=Glyph::Scan kind=Kind::Quiet busy=probing.pending() refusal=refusal on_press=move |()| { probing.dispatch(()); }/>
    }
}
