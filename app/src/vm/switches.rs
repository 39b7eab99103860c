//! The power buttons of one VM: the likely one, a menu of all with the reasons of those that make no sense now, and the
//! question before what takes something away.

use app_ui::{Asked, Button, ConfirmDialog, Confirmed, Glyph, Menu, MenuItem};
use leptos::prelude::*;
use model::access::Verb;
use model::vm::{Action, Power, VmRow};

use super::power::{Switchboard, is_grave};
use crate::frame::use_refusal;
use crate::locales::use_words;

/// The drawing of an action.
pub(super) fn glyph_of(action: Action) -> Glyph {
    match action {
        Action::Start | Action::Unpause => Glyph::Play,
        Action::Stop => Glyph::Power,
        Action::ForceStop => Glyph::Bolt,
        Action::Restart | Action::SoftReboot => Glyph::Restart,
        Action::Pause => Glyph::Pause,
    }
}

/// What one most likely wants with a VM in that power.
fn likely(power: Power) -> Action {
    match power {
        Power::Stopped => Action::Start,
        Power::Paused => Action::Unpause,
        _ => Action::Restart,
    }
}

/// What an action does to those who use the VM, and whether it can be undone.
pub(super) fn meaning(action: Action) -> (&'static str, &'static str) {
    let words = use_words().vm;
    match action {
        Action::Stop => (words.stop_means, words.undo_start),
        Action::ForceStop => (words.force_means, words.undo_none),
        Action::Restart => (words.restart_means, words.audited),
        _ => (words.other_means, words.audited),
    }
}

/// The likely button, the menu, the question.
#[component]
pub(super) fn Switches(
    /// The VM.
    #[prop(into)]
    row: Signal<VmRow>,
    /// Where actions go.
    board: Switchboard,
    /// Ids within begin so.
    id: &'static str,
    /// The cluster has deleted it.
    #[prop(optional, into)]
    gone: Signal<bool>,
) -> impl IntoView {
    let all = use_words();
    let (words, lang) = (all.vm, all.lang);
    let may_not = use_refusal(Verb::VmPower);
    let shown = board.clone();
    let power = Memo::new(move |_| row.with(|row| shown.power(row)));
    let (open, asked) = (RwSignal::new(false), RwSignal::new(Action::Stop));
    let sending = board.clone();
    let act = Callback::new(move |action: Action| {
        if is_grave(action) {
            asked.set(action);
            open.set(true);
        } else {
            sending.send(row.get_untracked(), action, String::new());
        }
    });
    let judge = board.clone();
    let refusal = move |action: Action| {
        let not_now = || row.with(|row| judge.refusal(action, row)).map(|say| say.text(lang).to_owned());
        may_not.clone().or_else(|| gone.get().then(|| words.gone_refusal.to_owned())).or_else(not_now)
    };
    let of_menu = refusal.clone();
    let items = Signal::derive(move || {
        let item = |action: Action| {
            let item = MenuItem::new(action.say().text(lang), Callback::new(move |()| act.run(action)));
            let item = item.glyph(glyph_of(action)).refused(of_menu(action));
            if action == Action::ForceStop { item.dangerous() } else { item }
        };
        Action::ALL.into_iter().map(item).collect::<Vec<_>>()
    });
    let first = Memo::new(move |_| likely(power.get()));
    let button = move || {
        let (action, refusal) = (first.get(), refusal.clone());
        let refusal = Signal::derive(move || refusal(action));
        view! {
            <Button
                word=action.say().text(lang).to_owned()
                glyph=glyph_of(action)
                refusal=refusal
                on_press=move |()| act.run(action)
            />
        }
    };
    let title = Signal::derive(move || row.with(|row| (words.power_title)(asked.get().say().text(lang), &row.name)));
    let confirm = move |Confirmed { reason }| {
        open.set(false);
        board.send(row.get_untracked(), asked.get_untracked(), reason);
    };
    view! {
        <span class="buttons">
            {button}
            <Menu label=words.more_actions items=items glyph=Glyph::Down end=true/>
        </span>
        <ConfirmDialog
            open=open
            id=id
            title=title
            asked=Asked { name: None, reason: true }
            act=Signal::derive(move || asked.get().say().text(lang).to_owned())
            danger=true
            foot=words.audited
            on_confirm=confirm
        >
            <p>{move || meaning(asked.get()).0}</p>
            <p class="small faint">{move || meaning(asked.get()).1}</p>
        </ConfirmDialog>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};
    use crate::vm::testing::row;
    use model::Lang;
    use model::access::Role;

    fn switches(role: Role, power: Power) -> String {
        html(role, Lang::Zh, || {
            let board = Switchboard::new();
            view! { <Switches row=Signal::stored(row("web-01", power)) board=board id="power"/> }
        })
    }

    #[test]
    fn the_first_button_is_what_one_most_likely_wants() {
        assert_parts(&switches(Role::Operator, Power::Stopped), &["#play", "启动"]);
        assert_parts(&switches(Role::Operator, Power::Running), &["#restart", "重启"]);
    }

    #[test]
    fn what_makes_no_sense_says_why() {
        assert_parts(&switches(Role::Operator, Power::Migrating), &["aria-disabled=\"true\"", "正在迁移，等它结束"]);
        assert!(switches(Role::Viewer, Power::Running).contains("aria-disabled=\"true\""));
    }
}
