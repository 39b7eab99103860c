//! What is to be looked at next: one behaviour on one object, because something changed or because time came.
//!
//! Invariant: a task stands in the queue at most once and has at most one alarm. Pure but for its own memory: it knows
//! neither a clock nor where objects are kept, so that the built-in world and a real API server are driven alike.

use crate::behave::{Behaviour, Names, Resource, Role};
use crate::world::Key;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};

/// One behaviour on one object.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Task {
    behaviour: usize,
    /// The object.
    pub(crate) key: Key,
}

/// A behaviour and how a change names the objects that it steps.
type Waker = (usize, Names);

/// The tasks of one driver.
pub(crate) struct Agenda {
    behaviours: Vec<Behaviour>,
    on: HashMap<Resource, Vec<usize>>,
    woken_by: HashMap<Resource, Vec<Waker>>,
    queue: VecDeque<Task>,
    queued: HashSet<Task>,
    alarms: BinaryHeap<Reverse<(i64, Task)>>,
    due: HashMap<Task, i64>,
}

impl Agenda {
    /// An empty agenda of the behaviours whose roles `plays` says yes to.
    pub(crate) fn new(all: &[Behaviour], plays: impl Fn(Role) -> bool) -> Self {
        let behaviours: Vec<Behaviour> = all.iter().filter(|held| plays(held.role)).copied().collect();
        let mut on: HashMap<Resource, Vec<usize>> = HashMap::new();
        let mut woken_by: HashMap<Resource, Vec<Waker>> = HashMap::new();
        for (at, behaviour) in behaviours.iter().enumerate() {
            on.entry(behaviour.on).or_default().push(at);
            for (resource, names) in behaviour.wakes {
                woken_by.entry(*resource).or_default().push((at, *names));
            }
        }
        Self {
            behaviours,
            on,
            woken_by,
            queue: VecDeque::new(),
            queued: HashSet::new(),
            alarms: BinaryHeap::new(),
            due: HashMap::new(),
        }
    }

    /// The kinds whose objects are stepped, in order.
    pub(crate) fn kinds(&self) -> Vec<Resource> {
        let mut kinds: Vec<Resource> = self.on.keys().copied().collect();
        kinds.sort();
        kinds
    }

    /// The behaviour of a task.
    pub(crate) fn behaviour(&self, task: &Task) -> Behaviour {
        self.behaviours[task.behaviour]
    }

    /// Queues every behaviour on an object.
    pub(crate) fn wake_own(&mut self, resource: Resource, key: &Key) {
        for at in self.on.get(&resource).cloned().unwrap_or_default() {
            self.enqueue(Task { behaviour: at, key: key.clone() });
        }
    }

    /// Queues whom a change of this object wakes, itself too unless it is gone.
    pub(crate) fn wake(&mut self, resource: Resource, key: &Key, object: &Value, is_removal: bool) {
        if !is_removal {
            self.wake_own(resource, key);
        }
        for (behaviour, names) in self.woken_by.get(&resource).cloned().unwrap_or_default() {
            for (namespace, name) in names(object) {
                self.enqueue(Task { behaviour, key: Key::new(&namespace, &name) });
            }
        }
    }

    /// Queues a task.
    pub(crate) fn enqueue(&mut self, task: Task) {
        if self.queued.insert(task.clone()) {
            self.queue.push_back(task);
        }
    }

    /// Takes the first task out of the queue.
    pub(crate) fn next(&mut self) -> Option<Task> {
        let task = self.queue.pop_front()?;
        self.queued.remove(&task);
        Some(task)
    }

    /// Whether nothing is queued.
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }

    /// Queues the tasks whose alarm has come.
    pub(crate) fn ring(&mut self, now_ms: i64) {
        while let Some(Reverse((due, _))) = self.alarms.peek() {
            if *due > now_ms {
                break;
            }
            let Some(Reverse((due, task))) = self.alarms.pop() else { break };
            // An alarm that was set anew since is stale.
            if self.due.get(&task) == Some(&due) {
                self.due.remove(&task);
                self.enqueue(task);
            }
        }
    }

    /// Sets a task's alarm, or takes it away.
    pub(crate) fn set_alarm(&mut self, task: Task, due_ms: Option<i64>) {
        match due_ms {
            Some(due) => {
                self.due.insert(task.clone(), due);
                self.alarms.push(Reverse((due, task)));
            }
            None => drop(self.due.remove(&task)),
        }
    }

    /// The moment of the next alarm, if there is one.
    pub(crate) fn next_due_ms(&mut self) -> Option<i64> {
        while let Some(Reverse((due, task))) = self.alarms.peek() {
            if self.due.get(task) == Some(due) {
                return Some(*due);
            }
            self.alarms.pop();
        }
        None
    }
}
