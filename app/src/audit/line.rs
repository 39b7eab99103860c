//! One act as a row of the trail, and what opens beneath it: before and after, why, from where, its place in the chain.

use app_ui::{Fact, Facts, Mark, Person, StateMark};
use leptos::prelude::*;
use model::UnixMs;
use model::audit::{AuditLine, AuditQuery, Outcome};

use super::compare::{Difference, compare};
use crate::frame::{tell, use_now, use_zone};
use crate::locales::{grouped, use_words};
use crate::paths;

/// How many columns a row has.
pub(super) const COLUMNS: u32 = 8;

/// How an outcome is drawn.
fn mark(outcome: Outcome) -> Mark {
    match outcome {
        Outcome::Open => Mark::Moving,
        Outcome::Done => Mark::Ok,
        Outcome::Refused => Mark::No,
        Outcome::Failed => Mark::Error,
        Outcome::Undone => Mark::Stopped,
    }
}

/// Where an object named in a line leads: a VM, or the other lines about it.
fn object_href(object: &str) -> String {
    match object.split('/').collect::<Vec<_>>()[..] {
        [cluster, namespace, name] if !cluster.is_empty() && !name.is_empty() => paths::vm(cluster, namespace, name),
        _ => paths::audit_of(object),
    }
}

/// A row; a click on its time opens it.
#[component]
pub(super) fn Line(
    /// The act.
    line: AuditLine,
    /// The filter of the page, for the row's own link.
    query: Memo<AuditQuery>,
    /// The open row.
    open: Memo<Option<i64>>,
) -> impl IntoView {
    let words = use_words().audit;
    let zone = use_zone();
    let now = UnixMs(use_now().get_untracked());
    let seq = line.seq;
    let is_open = Memo::new(move |_| open.get() == Some(seq));
    let href = move || query.with(|query| paths::audit(query, (!is_open.get()).then_some(seq)));
    let chain_state = move || is_open.get().then_some("pick");
    let label = (words.open_line)(&line.object);
    let detail = {
        let line = line.clone();
        move || is_open.get().then(|| view! { <Detail line=line.clone()/> })
    };
    view! {
        <tr data-current=move || is_open.get().then_some("") aria-selected=move || is_open.get().then_some("true")>
            <td data-col="chain">
                <svg class="chain" data-state=chain_state viewBox="0 0 16 32" aria-hidden="true">
                    <line x1="8" x2="8" y1="0" y2="32"></line>
                    <circle cx="8" cy="16" r="3.5"></circle>
                </svg>
            </td>
            <td>
                <a class="name" href=href aria-expanded=move || is_open.get().to_string()>
                    <time title=zone.full(line.at)>{zone.near(line.at, now)}</time><span class="unseen">{label}</span>
                </a>
            </td>
            <td><Person name=line.actor.clone() href=paths::audit_of(&line.actor)/></td>
            <td title=line.verb.clone()>{tell(&line.say_act())}</td>
            <td><a class="name" data-strong="" href=object_href(&line.object) title=line.object.clone()>{short(&line.object)}</a></td>
            <td><Summary line=line.clone()/></td>
            <td><StateMark mark=mark(line.outcome) word=tell(&line.outcome.say())/></td>
            <td><code class="faint">{line.hash.clone()}</code></td>
        </tr>
        {detail}
    }
}

/// The number of a record, as people read it.
fn number(seq: i64) -> String {
    grouped(seq.unsigned_abs())
}

/// A VM by its name alone; the whole is on hover. What has another shape, such as a CIDR, stays as it is.
fn short(object: &str) -> String {
    match object.split('/').collect::<Vec<_>>()[..] {
        [_, _, name] => name.to_owned(),
        _ => object.to_owned(),
    }
}

/// The first change, or why it did not come to one.
#[component]
fn Summary(line: AuditLine) -> impl IntoView {
    let first =
        compare(line.before.as_deref(), line.after.as_deref()).into_iter().find(|difference| !difference.is_same());
    match (first, line.detail.or((!line.reason.is_empty()).then_some(line.reason))) {
        (Some(Difference { before, after, .. }), _) => view! {
            <span class="change">{before.map(|text| view! { <del>{text}</del> })}{after.map(|text| view! { <ins>{text}</ins> })}</span>
        }
        .into_any(),
        (None, Some(text)) => {
            let title = text.clone();
            view! { <span class="soft" title=title>{text}</span> }.into_any()
        }
        (None, None) => ().into_any(),
    }
}

