//! The plain tables of a cluster's page: networks, images, rights, watches.

use app_ui::{EmptyState, Glyph, HeadCell, Mark, Note, StateMark, Table, Tone};
use leptos::prelude::*;
use model::fleet::{Grant, WatchView};
use model::image::ImageView;
use model::network::NetworkView;

use crate::frame::{Since, tell};
use crate::locales::{grouped, use_words};
use crate::paths;

/// A table's head: name and word a column; `true` for numbers.
fn head(columns: &'static [(&'static str, bool)], words: Vec<&'static str>) -> Children {
    Box::new(move || {
        let cell = |(&(col, num), word): (&(&'static str, bool), &'static str)| view! { <HeadCell col=col word=word num=num/> };
        columns.iter().zip(words).map(cell).collect_view().into_any()
    })
}

/// VM networks.
#[component]
pub(super) fn Networks(networks: Vec<NetworkView>) -> impl IntoView {
    let words = use_words().fleet;
    if networks.is_empty() {
        return view! { <EmptyState glyph=Glyph::Nic title=words.no_networks/> }.into_any();
    }
    let row = move |network: NetworkView| {
        let (mark, word) = if network.is_ready { (Mark::Ok, words.ready) } else { (Mark::Warning, words.not_ready) };
        view! {
            <tr>
                <td><span class="name" data-strong=""><code>{network.reference()}</code></span></td>
                <td><StateMark mark=mark word=word/></td>
                <td class="soft">{network.kind.clone()}</td>
                <td><code>{network.cluster_network.clone()}</code></td>
                <td data-num="">{network.vlan}</td>
                <td><code>{network.cidr.clone()}</code></td>
                <td><code>{network.gateway.clone()}</code></td>
            </tr>
        }
    };
    let columns = &[
        ("t-name", false),
        ("t-state", false),
        ("t-kind", false),
        ("t-group", false),
        ("t-num", true),
        ("t-cidr", false),
        ("t-gateway", false),
    ];
    let head = head(
        columns,
        vec![words.network, words.state, words.kind, words.cluster_network, words.vlan, words.cidr, words.gateway],
    );
    view! { <Table label=words.tab_networks inset=true head=head>{networks.into_iter().map(row).collect_view()}</Table> }.into_any()
}

/// Images.
#[component]
pub(super) fn Images(images: Vec<ImageView>) -> impl IntoView {
    let words = use_words().fleet;
    if images.is_empty() {
        return view! { <EmptyState glyph=Glyph::Image title=words.no_images/> }.into_any();
    }
    let row = move |image: ImageView| {
        let (mark, word) = if image.is_ready { (Mark::Ok, words.ready) } else { (Mark::Moving, words.not_ready) };
        let note = (!image.is_ready).then(|| format!("{}%", image.progress));
        view! {
            <tr>
                <td><span class="name" data-strong="">{image.display_name.clone()}</span></td>
                <td><StateMark mark=mark word=word note=note/></td>
                <td><code>{format!("{}/{}", image.namespace, image.name)}</code></td>
                <td><code>{image.storage_class.clone()}</code></td>
                <td data-num="">{image.size.human()}</td>
                <td data-num="">{image.virtual_size.human()}</td>
            </tr>
        }
    };
    let columns = &[
        ("t-name", false),
        ("t-state", false),
        ("t-object", false),
        ("t-class", false),
        ("t-num", true),
        ("t-num", true),
    ];
    let head =
        head(columns, vec![words.image, words.state, words.resource, words.storage_class, words.size, words.least]);
    view! { <Table label=words.tab_images inset=true head=head>{images.into_iter().map(row).collect_view()}</Table> }
        .into_any()
}

/// What the least-privilege role wants, against what the credential has.
#[component]
pub(super) fn Rights(grants: Vec<Grant>) -> impl IntoView {
    let words = use_words().fleet;
    if grants.is_empty() {
        return view! { <EmptyState glyph=Glyph::Key title=words.no_rights meaning=words.role_file_more/> }.into_any();
    }
    let lacking = grants.iter().filter(|grant| !grant.missing.is_empty()).count() as u32;
    let (tone, glyph, title) = match lacking {
        0 => (Tone::Ok, Glyph::Ok, words.all_rights.to_owned()),
        n => (Tone::Warning, Glyph::Key, (words.rights_missing)(n)),
    };
    let row = move |grant: Grant| {
        let is_whole = grant.missing.is_empty();
        let (mark, word) = if is_whole { (Mark::Ok, words.present) } else { (Mark::No, words.missing) };
        let costs = (!is_whole).then(|| tell(&grant.costs));
        view! {
            <tr>
                <td><code>{grant.resource.clone()}</code></td>
                <td><StateMark mark=mark word=word/></td>
                <td class="soft"><code>{grant.wanted.join(" ")}</code></td>
                <td><code class="tone-error">{grant.missing.join(" ")}</code></td>
                <td title=costs.clone()>{costs.clone()}</td>
            </tr>
        }
    };
    let columns = &[("t-name", false), ("t-state", false), ("t-verbs", false), ("t-verbs", false), ("t-costs", false)];
    let head = head(columns, vec![words.resource, words.here, words.wanted, words.missing, words.costs]);
    view! {
        <Note tone=tone glyph=glyph title=title more=words.role_file_more>
            <a class="button" href=paths::CLUSTER_ROLE rel="external" download="">{words.role_file}</a>
        </Note>
        <Table label=words.tab_rights inset=true head=head>{grants.into_iter().map(row).collect_view()}</Table>
    }
    .into_any()
}

/// Watches, their age, and what could not be read.
#[component]
pub(super) fn Watches(watches: Vec<WatchView>, quarantine: Vec<String>) -> impl IntoView {
    let words = use_words().fleet;
    if watches.is_empty() {
        return view! { <EmptyState glyph=Glyph::Eye title=words.no_watches/> }.into_any();
    }
    let row = move |watch: WatchView| {
        let age = watch.fresh.map(|at| view! { <Since at=at/> });
        view! {
            <tr>
                <td><code>{watch.resource.clone()}</code></td>
                <td data-num="">{grouped(watch.objects)}</td>
                <td>{age}</td>
                <td data-num="" title=words.lists_more>{watch.lists}</td>
                <td data-num="" title=words.repairs_more>{watch.repairs}</td>
                <td class="tone-error" title=watch.problem.clone()>{watch.problem.clone()}</td>
            </tr>
        }
    };
    let columns =
        &[("t-name", false), ("t-num", true), ("t-age", false), ("t-num", true), ("t-num", true), ("t-costs", false)];
    let titles = [words.resource, words.objects, words.last_news, words.lists, words.repairs, words.state];
    let head = head(columns, titles.to_vec());
    let unread = (!quarantine.is_empty()).then(|| {
        let lines = quarantine.iter().map(|line| view! { <li class="small mono">{line.clone()}</li> }).collect_view();
        view! {
            <Note tone=Tone::Warning glyph=Glyph::Warning title=(words.quarantine_more)(quarantine.len() as u32)/>
            <details><summary>{words.quarantine}</summary><ul class="col">{lines}</ul></details>
        }
    });
    view! {
        {unread}
        <Table label=words.tab_watches inset=true head=head>{watches.into_iter().map(row).collect_view()}</Table>
    }
    .into_any()
}
