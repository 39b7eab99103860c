//! The page of a console: the screen is everything; over it a bar that hides itself, and what stands in the way of a
//! picture.

use app_ui::{Asked, Button, ConfirmDialog, Confirmed, Glyph, Kind, LinkButton};
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};
use model::Fault;
use model::console::Mode;
use model::id::VmRef;
use model::ownership::Environment;
use model::vm::VmDetail;

use super::bar::Bar;
use super::paste::Paste;
use super::screen::Screen;
use super::serial::Serial;
use super::session::Session;
use super::stage::Stage;
use super::watermark::Watermark;
use crate::frame::{Loaded, WindowTitle, fetched, use_now};
use crate::locales::use_words;
use crate::paths::{self, param};
use crate::vm::read_vm;

/// The page of a console.
#[component]
pub(crate) fn ConsolePage() -> impl IntoView {
    let words = use_words().console;
    let (params, query) = (use_params_map(), use_query_map());
    let vm = Memo::new(move |_| {
        let part = |name: &str| params.with(|params| params.get(name)).unwrap_or_default();
        VmRef::parse(&part(param::CLUSTER), &part(param::NAMESPACE), &part(param::NAME)).ok()
    });
    let mode = Memo::new(move |_| match query.with(|query| query.get(param::MODE)).as_deref() {
        Some("serial") => Mode::Serial,
        _ => Mode::Vnc,
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
    let title = move || vm.with(|vm| vm.as_ref().map(|vm| (words.title)(vm.name.as_str())).unwrap_or_default());
    view! {
        <WindowTitle text=title/>
        <main class="console" id="main" tabindex="-1">
            <h1 class="unseen">{title}</h1>
            <Loaded from=detail page=true fallback=move || view! { <p class="console-card" role="status">{words.opening}</p> } let:detail>
                {move || { let detail = detail.clone(); let mode = mode.get(); view! { <Room detail=detail mode=mode/> } }}
            </Loaded>
        </main>
    }
}

/// One VM's console in one mode.
#[component]
fn Room(detail: VmDetail, mode: Mode) -> impl IntoView {
    let Ok(vm) = detail.row.reference() else { return ().into_any() };
    let is_production = detail.row.environment.as_deref() == Some(Environment::Prod.word());
    let session = Session::new(vm, mode, is_production);
    let (opening, closing) = (session.clone(), session.clone());
    Effect::new(move |_| {
        if opening.stage.with_untracked(|stage| *stage == Stage::Opening) {
            opening.open();
        }
    });
    on_cleanup(move || closing.close());
    let (fit, paste) = (RwSignal::new(true), RwSignal::new(false));
    let picture = match mode {
        Mode::Vnc => view! { <Screen session=session.clone() fit=fit/> }.into_any(),
        Mode::Serial => view! { <Serial session=session.clone()/> }.into_any(),
    };
    let line = session.stage.clone();
    let typed = session.clone();
    view! {
        {picture}
        <Watermark/>
        <Bar session=session.clone() environment=detail.row.environment fit=fit paste=paste/>
        <InTheWay session=session.clone()/>
        {(mode == Mode::Vnc).then(|| view! { <Paste session=typed open=paste/> })}
        <Question session=session/>
        <div class="console-line" data-state=move || line.with(|stage| stage.word())></div>
    }
    .into_any()
}

/// What stands in the way of a picture, why, and what can be done about it.
#[component]
fn InTheWay(session: Session) -> impl IntoView {
    let all = use_words();
    let words = all.console;
    let now = use_now();
    let stage = {
        let stage = session.stage.clone();
        Memo::new(move |_| stage.get())
    };
    let page = paths::vm(session.vm.cluster.as_str(), session.vm.namespace.as_str(), session.vm.name.as_str());
    let wait = move || match stage.get() {
        Stage::Waiting(_, at) => Some((words.waiting)(((at - now.get()).max(0) + 999) / 1000)),
        _ => None,
    };
    let content = move || {
        let (again, page) = (session.clone(), page.clone());
        let stage = stage.get();
        if matches!(stage, Stage::Connected | Stage::Asking) {
            return None;
        }
        if let Stage::Held(name) = &stage {
            let (heading, taker) = ((words.held_by)(name), session.clone());
            return Some(
                view! {
                    <section class="console-card">
                        <h2>{heading}</h2>
                        <p>{words.held_more}</p>
                        <div class="row">
                            <Button word=words.take_over kind=Kind::Primary on_press=move |()| taker.take_over()/>
                            <LinkButton href=page word=words.back kind=Kind::Quiet/>
                        </div>
                    </section>
                }
                .into_any(),
            );
        }
        let why = stage.why().map(|why| (why.say(all), why.detail()));
        let word = if matches!(stage, Stage::Waiting(..)) { words.try_now } else { words.open_again };
        let acts = stage.why().is_some() || matches!(stage, Stage::Ended(_));
        Some(view! {
            <section class="console-card">
                <h2>{stage.say(all)}</h2>
                {why.map(|(why, detail)| view! { <p>{why}</p>{detail.map(|detail| view! { <p class="small faint">{detail}</p> })} })}
                <p class="small faint">{wait}</p>
                {acts.then(|| view! {
                    <div class="row">
                        <Button word=word kind=Kind::Primary glyph=Glyph::Refresh on_press=move |()| again.open()/>
                        <LinkButton href=page word=words.back kind=Kind::Quiet/>
                    </div>
                })}
            </section>
        }.into_any())
    };
    view! { <div role="status" class="console-state">{content}</div> }
}

/// Production asks why.
#[component]
fn Question(session: Session) -> impl IntoView {
    let words = use_words().console;
    let open = RwSignal::new(false);
    let name = session.vm.name.to_string();
    let stage = session.stage.clone();
    // The dialog is opened by the browser, so that the server's HTML is that of a page with a closed one.
    Effect::new(move |_| {
        if stage.with(|stage| *stage == Stage::Asking) {
            open.set(true);
        }
    });
    let confirm = move |Confirmed { reason }| {
        open.set(false);
        session.reason.set(reason);
        session.open();
    };
    view! {
        <ConfirmDialog
            open=open
            id="console-reason"
            title=(words.reason_title)(&name)
            asked=Asked { name: None, reason: true }
            act=words.open
            on_confirm=confirm
        >
            <p>{words.reason_more}</p>
            <p class="small faint">{words.reason_hint}</p>
        </ConfirmDialog>
    }
}
