//! The page of a delivery: how far the parcel is, what it waits for, and what is left when it failed.

use app_ui::{
    Button, ConfirmDialog, Confirmed, CopyButton, Fact, Facts, Glyph, Kind, LinkButton, Note, PageHead, Section,
    SkeletonHead, StateMark, Step, StepList, StepState, Toast, Tone,
};
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use model::access::Verb;
use model::change::State;
use model::console::Mode;
use model::id::OperationId;
use model::live::Topic;
use model::provisioning::{DeliveryView, StepState as Standing, StepView};
use model::time::took;
use model::{Fault, Lang};

use super::api::{read_delivery, undo_delivery};
use super::promise::Promise;
use crate::frame::{Desk, Loaded, Page, Zone, fetched, mark_of_state, tell, use_lang, use_refusal, use_zone};
use crate::live::use_value;
use crate::locales::use_words;
use crate::paths::{self, param};

/// The page.
#[component]
pub(crate) fn Parcel() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|p| p.get(param::ID)).unwrap_or_default());
    let delivery = fetched(
        move || id.get(),
        |id| async move {
            match OperationId::parse(&id) {
                Ok(id) => read_delivery(id).await,
                Err(_) => Err(Fault::not_found()),
            }
        },
    );
    let title = use_words().provisioning.delivery;
    view! {
        <Page title=title>
            <Loaded from=delivery page=true fallback=|| view! { <SkeletonHead/> } let:view>
                <Alive view=view/>
            </Loaded>
        </Page>
    }
}

#[component]
fn Alive(view: DeliveryView) -> impl IntoView {
    let words = use_words().provisioning;
    let (lang, zone) = (use_lang(), use_zone());
    let held = use_value(Topic::Delivery(view.id.clone()), view.clone()).value;
    let view_now = Memo::new(move |_| held.get());
    let undoing = RwSignal::new(false);
    let (cluster, namespace, name) = view.vm.clone();
    let vm = paths::vm(&cluster, &namespace, &name);
    let console = paths::console(&cluster, &namespace, &name, Mode::Vnc);
    let state = Memo::new(move |_| view_now.with(|v| v.state));
    // The inner closure is what follows the state; the outer one is called once.
    let mark = move || view! { {move || view! { <StateMark mark=mark_of_state(state.get()) word=tell(&state.get().say())/> }} };
    let about = [&view.owner, &view.service, &view.environment, &view.reason];
    let under = about.map(String::as_str).into_iter().filter(|said| !said.is_empty()).collect::<Vec<_>>().join(" · ");
    let role = use_refusal(Verb::VmCreate);
    let undo_refusal = Signal::derive(move || {
        role.clone().or_else(|| (state.get() != State::Running).then(|| words.undo_not.to_owned()))
    });
    let is_made = move || view_now.with(|v| v.handed_over.is_some() && v.state != State::Undone);
    let steps =
        Signal::derive(move || view_now.with(|v| v.steps.iter().map(|s| drawn(s, lang, zone)).collect::<Vec<_>>()));
    let id = view.id.clone();
    let title = name.clone();
    // Read when the button is pressed, so only in the browser.
    let path = paths::delivery(id.as_str());
    let link = Signal::derive(move || format!("{}{path}", window().location().origin().unwrap_or_default()));
    view! {
        <PageHead title=title after=mark under=move || under.clone()>
            <CopyButton text=link label=words.copy_link/>
            {move || is_made().then(|| view! {
                <LinkButton href=console.clone() word=words.console glyph=Glyph::Console/>
                <LinkButton href=vm.clone() word=words.open_vm glyph=Glyph::Vm kind=Kind::Primary/>
            })}
            <Button word=words.undo glyph=Glyph::Undo kind=Kind::Danger refusal=undo_refusal on_press=move |()| undoing.set(true)/>
        </PageHead>
        <Promise view=view_now/>
        <div class="parcel-main">
            <Section title=words.steps note=words.steps_note><StepList steps=steps/></Section>
            <div class="parcel-side">
                <Standing view=view_now/>
                <Section title=words.filled><FilledIn view=view_now/></Section>
            </div>
        </div>
        <Undo open=undoing id=id name=name/>
    }
}

