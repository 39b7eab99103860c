//! The live socket: topics, frames, and how a frame changes what a page holds.
//!
//! Frames are postcard. A browser subscribes to a *window* of rows or to a small whole value; the server sends the window,
//! then only what changes in it, coalesced. [`fold`] is pure, so "what does the page show after these frames" is a test.

use crate::Fault;
use crate::change::OperationView;
use crate::fleet::{ClusterView, Inventory};
use crate::id::{ClusterId, OperationId, VmRef};
use crate::overview::Overview;
use crate::provisioning::DeliveryView;
use crate::time::UnixMs;
use crate::vm::{Query, VmDetail, VmRow};
use serde::{Deserialize, Serialize};

/// Raised when frames change shape: a page of another build reloads instead of misreading.
pub const PROTOCOL: u32 = 2;
/// Most rows of a window (`stack.md` §5: a buffer of 600 rows, 50 in the DOM).
pub const MAX_WINDOW: u32 = 600;
/// Most subscriptions of one socket.
pub const MAX_TOPICS: usize = 16;
/// Longest message that a browser may send, in bytes.
pub const MAX_UP: usize = 8 * 1024;

/// What can be followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Topic {
    /// A window of the VM list.
    Vms(Query),
    /// One VM's page.
    Vm(VmRef),
    /// All clusters, for the frame and the list.
    Fleet,
    /// What is in one cluster, for its page.
    Cluster(ClusterId),
    /// The first page.
    Overview,
    /// Running and recent operations, for the task drawer.
    Operations,
    /// A delivery's page.
    Delivery(OperationId),
}

/// Rows `start..start+len` of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Span {
    /// First row.
    pub start: u32,
    /// How many.
    pub len: u32,
}

/// Browser to server. `sub` is a number that the browser chose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Up {
    /// Follow a topic; for lists, a window of it.
    Open {
        /// Subscription.
        sub: u32,
        /// What.
        topic: Topic,
        /// Window; ignored by topics that have none.
        span: Span,
    },
    /// Move the window.
    Move {
        /// Subscription.
        sub: u32,
        /// New window.
        span: Span,
    },
    /// Stop.
    Close {
        /// Subscription.
        sub: u32,
    },
}

/// Server to browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Down {
    /// First frame of a socket.
    Hello {
        /// [`PROTOCOL`] of the server.
        protocol: u32,
        /// Build of the server: another one than the page's means reload.
        build: String,
        /// The server's clock, for ages.
        now: UnixMs,
    },
    /// Every few seconds, so that a page knows that the line lives, and the server's time.
    Beat {
        /// The server's clock.
        now: UnixMs,
    },
    /// Rows of a list.
    Rows {
        /// Subscription.
        sub: u32,
        /// What to fold.
        frame: Frame,
    },
    /// A whole value.
    Value {
        /// Subscription.
        sub: u32,
        /// The newest.
        value: Value,
    },
    /// The topic cannot be followed; the subscription is over.
    Refused {
        /// Subscription.
        sub: u32,
        /// Why.
        fault: Fault,
    },
}

/// Whole values of topics that are small.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    /// Of [`Topic::Vm`]; `None` when it is gone.
    Vm(Option<Box<VmDetail>>),
    /// Of [`Topic::Fleet`].
    Fleet(Vec<ClusterView>),
    /// Of [`Topic::Cluster`]; `None` when it is not looked after any more.
    Cluster(Option<Box<Inventory>>),
    /// Of [`Topic::Overview`].
    Overview(Box<Overview>),
    /// Of [`Topic::Operations`].
    Operations(Vec<OperationView>),
    /// Of [`Topic::Delivery`].
    Delivery(Box<DeliveryView>),
}

impl Value {
    /// Whether `other` says the same and is only read at another moment.
    pub fn is_same_but_for_age(&self, other: &Self) -> bool {
        self.clone().without_age() == other.clone().without_age()
    }

    fn without_age(mut self) -> Self {
        // Whether there is an age is no matter of age.
        let forget = |at: &mut Option<UnixMs>| *at = at.map(|_| UnixMs(0));
        let forget_all = |clusters: &mut [ClusterView]| clusters.iter_mut().for_each(|c| forget(&mut c.as_of));
        match &mut self {
            Self::Vm(Some(detail)) => {
                detail.as_of = UnixMs(0);
                detail.truths.iter_mut().for_each(|truth| forget(&mut truth.as_of));
            }
            Self::Fleet(clusters) => forget_all(clusters),
            Self::Cluster(Some(inventory)) => {
                inventory.watches.iter_mut().for_each(|watch| forget(&mut watch.fresh));
            }
            Self::Overview(overview) => {
                overview.as_of = UnixMs(0);
                forget_all(&mut overview.clusters);
            }
            Self::Delivery(delivery) => delivery.as_of = UnixMs(0),
            Self::Vm(None) | Self::Cluster(None) | Self::Operations(_) => {}
        }
        self
    }
}

/// A change of a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Frame {
    /// The window from scratch.
    Window(Window),
    /// Rows that changed inside the window, by their place in the list, and the total.
    Delta {
        /// Rows in the list now.
        total: u32,
        /// Place in the list and the row that now stands there.
        rows: Vec<(u32, VmRow)>,
    },
}

/// A window of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Window {
    /// Place of the first row.
    pub start: u32,
    /// Rows in the list.
    pub total: u32,
    /// Rows of all clusters, whatever the query.
    pub of: u32,
    /// The rows.
    pub rows: Vec<VmRow>,
    /// How long the search took on the server, in microseconds.
    pub took_us: u32,
}

