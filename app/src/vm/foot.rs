//! The line at the foot of the list: how many there are, and which clusters are away since when.

use app_ui::{Glyph, Icon};
use leptos::prelude::*;
use model::UnixMs;
use model::fleet::ClusterView;

use super::list::List;
use crate::frame::{use_session, use_zone};
use crate::locales::{grouped, use_words};

/// Clusters that are away and fit on the line; their pages show the rest.
const MOST_AWAY: usize = 4;

/// The line.
#[component]
pub(super) fn Foot(list: List) -> impl IntoView {
    let words = use_words().vm;
    let (zone, now) = (use_zone(), use_session().now);
    let List { rows, fleet, asked, seen, .. } = list;
    let displaced = rows.displaced.clone();
    let (total, of, answers) = (rows.total.clone(), rows.of.clone(), rows.answers.clone());
    let count = {
        let total = total.clone();
        move || match (total.get(), of.get()) {
            (total, of) if total == of => (words.total)(&grouped(total)),
            (total, of) => (words.total_of)(&grouped(total), &grouped(of)),
        }
    };
    let away =
        Memo::new(move |_| fleet.with(|all| all.iter().filter(|c| c.health.is_away()).cloned().collect::<Vec<_>>()));
    let said = move |cluster: ClusterView| {
        let text = match cluster.as_of {
            Some(at) => (words.as_of)(&cluster.name, &zone.near(at, now)),
            None => (words.never_seen)(&cluster.name),
        };
        let title = cluster.as_of.map(|at: UnixMs| zone.full(at));
        view! { <span class="age" data-old="" title=title><Icon glyph=Glyph::Clock/>{text}</span> }
    };
    let asking = move || answers.with(|answers| asked.with(|asked| asked != answers));
    let shown = {
        let total = total.clone();
        Memo::new(move |_| seen.get().filter(|seen| seen.start < seen.end && seen.end <= total.get()))
    };
    let range =
        move || shown.get().map(|seen| format!("{} · ", (words.shown)(&grouped(seen.start + 1), &grouped(seen.end))));
    let moved = move || {
        let rows = rows.clone();
        (displaced.get() > 0).then(|| {
            view! {
                <span>
                    {(words.displaced)(&grouped(displaced.get()))}" "
                    <button type="button" class="link" aria-keyshortcuts="r" on:click=move |_| rows.reorder()>{words.reorder}</button>
                </span>
            }
        })
    };
    view! {
        <div class="strip">
            <span>
                <span class="only-wide" data-measured="">{range}</span>
                {count}
            </span>
            {moved}
            {move || away.get().into_iter().take(MOST_AWAY).map(said).collect_view()}
            <span role="status">{move || asking().then_some(words.asking)}</span>
        </div>
    }
}
