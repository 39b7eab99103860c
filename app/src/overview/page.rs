//! The overview: one row of figures, clusters by how much they need someone, and beside them what needs someone now.

use app_ui::{EmptyState, Glyph, Kind, LinkButton, PageHead, Section, SkeletonHead, SkeletonTable};
use leptos::prelude::*;
use model::access::Verb;
use model::live::Topic;
use model::overview::Overview as Seen;

use super::api::fetch_overview;
use super::clusters::ClusterStrips;
use super::figures::Figures;
use super::needs::{Needs, Runs};
use crate::frame::{Desk, Loaded, Page, fetched, may};
use crate::live::use_value;
use crate::locales::use_words;
use crate::paths;

/// The first page.
#[component]
pub(crate) fn Overview() -> impl IntoView {
    let words = use_words().overview;
    let seen = fetched(|| (), |()| fetch_overview());
    view! {
        <Page title=words.title>
            <Loaded from=seen page=true fallback=|| view! { <SkeletonHead/><SkeletonTable rows=8 columns=5 inset=true/> } let:seen>
                <Alive seen=seen/>
            </Loaded>
        </Page>
    }
}

/// The page of what came, kept up to date.
#[component]
fn Alive(seen: Seen) -> impl IntoView {
    let words = use_words().overview;
    let desk = Desk::find();
    let seen = use_value(Topic::Overview, seen).value;
    let of = seen.clone();
    let lead = move || {
        of.with(|seen| {
            let away = seen.clusters.iter().filter(|cluster| cluster.health.is_away()).count() as u32;
            (words.lead)(seen.clusters.len() as u32, away)
        })
    };
    let (figured, listed, needed, run) = (seen.clone(), seen.clone(), seen.clone(), seen.clone());
    let figures = Memo::new(move |_| figured.with(|seen| (seen.clusters.clone(), seen.power.clone())));
    let clusters = Memo::new(move |_| listed.with(|seen| seen.clusters.clone()));
    let needs = Memo::new(move |_| needed.with(|seen| seen.needs.clone()));
    let runs = Memo::new(move |_| run.with(|seen| seen.running.clone()));
    let count = |n: usize| (n > 0).then(|| n.to_string());
    let tasks = move || view! { <button type="button" class="link small" on:click=move |_| desk.tasks.set(true)>{words.tasks}</button> };
    let is_empty = Memo::new(move |_| clusters.with(Vec::is_empty));
    let full = move || {
        view! {
            <Figures of=figures/>
            <div class="overview-main">
                <div class="overview-left"><ClusterStrips clusters=clusters/></div>
                <aside class="overview-aside">
                    <Section title=words.needs note=Signal::derive(move || count(needs.with(Vec::len)))><Needs needs=needs/></Section>
                    <Section title=words.running note=Signal::derive(move || count(runs.with(Vec::len))) actions=tasks><Runs runs=runs/></Section>
                </aside>
            </div>
        }
    };
    view! {
        <PageHead title=words.title under=move || lead.clone()/>
        {move || if is_empty.get() { view! { <First/> }.into_any() } else { full().into_any() }}
    }
}

/// Before the first cluster.
#[component]
fn First() -> impl IntoView {
    let words = use_words().overview;
    let register = may(Verb::FleetRegister).then(
        || view! { <LinkButton href=paths::NEW_CLUSTER word=words.first_do glyph=Glyph::Plus kind=Kind::Primary/> },
    );
    view! { <EmptyState glyph=Glyph::Cluster title=words.first_title meaning=words.first_more page=true>{register}</EmptyState> }
}
