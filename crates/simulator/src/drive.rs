//! Runs behaviours over a world: what changed wakes them, and so does simulated time.
//!
//! Invariant: an object at rest costs nothing. What is next says [`agenda`]; work is bounded a tick, so that a storm of
//! changes never starves the program. Nothing here knows a kind, and nothing here is needed to drive a real API server:
//! that is the agent.

mod agenda;

use crate::behave::{self, Behaviour, Effect, Now, Outcome, Role, View};
use crate::world::{By, Key, World};
pub(crate) use agenda::{Agenda, Task};
use serde_json::Value;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Steps a tick: at most this many between two looks at the clock and at shutdown.
const STEPS_A_TICK: usize = 500;
/// Steps that [`Drive::settle`] takes before it says that the world does not come to rest.
const SETTLE_LIMIT: usize = 2_000_000;
/// A refused effect is tried again after this simulated time.
const RETRY: Duration = Duration::from_secs(5);

/// The world kept moving at one and the same moment: two behaviours undo each other's work.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the world did not come to rest after {steps} steps; the last was {last}")]
pub struct Restless {
    /// Steps taken.
    pub steps: usize,
    /// The behaviour and object of the last step.
    pub last: String,
}

/// The driver of one world.
pub struct Drive {
    world: World,
    agenda: Agenda,
    /// Changes up to this version have woken whom they had to.
    place: u64,
    last: String,
}

impl Drive {
    /// Drives all roles. Objects that are not at rest are looked at first.
    pub fn new(world: &World) -> Self {
        Self::with_roles(world, |_| true)
    }

    /// Drives all roles of a world that was left in the middle of something: every object that anybody changed is looked
    /// at first.
    pub fn resumed(world: &World) -> Self {
        Self::resumed_with_roles(world, |_| true)
    }

    /// The same, for some roles.
    pub fn resumed_with_roles(world: &World, plays: impl Fn(Role) -> bool) -> Self {
        let mut drive = Self::with_roles(world, plays);
        for resource in drive.agenda.kinds() {
            for object in drive.world.in_motion(resource) {
                drive.agenda.wake_own(resource, &Key::of(&object));
            }
        }
        drive
    }

    /// Drives only the roles that `plays` says yes to.
    pub fn with_roles(world: &World, plays: impl Fn(Role) -> bool) -> Self {
        let agenda = Agenda::new(behave::ALL, plays);
        let mut drive = Self { world: world.clone(), agenda, place: world.version(), last: String::new() };
        drive.look_at_all();
        drive
    }

    /// Queues every object that is not at rest, as a controller's first list does.
    fn look_at_all(&mut self) {
        for resource in self.agenda.kinds() {
            for object in self.world.in_motion(resource) {
                if !is_at_rest(&object) {
                    self.agenda.wake_own(resource, &Key::of(&object));
                }
            }
        }
    }

    /// Takes the changes since the last look and queues whom they wake.
    fn absorb(&mut self) {
        let Ok(changes) = self.world.changes_after(self.place) else {
            // The log moved on without us, as after a long stall: list again, as upstream's informers do.
            self.place = self.world.version();
            self.look_at_all();
            return;
        };
        for change in &changes {
            self.place = self.place.max(change.version);
            self.agenda.wake(change.resource, &change.key, &change.object, change.is_removal);
        }
    }

    /// Does one queued step; `false` when nothing is queued.
    fn step(&mut self) -> bool {
        let Some(task) = self.agenda.next() else { return false };
        let behaviour = self.agenda.behaviour(&task);
        let Some(object) = self.world.get(behaviour.on, &task.key.namespace, &task.key.name) else {
            self.agenda.set_alarm(task, None);
            return true;
        };
        let now = Now { unix_ms: self.world.clock().unix_ms(), random: self.world.random() };
        let outcome = self.world.view(|view| (behaviour.step)(&object, view, now));
        if !outcome.effects.is_empty() {
            self.last = format!(
                "{} of {}/{}: {:?}",
                behaviour.name,
                task.key.namespace,
                task.key.name,
                outcome.effects.first()
            );
        }
        let Outcome { effects, again_after } = outcome;
        let again_after = if self.perform(behaviour, &effects) { again_after } else { Some(RETRY) };
        self.agenda.set_alarm(task, again_after.map(|delay| due_ms(now.unix_ms, delay)));
        true
    }

