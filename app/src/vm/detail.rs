//! The page of a VM: head, facts, tabs; live for as long as it stands there.

use app_ui::{Glyph, Gone, Hotkey, LinkButton, Note, SkeletonHead, SkeletonPanel, Tab, Tabs, Tone, hotkey};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_params_map, use_query_map};
use model::Fault;
use model::console::Mode;
use model::id::VmRef;
use model::live::Topic;
use model::vm::VmDetail;

use super::api::read_vm;
use super::events::{Events, Strip};
use super::facts::VmFacts;
use super::head::Head;
use super::overview::Overview;
use super::power::Switchboard;
use super::yaml::Yaml;
use crate::frame::{Loaded, Page, fetched};
use crate::live::use_value;
use crate::locales::use_words;
use crate::paths::{self, param};

/// Words of the tabs in the address; the first has none.
const EVENTS: &str = "events";
const YAML: &str = "yaml";

/// The page of a VM.
#[component]
pub(crate) fn VmPage() -> impl IntoView {
    let params = use_params_map();
    let vm = Memo::new(move |_| {
        let part = |name: &str| params.with(|params| params.get(name)).unwrap_or_default();
        VmRef::parse(&part(param::CLUSTER), &part(param::NAMESPACE), &part(param::NAME)).ok()
    });
    let detail = fetched(
        move || vm.get(),
        |vm| async move {
            match vm {
                Some(vm) => read_vm(vm).await,
                None => Err(Fault::not_found()),
            }
        },
    );
    let title = move || vm.with(|vm| vm.as_ref().map(|vm| vm.name.to_string()).unwrap_or_default());
    view! {
        <Page title=title flush=true>
            <Loaded from=detail page=true fallback=|| view! { <div class="vm-head"><SkeletonHead/><SkeletonPanel lines=4/></div> } let:detail>
                <Alive seed=detail/>
            </Loaded>
        </Page>
    }
}

#[component]
fn Alive(seed: VmDetail) -> impl IntoView {
    // Names that are no references cannot be followed; what was rendered stays.
    let held = match seed.row.reference() {
        Ok(vm) => use_value(Topic::Vm(vm), Some(seed.clone())).value,
        Err(_) => ArcRwSignal::new(Some(seed.clone())),
    };
    let is_gone = {
        let held = held.clone();
        Memo::new(move |_| held.with(Option::is_none))
    };
    // What is gone is shown as it was last.
    let detail = Memo::new(move |before: Option<&VmDetail>| {
        held.get().or_else(|| before.cloned()).unwrap_or_else(|| seed.clone())
    });
    let board = Switchboard::new();
    keys(detail);
    view! {
        {move || is_gone.get().then(|| view! { <GoneVm detail=detail/> })}
        <div class="vm-head">
            <Head detail=detail board=board gone=is_gone/>
            <Notes detail=detail/>
            <VmFacts detail=detail/>
        </div>
        <Body detail=detail/>
        <Strip detail=detail/>
    }
}

/// The tabs and what stands in the open one.
#[component]
fn Body(detail: Memo<VmDetail>) -> impl IntoView {
    let words = use_words().vm;
    let query = use_query_map();
    let tab = Memo::new(move |_| query.with(|query| query.get(param::TAB)).unwrap_or_default());
    let vm = detail.with_untracked(|detail| detail.row.reference().ok());
    let link = move |word: &str| vm.as_ref().map(|vm| paths::vm_tab(vm, word)).unwrap_or_default();
    let linked = link.clone();
    let events = Memo::new(move |_| detail.with(|detail| detail.events.len()));
    let tabs = Signal::derive(move || {
        vec![
            Tab::new(link(""), words.tab_overview),
            Tab::new(link(EVENTS), words.tab_events).count(events.get()),
            Tab::new(link(YAML), words.tab_yaml),
        ]
    });
    let current = Signal::derive(move || linked(&tab.get()));
    let content = move || match tab.get().as_str() {
        EVENTS => view! { <Events detail=detail/> }.into_any(),
        YAML => view! { <Yaml detail=detail/> }.into_any(),
        _ => view! { <Overview detail=detail/> }.into_any(),
    };
    view! {
        <Tabs label=words.tabs tabs=tabs current=current class="vm-tabs"/>
        {content}
    }
}

/// What waits, what does not work, in the cluster's words.
#[component]
fn Notes(detail: Memo<VmDetail>) -> impl IntoView {
    let words = use_words().vm;
    let note = |is: fn(&VmDetail) -> Option<String>| Memo::new(move |_| detail.with(is));
    let problem = note(|detail| detail.row.problem.as_deref().map(str::to_owned));
    let restart = note(|detail| detail.restart_required.clone());
    let not_migratable = note(|detail| detail.not_migratable.clone());
    view! {
        {move || problem.get().map(|why| view! { <Note tone=Tone::Error glyph=Glyph::Error title=words.problem more=why/> })}
        {move || restart.get().map(|why| view! { <Note tone=Tone::Warning glyph=Glyph::Restart title=words.restart_required more=why/> })}
        {move || not_migratable.get().map(|why| view! { <Note glyph=Glyph::Lock title=words.not_migratable more=why/> })}
    }
}

/// The cluster has deleted it.
#[component]
fn GoneVm(detail: Memo<VmDetail>) -> impl IntoView {
    let words = use_words().vm;
    let (name, object) = detail.with_untracked(|detail| {
        let row = &detail.row;
        (row.name.to_string(), format!("{}/{}/{}", row.cluster, row.namespace, row.name))
    });
    view! {
        <Gone title=(words.gone)(&name) meaning=words.gone_more page=false>
            <LinkButton href=paths::VMS word=words.gone_list/>
            <LinkButton href=paths::audit_of(&object) word=words.gone_audit/>
        </Gone>
    }
}

/// Keys of this page.
fn keys(detail: Memo<VmDetail>) {
    let words = use_words().vm;
    let navigate = use_navigate();
    let console = Callback::new(move |()| {
        let href = detail.with_untracked(|d| paths::console(&d.row.cluster, &d.row.namespace, &d.row.name, Mode::Vnc));
        navigate(&href, NavigateOptions::default());
    });
    hotkey(Hotkey { key: "c", group: words.keys_page.into(), word: words.key_console.into(), act: Some(console) });
}
