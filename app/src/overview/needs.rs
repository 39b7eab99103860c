//! What needs someone, and what runs.

use app_ui::{EmptyState, Glyph, Icon, Kind, LinkButton};
use leptos::prelude::*;
use model::change::OperationView;
use model::overview::Need;

use crate::frame::{Task, mark_of, tell};
use crate::locales::use_words;
use crate::paths;

/// A line each, the worst first.
#[component]
pub(super) fn Needs(
    /// What needs someone.
    needs: Memo<Vec<Need>>,
) -> impl IntoView {
    let words = use_words().overview;
    let line = move |need: Need| {
        let mark = mark_of(need.tone);
        let (href, title) = (paths::target(&need.target), tell(&need.title));
        let (link, whole) = (href.clone(), title.clone());
        view! {
            <li>
                <Icon glyph=mark.glyph() tone=mark.name()/>
                <div><p title=whole><a class="name" href=link>{title}</a></p><small>{tell(&need.note)}</small></div>
                <LinkButton href=href word=words.look kind=Kind::Quiet/>
            </li>
        }
    };
    move || {
        let needs = needs.get();
        if needs.is_empty() {
            return view! { <EmptyState glyph=Glyph::Ok title=words.needs_none meaning=words.needs_none_more/> }
                .into_any();
        }
        view! { <ul class="list">{needs.into_iter().map(line).collect_view()}</ul> }.into_any()
    }
}

/// A line each, the newest first.
#[component]
pub(super) fn Runs(
    /// What runs.
    runs: Memo<Vec<OperationView>>,
) -> impl IntoView {
    let words = use_words().overview;
    move || {
        let runs = runs.get();
        if runs.is_empty() {
            return view! { <p class="small faint">{words.running_none}</p> }.into_any();
        }
        view! { <ul class="list">{runs.into_iter().map(|operation| view! { <Task operation=operation/> }).collect_view()}</ul> }.into_any()
    }
}
