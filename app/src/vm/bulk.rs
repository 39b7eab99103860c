//! The bar that rises when rows are chosen: each action says whom it takes and who is left out and why, then asks the
//! VMs one by one.

use app_ui::{Asked, Button, ConfirmDialog, Confirmed, Glyph, Kind, Menu, MenuItem, Toast, ToolButton};
use leptos::prelude::*;
use leptos::task::spawn_local;
use model::access::Verb;
use model::vm::{Action, VmRow};

use super::list::List;
use super::power::{is_grave, said};
use super::selection::Verdict;
use super::switches::{glyph_of, meaning};
use crate::frame::use_refusal;
use crate::locales::use_words;

/// Actions with a button of their own; the others are in the menu.
const FIRST: [Action; 3] = [Action::Start, Action::Stop, Action::Restart];
/// Actions of the menu.
const REST: [Action; 4] = [Action::SoftReboot, Action::Pause, Action::Unpause, Action::ForceStop];

/// How far a series is: done and in all.
type Progress = Option<(usize, usize)>;

/// The bar, while something is chosen or under way.
#[component]
pub(super) fn Bulk(list: List) -> impl IntoView {
    let chosen = list.selection.clone();
    let progress = RwSignal::new(Progress::None);
    let is_up = Memo::new(move |_| chosen.len() > 0 || progress.with(Option::is_some));
    view! { <Show when=move || is_up.get()><Bar list=list.clone() progress=progress/></Show> }
}

#[component]
fn Bar(list: List, progress: RwSignal<Progress>) -> impl IntoView {
    let all = use_words();
    let (words, lang) = (all.vm, all.lang);
    let may_not = use_refusal(Verb::VmPower);
    let (open, asked) = (RwSignal::new(false), RwSignal::new(Action::Stop));
    let (selection, board) = (list.selection.clone(), list.board.clone());
    let verdict = move |action: Action| Verdict::of(&selection.rows(), |row| board.refusal(action, row));
    let run = series(&list, progress);
    let judged = verdict.clone();
    let act = Callback::new(move |action: Action| {
        if is_grave(action) || judged(action).able.len() > 1 {
            asked.set(action);
            open.set(true);
        } else {
            run.run((action, judged(action).able, String::new()));
        }
    });
    let refusal = {
        let verdict = verdict.clone();
        move |action: Action| may_not.clone().or_else(|| verdict(action).refusal(lang))
    };
    let word = {
        let verdict = verdict.clone();
        move |action: Action| {
            let verdict = verdict(action);
            let say = action.say();
            match (verdict.able.len(), verdict.left_out()) {
                (0, _) | (_, 0) => say.text(lang).to_owned(),
                (able, _) => (words.act_some)(say.text(lang), able),
            }
        }
    };
    let button = |action: Action| {
        let (word, refusal) = (word.clone(), refusal.clone());
        view! {
            <Button
                word=Signal::derive(move || word(action))
                glyph=glyph_of(action)
                kind=Kind::Quiet
                above=true
                refusal=Signal::derive(move || refusal(action))
                on_press=move |()| act.run(action)
            />
        }
    };
    let buttons = FIRST.map(button).into_iter().collect_view();
    let items = {
        let (word, refusal) = (word.clone(), refusal.clone());
        Signal::derive(move || {
            let item = |action: Action| {
                let item = MenuItem::new(word(action), Callback::new(move |()| act.run(action)));
                let item = item.glyph(glyph_of(action)).refused(refusal(action));
                if action == Action::ForceStop { item.dangerous() } else { item }
            };
            REST.into_iter().map(item).collect::<Vec<_>>()
        })
    };
    let (counted, cleared) = (list.selection.clone(), list.selection.clone());
    let count = move || match progress.get() {
        Some((done, all)) => (words.acting)(done, all),
        None => (words.chosen)(counted.len()),
    };
    view! {
        <div class="bulk vms-bulk" role="toolbar" aria-label=words.bulk>
            <p role="status"><b>{count}</b></p>
            <hr/>
            {buttons}
            <Menu label=words.more_actions items=items above=true tool=true/>
            <hr/>
            <ToolButton label=words.choose_none glyph=Glyph::Close on_press=move |()| cleared.clear()/>
        </div>
        <Question open=open asked=asked verdict=Callback::new(verdict) run=run/>
    }
}

/// Who takes part, who does not and why; then the reason, where the action takes something away.
#[component]
fn Question(
    open: RwSignal<bool>,
    asked: RwSignal<Action>,
    verdict: Callback<Action, Verdict>,
    run: Callback<(Action, Vec<VmRow>, String)>,
) -> impl IntoView {
    let all = use_words();
    let (words, lang) = (all.vm, all.lang);
    let judged = Memo::new(move |_| open.get().then(|| verdict.run(asked.get())));
    let able = move || judged.get().map(|verdict| verdict.able).unwrap_or_default();
    let title = Signal::derive(move || (words.bulk_title)(asked.get().say().text(lang), able().len()));
    let names =
        move || able().into_iter().map(|row| view! { <li><code>{row.name.to_string()}</code></li> }).collect_view();
    let left = move || {
        let verdict = judged.get().filter(|verdict| !verdict.left.is_empty())?;
        let line = |(why, names): (model::Say, Vec<String>)| {
            view! { <li><p>{why.text(lang).to_owned()}</p><small><code>{names.join(" ")}</code></small></li> }
        };
        let count = (words.left_out)(verdict.left_out());
        Some(
            view! { <h3 class="small">{count}</h3><ul class="list">{verdict.left.into_iter().map(line).collect_view()}</ul> },
        )
    };
    let confirm = move |Confirmed { reason }| {
        let able = able();
        open.set(false);
        run.run((asked.get_untracked(), able, reason));
    };
    view! {
        <ConfirmDialog
            open=open
            id="vms-bulk"
            title=title
            asked=Signal::derive(move || Asked { name: None, reason: is_grave(asked.get()) })
            act=Signal::derive(move || asked.get().say().text(lang).to_owned())
            danger=true
            foot=words.audited
            on_confirm=confirm
        >
            <p>{move || meaning(asked.get()).0}</p>
            <p class="small faint">{words.bulk_one_by_one}</p>
            <ul class="list vms-named">{names}</ul>
            {left}
        </ConfirmDialog>
    }
}

/// Asks one VM after another, then says how it went.
fn series(list: &List, progress: RwSignal<Progress>) -> Callback<(Action, Vec<VmRow>, String)> {
    let all = use_words();
    let (words, lang) = (all.vm, all.lang);
    let (board, selection) = (list.board.clone(), list.selection.clone());
    Callback::new(move |(action, rows, reason): (Action, Vec<VmRow>, String)| {
        let (board, selection) = (board.clone(), selection.clone());
        spawn_local(async move {
            let (count, mut faults) = (rows.len(), Vec::new());
            for (done, row) in rows.iter().enumerate() {
                // The page may be left meanwhile; what was confirmed is done all the same.
                let _ = progress.try_set(Some((done, count)));
                if let Err(fault) = board.ask(row, action, reason.clone()).await {
                    faults.push(said(&row.name, &fault, lang));
                }
            }
            let _ = progress.try_set(None);
            let act = action.say().text(lang).to_owned();
            if faults.len() < count {
                board.toast(Toast::done((words.bulk_done)(&act, count - faults.len())));
            }
            if faults.is_empty() {
                selection.clear();
            } else {
                board.toast(Toast::failed(format!(
                    "{} · {}",
                    (words.bulk_failed)(&act, faults.len()),
                    faults.join(" · ")
                )));
            }
        });
    })
}
