//! A window of a list that is kept up to date: one signal a row, so that a delta redraws the rows that it names.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leptos::prelude::*;
use model::Fault;
use model::live::{Frame, Span, Topic, Window, fold};
use model::vm::{Query, VmRow};

use super::{Live, News, Slot};

/// A row of the window. Equal when it is the same VM at the same signal, so keyed lists keep its elements.
#[derive(Clone)]
pub(crate) struct Cell {
    /// [`VmRow::id`]: the key for `<For>`.
    pub(crate) id: u64,
    /// The newest.
    pub(crate) row: ArcRwSignal<VmRow>,
    /// It is no longer in the window and stands here only because the order is held: what it shows is its last.
    pub(crate) has_left: ArcRwSignal<bool>,
}

impl Cell {
    /// A row that is in the window.
    pub(crate) fn new(row: &VmRow) -> Self {
        Self { id: row.id(), row: ArcRwSignal::new(row.clone()), has_left: ArcRwSignal::default() }
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// The window and its rows.
#[derive(Clone)]
pub(crate) struct Rows {
    /// Rows of the buffer in order; changes when rows come, go or change places.
    pub(crate) cells: ArcRwSignal<Vec<Cell>>,
    /// Place of the first row of the buffer in the whole list.
    pub(crate) start: ArcRwSignal<u32>,
    /// Rows that match.
    pub(crate) total: ArcRwSignal<u32>,
    /// Rows of all clusters, whatever the query.
    pub(crate) of: ArcRwSignal<u32>,
    /// How long the search took, in microseconds.
    pub(crate) took_us: ArcRwSignal<u32>,
    /// The query that the rows answer; another than the page's while the answer is awaited.
    pub(crate) answers: ArcRwSignal<Query>,
    /// Why the list is no longer kept up to date, if so.
    pub(crate) fault: ArcRwSignal<Option<Fault>>,
    /// Places of the buffer where another row would stand if the order were not held.
    pub(crate) displaced: ArcRwSignal<u32>,
    /// The order is held: rows change where they are, none comes, goes or moves.
    is_held: Arc<AtomicBool>,
    /// The same as plain data, for folding.
    window: Arc<Mutex<Window>>,
}

impl Rows {
    fn new(query: Query, seed: Window) -> Self {
        let cells = seed.rows.iter().map(Cell::new).collect();
        Self {
            cells: ArcRwSignal::new(cells),
            start: ArcRwSignal::new(seed.start),
            total: ArcRwSignal::new(seed.total),
            of: ArcRwSignal::new(seed.of),
            took_us: ArcRwSignal::new(seed.took_us),
            answers: ArcRwSignal::new(query),
            fault: ArcRwSignal::new(None),
            displaced: ArcRwSignal::default(),
            is_held: Arc::default(),
            window: Arc::new(Mutex::new(seed)),
        }
    }

    /// Holds the order while the reader points at rows, so that none moves away from under the pointer.
    pub(crate) fn hold(&self) {
        self.is_held.store(true, Ordering::Relaxed);
    }

    /// Takes the order that came meanwhile, and holds it again if it was held.
    pub(crate) fn reorder(&self) {
        self.arrange(&self.window());
    }

    /// Ends [`Rows::hold`].
    pub(crate) fn release(&self) {
        self.is_held.store(false, Ordering::Relaxed);
        self.reorder();
    }

    fn take(&self, query: &Query, frame: Frame) {
        let mut window = self.window();
        fold(&mut window, frame);
        let is_same_place =
            self.start.get_untracked() == window.start && self.answers.with_untracked(|answers| answers == query);
        // An empty list has no row to keep in its place.
        if is_same_place && !window.rows.is_empty() && self.is_held.load(Ordering::Relaxed) {
            set_if_new(&self.displaced, self.cells.with_untracked(|held| renew_held(held, &window.rows)));
            return;
        }
        self.arrange(&window);
        drop(window);
        if self.answers.with_untracked(|answers| answers != query) {
            self.answers.set(query.clone());
        }
    }

    fn window(&self) -> MutexGuard<'_, Window> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the window as it is.
    fn arrange(&self, window: &Window) {
        if let Some(cells) = self.cells.with_untracked(|old| renew(old, &window.rows)) {
            self.cells.set(cells);
        }
        set_if_new(&self.displaced, 0);
        set_if_new(&self.start, window.start);
        set_if_new(&self.total, window.total);
        set_if_new(&self.of, window.of);
        set_if_new(&self.took_us, window.took_us);
    }
}

/// Brings the signals up to date; the new list of cells if another one is needed.
fn renew(old: &[Cell], rows: &[VmRow]) -> Option<Vec<Cell>> {
    let same = old.len() == rows.len() && old.iter().zip(rows).all(|(cell, row)| cell.id == row.id());
    if same {
        old.iter().zip(rows).for_each(|(cell, row)| show(cell, row));
        return None;
    }
    let held: HashMap<u64, &Cell> = old.iter().map(|cell| (cell.id, cell)).collect();
    let cell = |row: &VmRow| match held.get(&row.id()) {
        Some(cell) => {
            show(cell, row);
            (*cell).clone()
        }
        None => Cell::new(row),
    };
    Some(rows.iter().map(cell).collect())
}

/// Brings the held rows up to date where they are; how many places another row would take.
fn renew_held(held: &[Cell], rows: &[VmRow]) -> u32 {
    let new: HashMap<u64, &VmRow> = rows.iter().map(|row| (row.id(), row)).collect();
    for cell in held {
        match new.get(&cell.id) {
            Some(row) => show(cell, row),
            None => set_if_new(&cell.has_left, true),
        }
    }
    let places = held.len().max(rows.len());
    let differs = |at: &usize| held.get(*at).map(|cell| cell.id) != rows.get(*at).map(VmRow::id);
    u32::try_from((0..places).filter(differs).count()).unwrap_or(u32::MAX)
}

fn show(cell: &Cell, row: &VmRow) {
    set_if_new(&cell.row, row.clone());
    set_if_new(&cell.has_left, false);
}

fn set_if_new<T: PartialEq + Send + Sync + 'static>(signal: &ArcRwSignal<T>, value: T) {
    if signal.with_untracked(|held| *held != value) {
        signal.set(value);
    }
}

/// Follows `span` of the list of `query` for as long as the caller's owner lives; `seed` is what the server rendered for
/// both as they are now. A new query keeps the old rows until its first window comes; see [`Rows::answers`].
pub(crate) fn use_rows(query: Signal<Query>, span: Signal<Span>, seed: Window) -> Rows {
    let rows = Rows::new(query.get_untracked(), seed);
    let Some(live) = use_context::<Live>() else { return rows };
    let slot = Slot::default();
    let (opens, moves, cleaned, ends) = (slot.clone(), slot.clone(), slot, rows.clone());
    Effect::new(move |_| {
        let query = query.get();
        let (ends, asked) = (ends.clone(), query.clone());
        let sink = Arc::new(move |news| match news {
            News::Rows(frame) => ends.take(&asked, frame),
            News::Refused(fault) => ends.fault.set(Some(fault)),
            News::Value(_) => {}
        });
        opens.put(Some(live.open(Topic::Vms(query), span.get_untracked(), sink)));
    });
    Effect::new(move |_| moves.shift(span.get()));
    on_cleanup(move || cleaned.put(None));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::testing::row;
    use model::vm::Power;

    fn names(rows: &Rows) -> Vec<String> {
        rows.cells.with_untracked(|cells| {
            cells.iter().map(|cell| cell.row.with_untracked(|row| row.name.to_string())).collect()
        })
    }

    fn window(rows: Vec<VmRow>) -> Window {
        Window { total: rows.len() as u32, of: rows.len() as u32, rows, ..Window::default() }
    }

    #[test]
    fn a_held_order_keeps_rows_in_place_and_tells_how_many_wait() {
        let owner = Owner::new();
        owner.with(|| {
            let (a, b) = (row("a", Power::Running), row("b", Power::Running));
            let rows = Rows::new(Query::default(), window(vec![a.clone(), b.clone()]));
            rows.hold();
            let stopped = VmRow { power: Power::Stopped, ..b };
            rows.take(&Query::default(), Frame::Window(window(vec![stopped.clone(), a])));
            assert_eq!((names(&rows), rows.displaced.get_untracked()), (vec!["a".into(), "b".into()], 2));
            let power = |at: usize| rows.cells.with_untracked(|c| c[at].row.with_untracked(|row| row.power));
            assert_eq!(power(1), Power::Stopped);
            // One that was deleted stands where it was, and is known to be old.
            rows.take(&Query::default(), Frame::Window(window(vec![stopped])));
            assert!(rows.cells.with_untracked(|c| c[0].has_left.get_untracked()));
            rows.release();
            assert_eq!((names(&rows), rows.displaced.get_untracked()), (vec!["b".into()], 0));
            assert_eq!(rows.total.get_untracked(), 1);
            rows.hold();
            rows.take(&Query::default(), Frame::Window(window(vec![])));
            assert_eq!(rows.total.get_untracked(), 0);
        });
    }

    #[test]
    fn another_query_and_another_place_are_shown_at_once() {
        let owner = Owner::new();
        owner.with(|| {
            let rows = Rows::new(Query::default(), window(vec![row("a", Power::Running)]));
            rows.hold();
            let further = Window { start: 600, total: 601, ..window(vec![row("z", Power::Running)]) };
            rows.take(&Query::default(), Frame::Window(further));
            assert_eq!((names(&rows), rows.start.get_untracked()), (vec!["z".to_owned()], 600));
        });
    }

    #[test]
    fn another_order_is_shown_at_once_even_under_the_pointer() {
        let owner = Owner::new();
        owner.with(|| {
            let (a, b) = (row("a", Power::Running), row("b", Power::Running));
            let rows = Rows::new(Query::default(), window(vec![a.clone(), b.clone()]));
            rows.hold();
            let by_cpu =
                Query { sort: model::vm::Sort { key: model::vm::SortKey::Cpu, descending: true }, ..Query::default() };
            rows.take(&by_cpu, Frame::Window(window(vec![b, a])));
            assert_eq!((names(&rows), rows.displaced.get_untracked()), (vec!["b".into(), "a".into()], 0));
            assert_eq!(rows.answers.get_untracked(), by_cpu);
        });
    }
}
