//! What stands around every page: navigation, top bar, palette, tasks, toasts, help, and the states every page can be in.
//!
//! The frame knows no noun's pages; it follows the fleet and the operations for its own marks. What a page needs of it is
//! exported here.

mod api;
mod choices;
mod clock;
mod desk;
mod fields;
mod keys;
mod line;
mod loaded;
mod me;
mod nav;
mod page;
mod palette;
mod preferences;
mod rest;
mod session;
mod states;
mod tasks;
mod tones;
mod topbar;
mod trail;

pub use preferences::{Preferences, Theme};
pub use session::{Answer, Session};

pub(crate) use clock::{Moment, Since, Zone, provide_clock, use_now, use_zone};
pub(crate) use desk::Desk;
pub(crate) use fields::at_field;
pub(crate) use loaded::{Loaded, fetched};
pub(crate) use nav::Brand;
pub(crate) use page::{Page, WindowTitle};
pub(crate) use preferences::{remember_density, remember_lang, remember_offset};
pub(crate) use rest::{FORM_REST, when_it_rests};
pub(crate) use session::{may, tell, use_lang, use_refusal, use_session};
pub(crate) use states::{FaultNote, FaultState, NotFound};
pub(crate) use tasks::Task;
pub(crate) use tones::{fill_of, mark_of, mark_of_health, mark_of_state};

use app_ui::{ChartDefs, HotkeyHost, ToastHost};
use leptos::prelude::*;
use leptos_router::components::Outlet;
use leptos_router::hooks::use_location;
use model::change::OperationView;
use model::fleet::ClusterView;
use model::live::Topic;

use crate::live::use_value;
use crate::locales::use_words;
use trail::Place;

/// All clusters as the frame follows them, for whatever asks what a cluster takes now; none until the line is open.
#[derive(Clone, Default)]
pub(crate) struct Fleet(pub(crate) ArcRwSignal<Vec<ClusterView>>);

impl Fleet {
    /// The frame's; read it in a component. Outside a frame none are known.
    pub(crate) fn find() -> Self {
        use_context().unwrap_or_default()
    }
}

/// The frame; pages stand in its outlet, each in a `<main>` of its own ([`Page`]).
#[component]
pub(crate) fn Frame() -> impl IntoView {
    let session = use_session();
    let desk = Desk::provide(session.preferences.is_folded);
    keys::register(desk);
    let path = use_location().pathname;
    let place = Memo::new(move |_| path.with(|path| Place::of(path)));
    let fleet = use_value::<Vec<ClusterView>>(Topic::Fleet, Vec::new());
    provide_context(Fleet(fleet.value.clone()));
    let operations = use_value::<Vec<OperationView>>(Topic::Operations, Vec::new());
    let counts = counts(fleet.value.clone());
    let nav = move || if desk.folded.get() { "icons" } else { "open" };
    let fit = move || place.with(Place::is_fitted).then_some("");
    // Leaving a page closes the menu that led to the next one.
    let leave = move |event: leptos::ev::MouseEvent| {
        if is_veil(&event) {
            desk.menu.set(false)
        }
    };
    view! {
        <ChartDefs/>
        <div class="frame" data-nav=nav data-fit=fit data-menu=move || desk.menu.get().then_some("open") on:click=leave>
            <a class="skip" href="#main" rel="external">{use_words().frame.skip}</a>
            <nav::Nav place=place counts=counts/>
            <topbar::TopBar place=place fleet=fleet operations=operations.clone()/>
            <line::LineBar/>
            <Outlet/>
        </div>
        <tasks::Tasks operations=operations/>
        <palette::Palette/>
        <HotkeyHost hotkeys=desk.hotkeys/>
        <ToastHost toasts=desk.toasts/>
    }
}

fn counts(fleet: ArcRwSignal<Vec<ClusterView>>) -> nav::Counts {
    let of = |count: fn(&[ClusterView]) -> u32| {
        let fleet = fleet.clone();
        Signal::derive(move || fleet.with(|all| (!all.is_empty()).then(|| count(all))))
    };
    nav::Counts { vms: of(|all| all.iter().map(ClusterView::vms).sum()), clusters: of(|all| all.len() as u32) }
}

/// The click was on the veil that the open menu lays over the page: on the frame itself, since the veil is drawn by it.
fn is_veil(event: &leptos::ev::MouseEvent) -> bool {
    event.target().is_some() && event.target() == event.current_target()
}
