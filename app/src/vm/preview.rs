//! The preview beside the list: what the row says at once, and what only the VM's own page knows a moment later.

use app_ui::{
    Drawer, Fact, Facts, Glyph, Hotkey, Icon, Kbd, ListItem, SkeletonPanel, StateMark, Tone, ToolButton, hotkey,
};
use leptos::prelude::*;
use model::id::VmRef;
use model::live::Topic;
use model::vm::{EventLine, VmDetail, VmRow};

use super::cells::person;
use super::facts::linked;
use super::list::{List, focus};
use super::place::Place;
use super::power::Switchboard;
use super::screens::Screens;
use super::switches::Switches;
use super::table::TABLE;
use super::truths::Truths;
use crate::frame::{Desk, Since, mark_of, use_lang, use_zone};
use crate::live::use_value;
use crate::locales::use_words;
use crate::paths;

/// Newest events that a preview shows.
const EVENTS: usize = 5;

/// The drawer of one VM.
#[component]
pub(super) fn Preview(list: List, vm: VmRef) -> impl IntoView {
    let words = use_words().vm;
    let id = (vm.cluster.to_string(), vm.namespace.to_string(), vm.name.to_string());
    let cells = list.rows.cells.clone();
    let listed = Memo::new(move |_| {
        let is_it = |row: &VmRow| row.key() == (id.0.as_str(), id.1.as_str(), id.2.as_str());
        cells.with(|cells| cells.iter().find(|cell| cell.row.with(is_it)).map(|cell| cell.row.get()))
    });
    let detail = use_value::<Option<VmDetail>>(Topic::Vm(vm.clone()), None).value;
    let told = detail.clone();
    let row = Memo::new(move |_| {
        told.with(|detail| detail.as_ref().map(|detail| detail.row.clone())).or_else(|| listed.get())
    });
    let is_known = Memo::new(move |_| row.with(Option::is_some));
    let (place, go) = (list.place, list.go);
    let desk = Desk::find();
    let close = Callback::new(move |()| {
        // Esc in a question closes the question, not what is behind it.
        if document().query_selector("dialog[open]").ok().flatten().is_none() {
            desk.close_all();
            if has_focus() {
                focus(TABLE);
            }
            go.run(Place { open: None, ..place.get_untracked() });
        }
    });
    hotkey(Hotkey { key: "Escape", group: words.keys.into(), word: words.close_preview.into(), act: Some(close) });
    let label = format!("{} {}", words.preview, vm.name);
    let page = paths::vm(vm.cluster.as_str(), vm.namespace.as_str(), vm.name.as_str());
    let (name, board) = (vm.name.to_string(), list.board);
    let head = move || {
        let (page, name, vm, board) = (page.clone(), name.clone(), vm.clone(), board.clone());
        let known = move || {
            let (vm, board) = (vm.clone(), board.clone());
            let first = is_known.get().then(|| row.get_untracked()).flatten();
            first.map(|first| {
                let row = Memo::new(move |_| row.get().unwrap_or_else(|| first.clone()));
                view! { <Acts row=row vm=vm board=board/> }
            })
        };
        view! {
            <div class="row">
                <h2 class="cut"><a class="name" href=page.clone()>{name}</a></h2>
                <span class="push row" data-gap="1">
                    <a class="tool" href=page aria-label=words.open_page title=words.open_page><Icon glyph=Glyph::External/></a>
                    <ToolButton label=words.close_preview glyph=Glyph::Close on_press=close/>
                </span>
            </div>
            {known}
        }
    };
    let foot = move || {
        view! {
            <span><Kbd keys="j"/>" "<Kbd keys="k"/>" "{words.key_up_down}</span>
            <span><Kbd keys="o"/>" "{words.key_open}</span>
            <span><Kbd keys="Esc"/>" "{words.key_close}</span>
        }
    };
    view! {
        <Drawer label=label class="vms-drawer" on_close=close head=head foot=foot>
            {move || match detail.get() {
                Some(detail) => view! { <More detail=detail/> }.into_any(),
                None => view! { <section><SkeletonPanel lines=3/></section> }.into_any(),
            }}
            {move || row.get().map(|row| view! { <About row=row/> })}
        </Drawer>
    }
}

/// Whether the focus is in the drawer, with which it would be lost.
fn has_focus() -> bool {
    document().active_element().is_some_and(|active| active.closest(".vms-drawer").ok().flatten().is_some())
}

/// State, what it is, and what can be done with it.
#[component]
fn Acts(row: Memo<VmRow>, vm: VmRef, board: Switchboard) -> impl IntoView {
    let lang = use_lang();
    let shown = board.clone();
    let power = Memo::new(move |_| row.with(|row| shown.power(row)));
    let mark = Signal::derive(move || mark_of(power.get().tone()));
    let word = Signal::derive(move || power.get().say().text(lang).to_owned());
    let problem = move || row.with(|row| row.problem.as_deref().map(str::to_owned));
    let (cluster, namespace) = (vm.cluster.to_string(), vm.namespace.to_string());
    view! {
        <div class="row">
            <StateMark mark=mark word=word tint=true/>
            <span class="small faint cut">{move || row.with(|row| row.display_name.as_deref().map(str::to_owned))}</span>
        </div>
        {move || problem().map(|problem| view! { <p class="small tone-error">{problem}</p> })}
        <p class="soft"><a class="name" href=paths::cluster(&cluster)>{cluster.clone()}</a>" / "<code>{namespace}</code></p>
        <div class="row drawer-acts">
            <Screens row=row/>
            <Switches row=row board=board id="preview-power"/>
        </div>
    }
}

/// What the row says.
#[component]
fn About(row: VmRow) -> impl IntoView {
    let words = use_words().vm;
    let size = (words.size_text)(row.cpu, &row.memory.human(), &row.disk.human());
    let owner = match (row.owner, row.owner_name) {
        (None, None) => view! { <span class="faint">{words.no_owner}</span> }.into_any(),
        (number, name) => person(number, name),
    };
    view! {
        <section>
            <Facts>
                <Fact name=words.owner>{owner}</Fact>
                <Fact name=words.service>{linked("service", row.service)}</Fact>
                <Fact name=words.host>{linked("node", row.node)}</Fact>
                <Fact name=words.size>{size}</Fact>
                <Fact name=words.os>{row.os.map(|os| os.to_string())}</Fact>
            </Facts>
        </section>
    }
}

/// What only the VM's page knows.
#[component]
fn More(detail: VmDetail) -> impl IntoView {
    let words = use_words().vm;
    let zone = use_zone();
    let as_of = detail.as_of;
    let event = |event: EventLine| {
        let glyph = if event.is_warning { Glyph::Warning } else { Glyph::Info };
        let tone = if event.is_warning { Tone::Warning } else { Tone::Plain };
        let at = zone.near(event.at, as_of);
        view! { <ListItem glyph=glyph tone=tone title=event.reason more=event.message><time class="small faint">{at}</time></ListItem> }
    };
    let events: Vec<_> = detail.events.into_iter().take(EVENTS).map(event).collect();
    view! {
        <section>
            <h3>{words.truths}<Since at=as_of/></h3>
            <Truths truths=detail.truths/>
        </section>
        {(!events.is_empty()).then(|| view! { <section><h3>{words.events}</h3><ul class="list">{events}</ul></section> })}
    }
}
