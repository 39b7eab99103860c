//! The form of a subnet, for a new one and for one that is there.

use app_ui::{Button, Checkbox, Field, Kind, LinkButton, PageHead, Size, TextArea, TextInput, Toast};
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use model::Fault;
use model::access::Verb;
use model::id::SubnetId;
use model::ipam::{Serves, SubnetDraft};

use super::api::{Network, create_subnet, list_networks, update_subnet};
use super::draft::Typed;
use crate::frame::{Desk, FaultNote, Page, at_field, tell, use_refusal};
use crate::locales::use_words;
use crate::paths;

/// Fields that a fault may name.
const FIELDS: [&str; 8] = ["name", "cidr", "gateway", "vlan", "dns", "search", "ranges", "serves"];

/// The page of a new subnet.
#[component]
pub(crate) fn NewSubnet() -> impl IntoView {
    let words = use_words().ipam;
    view! {
        <Page title=words.new>
            <PageHead title=words.new/>
            <SubnetForm typed=Typed::default()/>
        </Page>
    }
}

/// The form as signals.
#[derive(Clone, Copy)]
struct Form {
    name: RwSignal<String>,
    cidr: RwSignal<String>,
    gateway: RwSignal<String>,
    vlan: RwSignal<String>,
    dns: RwSignal<String>,
    search: RwSignal<String>,
    ranges: RwSignal<String>,
    serves: RwSignal<Vec<Serves>>,
}

impl Form {
    fn new(typed: Typed) -> Self {
        Self {
            name: RwSignal::new(typed.name),
            cidr: RwSignal::new(typed.cidr),
            gateway: RwSignal::new(typed.gateway),
            vlan: RwSignal::new(typed.vlan),
            dns: RwSignal::new(typed.dns),
            search: RwSignal::new(typed.search),
            ranges: RwSignal::new(typed.ranges),
            serves: RwSignal::new(typed.serves),
        }
    }

    fn typed(self) -> Typed {
        Typed {
            name: self.name.get_untracked(),
            cidr: self.cidr.get_untracked(),
            gateway: self.gateway.get_untracked(),
            vlan: self.vlan.get_untracked(),
            dns: self.dns.get_untracked(),
            search: self.search.get_untracked(),
            ranges: self.ranges.get_untracked(),
            serves: self.serves.get_untracked(),
        }
    }
}

