//! Snapshots of all rows: sorted, shared, made at most a few times a second.
//!
//! A reader takes a pointer. Changes are gathered and published together; when only existing rows changed and nobody
//! holds the last snapshot any more, they are put into it in place.

use super::shared::Shared;
use model::vm::{Power, VmRow};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Least time between two snapshots: 20 a second are more than anyone sees.
const GATHER: Duration = Duration::from_millis(50);

/// A snapshot may take at most this part of the time.
const SHARE: u32 = 10;

pub(crate) type Rows = Arc<[Arc<VmRow>]>;

pub(crate) struct Snapshot {
    rows: RwLock<Rows>,
    generation: watch::Sender<u64>,
}

impl Default for Snapshot {
    fn default() -> Self {
        Self { rows: RwLock::new(Arc::new([])), generation: watch::Sender::new(0) }
    }
}

impl Snapshot {
    pub(crate) fn rows(&self) -> Rows {
        self.rows.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn generation(&self) -> u64 {
        *self.generation.borrow()
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }
}

/// Publishes until the cache stops.
pub(crate) async fn publish(shared: Arc<Shared>) {
    loop {
        tokio::select! {
            () = shared.news.notified() => {}
            () = shared.stop.cancelled() => return,
        }
        let began = Instant::now();
        publish_now(&shared);
        let pause = GATHER.max(began.elapsed() * SHARE);
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = shared.stop.cancelled() => return,
        }
    }
}

fn publish_now(shared: &Shared) {
    let dirty = shared.write(|state| {
        state.is_status_dirty = false;
        std::mem::take(&mut state.dirty)
    });
    if !dirty.is_empty() {
        let mut news: Vec<News> = shared.read(|state| {
            dirty
                .into_iter()
                .map(|(key, (name, namespace))| News { row: state.row(key).cloned(), name, namespace })
                .collect()
        });
        news.sort_unstable_by(|a, b| a.key().cmp(&b.key()));
        let mut rows = shared.snapshot.rows.write().unwrap_or_else(PoisonError::into_inner);
        merge(&mut rows, news);
    }
    shared.snapshot.generation.send_modify(|generation| *generation += 1);
}

/// A row that changed (`Some`) or went (`None`).
struct News {
    name: Arc<str>,
    namespace: Arc<str>,
    row: Option<Arc<VmRow>>,
}

impl News {
    fn key(&self) -> (&str, &str) {
        (&self.name, &self.namespace)
    }
}

/// Brings `rows` up to date; both are sorted by name, then namespace.
fn merge(rows: &mut Rows, news: Vec<News>) {
    let places: Option<Vec<usize>> = news.iter().map(|n| if n.row.is_some() { find(rows, n) } else { None }).collect();
    if let Some(places) = places {
        let rows = Arc::make_mut(rows);
        for (place, news) in places.into_iter().zip(news) {
            if let Some(row) = news.row {
                rows[place] = row;
            }
        }
        return;
    }
    let mut merged = Vec::with_capacity(rows.len() + news.len());
    let mut news = news.into_iter().peekable();
    for row in rows.iter() {
        while let Some(n) = news.next_if(|n| n.key() < key(row)) {
            merged.extend(n.row);
        }
        match news.next_if(|n| n.key() == key(row)) {
            Some(n) => merged.extend(n.row),
            None => merged.push(row.clone()),
        }
    }
    merged.extend(news.filter_map(|n| n.row));
    *rows = merged.into();
}

fn find(rows: &Rows, news: &News) -> Option<usize> {
    rows.binary_search_by(|row| key(row).cmp(&news.key())).ok()
}

fn key(row: &VmRow) -> (&str, &str) {
    (&row.name, &row.namespace)
}

/// VMs by power, in the order of [`Power::ALL`], zeros left out.
pub(crate) fn power(rows: &[Arc<VmRow>]) -> Vec<(Power, u32)> {
    let mut counts = Power::ALL.map(|power| (power, 0));
    for row in rows {
        if let Some((_, count)) = counts.iter_mut().find(|(power, _)| *power == row.power) {
            *count += 1;
        }
    }
    counts.into_iter().filter(|&(_, count)| count > 0).collect()
}
