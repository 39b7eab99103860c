//! Registering a cluster: a pasted kubeconfig is examined at once, and what is wrong with it stands at its field.

use app_ui::{
    Button, Checkbox, EmptyState, Fact, Facts, Field, Glyph, Kind, LinkButton, Note, PageHead, Size, TextArea,
    TextInput, Toast, Tone,
};
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use model::Fault;
use model::access::Verb;
use model::fleet::Register;
use model::id::ClusterId;

use super::api::{Examined, examine_kubeconfig, register_cluster};
use crate::frame::{Desk, FORM_REST, FaultNote, Moment, Page, at_field, tell, use_refusal, when_it_rests};
use crate::locales::use_words;
use crate::paths;

/// Fields that a fault may name.
const FIELDS: [&str; 3] = ["id", "name", "kubeconfig"];

/// The form, as signals of what is typed.
#[derive(Clone, Copy)]
struct Form {
    id: RwSignal<String>,
    name: RwSignal<String>,
    kubeconfig: RwSignal<String>,
    observe: RwSignal<bool>,
}

impl Form {
    fn read(self) -> Register {
        Register {
            id: self.id.get_untracked().trim().to_owned(),
            name: self.name.get_untracked().trim().to_owned(),
            kubeconfig: self.kubeconfig.get_untracked(),
            is_observe_only: self.observe.get_untracked(),
        }
    }
}

/// The page with the form.
#[component]
pub(crate) fn RegisterCluster() -> impl IntoView {
    let words = use_words().fleet;
    let text = || RwSignal::new(String::new());
    let form = Form { id: text(), name: text(), kubeconfig: text(), observe: RwSignal::new(false) };
    let examination = examination(form.kubeconfig);
    let (desk, navigate) = (Desk::find(), use_navigate());
    let registration = Action::new(move |wanted: &Register| {
        let (wanted, navigate) = (wanted.clone(), navigate.clone());
        async move {
            let cluster = register_cluster(wanted).await?;
            desk.toast(Toast::done((words.registered)(&cluster.name)));
            navigate(&paths::cluster(cluster.id.as_str()), Default::default());
            Ok::<(), Fault>(())
        }
    });
    view! {
        <Page title=words.register>
            <PageHead title=words.register under=move || words.register_lead/>
            <div class="register">
                <Fields form=form examination=examination registration=registration/>
                <aside aria-live="polite"><h2>{words.found}</h2><Found examination=examination/></aside>
            </div>
        </Page>
    }
}

/// Examines what is pasted, when typing rests; the newest answer counts, with what it is about.
fn examination(kubeconfig: RwSignal<String>) -> Action<String, (String, Result<Examined, Fault>)> {
    let examination = Action::new(|text: &String| {
        let text = text.clone();
        async move { (text.clone(), examine_kubeconfig(text).await) }
    });
    when_it_rests(
        FORM_REST,
        move || Some(kubeconfig.get()).filter(|text| !text.trim().is_empty()),
        move |text| {
            examination.dispatch(text);
        },
    );
    examination
}

#[component]
fn Fields(
    form: Form,
    examination: Action<String, (String, Result<Examined, Fault>)>,
    registration: Action<Register, Result<(), Fault>>,
) -> impl IntoView {
    let words = use_words().fleet;
    let registered = Signal::derive(move || registration.value().get().and_then(Result::err));
    let [at_name, at_id, at_kubeconfig] = [("name", form.name), ("id", form.id), ("kubeconfig", form.kubeconfig)]
        .map(|(f, v)| at_field(registered, f, v));
    let id_error = Signal::derive(move || {
        let typed = form.id.get();
        let own = (!typed.is_empty()).then(|| ClusterId::parse(typed.trim()).err().map(|bad| tell(&bad.say))).flatten();
        own.or_else(|| at_id.get())
    });
    let kubeconfig_error = Signal::derive(move || {
        let typed = form.kubeconfig.get();
        let examined =
            examination.value().get().filter(|(about, _)| *about == typed).and_then(|(_, result)| result.err());
        examined.map(|fault| tell(&fault.say)).or_else(|| at_kubeconfig.get())
    });
    // What no field is to blame for stands above the form.
    let other = Signal::derive(move || {
        registered.get().filter(|fault| fault.field.as_deref().is_none_or(|field| !FIELDS.contains(&field)))
    });
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        registration.dispatch(form.read());
    };
    view! {
        <form class="form" on:submit=submit>
            <FaultNote fault=other/>
            <Field id="name" label=words.name hint=words.name_hint error=at_name>
                <TextInput value=form.name required=true autofocus=true/>
            </Field>
            <Field id="id" label=words.id hint=words.id_hint error=id_error>
                <TextInput value=form.id mono=true required=true placeholder="bj-1"/>
            </Field>
            <Field id="kubeconfig" label=words.kubeconfig hint=words.kubeconfig_hint error=kubeconfig_error full=true>
                <TextArea value=form.kubeconfig mono=true rows=14 required=true/>
            </Field>
            <div data-full="">
                <Checkbox checked=form.observe on_toggle=move |is| form.observe.set(is) word=words.observe_check note=words.observe_check_more/>
            </div>
            <footer>
                <Button
                    word=words.do_register
                    kind=Kind::Primary
                    size=Size::Form
                    submit=true
                    busy=registration.pending()
                    refusal=use_refusal(Verb::FleetRegister)
                />
                <LinkButton href=paths::CLUSTERS word=words.cancel size=Size::Form kind=Kind::Quiet/>
                <small>{move || registration.pending().get().then_some(words.registering)}</small>
            </footer>
        </form>
    }
}

/// What the kubeconfig says, beside the form.
#[component]
fn Found(examination: Action<String, (String, Result<Examined, Fault>)>) -> impl IntoView {
    let words = use_words().fleet;
    let found = move |found: Examined| {
        let expires = match found.expires {
            Some(at) => view! { <Moment at=at/> }.into_any(),
            None => words.expires_never.into_any(),
        };
        view! {
            <Facts>
                <Fact name=words.api_server><code>{found.url}</code></Fact>
                <Fact name=words.expires>{expires}</Fact>
            </Facts>
        }
    };
    let waiting = move || {
        view! {
            <EmptyState glyph=Glyph::Key title=words.found_wait meaning=words.found_wait_more>
                <a class="button" data-kind="quiet" href=paths::CLUSTER_ROLE rel="external" download="">{words.role_file}</a>
            </EmptyState>
        }
    };
    move || match (examination.pending().get(), examination.value().get()) {
        (true, _) => view! { <Note tone=Tone::Moving glyph=Glyph::Wait title=words.examining/> }.into_any(),
        (false, Some((_, Ok(examined)))) => found(examined).into_any(),
        // What is wrong with it stands at its field.
        (false, Some((_, Err(_))) | None) => waiting().into_any(),
    }
}
