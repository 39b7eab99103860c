//! The order form. Typing is never overwritten: what the platform fills in stands beside the fields, not in them.

use app_ui::{Button, Choice, Field, Glyph, Icon, Kind, Segment, Segments, Select, Size, TextArea, TextInput};
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use model::Fault;
use model::access::Verb;
use model::ownership::Environment;
use model::provisioning::{Draft, Order, OrderOptions, Place, Preview};

use super::api::{place_order, preview_order};
use super::checks::Checks;
use super::filled::Filled;
use crate::frame::{FORM_REST, FaultNote, tell, use_refusal, when_it_rests};
use crate::locales::use_words;
use crate::paths;
use crate::vm::fresh_key;

/// Id of the list of services that are known already.
const SERVICES: &str = "services";

/// A preview and the draft that it is about.
pub(super) type Seen = (Draft, Result<Preview, Fault>);

/// The form as signals.
#[derive(Clone, Copy)]
struct Form {
    service: RwSignal<String>,
    environment: RwSignal<Environment>,
    flavour: RwSignal<String>,
    place: RwSignal<String>,
    reason: RwSignal<String>,
    name: RwSignal<String>,
    namespace: RwSignal<String>,
    address: RwSignal<String>,
    owner_number: RwSignal<String>,
    owner_name: RwSignal<String>,
    keys: RwSignal<String>,
}

/// A place as the value of its choice.
fn place_key(place: &Place) -> String {
    format!("{} {} {}", place.cluster, place.network, place.subnet)
}

impl Form {
    fn draft(self, template: String) -> Draft {
        let place = self.place.get();
        let mut parts = place.split(' ').map(str::to_owned);
        let mut part = || parts.next().unwrap_or_default();
        Draft {
            template,
            service: self.service.get().trim().to_owned(),
            environment: self.environment.get().word().to_owned(),
            flavour: self.flavour.get(),
            cluster: part(),
            network: part(),
            subnet: part(),
            namespace: self.namespace.get().trim().to_owned(),
            name: self.name.get().trim().to_owned(),
            address: self.address.get().trim().to_owned(),
            owner_number: self.owner_number.get().trim().to_owned(),
            owner_name: self.owner_name.get().trim().to_owned(),
            ssh_keys: self.keys.get(),
            reason: self.reason.get(),
        }
    }
}

/// The form and what it leads to.
#[component]
pub(super) fn OrderForm(options: OrderOptions, chosen: Memo<String>) -> impl IntoView {
    let words = use_words().provisioning;
    let text = || RwSignal::new(String::new());
    let first = options.places.iter().find(|p| p.refusal.is_none() && p.free > 0).map(place_key).unwrap_or_default();
    let form = Form {
        service: text(),
        environment: RwSignal::new(Environment::Test),
        flavour: text(),
        place: RwSignal::new(first),
        reason: text(),
        name: text(),
        namespace: text(),
        address: text(),
        owner_number: text(),
        owner_name: text(),
        keys: text(),
    };
    let templates = StoredValue::new(options.templates.clone());
    let template = Memo::new(move |_| {
        templates.with_value(|all| all.iter().find(|t| chosen.with(|c| *c == t.id.as_str())).cloned())
    });
    let flavours = Memo::new(move |_| {
        template.with(|t| t.iter().flat_map(|t| &t.flavours).map(|f| (f.word(), f.label())).collect::<Vec<_>>())
    });
    // A size of another template is no size of this one: the first is taken, unless the person chose one that is there.
    let flavour = Memo::new(move |_| {
        let typed = form.flavour.get();
        flavours.with(|all| {
            if all.iter().any(|(word, _)| *word == typed) {
                typed
            } else {
                all.first().map(|f| f.0.clone()).unwrap_or_default()
            }
        })
    });
    let draft = Memo::new(move |_| Draft { flavour: flavour.get(), ..form.draft(chosen.get()) });
    let preview = previews(draft);
    let ordering = ordering();
    // A refusal is about what was sent, and goes with it.
    let refused = Signal::derive(move || {
        let (about, result) = ordering.value().get()?;
        result.err().filter(|_| draft.with(|draft| *draft == about))
    });
    let fault_at = move |field: &'static str| {
        Signal::derive(move || {
            let at = |fault: &Fault| fault.field.as_deref() == Some(field);
            let placed = refused.get().filter(at);
            let seen = preview
                .value()
                .get()
                .filter(|(about, _)| draft.with(|d| d == about))
                .and_then(|(_, result)| result.ok());
            // An empty field is not wrong yet; the list of checks says what is missing.
            placed.or_else(|| seen.and_then(|p| p.faults.into_iter().find(at))).map(|fault| tell(&fault.say))
        })
    };
    let service_error = {
        let error = fault_at("service");
        Signal::derive(move || if form.service.with(|s| s.trim().is_empty()) { None } else { error.get() })
    };
    let other = Signal::derive(move || refused.get().filter(|fault| fault.field.is_none()));
    let role = use_refusal(Verb::VmCreate);
    let refusal = Signal::derive(move || {
        let seen = preview.value().get().filter(|(about, _)| draft.with(|d| d == about));
        role.clone().or_else(|| match seen {
            Some((_, Ok(preview))) if preview.is_fine() && preview.name.is_some() => None,
            Some((_, Ok(_))) => Some(words.not_fine.to_owned()),
            Some((_, Err(fault))) => Some(tell(&fault.say)),
            None => Some(words.not_ready.to_owned()),
        })
    });
    let submit = move || {
        if refusal.get_untracked().is_none() && !ordering.pending().get_untracked() {
            ordering.dispatch(draft.get_untracked());
        }
    };
    let keys = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            submit();
        }
    };
    let title = move || template.with(|t| t.as_ref().map(|t| tell(&t.name)));
    let version = move || template.with(|t| t.as_ref().map(|t| (words.version)(t.version)));
    let services = options.services.clone();
    view! {
        <form class="portal-form" aria-label=words.form on:keydown=keys on:submit=move |e: leptos::ev::SubmitEvent| { e.prevent_default(); submit() }>
            <div class="row"><Icon glyph=Glyph::Vm/><h2>{title}</h2><span class="push small faint">{version}</span></div>
            <FaultNote fault=other/>
            <Main form=form flavours=flavours places=options.places services=services errors=[service_error, fault_at("flavour"), fault_at("network"), fault_at("reason")]/>
            <More form=form errors=[fault_at("name"), fault_at("namespace"), fault_at("address"), fault_at("owner_number"), fault_at("ssh_keys")]/>
            <Filled preview=preview draft=draft/>
            <Checks preview=preview draft=draft/>
            <div class="row">
                <Button word=words.create kind=Kind::Primary size=Size::Form wide=true submit=true key="Ctrl ↵" above=true refusal=refusal busy=ordering.pending()/>
            </div>
            <p class="small faint">{words.promise}</p>
        </form>
    }
}

