//! The query engine over the caches of all clusters: filter, order, cut.
//!
//! One sweep over compact rows; only the rows up to the window's end are put in order, so a window at the top of 100,000
//! rows costs a sweep and a selection, not a sort.

use model::live::{Span, Window};
use model::vm::{Sort, Verdict, VmRow};
use std::sync::Arc;

/// Answers a query from the rows of each cluster.
pub(crate) fn window(lists: &[Arc<[Arc<VmRow>]>], verdict: &Verdict, sort: Sort, span: Span) -> Window {
    let of = lists.iter().map(|rows| rows.len()).sum::<usize>();
    let mut found: Vec<&Arc<VmRow>> =
        lists.iter().flat_map(|rows| rows.iter()).filter(|row| verdict.admits(row)).collect();
    let total = found.len();
    let start = (span.start as usize).min(total);
    let end = start.saturating_add(span.len as usize).min(total);
    let order = |a: &&Arc<VmRow>, b: &&Arc<VmRow>| sort.compare(a, b);
    if end < total {
        if let Some(last) = end.checked_sub(1) {
            found.select_nth_unstable_by(last, order);
        }
        found.truncate(end);
    }
    if start > 0 && start < found.len() {
        found.select_nth_unstable_by(start, order);
    }
    let mut cut = found.split_off(start.min(found.len()));
    cut.sort_unstable_by(order);
    let rows = cut.into_iter().map(|row| VmRow::clone(row)).collect();
    Window { start: start as u32, total: total as u32, of: of as u32, rows, took_us: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::UnixMs;
    use model::quantity::Bytes;
    use model::vm::{Power, Query, SortKey};

    fn rows(cluster: &str, n: usize) -> Arc<[Arc<VmRow>]> {
        let row = |k: usize| VmRow {
            cluster: cluster.into(),
            namespace: "n".into(),
            name: format!("vm-{:03}", (k * 37) % n).into(),
            uid: "u".into(),
            power: if k.is_multiple_of(3) { Power::Stopped } else { Power::Running },
            status: "".into(),
            problem: None,
            addresses: vec![],
            macs: vec![],
            node: None,
            owner: None,
            owner_name: None,
            service: None,
            environment: None,
            display_name: None,
            is_managed: false,
            has_agent: false,
            os: None,
            cpu: (k % 16) as u32,
            memory: Bytes(0),
            disk: Bytes(0),
            created: UnixMs(0),
            changed: UnixMs(0),
            change: None,
        };
        (0..n).map(|k| Arc::new(row(k))).collect()
    }

    /// Every window of every order is the slice that a full sort would give.
    #[test]
    fn windows_are_slices_of_the_sorted_whole() {
        let lists = [rows("a", 50), rows("b", 31)];
        for (text, key, descending) in [
            ("", SortKey::Name, false),
            ("status:running", SortKey::Cpu, true),
            ("vm-00", SortKey::Cluster, false),
            ("nothing", SortKey::Name, false),
        ] {
            let (sort, verdict) =
                (Sort { key, descending }, Query { text: text.into(), sort: Sort::default() }.parse().unwrap());
            let mut whole: Vec<VmRow> =
                lists.iter().flat_map(|l| l.iter()).filter(|r| verdict.admits(r)).map(|r| VmRow::clone(r)).collect();
            whole.sort_by(|a, b| sort.compare(a, b));
            for (start, len) in [(0, 10), (5, 7), (40, 100), (500, 5), (0, 0), (0, 600)] {
                let window = window(&lists, &verdict, sort, Span { start, len });
                let from = (start as usize).min(whole.len());
                let to = (from + len as usize).min(whole.len());
                assert_eq!(window.rows, whole[from..to], "{text} {start}+{len}");
                assert_eq!((window.total as usize, window.of), (whole.len(), 81));
            }
        }
    }
}
