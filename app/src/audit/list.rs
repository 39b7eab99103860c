//! The trail: search and outcome in the address, newest first, older ones on request.

use app_ui::{Button, EmptyState, Glyph, HeadCell, Icon, Kind, LinkButton, PageHead, Segment, Segments, SkeletonTable};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_query_map};
use model::audit::{AuditLine, AuditQuery, Outcome};
use model::page::Page as Part;

use super::api::{search_audit, verify_audit};
use super::chain::{ChainState, VerifyButton};
use super::line::Line;
use crate::frame::{FaultNote, Loaded, Page, fetched, tell};
use crate::locales::use_words;
use crate::paths::{self, param};

/// The page of the trail.
#[component]
pub(crate) fn Audit() -> impl IntoView {
    let words = use_words().audit;
    let asked = use_query_map();
    let query = Memo::new(move |_| {
        asked.with(|asked| AuditQuery {
            text: asked.get(param::TEXT).unwrap_or_default(),
            outcome: asked.get(param::OUTCOME).and_then(|word| Outcome::parse(&word)),
            before: None,
        })
    });
    let open = Memo::new(move |_| asked.with(|asked| asked.get(param::OPEN)).and_then(|seq| seq.parse().ok()));
    let found = fetched(move || query.get(), search_audit);
    let verification = Action::new(|_: &()| verify_audit());
    view! {
        <Page title=words.title>
            <PageHead title=words.title under=move || words.lead><VerifyButton verification=verification/></PageHead>
            <ChainState verification=verification/>
            <Filter query=query/>
            <Loaded from=found fallback=|| view! { <SkeletonTable rows=12 columns=7 inset=true/> } let:part>
                <Found first=part query=query open=open/>
            </Loaded>
        </Page>
    }
}

/// The search field and the outcomes; both change the address, and the address changes the list.
#[component]
fn Filter(query: Memo<AuditQuery>) -> impl IntoView {
    let words = use_words().audit;
    let navigate = use_navigate();
    let go = Callback::new(move |query: AuditQuery| {
        let options = NavigateOptions { scroll: false, replace: true, ..NavigateOptions::default() };
        navigate(&paths::audit(&query, None), options);
    });
    let typed = move |event| go.run(AuditQuery { text: event_target_value(&event), ..query.get_untracked() });
    let outcomes = Outcome::ALL.into_iter().map(|outcome| Segment::new(Some(outcome), tell(&outcome.say())));
    let segments: Vec<_> = std::iter::once(Segment::new(None, words.any)).chain(outcomes).collect();
    let chosen = Signal::derive(move || query.with(|query| query.outcome));
    view! {
        <div class="toolbar">
            <form class="search" role="search" method="get" action=paths::AUDIT>
                <Icon glyph=Glyph::Search/>
                <input
                    name=param::TEXT
                    aria-label=words.search
                    placeholder=words.search_hint
                    autocomplete="off"
                    value=query.with_untracked(|query| query.text.clone())
                    prop:value=move || query.with(|query| query.text.clone())
                    on:change=typed
                />
            </form>
            <Segments label=words.outcome segments=segments value=chosen on_pick=move |outcome| go.run(AuditQuery { outcome, ..query.get_untracked() })/>
        </div>
    }
}

#[component]
fn Found(first: Part<AuditLine>, query: Memo<AuditQuery>, open: Memo<Option<i64>>) -> impl IntoView {
    let words = use_words().audit;
    if first.rows.is_empty() {
        return view! {
            <EmptyState glyph=Glyph::Audit title=words.empty meaning=words.empty_more>
                <LinkButton href=paths::AUDIT word=words.clear/>
            </EmptyState>
        }
        .into_any();
    }
    let next = RwSignal::new(first.next);
    let rows = RwSignal::new(first.rows);
    let older = Action::new(move |before: &Option<String>| {
        let asked = AuditQuery { before: before.as_ref().and_then(|seq| seq.parse().ok()), ..query.get_untracked() };
        async move {
            let part = search_audit(asked).await?;
            rows.update(|rows| rows.extend(part.rows));
            next.set(part.next);
            Ok::<(), model::Fault>(())
        }
    });
    let fault = Signal::derive(move || older.value().get().and_then(Result::err));
    let head = move || {
        view! {
            <th scope="col" data-col="chain"><span class="unseen">{words.chain}</span></th>
            <HeadCell col="a-time" word=words.time/>
            <HeadCell col="a-who" word=words.who/>
            <HeadCell col="a-verb" word=words.act/>
            <HeadCell col="a-object" word=words.object/>
            <HeadCell col="a-diff" word=words.before_after/>
            <HeadCell col="a-res" word=words.outcome/>
            <HeadCell col="a-hash" word=words.hash/>
        }
    };
    let foot = move || {
        match next.get() {
        Some(_) => view! {
            <Button word=words.more glyph=Glyph::Down kind=Kind::Quiet busy=older.pending() on_press=move |()| { older.dispatch(next.get_untracked()); }/>
        }
        .into_any(),
        None => view! { <span class="faint">{words.end}</span> }.into_any(),
    }
    };
    view! {
        <div class="scroll" data-flow="">
            <table class="table audit-table" data-inset="" data-fixed="" data-wide="" aria-label=words.title>
                <thead>
                    <tr>{head()}</tr>
                </thead>
                <tbody>
                    <For each=move || rows.get() key=|line| (line.seq, line.outcome) let:line>
                        <Line line=line query=query open=open/>
                    </For>
                </tbody>
            </table>
        </div>
        <FaultNote fault=fault/>
        <div class="row"><span class="faint small">{move || (words.shown)(rows.with(Vec::len) as u32)}</span>{foot}</div>
    }
    .into_any()
}