/// The fields; `id` is the subnet's that is changed.
#[component]
pub(super) fn SubnetForm(
    /// What stands in the fields at first.
    typed: Typed,
    /// The subnet that is changed; a new one otherwise.
    #[prop(optional)]
    id: Option<SubnetId>,
    /// After a change was saved.
    #[prop(optional, into)]
    on_saved: Option<Callback<()>>,
) -> impl IntoView {
    let words = use_words().ipam;
    let form = Form::new(typed);
    let (desk, navigate) = (Desk::find(), use_navigate());
    let unread = RwSignal::new(None::<String>);
    let saving = Action::new(move |draft: &SubnetDraft| {
        let (draft, id, navigate) = (draft.clone(), id.clone(), navigate.clone());
        async move {
            match id {
                Some(id) => {
                    update_subnet(id, draft).await?;
                    desk.toast(Toast::done(words.saved));
                    if let Some(saved) = on_saved {
                        saved.run(());
                    }
                }
                None => {
                    let id = create_subnet(draft).await?;
                    desk.toast(Toast::done(words.created));
                    navigate(&paths::subnet(id.as_str()), Default::default());
                }
            }
            Ok::<(), Fault>(())
        }
    });
    let failed = Signal::derive(move || saving.value().get().and_then(Result::err));
    let at = move |field: &'static str, value: RwSignal<String>| at_field(failed, field, value);
    let served_error =
        Signal::derive(move || failed.get().filter(|f| f.field.as_deref() == Some("serves")).map(|f| tell(&f.say)));
    let ranges_error = {
        let served = at("ranges", form.ranges);
        Signal::derive(move || unread.get().map(|line| (words.ranges_bad)(&line)).or_else(|| served.get()))
    };
    let other =
        Signal::derive(move || failed.get().filter(|f| f.field.as_deref().is_none_or(|name| !FIELDS.contains(&name))));
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        match form.typed().draft() {
            Ok(draft) => {
                unread.set(None);
                saving.dispatch(draft);
            }
            Err(line) => unread.set(Some(line)),
        }
    };
    view! {
        <form class="form" on:submit=submit>
            <FaultNote fault=other/>
            <Field id="subnet-name" label=words.name error=at("name", form.name)>
                <TextInput value=form.name required=true autofocus=true/>
            </Field>
            <Field id="subnet-cidr" label=words.cidr hint=words.cidr_hint error=at("cidr", form.cidr)>
                <TextInput value=form.cidr mono=true required=true placeholder="10.20.30.0/24"/>
            </Field>
            <Field id="subnet-gateway" label=words.gateway error=at("gateway", form.gateway)>
                <TextInput value=form.gateway mono=true placeholder="10.20.30.1"/>
            </Field>
            <Field id="subnet-vlan" label=words.vlan hint=words.vlan_hint error=at("vlan", form.vlan)>
                <TextInput value=form.vlan inputmode="numeric"/>
            </Field>
            <Field id="subnet-dns" label=words.dns hint=words.list_hint error=at("dns", form.dns)>
                <TextInput value=form.dns mono=true placeholder="10.20.0.53 10.20.1.53"/>
            </Field>
            <Field id="subnet-search" label=words.search hint=words.list_hint error=at("search", form.search)>
                <TextInput value=form.search mono=true placeholder="corp.example"/>
            </Field>
            <Field id="subnet-ranges" label=words.ranges hint=words.ranges_hint error=ranges_error full=true>
                <TextArea value=form.ranges mono=true rows=4/>
            </Field>
            <Served serves=form.serves error=served_error/>
            <footer>
                <Button word=words.save kind=Kind::Primary size=Size::Form submit=true busy=saving.pending() refusal=use_refusal(Verb::IpamWrite)/>
                <LinkButton href=paths::SUBNETS word=words.cancel size=Size::Form kind=Kind::Quiet/>
            </footer>
        </form>
    }
}

/// Which networks it serves, as boxes to tick; fetched in the browser, since the list is no part of the page's meaning.
#[component]
fn Served(serves: RwSignal<Vec<Serves>>, error: Signal<Option<String>>) -> impl IntoView {
    let words = use_words().ipam;
    let networks = RwSignal::new(None::<Vec<Network>>);
    let fetching = Action::new(move |(): &()| async move {
        if let Ok(found) = list_networks().await {
            networks.set(Some(found));
        }
    });
    Effect::new(move |_| {
        fetching.dispatch(());
    });
    let line = move |network: Network| {
        let (mine, toggled) = (network.serves.clone(), network.serves);
        let checked = Signal::derive(move || serves.with(|all| all.contains(&mine)));
        let toggle = move |is: bool| {
            let toggled = toggled.clone();
            serves.update(move |all| {
                all.retain(|s| *s != toggled);
                if is {
                    all.push(toggled);
                }
            });
        };
        view! { <Checkbox checked=checked on_toggle=toggle word=network.word/> }
    };
    let boxes = move || match networks.get() {
        None => ().into_any(),
        Some(found) if found.is_empty() => view! { <p class="small faint">{words.serves_none}</p> }.into_any(),
        Some(found) => found.into_iter().map(line).collect_view().into_any(),
    };
    view! {
        <fieldset class="field" data-full="">
            <legend>{words.serves}</legend>
            <p class="small faint">{words.serves_hint}</p>
            {boxes}
            {move || error.get().map(|text| view! { <p class="small" data-tone="error">{text}</p> })}
        </fieldset>
    }
}
