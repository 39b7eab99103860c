//! The page of all VMs: search, views, the live table, what is chosen, the preview beside it.

use std::ops::Range;

use app_ui::window::BUFFER;
use app_ui::{Glyph, Hotkey, Kind, LinkButton, PageHead, Segment, Segments, SkeletonTable, hotkey};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use model::access::Verb;
use model::console::Mode;
use model::fleet::ClusterView;
use model::id::VmRef;
use model::live::{Span, Topic};
use model::vm::{Query, VmRow};

use super::api::{Listed, open_list};
use super::blank::Nothing;
use super::bulk::Bulk;
use super::foot::Foot;
use super::place::{Place, sought};
use super::power::Switchboard;
use super::preview::Preview;
use super::search::{FIELD, Search};
use super::selection::Selection;
use super::table::{TABLE, VmTable};
use super::views::Views;
use crate::frame::{FaultNote, Loaded, Page, fetched, may, remember_density, use_session};
use crate::live::{Rows, use_rows, use_value};
use crate::locales::use_words;
use crate::paths;

/// Rows in the HTML: what the largest screen shows. The socket brings the whole buffer a moment later.
const FIRST_ROWS: u32 = 60;

/// What the parts of the page share.
#[derive(Clone)]
pub(super) struct List {
    /// The address.
    pub(super) place: Memo<Place>,
    /// Goes to another address of the list.
    pub(super) go: Callback<Place>,
    /// What is being typed.
    pub(super) typed: RwSignal<String>,
    /// What is searched.
    pub(super) asked: Memo<Query>,
    /// Where the buffer should start, for which query.
    pub(super) want: RwSignal<(Query, u32)>,
    /// The rows.
    pub(super) rows: Rows,
    /// The clusters.
    pub(super) fleet: ArcRwSignal<Vec<ClusterView>>,
    /// Rows that can be seen, by their place in the list; `None` until the browser has measured.
    pub(super) seen: RwSignal<Option<Range<u32>>>,
    /// Where the keyboard is.
    pub(super) cursor: RwSignal<Option<u32>>,
    /// What is chosen.
    pub(super) selection: Selection,
    /// What was asked of VMs.
    pub(super) board: Switchboard,
}

impl List {
    /// The VM that is looked at: that of the preview, else the row at the keyboard's place.
    fn current(&self) -> Option<VmRef> {
        if let Some(open) = self.place.with_untracked(|place| place.open.clone()) {
            return Some(open);
        }
        let at = self.cursor.get_untracked()?.checked_sub(self.rows.start.get_untracked())?;
        let cell = self.rows.cells.with_untracked(|cells| cells.get(at as usize).cloned())?;
        cell.row.with_untracked(VmRow::reference).ok()
    }
}

/// The page of all VMs.
#[component]
pub(crate) fn VmList() -> impl IntoView {
    let title = use_words().vm.title;
    let place = Place::follow();
    let listed = fetched(
        || (),
        move |()| {
            let query = sought(&place.get_untracked(), "", None);
            async move { open_list(query, Span { start: 0, len: FIRST_ROWS }).await }
        },
    );
    view! {
        <Page title=title flush=true class="vms">
            <Loaded from=listed page=true fallback=|| view! { <SkeletonTable rows=24 columns=8/> } let:listed>
                <Alive listed=listed place=place/>
            </Loaded>
        </Page>
    }
}