/// Applies a frame to the window that a page holds.
pub fn fold(window: &mut Window, frame: Frame) {
    match frame {
        Frame::Window(new) => *window = new,
        Frame::Delta { total, rows } => {
            window.total = total;
            let held = total.saturating_sub(window.start) as usize;
            window.rows.truncate(held);
            for (at, row) in rows {
                let Some(place) = at.checked_sub(window.start).map(|p| p as usize) else { continue };
                match place.cmp(&window.rows.len()) {
                    std::cmp::Ordering::Less => window.rows[place] = row,
                    std::cmp::Ordering::Equal if place < MAX_WINDOW as usize => window.rows.push(row),
                    _ => {}
                }
            }
        }
    }
}

/// What turns `old` into `new`, both windows of the same place; a delta where the place is the same, else the whole.
pub fn difference(old: &Window, new: &Window) -> Option<Frame> {
    if old.start != new.start {
        return Some(Frame::Window(new.clone()));
    }
    let changed =
        |(at, row): (usize, &VmRow)| (old.rows.get(at) != Some(row)).then(|| (new.start + at as u32, row.clone()));
    let rows: Vec<_> = new.rows.iter().enumerate().filter_map(changed).collect();
    let is_same = rows.is_empty() && old.total == new.total && old.rows.len() == new.rows.len();
    // A delta of most of the window costs more than the window.
    match (is_same, rows.len() * 2 > new.rows.len() && new.rows.len() > 4) {
        (true, _) => None,
        (_, true) => Some(Frame::Window(new.clone())),
        _ if new.rows.len() < old.rows.len() && (new.total.saturating_sub(new.start) as usize) > new.rows.len() => {
            Some(Frame::Window(new.clone()))
        }
        _ => Some(Frame::Delta { total: new.total, rows }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::WatchView;
    use crate::quantity::Bytes;
    use crate::vm::Power;

    fn row(name: &str, power: Power) -> VmRow {
        VmRow {
            cluster: "a".into(),
            namespace: "n".into(),
            name: name.into(),
            uid: "u".into(),
            power,
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
            cpu: 1,
            memory: Bytes(0),
            disk: Bytes(0),
            created: UnixMs(0),
            changed: UnixMs(0),
            change: None,
        }
    }

    fn window(start: u32, total: u32, names: &[&str]) -> Window {
        let rows = names.iter().map(|n| row(n, Power::Running)).collect();
        Window { start, total, of: total, rows, took_us: 0 }
    }

    #[test]
    fn folding_the_difference_gives_the_new_window() {
        let full: Vec<String> = (0..40).map(|n| format!("vm-{n:02}")).collect();
        let names: Vec<&str> = full.iter().map(String::as_str).collect();
        let mut one_changed = window(10, 100, &names);
        one_changed.rows[7].power = Power::Stopped;
        let cases = [
            (window(10, 100, &names), one_changed),
            (window(0, 3, &names[..3]), window(0, 2, &names[..2])),
            (window(0, 2, &names[..2]), window(0, 3, &names[..3])),
            (window(0, 40, &names), window(20, 40, &names[20..])),
            (window(0, 3, &["a", "b", "c"]), window(0, 4, &["0", "a", "b", "c"])),
            (window(0, 0, &[]), window(0, 1, &["a"])),
            (window(0, 1, &["a"]), window(0, 0, &[])),
        ];
        for (n, (old, new)) in cases.into_iter().enumerate() {
            let mut held = old.clone();
            fold(&mut held, difference(&old, &new).expect("differs"));
            held.took_us = new.took_us;
            held.of = new.of;
            assert_eq!(held, new, "case {n}");
            assert_eq!(difference(&new, &new), None, "case {n}");
        }
    }

    #[test]
    fn a_delta_from_nowhere_does_no_harm() {
        let mut held = window(10, 20, &["a", "b"]);
        fold(
            &mut held,
            Frame::Delta { total: 20, rows: vec![(3, row("x", Power::Failed)), (900, row("y", Power::Failed))] },
        );
        assert_eq!(held.rows.len(), 2);
    }

    #[test]
    fn frames_survive_the_wire() {
        let frame = Down::Rows { sub: 1, frame: Frame::Window(window(0, 1, &["a"])) };
        let bytes = postcard::to_stdvec(&frame).unwrap();
        assert_eq!(postcard::from_bytes::<Down>(&bytes).unwrap(), frame);
    }

    #[test]
    fn a_later_reading_of_the_same_is_no_news() {
        let overview = |running: Vec<OperationView>, at: i64| {
            let (power, needs, clusters) = (vec![], vec![], vec![]);
            Value::Overview(Box::new(Overview { power, running, needs, clusters, as_of: UnixMs(at) }))
        };
        let (now, later) = (overview(vec![], 1), overview(vec![], 2));
        assert!(now != later && now.is_same_but_for_age(&later));
        assert!(!now.is_same_but_for_age(&Value::Fleet(vec![])));
        assert!(!Value::Vm(None).is_same_but_for_age(&later));
        let inventory = |fresh: i64, objects: u32| {
            let watch = WatchView {
                resource: "virtualmachines.kubevirt.io".into(),
                objects,
                fresh: Some(UnixMs(fresh)),
                lists: 1,
                repairs: 0,
                problem: None,
            };
            Value::Cluster(Some(Box::new(Inventory { watches: vec![watch], ..Inventory::default() })))
        };
        assert!(inventory(1, 7).is_same_but_for_age(&inventory(2, 7)));
        assert!(!inventory(1, 7).is_same_but_for_age(&inventory(2, 8)));
    }
}
