//! A window of a list that is kept up to date: one signal a row, so that a delta redraws the rows that it names.

use std::sync::{Arc, Mutex, PoisonError};

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
    /// The same as plain data, for folding.
    window: Arc<Mutex<Window>>,
}

impl Rows {
    fn new(query: Query, seed: Window) -> Self {
        let cells = seed.rows.iter().map(|row| Cell { id: row.id(), row: ArcRwSignal::new(row.clone()) }).collect();
        Self {
            cells: ArcRwSignal::new(cells),
            start: ArcRwSignal::new(seed.start),
            total: ArcRwSignal::new(seed.total),
            of: ArcRwSignal::new(seed.of),
            took_us: ArcRwSignal::new(seed.took_us),
            answers: ArcRwSignal::new(query),
            fault: ArcRwSignal::new(None),
            window: Arc::new(Mutex::new(seed)),
        }
    }

    fn take(&self, query: &Query, frame: Frame) {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        fold(&mut window, frame);
        if let Some(cells) = self.cells.with_untracked(|old| renew(old, &window.rows)) {
            self.cells.set(cells);
        }
        set_if_new(&self.start, window.start);
        set_if_new(&self.total, window.total);
        set_if_new(&self.of, window.of);
        set_if_new(&self.took_us, window.took_us);
        drop(window);
        if self.answers.with_untracked(|answers| answers != query) {
            self.answers.set(query.clone());
        }
    }
}

/// Brings the signals up to date; the new list of cells if another one is needed.
fn renew(old: &[Cell], rows: &[VmRow]) -> Option<Vec<Cell>> {
    let same = old.len() == rows.len() && old.iter().zip(rows).all(|(cell, row)| cell.id == row.id());
    if same {
        old.iter().zip(rows).for_each(|(cell, row)| set_if_new(&cell.row, row.clone()));
        return None;
    }
    let held: std::collections::HashMap<u64, &Cell> = old.iter().map(|cell| (cell.id, cell)).collect();
    let cell = |row: &VmRow| match held.get(&row.id()) {
        Some(cell) => {
            set_if_new(&cell.row, row.clone());
            (*cell).clone()
        }
        None => Cell { id: row.id(), row: ArcRwSignal::new(row.clone()) },
    };
    Some(rows.iter().map(cell).collect())
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
