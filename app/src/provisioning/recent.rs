//! The newest deliveries.

use app_ui::{HeadCell, Section, StateMark, Table};
use leptos::prelude::*;
use model::change::OperationView;
use model::live::Topic;
use model::time::stopwatch;

use crate::frame::{Moment, mark_of_state, tell, use_now};
use crate::live::use_value;
use crate::locales::use_words;
use crate::paths;

/// A row each, the newest first; kept up to date.
#[component]
pub(super) fn Recent(recent: Vec<OperationView>) -> impl IntoView {
    let words = use_words().provisioning;
    let held = use_value(Topic::Operations, recent).value;
    let mine = move || {
        let mut all: Vec<OperationView> =
            held.with(|all| all.iter().filter(|o| o.kind == model::change::OperationKind::Delivery).cloned().collect());
        all.sort_by_key(|o| std::cmp::Reverse(o.began));
        all.truncate(10);
        all
    };
    let head = move || {
        view! {
            <HeadCell col="r-name" word=words.what/>
            <HeadCell col="r-wide" word=words.by/>
            <HeadCell col="r-wide" word=words.when/>
            <HeadCell col="r-took" word=words.took num=true/>
            <HeadCell col="r-result" word=words.result/>
        }
    };
    let rows = move || {
        let all = mine();
        if all.is_empty() {
            return view! { <tr><td colspan="5" class="soft">{words.recent_none}</td></tr> }.into_any();
        }
        all.into_iter().map(|operation| view! { <Row operation=operation/> }).collect_view().into_any()
    };
    view! {
        <Section title=words.recent ruled=true>
            <Table label=words.recent inset=true head=Box::new(move || head().into_any())>{rows}</Table>
        </Section>
    }
}

#[component]
fn Row(operation: OperationView) -> impl IntoView {
    let now = use_now();
    let name = operation.object.rsplit('/').next().unwrap_or_default().to_owned();
    let (began, ended) = (operation.began.0, operation.ended.map(|at| at.0));
    let took = move || stopwatch(ended.unwrap_or_else(|| now.get()) - began);
    let (done, all) = operation.steps;
    let word = format!("{} {done}/{all}", tell(&operation.state.say()));
    let note = operation.now.as_ref().map(tell);
    view! {
        <tr>
            <td><a class="name" href=paths::delivery(operation.id.as_str())>{name}</a></td>
            <td data-col="r-wide">{operation.actor.clone()}</td>
            <td data-col="r-wide"><Moment at=operation.began/></td>
            <td data-num="">{took}</td>
            <td title=note><StateMark mark=mark_of_state(operation.state) word=word/></td>
        </tr>
    }
}