/// Service, environment, size, place, reason.
#[component]
fn Main(
    form: Form,
    flavours: Memo<Vec<(String, String)>>,
    places: Vec<Place>,
    services: Vec<String>,
    errors: [Signal<Option<String>>; 4],
) -> impl IntoView {
    let words = use_words().provisioning;
    let [service_error, flavour_error, place_error, reason_error] = errors;
    let segments = Environment::ALL.map(|e| Segment::new(e, tell(&e.say()))).to_vec();
    let sizes = Signal::derive(move || {
        flavours.get().into_iter().map(|(value, word)| Choice::new(value, word)).collect::<Vec<_>>()
    });
    let choices: Vec<Choice> = places
        .iter()
        .map(|p| {
            let choice =
                Choice::new(place_key(p), (words.place_word)(&p.cluster_name, &p.subnet_name, &p.cidr, p.free));
            match &p.refusal {
                Some(why) => choice.refused(tell(why)),
                None => choice,
            }
        })
        .collect();
    let known = services.into_iter().map(|s| view! { <option value=s></option> }).collect_view();
    view! {
        <div class="portal-fields">
            <Field id="order-service" label=words.service hint=words.service_hint error=service_error full=true>
                <TextInput value=form.service mono=true placeholder="order" autocomplete="off" list=SERVICES/>
            </Field>
            <datalist id=SERVICES>{known}</datalist>
            <div class="field" data-full="">
                // Read out as the group's label: a `label` ties to one control only.
                <span class="field-label" aria-hidden="true">{words.environment}</span>
                <Segments label=words.environment segments=segments value=form.environment on_pick=move |e| form.environment.set(e) large=true/>
            </div>
            <Field id="order-flavour" label=words.flavour error=flavour_error full=true><Select value=form.flavour choices=sizes/></Field>
            <Field id="order-place" label=words.place error=place_error full=true><Select value=form.place choices=Signal::stored(choices)/></Field>
            <Field id="order-reason" label=words.reason error=reason_error full=true><TextInput value=form.reason/></Field>
        </div>
    }
}

/// What most people leave to the rules.
#[component]
fn More(form: Form, errors: [Signal<Option<String>>; 5]) -> impl IntoView {
    let words = use_words().provisioning;
    let [name, namespace, address, owner, keys] = errors;
    view! {
        <details class="more">
            <summary class="link small">{words.more}</summary>
            <div class="portal-fields">
                <Field id="order-name" label=words.name hint=words.name_hint error=name><TextInput value=form.name mono=true/></Field>
                <Field id="order-namespace" label=words.namespace error=namespace><TextInput value=form.namespace mono=true/></Field>
                <Field id="order-address" label=words.address hint=words.address_hint error=address><TextInput value=form.address mono=true/></Field>
                <Field id="order-owner" label=words.owner_number error=owner><TextInput value=form.owner_number mono=true/></Field>
                <Field id="order-owner-name" label=words.owner_name><TextInput value=form.owner_name/></Field>
                <Field id="order-keys" label=words.keys hint=words.keys_hint error=keys full=true><TextArea value=form.keys mono=true rows=3/></Field>
            </div>
        </details>
    }
}

/// Asks for a preview when typing rests; the newest answer counts, with the draft that it is about.
fn previews(draft: Memo<Draft>) -> Action<Draft, Seen> {
    let preview = Action::new(|draft: &Draft| {
        let draft = draft.clone();
        async move { (draft.clone(), preview_order(draft).await) }
    });
    when_it_rests(
        FORM_REST,
        move || Some(draft.get()),
        move |draft| {
            preview.dispatch(draft);
        },
    );
    preview
}

/// Places the order. The key is drawn once a draft, so that trying the same again after a lost answer is not a second VM.
fn ordering() -> Action<Draft, (Draft, Result<(), Fault>)> {
    let key = StoredValue::new(None::<(Draft, model::id::IdempotencyKey)>);
    let navigate = use_navigate();
    Action::new(move |draft: &Draft| {
        let (draft, navigate) = (draft.clone(), navigate.clone());
        let held = key.with_value(|k| k.clone().filter(|(about, _)| *about == draft).map(|(_, key)| key));
        async move {
            let place = async |draft: Draft| {
                let fresh = match held {
                    Some(held) => held,
                    None => fresh_key()?,
                };
                key.set_value(Some((draft.clone(), fresh.clone())));
                let id = place_order(Order { draft, key: fresh }).await?;
                navigate(&paths::delivery(id.as_str()), Default::default());
                Ok(())
            };
            let result = place(draft.clone()).await;
            (draft, result)
        }
    })
}
