//! The navigation: what works, and no more. Folded to icons on request, a drawer on narrow screens.

use app_ui::{Glyph, Icon};
use leptos::prelude::*;
use model::access::Verb;

use super::desk::Desk;
use super::preferences::remember_nav;
use super::session::may;
use super::trail::{Place, Section};
use crate::locales::{grouped, use_words};
use crate::paths;

/// The counts beside entries; `None` until they are known.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    /// VMs of all clusters.
    pub(crate) vms: Signal<Option<u32>>,
    /// Clusters.
    pub(crate) clusters: Signal<Option<u32>>,
}

/// The navigation.
#[component]
pub(crate) fn Nav(
    /// The page that is open.
    place: Memo<Place>,
    /// The counts beside entries.
    counts: Counts,
) -> impl IntoView {
    let words = use_words().frame;
    let desk = Desk::find();
    let nobody = Signal::stored(None);
    let entry = move |section, href, glyph, word, count| view! { <Entry place=place section=section href=href glyph=glyph word=word count=count/> };
    let fold = move |_| {
        desk.folded.update(|folded| *folded = !*folded);
        remember_nav(desk.folded.get_untracked());
    };
    let fold_word = move || if desk.folded.get() { words.unfold } else { words.fold };
    view! {
        <nav class="nav" id="nav" aria-label=words.navigation>
            <a class="brand" href=paths::OVERVIEW aria-label="harvester-admin"><Brand/><b>"harvester-admin"</b></a>
            <ul>
                {entry(Section::Overview, paths::OVERVIEW, Glyph::Overview, words.overview, nobody)}
                {may(Verb::VmCreate).then(|| entry(Section::Portal, paths::PORTAL, Glyph::Portal, words.portal, nobody))}
            </ul>
            <hr/>
            <ul>
                {entry(Section::Vms, paths::VMS, Glyph::Vm, words.vms, counts.vms)}
                {entry(Section::Addresses, paths::SUBNETS, Glyph::Address, words.addresses, nobody)}
            </ul>
            <hr/>
            <ul>
                {entry(Section::Clusters, paths::CLUSTERS, Glyph::Cluster, words.clusters, counts.clusters)}
                {may(Verb::AuditRead).then(|| entry(Section::Audit, paths::AUDIT, Glyph::Audit, words.audit, nobody))}
            </ul>
            <footer>
                <button type="button" class="nav-item" title=words.help on:click=move |_| desk.hotkeys.help.set(true)>
                    <Icon glyph=Glyph::Help/><span>{words.help}</span><em><kbd>"?"</kbd></em>
                </button>
                <button type="button" class="nav-item" title=fold_word on:click=fold>
                    <Icon glyph=Glyph::Fold/><span>{fold_word}</span>
                </button>
            </footer>
        </nav>
    }
}

#[component]
fn Entry(
    place: Memo<Place>,
    section: Section,
    href: &'static str,
    glyph: Glyph,
    word: &'static str,
    count: Signal<Option<u32>>,
) -> impl IntoView {
    let desk = Desk::find();
    let current = move || place.with(|place| place.section() == Some(section)).then_some("page");
    view! {
        <li>
            <a class="nav-item" href=href title=word aria-current=current on:click=move |_| desk.menu.set(false)>
                <Icon glyph=glyph/>
                <span>{word}</span>
                {move || count.get().map(|count| view! { <em>{grouped(count)}</em> })}
            </a>
        </li>
    }
}

/// Our mark.
#[component]
pub(crate) fn Brand() -> impl IntoView {
    view! {
        <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true">
            <path d="M3.5 17V9M10 17V3M16.5 17V9"></path>
            <path d="M3.5 11.5 10 7l6.5 4.5" stroke-width="1.5"></path>
        </svg>
    }
}
