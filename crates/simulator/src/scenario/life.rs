//! A gentle background life for demonstrations: now and then a machine reboots, moves, or is restarted.
//!
//! Off unless somebody runs [`live`]; tests never do. It acts through the same calls that a person has, so what it may
//! not do it is refused.

use crate::behave::resources::{VM, VMI};
use crate::behave::{Now, Role, View as _, object, subresource};
use crate::scenario::hostile;
use crate::world::{By, World};
use serde_json::Value;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Machines that are drawn before a beat gives up.
const TRIES: usize = 8;

/// What a beat does, the commonest first.
const ACTS: &[(bool, &str)] = &[(false, "softreboot"), (false, "softreboot"), (true, "migrate"), (true, "restart")];

/// One small event somewhere; gives the machine and what happened to it.
pub fn beat(world: &World) -> Option<(String, &'static str)> {
    let running: Vec<_> = world
        .list(VMI, None)
        .into_iter()
        .filter(|vmi| object::text(vmi, "/status/phase") == "Running" && object::is_true(vmi, "Ready"))
        .filter(|vmi| !object::name(vmi).contains("fault-") && object::name(vmi) != hostile::NAME)
        .collect();
    for _ in 0..TRIES {
        let now = Now { unix_ms: world.clock().unix_ms(), random: world.random() };
        let vmi = running.get(usize::try_from(now.draw(1, running.len() as u64)).ok()?)?;
        let (on_vm, sub) = ACTS[usize::try_from(now.draw(2, ACTS.len() as u64)).ok()?];
        let (namespace, name) = object::key(vmi);
        let vm = world.get(VM, &namespace, &name);
        let answer = world
            .view(|view| subresource::call((on_vm, sub), (vm.as_deref(), Some(vmi)), &name, &Value::Null, view, now));
        let by = By::role(Role::VirtController);
        let done = answer.is_ok_and(|answer| {
            !answer.effects.is_empty() && answer.effects.iter().all(|effect| world.perform(effect, &by).is_ok())
        });
        if done {
            return Some((name, sub));
        }
    }
    None
}

/// Beats once every `pause` of simulated time until `stop`.
pub async fn live(world: World, pause: Duration, stop: CancellationToken) {
    let clock = world.clock().clone();
    loop {
        let next = clock.unix_ms().saturating_add(i64::try_from(pause.as_millis()).unwrap_or(i64::MAX));
        tokio::select! {
            () = stop.cancelled() => return,
            () = clock.until(next) => {}
        }
        if let Some((name, act)) = beat(&world) {
            tracing::debug!(name, act, "background life");
        }
    }
}
