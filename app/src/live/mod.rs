//! Live data: one socket a tab, many topics, and hooks that give pages signals of them.
//!
//! A hook is seeded with what the server rendered, so the first paint is in the HTML and the first client render agrees;
//! news come later and only change what differs. Signals are `ArcRwSignal`s: made in callbacks, they have no owner.
//! Nothing here knows a noun besides the topics of `model::live`.

mod link;
mod rows;
mod socket;
mod value;
mod wishes;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leptos::prelude::*;
use model::UnixMs;
use model::live::{Down, PROTOCOL, Span, Topic, Up};

pub(crate) use link::Link;
pub(crate) use rows::{Cell, Rows, use_rows};
pub(crate) use value::{Held, use_value};
use wishes::{News, Sink, Wishes};

use crate::frame::use_session;

/// Under which key the tab remembers for which build it was loaded again.
const RELOADED_FOR: &str = "reloaded-for";

/// The line to the server, given by context.
#[derive(Clone)]
pub(crate) struct Live {
    wishes: Arc<Mutex<Wishes>>,
    /// How the line stands.
    pub(crate) link: ArcRwSignal<Link>,
    /// The server's clock minus the browser's, in milliseconds.
    skew: ArcRwSignal<i64>,
    build: Arc<str>,
}

impl Live {
    /// Gives the line to everything below and opens it once the page is alive.
    pub(crate) fn provide() -> Self {
        let session = use_session();
        let live = Self {
            wishes: Arc::default(),
            link: ArcRwSignal::default(),
            skew: ArcRwSignal::default(),
            build: session.build.as_str().into(),
        };
        provide_context(live.clone());
        // Who is not signed in has nothing to follow.
        if session.me.is_some() {
            let (opening, rendered) = (live.clone(), session.now);
            Effect::new(move |_| {
                opening.skew.set(rendered.0 - socket::browser_ms() as i64);
                opening.link.set(Link::Connecting);
                socket::connect(&opening);
            });
        }
        live
    }

    /// The server's clock, as well as it is known here. Effects and event handlers only.
    pub(crate) fn now(&self) -> i64 {
        socket::browser_ms() as i64 + self.skew.get_untracked()
    }

    /// Tries at once instead of waiting.
    pub(crate) fn connect_now(&self) {
        socket::connect(self);
    }

    /// Called every second: a line that is silent for long is a cut one.
    pub(crate) fn check(&self) {
        let is_open = self.link.get_untracked() == Link::Open;
        if is_open && socket::browser_ms() - socket::heard_ms() > link::SILENCE_MS {
            socket::hang_up();
            socket::retry(self);
        }
    }

    /// Follows `topic` until the subscription is dropped.
    fn open(&self, topic: Topic, span: Span, sink: Sink) -> Subscription {
        let (sub, up) = self.wishes().open(topic, span, sink);
        self.say(&up);
        Subscription { live: self.clone(), sub }
    }

    /// Before the greeting nothing is said: all wishes are repeated after it.
    fn say(&self, up: &Up) {
        if self.link.get_untracked() == Link::Open {
            socket::send(up);
        }
    }

    fn take(&self, down: Down) {
        match down {
            Down::Hello { protocol, build, now } => self.greeted(protocol, &build, now),
            Down::Beat { now } => self.set_clock(now),
            Down::Rows { sub, frame } => self.tell(sub, News::Rows(frame)),
            Down::Value { sub, value } => self.tell(sub, News::Value(value)),
            Down::Refused { sub, fault } => {
                self.tell(sub, News::Refused(fault));
                self.wishes().close(sub);
            }
        }
    }

    fn greeted(&self, protocol: u32, build: &str, now: UnixMs) {
        if protocol != PROTOCOL || *build != *self.build {
            return self.reload(build);
        }
        self.set_clock(now);
        socket::is_well();
        self.link.set(Link::Open);
        let wishes = self.wishes().all();
        wishes.iter().for_each(socket::send);
    }

    fn tell(&self, sub: u32, news: News) {
        // The lock is given back before the sink runs: it may open or close subscriptions.
        let sink = self.wishes().sink(sub);
        if let Some(sink) = sink {
            sink(news);
        }
    }

    /// A message that cannot be read is one of another build.
    fn garbled(&self) {
        self.reload("garbled");
    }

    fn lost(&self, wait_ms: f64) {
        let heard = socket::heard_ms() as i64 + self.skew.get_untracked();
        let since = match self.link.get_untracked() {
            Link::Lost { since, .. } => since,
            _ => heard,
        };
        self.link.set(Link::Lost { since, retry_at: self.now() + wait_ms as i64 });
    }

    fn set_clock(&self, now: UnixMs) {
        let skew = now.0 - socket::browser_ms() as i64;
        // A few milliseconds of the network are no news.
        if (skew - self.skew.get_untracked()).abs() > 50 {
            self.skew.set(skew);
        }
    }

    /// Loads the page again, once for each build, so that a server that keeps differing does not make a loop.
    fn reload(&self, build: &str) {
        socket::hang_up();
        let storage = window().session_storage().ok().flatten();
        let before = storage.as_ref().and_then(|storage| storage.get_item(RELOADED_FOR).ok().flatten());
        if before.as_deref() == Some(build) || storage.is_none() {
            self.link.set(Link::Stale);
            return;
        }
        if let Some(storage) = storage {
            // Without the note the page would be loaded again for ever, so only then.
            if storage.set_item(RELOADED_FOR, build).is_ok() {
                let _ = window().location().reload();
            }
        }
    }

    fn wishes(&self) -> MutexGuard<'_, Wishes> {
        self.wishes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends when it is dropped.
struct Subscription {
    live: Live,
    sub: u32,
}

impl Subscription {
    fn shift(&self, span: Span) {
        let up = self.live.wishes().shift(self.sub, span);
        if let Some(up) = up {
            self.live.say(&up);
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let up = self.live.wishes().close(self.sub);
        if let Some(up) = up {
            self.live.say(&up);
        }
    }
}

/// Where a hook keeps its subscription, so that both its effects and its clean-up reach it.
#[derive(Clone, Default)]
struct Slot(Arc<Mutex<Option<Subscription>>>);

impl Slot {
    /// Puts `new` in place of what was there, which ends.
    fn put(&self, new: Option<Subscription>) {
        let old = std::mem::replace(&mut *self.lock(), new);
        drop(old);
    }

    fn shift(&self, span: Span) {
        if let Some(subscription) = self.lock().as_ref() {
            subscription.shift(span);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Subscription>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
