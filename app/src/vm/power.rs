//! Power from the browser: one command with its key, what is shown until the cluster has said otherwise, and faults.

use std::collections::HashMap;

use app_ui::Toast;
use leptos::prelude::*;
use leptos::task::spawn_local;
use model::fleet::ClusterView;
use model::id::{IdempotencyKey, VmRef};
use model::vm::{Action, Power, PowerCommand, VmRow};
use model::{Fault, Say};

use super::api::change_power;
use crate::frame::{Desk, Fleet};
use crate::locales::{Words, use_words};

/// Whether an action takes something away from those who use the VM, so that it is asked about and gives a reason.
pub(super) fn is_grave(action: Action) -> bool {
    matches!(action, Action::Stop | Action::ForceStop | Action::Restart)
}

/// What a row showed when an action was sent, and what it will show when that works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Expected {
    was: Power,
    changed: model::UnixMs,
    expects: Power,
}

/// What to show for `row`: the expected power until the row says otherwise.
fn shown(row: &VmRow, expected: Option<Expected>) -> Power {
    match expected {
        Some(expected) if row.power == expected.was && row.changed == expected.changed => expected.expects,
        _ => row.power,
    }
}

/// What was asked of VMs and not yet seen, for one page.
#[derive(Clone)]
pub(super) struct Switchboard {
    expected: ArcRwSignal<HashMap<u64, Expected>>,
    fleet: Fleet,
    desk: Desk,
    words: &'static Words,
}

impl Switchboard {
    /// Nothing asked yet. Call it in a component.
    pub(super) fn new() -> Self {
        Self { expected: ArcRwSignal::default(), fleet: Fleet::find(), desk: Desk::find(), words: use_words() }
    }

    /// The power to show for a row; read reactively.
    pub(super) fn power(&self, row: &VmRow) -> Power {
        shown(row, self.expected.with(|all| all.get(&row.id()).copied()))
    }

    /// Why `action` cannot be asked of a row's VM now: its cluster takes nothing, or its power does not fit; read reactively.
    pub(super) fn refusal(&self, action: Action, row: &VmRow) -> Option<Say> {
        let of_cluster = self.fleet.0.with(|all| {
            all.iter().find(|cluster| cluster.id.as_str() == &*row.cluster).and_then(ClusterView::write_refusal)
        });
        of_cluster.or_else(|| action.refusal(self.power(row)))
    }

    /// Asks for `action` and tells of a fault by a toast.
    pub(super) fn send(&self, row: VmRow, action: Action, reason: String) {
        let board = self.clone();
        let sent = (self.words.vm.power_sent)(action.say().text(self.words.lang), &row.name);
        spawn_local(async move {
            match board.ask(&row, action, reason).await {
                Ok(()) => board.toast(Toast::done(sent)),
                Err(fault) => board.toast(Toast::failed(said(&row.name, &fault, board.words.lang))),
            }
        });
    }

    /// Says how it went, unless the frame was left meanwhile, as for a console.
    pub(super) fn toast(&self, toast: Toast) {
        if self.desk.tasks.try_get_untracked().is_some() {
            self.desk.toast(toast);
        }
    }

    /// Asks for `action`; the row shows what is expected meanwhile.
    pub(super) async fn ask(&self, row: &VmRow, action: Action, reason: String) -> Result<(), Fault> {
        let id = row.id();
        let vm = row.reference().map_err(|bad| Fault::invalid(bad.say))?;
        let expected = Expected { was: row.power, changed: row.changed, expects: action.expects() };
        self.expected.update(|all| {
            all.insert(id, expected);
        });
        let command = command(vm, action, reason, fresh_key()?);
        let answer = change_power(command).await;
        if answer.is_err() {
            self.expected.update(|all| {
                all.remove(&id);
            });
        }
        answer.map(|_| ())
    }
}

fn command(vm: VmRef, action: Action, reason: String, key: IdempotencyKey) -> PowerCommand {
    PowerCommand { vm, action, reason, key }
}

/// The sentence of a fault about a VM, with the cluster's own words behind it.
pub(super) fn said(name: &str, fault: &Fault, lang: model::Lang) -> String {
    let detail = fault.detail.as_deref().map(|detail| format!(" · {detail}")).unwrap_or_default();
    let reference = fault.reference.as_deref().map(|reference| format!(" · {reference}")).unwrap_or_default();
    format!("{name}: {}{detail}{reference}", fault.say.text(lang))
}

/// A UUIDv4 for an action that must not be done twice. Event handlers only.
///
/// Not `crypto.randomUUID`: browsers give that to pages over TLS only, and a first installation may not have it.
pub(crate) fn fresh_key() -> Result<IdempotencyKey, Fault> {
    let mut bytes = [0; 16];
    let crypto = web_sys::window().and_then(|window| window.crypto().ok());
    if crypto.and_then(|crypto| crypto.get_random_values_with_u8_array(&mut bytes).ok()).is_none() {
        // Weaker, but it only has to differ from the other keys of one person.
        bytes.fill_with(|| (js_sys::Math::random() * 256.0) as u8);
    }
    IdempotencyKey::parse(&uuid(bytes)).map_err(|bad| Fault::invalid(bad.say))
}

/// RFC 9562 §5.4.
fn uuid(mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::testing::row;
    use model::UnixMs;

    #[test]
    fn what_is_expected_is_shown_until_the_row_says_otherwise() {
        let row = row("web-01", Power::Running);
        let expected = Expected { was: Power::Running, changed: row.changed, expects: Power::Stopping };
        assert_eq!(shown(&row, None), Power::Running);
        assert_eq!(shown(&row, Some(expected)), Power::Stopping);
        let stopped = VmRow { power: Power::Stopped, ..row.clone() };
        assert_eq!(shown(&stopped, Some(expected)), Power::Stopped);
        // A restart ends as it began: then the row's own time tells.
        let again = VmRow { changed: UnixMs(row.changed.0 + 1), ..row };
        assert_eq!(shown(&again, Some(expected)), Power::Running);
    }

    #[test]
    fn keys_are_uuids() {
        let text = uuid([0xff; 16]);
        assert_eq!(text, "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert!(IdempotencyKey::parse(&text).is_ok());
    }
}
