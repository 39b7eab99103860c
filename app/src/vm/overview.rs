//! The first tab of a VM's page: disks, interfaces, conditions; beside them the system and what was done to it lately.

use app_ui::{EmptyState, Fact, Facts, Glyph, ListItem, Mark, Section, StateMark, Tone};
use leptos::prelude::*;
use model::change::OperationView;
use model::vm::VmDetail;

use super::conditions::Conditions;
use super::devices::{Disks, Nics};
use crate::frame::{mark_of_state, tell, use_zone};
use crate::locales::use_words;
use crate::paths;

/// The tab.
#[component]
pub(super) fn Overview(detail: Memo<VmDetail>) -> impl IntoView {
    view! {
        <div class="vm-body">
            <div class="col" data-gap="4">
                <Disks detail=detail/>
                <Nics detail=detail/>
                <Conditions detail=detail/>
            </div>
            <aside class="vm-aside">
                <System detail=detail/>
                <Recent detail=detail/>
            </aside>
        </div>
    }
}

#[component]
fn System(detail: Memo<VmDetail>) -> impl IntoView {
    let words = use_words().vm;
    let facts = Memo::new(move |_| {
        detail.with(|d| {
            let os = d.row.os.as_deref().map(str::to_owned);
            (
                os,
                d.kernel.clone(),
                d.hostname.clone(),
                d.row.has_agent,
                d.machine.clone(),
                d.run_strategy.clone(),
                d.row.uid.to_string(),
            )
        })
    });
    let content = move || {
        let (os, kernel, hostname, has_agent, machine, strategy, uid) = facts.get();
        let (mark, agent) = if has_agent { (Mark::Ok, words.agent_on) } else { (Mark::Unknown, words.agent_off) };
        let code = |text: Option<String>| match text {
            Some(text) => view! { <code>{text}</code> }.into_any(),
            None => view! { <span class="faint">"—"</span> }.into_any(),
        };
        view! {
            <Facts>
                <Fact name=words.os>{os.unwrap_or_else(|| "—".to_owned())}</Fact>
                <Fact name=words.kernel>{code(kernel)}</Fact>
                <Fact name=words.hostname>{code(hostname)}</Fact>
                <Fact name=words.agent><StateMark mark=mark word=agent/></Fact>
                <Fact name=words.machine>{code(machine)}</Fact>
                <Fact name=words.strategy><code>{strategy}</code></Fact>
                <Fact name=words.uid><code class="cut" title=uid.clone()>{uid.clone()}</code></Fact>
            </Facts>
        }
    };
    view! { <Section title=words.system>{content}</Section> }
}

#[component]
fn Recent(detail: Memo<VmDetail>) -> impl IntoView {
    let words = use_words().vm;
    let operations = Memo::new(move |_| detail.with(|detail| detail.operations.clone()));
    let trail =
        detail.with_untracked(|d| paths::audit_of(&format!("{}/{}/{}", d.row.cluster, d.row.namespace, d.row.name)));
    let content = move || {
        match operations.get() {
        all if all.is_empty() => view! { <EmptyState title=words.recent_none glyph=Glyph::Tasks/> }.into_any(),
        all => view! { <ul class="list">{all.into_iter().map(|one| view! { <Operation operation=one/> }).collect_view()}</ul> }.into_any(),
    }
    };
    let actions = move || view! { <a class="link small" href=trail.clone()>{words.audit}</a> };
    view! { <Section title=words.recent ruled=true actions=actions>{content}</Section> }
}

/// One line of what was done.
#[component]
fn Operation(operation: OperationView) -> impl IntoView {
    let zone = use_zone();
    let now = operation.now.as_ref().map(tell);
    let mut more = vec![operation.actor.clone(), tell(&operation.state.say())];
    more.extend(now);
    let mark = mark_of_state(operation.state);
    let tone = match mark {
        Mark::Ok => Tone::Ok,
        Mark::Moving => Tone::Moving,
        Mark::Error => Tone::Error,
        _ => Tone::Warning,
    };
    let (at, full) = (zone.short(operation.began), zone.full(operation.began));
    view! {
        <ListItem glyph=mark.glyph() tone=tone title=tell(&operation.title) more=more.join(" · ")>
            <time class="small faint" title=full>{at}</time>
        </ListItem>
    }
}