/// What it waits for, or how it ended.
#[component]
fn Standing(view: Memo<DeliveryView>) -> impl IntoView {
    let words = use_words().provisioning;
    move || {
        let (state, waits, problem) = view.with(|v| (v.state, v.waits_for.clone(), v.problem.clone()));
        let problem = problem.as_ref().map(tell).unwrap_or_else(|| tell(&state.say()));
        match state {
            State::Running | State::Undoing => {
                let what = waits.as_ref().map(tell);
                what.map(|what| view! { <Note tone=Tone::Moving glyph=Glyph::Wait title=words.waits more=what/> })
                    .into_any()
            }
            State::Undone => {
                view! { <Note tone=Tone::Error glyph=Glyph::Error title=problem more=words.left_nothing/> }.into_any()
            }
            State::Parked => {
                view! { <Note tone=Tone::Warning glyph=Glyph::Warning title=problem more=words.left_parked/> }
                    .into_any()
            }
            State::Succeeded => ().into_any(),
        }
    }
}

#[component]
fn FilledIn(view: Memo<DeliveryView>) -> impl IntoView {
    let words = use_words().provisioning;
    move || {
        let v = view.get();
        view! {
            <Facts>
                <Fact name=words.template>{tell(&v.template)}</Fact>
                <Fact name=words.flavour>{v.flavour}</Fact>
                <Fact name=words.place><a class="name" href=paths::cluster(&v.vm.0)>{v.vm.0.clone()}</a>" / "<code>{v.vm.1.clone()}</code></Fact>
                <Fact name=words.network>{v.network}</Fact>
                <Fact name=words.address><code data-testid="ledger-address">{v.address.map(|a| a.to_string())}</code></Fact>
                <Fact name="MAC"><code>{v.mac}</code></Fact>
                <Fact name=words.owner>{v.owner}</Fact>
            </Facts>
        }
    }
}

#[component]
fn Undo(open: RwSignal<bool>, id: OperationId, name: String) -> impl IntoView {
    let words = use_words().provisioning;
    let desk = Desk::find();
    let failed = RwSignal::new(None::<Fault>);
    let undo = Action::new(move |reason: &String| {
        let (id, reason) = (id.clone(), reason.clone());
        async move {
            match undo_delivery(id, reason).await {
                Ok(()) => {
                    open.set(false);
                    desk.toast(Toast::done(words.undo_asked));
                }
                Err(fault) => failed.set(Some(fault)),
            }
        }
    });
    view! {
        <ConfirmDialog open=open id="undo-delivery" title=(words.undo_title)(&name) act=words.do_undo danger=true busy=undo.pending()
            asked=app_ui::Asked { name: None, reason: true } on_confirm=move |said: Confirmed| { undo.dispatch(said.reason); }>
            <p>{words.undo_more}</p>
            {move || failed.get().map(|fault| view! { <Note tone=Tone::Error glyph=Glyph::Error title=tell(&fault.say)/> })}
        </ConfirmDialog>
    }
}

/// A step as the list draws it.
fn drawn(step: &StepView, lang: Lang, zone: Zone) -> Step {
    let words = crate::locales::words_of(lang).provisioning;
    let (state, said) = match step.state {
        Standing::Done | Standing::Skipped => (StepState::Done, words.step_done),
        Standing::Running => (StepState::Now, words.step_now),
        Standing::Failed => (StepState::Failed, words.step_failed),
        Standing::Undone => (StepState::Failed, words.undone),
        Standing::Waiting => (StepState::Next, words.step_waiting),
    };
    let note = step.note.as_ref().map(|say| say.text(lang).to_owned());
    let detail = match step.state {
        Standing::Skipped => note.map(|why| (words.skipped)(&why)),
        Standing::Undone => Some(words.undone.to_owned()),
        _ => note,
    };
    Step {
        state,
        said: said.to_owned(),
        word: step.step.say().text(lang).to_owned(),
        began: step.began.map(|at| zone.clock(at)).unwrap_or_default(),
        took: step.began.zip(step.ended).map(|(from, to)| took(to.since(from))).unwrap_or_default(),
        detail,
    }
}
