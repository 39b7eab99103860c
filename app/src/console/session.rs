//! One session: gets its ticket, follows the line, tries again. The line itself is [`super::drive`]'s.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use model::console::{Mode, OpenConsole, Opening};
use model::id::VmRef;

use super::api::ask_ticket;
use super::drive;
use super::stage::{Stage, Why, wait_ms};
use crate::frame::use_now;

/// The field that a production VM's console asks for.
const REASON: &str = "reason";

/// A session and what its page shows of it. Signals are without an owner: callbacks of the socket set them.
#[derive(Clone)]
pub(super) struct Session {
    /// The VM.
    pub(super) vm: VmRef,
    /// Screen or serial line.
    pub(super) mode: Mode,
    /// How it stands.
    pub(super) stage: ArcRwSignal<Stage>,
    /// Why it was opened.
    pub(super) reason: ArcRwSignal<String>,
    /// Nothing is sent but requests for pictures.
    pub(super) is_view_only: ArcRwSignal<bool>,
    /// Keys that are still to be typed.
    pub(super) typing: ArcRwSignal<usize>,
    tries: Arc<AtomicU32>,
    /// Whoever is at the screen is cut off: a person said so.
    takes_over: Arc<AtomicBool>,
    /// Counts openings, so that a late answer of an older one is dropped.
    round: Arc<AtomicU32>,
    now: Signal<i64>,
}

impl Session {
    /// A session that has not begun. Call it in a component.
    pub(super) fn new(vm: VmRef, mode: Mode, asks_reason: bool) -> Self {
        let stage = if asks_reason { Stage::Asking } else { Stage::Opening };
        Self {
            vm,
            mode,
            stage: ArcRwSignal::new(stage),
            reason: ArcRwSignal::default(),
            is_view_only: ArcRwSignal::new(false),
            typing: ArcRwSignal::default(),
            tries: Arc::default(),
            takes_over: Arc::default(),
            round: Arc::default(),
            now: use_now(),
        }
    }

    /// Opens it because a person wants to.
    pub(super) fn open(&self) {
        self.tries.store(0, Ordering::Relaxed);
        self.begin();
    }

    /// Opens it because a person wants to, whoever is at the screen.
    pub(super) fn take_over(&self) {
        self.takes_over.store(true, Ordering::Relaxed);
        self.open();
    }

    /// Closes it because a person wants to.
    pub(super) fn close(&self) {
        self.round.fetch_add(1, Ordering::Relaxed);
        drive::hang_up();
        self.typing.set(0);
        self.stage.set(Stage::Ended(None));
    }

    /// The line is made: the first picture, the first byte.
    pub(super) fn is_well(&self) {
        self.tries.store(0, Ordering::Relaxed);
        // One's own now; whoever is there at a later opening is asked about again.
        self.takes_over.store(false, Ordering::Relaxed);
        if self.stage.with_untracked(|stage| *stage != Stage::Connected) {
            self.stage.set(Stage::Connected);
        }
    }

    /// The line is cut: tries again after a while, where that may help.
    pub(super) fn ended(&self, why: Why) {
        // Who lost the screen to somebody does not take it back without a word.
        self.takes_over.store(false, Ordering::Relaxed);
        let tries = self.tries.fetch_add(1, Ordering::Relaxed);
        self.typing.set(0);
        let Some(wait) = wait_ms(&why, tries) else {
            self.stage.set(Stage::Ended(Some(why)));
            return;
        };
        self.stage.set(Stage::Waiting(why, self.now.get_untracked() + wait));
        let (again, round) = (self.clone(), self.round.load(Ordering::Relaxed));
        set_timeout(
            move || {
                if again.round.load(Ordering::Relaxed) == round {
                    again.begin();
                }
            },
            Duration::from_millis(wait.unsigned_abs()),
        );
    }

    fn begin(&self) {
        let round = self.round.fetch_add(1, Ordering::Relaxed) + 1;
        drive::hang_up();
        self.stage.set(Stage::Opening);
        let open = OpenConsole {
            vm: self.vm.clone(),
            mode: self.mode,
            reason: self.reason.get_untracked(),
            takes_over: self.takes_over.load(Ordering::Relaxed),
        };
        let session = self.clone();
        spawn_local(async move {
            let answer = ask_ticket(open).await;
            if session.round.load(Ordering::Relaxed) != round {
                return;
            }
            match answer {
                Ok(Opening::Held(name)) => session.stage.set(Stage::Held(name)),
                Ok(Opening::Given(ticket)) => {
                    session.stage.set(Stage::Connecting);
                    drive::connect(&session, ticket.secret);
                }
                Err(fault) if fault.field.as_deref() == Some(REASON) => session.stage.set(Stage::Asking),
                Err(fault) => session.ended(Why::Fault(fault)),
            }
        });
    }
}
