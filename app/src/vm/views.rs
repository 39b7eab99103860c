//! Views of the list: links with a query, with counts where the clusters tell them.

use app_ui::{Tab, Tabs};
use leptos::prelude::*;
use model::vm::Power;

use super::list::List;
use crate::frame::tell;
use crate::locales::{grouped, use_words};
use crate::paths;

/// Powers that have a view of their own.
const POWERS: [Power; 4] = [Power::Running, Power::Stopped, Power::Failed, Power::Migrating];

/// The views as tabs.
#[component]
pub(super) fn Views(list: List) -> impl IntoView {
    let words = use_words().vm;
    let List { place, fleet, .. } = list;
    let powers = POWERS.map(|power| (power, format!("status:{}", power.word()), tell(&power.say())));
    let counts = Memo::new(move |_| {
        fleet.with(|all| {
            let of = |power| {
                all.iter().flat_map(|cluster| &cluster.power).filter(|(p, _)| *p == power).map(|(_, n)| n).sum()
            };
            (all.iter().map(|cluster| cluster.vms()).sum::<u32>(), POWERS.map(|power| -> u32 { of(power) }))
        })
    });
    let tabs = Signal::derive(move || {
        let sort = place.with(|place| place.sort);
        let (all, by_power) = counts.get();
        let tab = |text: &str, word: &str| Tab::new(paths::vms(text, sort), word);
        let powers = powers.iter().zip(by_power).map(|((_, text, word), n)| tab(text, word).count(grouped(n)));
        let rest =
            [("env:prod", words.view_prod), ("owner:", words.view_unowned), ("managed:no", words.view_unmanaged)];
        std::iter::once(tab("", words.view_all).count(grouped(all)))
            .chain(powers)
            .chain(rest.map(|(text, word)| tab(text, word)))
            .collect::<Vec<_>>()
    });
    let current = Signal::derive(move || place.with(|place| paths::vms(&place.text, place.sort)));
    view! { <Tabs label=words.views tabs=tabs current=current/> }
}
