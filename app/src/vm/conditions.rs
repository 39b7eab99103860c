//! What the cluster's controllers say about a VM and its instance.

use app_ui::{HeadCell, Mark, Section, StateMark, Table};
use leptos::prelude::*;
use model::vm::{Condition, VmDetail};

use crate::frame::Moment;
use crate::locales::use_words;

/// The conditions.
#[component]
pub(super) fn Conditions(detail: Memo<VmDetail>) -> impl IntoView {
    let words = use_words().vm;
    let all = Memo::new(move |_| detail.with(|detail| detail.conditions.clone()));
    let head = move || {
        view! {
            <HeadCell col="v-kind" word=words.condition/>
            <HeadCell col="v-reason" word=words.reason/>
            <HeadCell col="v-since" word=words.since/>
        }
    };
    let row = |condition: Condition| {
        let said = condition.message.clone().or(condition.reason.clone());
        view! {
            <tr>
                <td><StateMark mark=mark(&condition) word=condition.kind.clone()/></td>
                <td title=said>{condition.reason}<span class="under">{condition.message}</span></td>
                <td>{condition.since.map(|at| view! { <Moment at=at/> })}</td>
            </tr>
        }
    };
    let rows = move || all.get().into_iter().map(row).collect_view();
    view! {
        <Section title=words.conditions ruled=true>
            <Table label=words.conditions inset=true two=true head=Box::new(move || head().into_any())>{rows}</Table>
        </Section>
    }
}

/// Conditions whose `True` is bad news.
const BAD_WHEN_TRUE: [&str; 4] = ["RestartRequired", "Failure", "Paused", "DataVolumesNotReady"];

fn mark(condition: &Condition) -> Mark {
    let is_bad_name = BAD_WHEN_TRUE.contains(&condition.kind.as_str());
    match (condition.status.as_str(), is_bad_name) {
        ("True", false) | ("False", true) => Mark::Ok,
        ("True", true) => Mark::Warning,
        ("False", false) => Mark::No,
        _ => Mark::Unknown,
    }
}
