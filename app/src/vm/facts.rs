//! Four columns under the head: the three truths, who answers for it, where it is, what it is.

use std::sync::Arc;

use app_ui::{Fact, Facts};
use leptos::prelude::*;
use model::vm::VmDetail;

use super::cells::person;
use super::head::environment_badge;
use super::place::like;
use super::truths::Truths;
use crate::frame::Since;
use crate::locales::use_words;
use crate::paths;

/// The columns.
#[component]
pub(super) fn VmFacts(detail: Memo<VmDetail>) -> impl IntoView {
    let words = use_words().vm;
    let truths = Memo::new(move |_| detail.with(|detail| detail.truths.clone()));
    let as_of = Signal::derive(move || detail.with(|detail| detail.as_of));
    view! {
        <div class="vm-facts">
            <section>
                <h2>{words.truths}<Since at=as_of/></h2>
                {move || view! { <Truths truths=truths.get()/> }}
            </section>
            <section><h2>{words.ownership}</h2><Ownership detail=detail/></section>
            <section><h2>{words.place}</h2><Place detail=detail/></section>
            <section><h2>{words.size}</h2><Size detail=detail/></section>
        </div>
    }
}

/// A value that leads to all VMs with it; a dash where there is none.
pub(super) fn linked(field: &'static str, value: Option<Arc<str>>) -> AnyView {
    match value {
        Some(value) => view! { <a class="name" href=like(field, &value)>{value.to_string()}</a> }.into_any(),
        None => none(),
    }
}

/// What stands where nothing is known.
fn none() -> AnyView {
    view! { <span class="faint">"—"</span> }.into_any()
}

#[component]
fn Ownership(detail: Memo<VmDetail>) -> impl IntoView {
    let words = use_words().vm;
    let row = Memo::new(move |_| {
        detail.with(|d| {
            (
                d.row.owner.clone(),
                d.row.owner_name.clone(),
                d.row.service.clone(),
                d.row.environment.clone(),
                d.row.is_managed,
            )
        })
    });
    move || {
        let (number, name, service, environment, is_managed) = row.get();
        let owner = match (number, name) {
            (None, None) => view! { <span class="faint">{words.no_owner}</span> }.into_any(),
            (number, name) => person(number, name),
        };
        let environment = environment.map_or_else(none, |word| environment_badge(&word));
        view! {
            <Facts>
                <Fact name=words.owner>{owner}</Fact>
                <Fact name=words.service>{linked("service", service)}</Fact>
                <Fact name=words.environment>{environment}</Fact>
                <Fact name=words.managed>{if is_managed { words.yes } else { words.no }}</Fact>
            </Facts>
        }
    }
}

#[component]
fn Place(detail: Memo<VmDetail>) -> impl IntoView {
    let words = use_words().vm;
    let place = Memo::new(move |_| {
        detail.with(|d| {
            (
                d.row.cluster.clone(),
                d.row.node.clone(),
                d.migration_target.clone(),
                d.not_migratable.is_none(),
                d.row.namespace.clone(),
            )
        })
    });
    move || {
        let (cluster, node, target, is_migratable, namespace) = place.get();
        let host = match node {
            Some(node) => {
                view! { <a class="name" href=like("node", &node)><code>{node.to_string()}</code></a> }.into_any()
            }
            None => view! { <span class="faint">{words.not_running}</span> }.into_any(),
        };
        let target =
            target.map(|node| view! { " → "<a class="name" title=words.moving_to href=like("node", &node)><code>{node.clone()}</code></a> });
        view! {
            <Facts>
                <Fact name=words.host>{host}{target}</Fact>
                <Fact name=words.cluster><a class="name" href=paths::cluster(&cluster)>{cluster.to_string()}</a></Fact>
                <Fact name=words.namespace><a class="name" href=like("ns", &namespace)><code>{namespace.to_string()}</code></a></Fact>
                <Fact name=words.migratable>{if is_migratable { words.can } else { words.cannot }}</Fact>
            </Facts>
        }
    }
}

#[component]
fn Size(detail: Memo<VmDetail>) -> impl IntoView {
    let words = use_words().vm;
    let size = Memo::new(move |_| detail.with(|d| (d.row.cpu, d.row.memory, d.row.disk, d.topology)));
    move || {
        let (cpu, memory, disk, (sockets, cores, threads)) = size.get();
        view! {
            <Facts>
                <Fact name=words.cpu>{(words.cores)(cpu)}</Fact>
                <Fact name=words.memory>{memory.human()}</Fact>
                <Fact name=words.disk>{disk.human()}</Fact>
                <Fact name=words.topology>{format!("{sockets} × {cores} × {threads}")}</Fact>
            </Facts>
        }
    }
}