#[component]
fn Alive(listed: Listed, place: Memo<Place>) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let asked =
        Memo::new(move |before: Option<&Query>| place.with(|place| typed.with(|typed| sought(place, typed, before))));
    let want = RwSignal::new((Query::default(), 0));
    // A new query begins at its first row, wherever the old one was looked at.
    let span = Signal::derive(move || {
        let start = want.with(|(query, start)| if asked.with(|asked| asked == query) { *start } else { 0 });
        Span { start, len: BUFFER }
    });
    let navigate = use_navigate();
    let go = Callback::new(move |place: Place| {
        let options = NavigateOptions { scroll: false, replace: true, ..NavigateOptions::default() };
        navigate(&place.href(), options);
    });
    let list = List {
        place,
        go,
        typed,
        asked,
        want,
        rows: use_rows(asked.into(), span, listed.window),
        fleet: use_value(Topic::Fleet, listed.clusters).value,
        seen: RwSignal::new(None),
        cursor: RwSignal::new(None),
        selection: Selection::default(),
        board: Switchboard::new(),
    };
    follow_query(&list);
    keys(&list);
    let wide = RwSignal::new(use_session().preferences.is_roomy);
    let fleet = list.fleet.clone();
    let has_clusters = Memo::new(move |_| fleet.with(|all| !all.is_empty()));
    let total = list.rows.total.clone();
    let has_rows = Memo::new(move |_| total.get() > 0);
    let fault = {
        let fault = list.rows.fault.clone();
        Signal::derive(move || fault.get())
    };
    let shared = list.clone();
    let body = move || match (has_clusters.get(), has_rows.get()) {
        (true, true) => view! { <VmTable list=shared.clone()/> }.into_any(),
        _ => view! { <Nothing list=shared.clone()/> }.into_any(),
    };
    let opened = list.clone();
    let open = Memo::new(move |_| place.with(|place| place.open.clone()));
    let preview = move || open.get().map(|vm| view! { <Preview list=opened.clone() vm=vm/> });
    view! {
        <div class="vms-head">
            <Head/>
            <Views list=list.clone()/>
        </div>
        <div class="toolbar vms-bar">
            <Search list=list.clone()/>
            <Density wide=wide/>
        </div>
        <FaultNote fault=fault/>
        <div class="vms-body" data-density=move || wide.get().then_some("comfortable")>
            <div class="vms-list">
                {body}
                <Bulk list=list.clone()/>
            </div>
            {preview}
        </div>
        <Foot list=list/>
    }
}

#[component]
fn Head() -> impl IntoView {
    let words = use_words().vm;
    let create = may(Verb::VmCreate).then(|| {
        view! { <LinkButton href=paths::PORTAL word=words.create glyph=Glyph::Plus kind=Kind::Primary/> }
    });
    view! { <PageHead title=words.title>{create}</PageHead> }
}

#[component]
fn Density(wide: RwSignal<bool>) -> impl IntoView {
    let words = use_words().vm;
    let segments = vec![
        Segment::drawn(false, words.compact, Glyph::Rows),
        Segment::drawn(true, words.comfortable, Glyph::RowsWide),
    ];
    let pick = move |is_wide| {
        wide.set(is_wide);
        remember_density(is_wide);
    };
    view! { <Segments label=words.density segments=segments value=wide on_pick=pick/> }
}

/// The first window of another query is seen from its first row.
fn follow_query(list: &List) {
    let answers = list.rows.answers.clone();
    Effect::new(move |before: Option<Query>| {
        let now = answers.get();
        let pane = || document().get_element_by_id(TABLE).and_then(|table| table.parent_element());
        if before.is_some_and(|before| before != now)
            && let Some(pane) = pane()
        {
            pane.set_scroll_top(0);
        }
        now
    });
}

/// Keys of this page; the table has its own, which are only listed.
fn keys(list: &List) {
    let words = use_words().vm;
    let key = |key, word: &str, act: Option<Callback<()>>| {
        hotkey(Hotkey { key, group: words.keys.into(), word: word.into(), act })
    };
    key("/", words.key_search, Some(Callback::new(|()| focus(FIELD))));
    let cursor = list.cursor;
    // The first press enters the table, which hears the others itself.
    let enter = Callback::new(move |()| {
        focus(TABLE);
        if cursor.get_untracked().is_none() {
            cursor.set(Some(0));
        }
    });
    key("j", words.key_rows, Some(enter));
    key("k", words.key_rows, Some(enter));
    key("x", words.key_choose, None);
    let rows = list.rows.clone();
    key("r", words.key_reorder, Some(Callback::new(move |()| rows.reorder())));
    key("Enter", words.preview, None);
    key("o", words.key_open, None);
    let (here, navigate) = (list.clone(), use_navigate());
    let console = Callback::new(move |()| {
        if let Some(vm) = here.current() {
            let href = paths::console(vm.cluster.as_str(), vm.namespace.as_str(), vm.name.as_str(), Mode::Vnc);
            navigate(&href, NavigateOptions::default());
        }
    });
    key("c", words.key_console, Some(console));
}

/// Gives the focus to the element of that id, where there is one that takes it.
pub(super) fn focus(id: &str) {
    use wasm_bindgen::JsCast;
    let found = document().get_element_by_id(id).and_then(|found| found.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(found) = found {
        // What cannot take the focus leaves it where it is.
        let _ = found.focus();
    }
}
