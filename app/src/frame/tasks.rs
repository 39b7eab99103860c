//! The task centre: operations that run, and those that ended lately, as a drawer at the page's end.

use app_ui::{EmptyState, Glyph, Icon, Meter, Tone, ToolButton};
use leptos::prelude::*;
use model::UnixMs;
use model::change::{OperationKind, OperationView, State};
use model::quantity::percent;
use model::time;

use super::clock::{use_now, use_zone};
use super::desk::Desk;
use super::session::{tell, use_lang};
use crate::live::Held;
use crate::locales::use_words;
use crate::paths;

/// The drawer; its inside is made when it opens.
#[component]
pub(crate) fn Tasks(
    /// Newest first.
    operations: Held<Vec<OperationView>>,
) -> impl IntoView {
    let desk = Desk::find();
    let words = use_words().frame;
    let (value, counted) = (operations.value.clone(), operations.value.clone());
    let running = move || (words.tasks_running)(counted.with(|all| running(all)));
    let list = move || {
        let all = value.get();
        if all.is_empty() {
            return view! { <EmptyState glyph=Glyph::Tasks title=words.tasks_none meaning=words.tasks_none_more/> }
                .into_any();
        }
        let items = all.into_iter().map(|operation| view! { <Task operation=operation/> }).collect_view();
        view! { <ul class="list">{items}</ul> }.into_any()
    };
    let drawer = move || {
        let (running, list) = (running.clone(), list.clone());
        view! {
            <aside class="drawer" data-over="" aria-label=words.tasks>
                <header>
                    <div class="row">
                        <h2>{words.tasks}</h2>
                        <span class="small faint">{running}</span>
                        <span class="push"><ToolButton label=app_ui::words().close glyph=Glyph::Close on_press=move |()| desk.tasks.set(false)/></span>
                    </div>
                </header>
                <div aria-live="polite">{list}</div>
                <footer><span>{words.tasks_foot}</span></footer>
            </aside>
        }
    };
    move || desk.tasks.get().then(drawer.clone())
}

/// How many still run.
pub(crate) fn running(operations: &[OperationView]) -> u32 {
    operations.iter().filter(|operation| !operation.state.is_final()).count() as u32
}

/// One operation as a line of a list: what it does, how far it is, what it waits for, how long it has been at it.
#[component]
pub(crate) fn Task(
    /// The operation.
    operation: OperationView,
) -> impl IntoView {
    let words = use_words().frame;
    let (zone, now, lang) = (use_zone(), use_now(), use_lang());
    let (done, all) = operation.steps;
    let is_running = !operation.state.is_final();
    let (glyph, tone) = match (operation.state, operation.kind) {
        (State::Running | State::Undoing, OperationKind::Delivery) => (Glyph::Portal, "moving"),
        (State::Running | State::Undoing, OperationKind::Power) => (Glyph::Power, "moving"),
        (State::Succeeded, _) => (Glyph::Ok, "ok"),
        (State::Undone | State::Parked, _) => (Glyph::Error, "error"),
    };
    let title = tell(&operation.title);
    let title = match operation.kind {
        OperationKind::Delivery => {
            view! { <a class="name" href=paths::delivery(operation.id.as_str())>{title.clone()}</a> }.into_any()
        }
        OperationKind::Power => title.clone().into_any(),
    };
    let meter = (is_running && all > 1).then(|| {
        let share = f64::from(percent(done.into(), all.into()));
        view! { <Meter used=share label=(words.steps)(done, all) thin=true tone=Tone::Moving/> }
    });
    let mut notes: Vec<String> = Vec::new();
    notes.extend((is_running && all > 1).then(|| (words.steps)(done, all)));
    notes.extend((!is_running).then(|| operation.state.say().text(lang).to_owned()));
    notes.extend(operation.now.as_ref().map(tell));
    notes.push(operation.actor.clone());
    let began = operation.began;
    let at_end = match operation.ended {
        Some(ended) => {
            view! { <time class="small faint">{zone.near(ended, UnixMs(now.get_untracked()))}</time> }.into_any()
        }
        None => view! { <span class="small soft">{move || time::stopwatch(now.get() - began.0)}</span> }.into_any(),
    };
    view! {
        <li>
            <Icon glyph=glyph tone=tone/>
            <div><p>{title}</p>{meter}<small>{notes.join(" · ")}</small></div>
            {at_end}
        </li>
    }
}