    fn perform(&self, behaviour: Behaviour, effects: &[Effect]) -> bool {
        let by = By::role(behaviour.role);
        for effect in effects {
            let Err(status) = self.world.perform(effect, &by) else { continue };
            // What is gone needs no change and what is there needs no creation.
            let is_moot = matches!(
                (effect, status.code),
                (Effect::Delete { .. } | Effect::Merge { .. }, 404) | (Effect::Event { .. }, _)
            );
            if !is_moot {
                tracing::debug!(behaviour = behaviour.name, code = status.code, message = %status.message, "effect refused");
                return false;
            }
        }
        true
    }

    /// Runs until nothing is due at this moment. Gives the number of steps.
    pub fn settle(&mut self) -> Result<usize, Restless> {
        let mut steps = 0;
        loop {
            self.absorb();
            self.agenda.ring(self.world.clock().unix_ms());
            if self.agenda.is_idle() {
                return Ok(steps);
            }
            while self.step() {
                steps += 1;
                if steps >= SETTLE_LIMIT {
                    return Err(Restless { steps, last: self.last.clone() });
                }
            }
        }
    }

    /// Lets an explicit clock run for `span`, settling at every moment at which something is due.
    pub fn advance(&mut self, span: Duration) -> Result<(), Restless> {
        let clock = self.world.clock().clone();
        let end = clock.unix_ms().saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX));
        loop {
            self.settle()?;
            let now = clock.unix_ms();
            let next = self.agenda.next_due_ms().unwrap_or(end).clamp(now, end);
            if next > now {
                clock.advance(Duration::from_millis(next.abs_diff(now)));
            }
            if next >= end {
                self.settle()?;
                return Ok(());
            }
        }
    }

    /// Lets an explicit clock run until `holds`, at most for `limit`; says whether it came to hold.
    pub fn advance_until(
        &mut self,
        limit: Duration,
        mut holds: impl FnMut(&dyn View) -> bool,
    ) -> Result<bool, Restless> {
        const STEP: Duration = Duration::from_secs(1);
        let mut passed = Duration::ZERO;
        self.settle()?;
        loop {
            if holds(&self.world) {
                return Ok(true);
            }
            if passed >= limit {
                return Ok(false);
            }
            self.advance(STEP)?;
            passed += STEP;
        }
    }

    /// Drives until `stop`.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut versions = self.world.versions();
        let clock = self.world.clock().clone();
        while !stop.is_cancelled() {
            versions.borrow_and_update();
            self.absorb();
            self.agenda.ring(clock.unix_ms());
            let mut steps = 0;
            while steps < STEPS_A_TICK && self.step() {
                steps += 1;
            }
            if steps > 0 {
                tokio::task::yield_now().await;
                continue;
            }
            let next = self.agenda.next_due_ms();
            let alarm = async {
                match next {
                    Some(due) => clock.until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = alarm => {}
                changed = versions.changed() => if changed.is_err() { return },
            }
        }
    }

    /// Drives in a task of its own until `stop`.
    pub fn spawn(self, stop: CancellationToken) -> tokio::task::JoinHandle<()> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the one task of the driver; its handle is given to the caller, who stops and awaits it"
        )]
        tokio::spawn(self.run(stop))
    }
}

/// When an alarm of `delay` rings. Stamps have whole seconds; one of less than a millisecond would ring for ever at the
/// same moment.
pub(crate) fn due_ms(now_ms: i64, delay: Duration) -> i64 {
    now_ms.saturating_add(i64::try_from(delay.as_millis()).unwrap_or(i64::MAX)).max(now_ms + 1)
}

/// Whether a finished object needs no first look: it would only be found as it should be.
pub(crate) fn is_at_rest(object: &Value) -> bool {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    if !text("/metadata/deletionTimestamp").is_empty() {
        return false;
    }
    let settled_vm = matches!(text("/status/printableStatus"), "Running" | "Stopped" | "Paused");
    let phase = text("/status/phase");
    let settled_phase = match text("/kind") {
        "Pod" => phase == "Running",
        "PersistentVolumeClaim" | "PersistentVolume" => phase == "Bound",
        "VirtualMachineInstance" => phase == "Running" && object.pointer("/status/interfaces/0/ipAddress").is_some(),
        _ => false,
    };
    settled_vm || settled_phase
}

#[cfg(test)]
mod tests;
