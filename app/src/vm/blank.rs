//! The place of the table when there is nothing to show: no clusters yet, no VMs yet, nothing that matches.

use app_ui::{Blank, Button, EmptyState, Glyph, Kind, LinkButton};
use leptos::prelude::*;
use model::access::Verb;

use super::list::List;
use super::place::Place;
use super::search::split;
use crate::frame::may;
use crate::locales::{grouped, use_words};
use crate::paths;

/// Which of the three it is, and the way on.
#[component]
pub(super) fn Nothing(list: List) -> impl IntoView {
    let words = use_words().vm;
    let List { place, go, fleet, rows, typed, .. } = list;
    let has_clusters = fleet.with_untracked(|all| !all.is_empty());
    if !has_clusters {
        let register = may(Verb::FleetRegister).then(|| {
            view! { <LinkButton href=paths::NEW_CLUSTER word=words.register glyph=Glyph::Plus kind=Kind::Primary/> }
        });
        return view! { <EmptyState glyph=Glyph::Cluster title=words.empty meaning=words.empty_more page=true>{register}</EmptyState> }
            .into_any();
    }
    let of = rows.of.clone();
    let (answers, searched) = (rows.answers.clone(), rows.answers);
    let is_searched = Memo::new(move |_| searched.with(|query| !query.text.is_empty()));
    let meaning = Signal::derive(move || Some((words.nothing_more)(&grouped(of.get()))));
    let drops = move || {
        let all = answers.with(|query| split(&query.text));
        let drop = |at: usize| {
            let mut left = all.clone();
            let gone = left.remove(at);
            let press = move |()| {
                typed.set(String::new());
                go.run(Place { text: left.join(" "), ..place.get_untracked() });
            };
            view! { <Button word=(words.drop_word)(&gone) glyph=Glyph::Close on_press=press/> }
        };
        (0..all.len()).map(drop).collect_view()
    };
    let content = move || {
        if is_searched.get() {
            let drops = drops.clone();
            view! {
                <Blank glyph=Glyph::Search title=words.nothing meaning=meaning>
                    {drops}
                    <LinkButton href=paths::VMS word=words.show_all kind=Kind::Quiet/>
                </Blank>
            }
            .into_any()
        } else {
            view! {
                <EmptyState glyph=Glyph::Vm title=words.no_vms meaning=words.no_vms_more>
                    {may(Verb::VmCreate).then(|| view! { <LinkButton href=paths::PORTAL word=words.create glyph=Glyph::Plus kind=Kind::Primary/> })}
                </EmptyState>
            }
            .into_any()
        }
    };
    content.into_any()
}