/// What opens beneath a row.
#[component]
fn Detail(line: AuditLine) -> impl IntoView {
    let words = use_words().audit;
    let zone = use_zone();
    let differences = compare(line.before.as_deref(), line.after.as_deref());
    let compared = if differences.is_empty() {
        view! { <p class="faint">{words.none_recorded}</p> }.into_any()
    } else {
        view! { <table class="diff"><tbody>{differences.into_iter().map(|d| view! { <Compared difference=d/> }).collect_view()}</tbody></table> }.into_any()
    };
    let reason = if line.reason.is_empty() { words.no_reason.to_owned() } else { line.reason.clone() };
    let records: Vec<String> = [Some(line.seq), line.closed_seq].into_iter().flatten().map(number).collect();
    let records = records.join(" → ");
    view! {
        <tr class="audit-open">
            <td colspan=COLUMNS>
                <div class="audit-detail">
                    <div class="col">
                        <h2>{words.before_after}</h2>
                        {compared}
                        <div class="row"><a class="link small" href=paths::audit_of(&line.object)>{words.all_of_it}</a></div>
                    </div>
                    <div class="col">
                        <Facts>
                            <Fact name=words.reason>{reason}</Fact>
                            <Fact name=words.object><code>{line.object.clone()}</code></Fact>
                            <Fact name=words.verb><code>{line.verb.clone()}</code></Fact>
                            {line.detail.clone().map(|detail| view! { <Fact name=words.detail>{detail}</Fact> })}
                            <Fact name=words.from><code>{line.from.clone()}</code></Fact>
                            <Fact name=words.request><code>{line.request.clone()}</code></Fact>
                        </Facts>
                    </div>
                    <div class="col">
                        <Facts>
                            <Fact name=words.opened>{zone.full(line.at)}</Fact>
                            {line.closed.map(|at| view! { <Fact name=words.closed>{zone.full(at)}</Fact> })}
                            <Fact name=words.records>{records}</Fact>
                            <Fact name=words.hash><code>{line.hash.clone()}</code></Fact>
                        </Facts>
                    </div>
                </div>
            </td>
        </tr>
    }
}

/// A field that stayed is one line, a field that changed is two.
#[component]
fn Compared(difference: Difference) -> impl IntoView {
    let Difference { field, before, after } = difference;
    let name = if field.is_empty() { String::new() } else { format!("{field}: ") };
    if before == after {
        let text = format!("{name}{}", before.unwrap_or_default());
        return view! { <tr><td></td><td>{text}</td></tr> }.into_any();
    }
    let row = |op: &'static str, sign: &'static str, text: String| {
        let name = name.clone();
        view! { <tr data-op=op><td>{sign}</td><td>{name}<mark>{text}</mark></td></tr> }
    };
    view! { {before.map(|text| row("del", "−", text))}{after.map(|text| row("add", "+", text))} }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{NOW, assert_parts, html};
    use model::Lang;
    use model::access::Role;

    #[test]
    fn objects_lead_to_what_they_are() {
        assert_eq!(object_href("bj-1/erp/web-01"), "/vms/bj-1/erp/web-01");
        assert_eq!(object_href("bj-1"), "/audit?q=bj-1");
        assert_eq!((short("bj-1/erp/web-01"), short("10.20.30.0/24")), ("web-01".into(), "10.20.30.0/24".into()));
    }

    #[test]
    fn a_row_tells_before_and_after_and_its_detail_tells_why() {
        let line = AuditLine {
            seq: 41,
            at: NOW,
            closed: Some(NOW),
            closed_seq: Some(42),
            actor: "lin".into(),
            from: "10.8.2.31".into(),
            verb: "vm.power".into(),
            act: "restart".into(),
            object: "bj-1/erp/web-01".into(),
            reason: "CHG-1".into(),
            request: "r".into(),
            outcome: Outcome::Done,
            before: Some(r#"{"power":"running"}"#.into()),
            after: Some(r#"{"power":"starting"}"#.into()),
            detail: None,
            hash: "a41f09c75e22".into(),
        };
        let row = html(Role::Operator, Lang::En, move || {
            let query = Memo::new(|_| AuditQuery::default());
            view! { <table><tbody><Line line=line query=query open=Memo::new(|_| Some(41))/></tbody></table> }
        });
        assert_parts(
            &row,
            &[
                "aria-selected=\"true\"",
                "14:08:00",
                "lin",
                "Restart",
                "web-01",
                "<del>running",
                "<ins>starting",
                "Done",
                "a41f09c75e22",
            ],
        );
        assert_parts(&row, &["audit-open", "power: <mark>running", "CHG-1", "41 → 42"]);
    }
}
