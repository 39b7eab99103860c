//! How the line to the server stands: the mark in the top bar, and the thin bar when it is cut. Data stays where it is.

use app_ui::ReconnectBar;
use leptos::prelude::*;
use model::UnixMs;
use model::fleet::ClusterView;

use super::clock::{use_now, use_zone};
use crate::live::{Held, Link, Live};
use crate::locales::use_words;
use crate::paths;

/// `● 实时 49/50 集群`: live or not, and how many clusters are fresh; leads to the clusters.
#[component]
pub(crate) fn Freshness(
    /// All clusters.
    fleet: Held<Vec<ClusterView>>,
) -> impl IntoView {
    let words = use_words().frame;
    let link = use_context::<Live>().map(|live| live.link).unwrap_or_default();
    let counts = Memo::new(move |_| {
        fleet
            .value
            .with(|all| (all.iter().filter(|cluster| !cluster.health.is_away()).count() as u32, all.len() as u32))
    });
    let (state_of, word_of) = (link.clone(), link);
    let state = move || match (state_of.get(), counts.get()) {
        (Link::Open, (fresh, all)) if fresh < all => Some("partial"),
        (Link::Open, _) => None,
        (Link::Lost { .. } | Link::Stale, _) => Some("away"),
        (Link::Idle | Link::Connecting, _) => Some("partial"),
    };
    let word = move || match word_of.get() {
        Link::Open => words.live,
        Link::Idle | Link::Connecting => words.connecting,
        Link::Lost { .. } | Link::Stale => words.cut_off,
    };
    let clusters = move || {
        let (fresh, all) = counts.get();
        (all > 0).then(|| view! { <em>{(words.clusters_fresh)(fresh, all)}</em> })
    };
    view! { <a class="fresh" href=paths::CLUSTERS data-state=state><span>{word}</span>" "{clusters}</a> }
}

/// The thin bar under the top bar while the line is cut, or when the server is of another build.
#[component]
pub(crate) fn LineBar() -> impl IntoView {
    let words = use_words().frame;
    let (zone, now) = (use_zone(), use_now());
    let live = use_context::<Live>();
    let link: Signal<Link> = live.as_ref().map(|live| live.link.clone()).unwrap_or_default().into();
    let shown = Signal::derive(move || matches!(link.get(), Link::Lost { .. } | Link::Stale));
    let text = Signal::derive(move || match link.get() {
        Link::Lost { since, retry_at } => match (retry_at - now.get()) / 1000 {
            s if s > 0 => (words.lost)(&zone.clock(UnixMs(since)), s),
            _ => (words.reconnecting)(&zone.clock(UnixMs(since))),
        },
        Link::Stale => words.stale.to_owned(),
        Link::Idle | Link::Connecting | Link::Open => String::new(),
    });
    let again = move |()| match (&live, link.get_untracked()) {
        (_, Link::Stale) => {
            // A page that cannot be loaded again stays with the bar.
            let _ = window().location().reload();
        }
        (Some(live), _) => live.connect_now(),
        (None, _) => {}
    };
    view! { <ReconnectBar shown=shown text=text retry=words.retry_now on_retry=again/> }
}
