//! Which rows are chosen, and what an action would do with them: who takes part, who is left out and why.

use std::collections::BTreeMap;

use leptos::prelude::*;
use model::vm::VmRow;
use model::{Lang, Say};

use crate::live::Cell;

/// Most VMs that are acted on at once: they are asked one by one, and a person must be able to read the list.
pub(super) const MOST: usize = 100;

/// The chosen rows by their id.
#[derive(Clone, Default)]
pub(super) struct Selection(ArcRwSignal<BTreeMap<u64, ArcRwSignal<VmRow>>>);

impl Selection {
    /// Whether a row is chosen; read reactively.
    pub(super) fn has(&self, id: u64) -> bool {
        self.0.with(|all| all.contains_key(&id))
    }

    /// How many are chosen; read reactively.
    pub(super) fn len(&self) -> usize {
        self.0.with(BTreeMap::len)
    }

    /// Chooses a row, or does not any more; nothing when there are too many.
    pub(super) fn toggle(&self, cell: &Cell) {
        self.0.update(|all| {
            if all.remove(&cell.id).is_none() && all.len() < MOST {
                all.insert(cell.id, cell.row.clone());
            }
        });
    }

    /// Chooses those, as many as may be.
    pub(super) fn choose(&self, cells: &[Cell]) {
        self.0.set(cells.iter().take(MOST).map(|cell| (cell.id, cell.row.clone())).collect());
    }

    /// Chooses none.
    pub(super) fn clear(&self) {
        self.0.set(BTreeMap::new());
    }

    /// The rows as they are now, by name; read reactively.
    pub(super) fn rows(&self) -> Vec<VmRow> {
        let mut rows: Vec<VmRow> = self.0.with(|all| all.values().map(|row| row.get()).collect());
        rows.sort_by(|a, b| a.key().cmp(&b.key()));
        rows
    }
}

/// What an action would do with the chosen rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Verdict {
    /// Those it is done to.
    pub(super) able: Vec<VmRow>,
    /// Those left out, by reason.
    pub(super) left: Vec<(Say, Vec<String>)>,
}

impl Verdict {
    /// Asks `refusal` about each row.
    pub(super) fn of(rows: &[VmRow], refusal: impl Fn(&VmRow) -> Option<Say>) -> Self {
        let mut verdict = Self { able: Vec::new(), left: Vec::new() };
        for row in rows {
            let Some(why) = refusal(row) else {
                verdict.able.push(row.clone());
                continue;
            };
            match verdict.left.iter_mut().find(|(reason, _)| *reason == why) {
                Some((_, names)) => names.push(row.name.to_string()),
                None => verdict.left.push((why, vec![row.name.to_string()])),
            }
        }
        verdict
    }

    /// How many are left out.
    pub(super) fn left_out(&self) -> usize {
        self.left.iter().map(|(_, names)| names.len()).sum()
    }

    /// Why nobody takes part; `None` when somebody does.
    pub(super) fn refusal(&self, lang: Lang) -> Option<String> {
        let whys: Vec<&str> = self.left.iter().map(|(why, _)| why.text(lang)).collect();
        let stop = if lang == Lang::Zh { "；" } else { "; " };
        self.able.is_empty().then(|| whys.join(stop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::testing::row;
    use model::vm::{Action, Power};

    #[test]
    fn a_verdict_says_who_is_left_out_and_why() {
        let rows =
            [row("a", Power::Running), row("b", Power::Stopped), row("c", Power::Running), row("d", Power::Paused)];
        let verdict = Verdict::of(&rows, |row| Action::Start.refusal(row.power));
        assert_eq!(verdict.able.iter().map(|row| &*row.name).collect::<Vec<_>>(), ["b"]);
        assert_eq!(verdict.left[0].1, ["a", "c"]);
        assert_eq!((verdict.left_out(), verdict.refusal(Lang::Zh)), (3, None));
    }

    #[test]
    fn when_nobody_takes_part_the_reasons_are_the_refusal() {
        let verdict = Verdict::of(&[row("a", Power::Running)], |row| Action::Start.refusal(row.power));
        assert_eq!(verdict.refusal(Lang::Zh).as_deref(), Some("已经在运行"));
        // What was asked for a moment ago counts already.
        let asked = Verdict::of(&[row("a", Power::Running)], |_| Action::Stop.refusal(Power::Stopping));
        assert!(asked.able.is_empty());
    }

    #[test]
    fn no_more_are_chosen_than_can_be_read() {
        let owner = Owner::new();
        owner.with(|| {
            let selection = Selection::default();
            let cells: Vec<Cell> =
                (0..150).map(|n| row(&format!("vm-{n}"), Power::Running)).map(|row| Cell::new(&row)).collect();
            selection.choose(&cells);
            assert_eq!(selection.len(), MOST);
            selection.toggle(&cells[120]);
            assert!(!selection.has(cells[120].id));
            selection.toggle(&cells[0]);
            assert_eq!(selection.len(), MOST - 1);
        });
    }
}
