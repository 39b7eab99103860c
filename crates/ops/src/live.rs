//! Following a topic: the newest value, whenever there is a newer one, as the difference to what was given last.
//!
//! A follower keeps what it gave, so a reader may be as slow as it likes: it gets one difference for all that happened
//! meanwhile, and nothing is queued. Leave is asked for again at each value, so a role that ends stops the flow.

use crate::{Context, Error, Ops, Result};
use model::live::{Frame, Span, Topic, Value, Window, difference};
use model::vm::Query;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Least time between two values: changes that come faster are one difference.
const SHORTEST: Duration = Duration::from_millis(80);
/// The same of what is counted anew over all VMs of a cluster.
const SHORTEST_COUNTED: Duration = Duration::from_millis(500);
/// How often a topic is looked at although nothing signalled: ages, events, what a cluster does not push.
const LONGEST: Duration = Duration::from_secs(5);

/// What a follower gives.
#[derive(Debug)]
pub enum Payload {
    /// Of a list.
    Frame(Frame),
    /// Of everything else.
    Value(Value),
}

/// One subscription.
pub struct Follower {
    ops: Arc<Ops>,
    ctx: Context,
    topic: Topic,
    span: watch::Receiver<Span>,
    fleet: watch::Receiver<u64>,
    operations: watch::Receiver<u64>,
    given: Option<Given>,
    /// When something was given last.
    gave: Option<Instant>,
    at: Option<Instant>,
}

enum Given {
    Window(Box<Window>),
    Value(Box<Value>),
}

impl Ops {
    /// Follows a topic. `span` is the window of a list; dropping its sender ends the follower.
    pub fn follow(self: &Arc<Self>, ctx: Context, topic: Topic, span: watch::Receiver<Span>) -> Result<Follower> {
        if let Topic::Vms(query) = &topic {
            query.parse().map_err(|say| Error::invalid("query", say))?;
        }
        let (fleet, operations) = (self.fleet.pulse(), self.changes.pulse());
        Ok(Follower { ops: self.clone(), ctx, topic, span, fleet, operations, given: None, gave: None, at: None })
    }
}

impl Follower {
    /// The next difference; `None` when nobody wants one any more.
    pub async fn next(&mut self) -> Result<Option<Payload>> {
        loop {
            if self.given.is_some() && !self.wait().await {
                return Ok(None);
            }
            self.at = Some(Instant::now());
            self.ctx.now = self.ops.clock.now();
            let payload = match self.topic.clone() {
                Topic::Vms(query) => self.window(&query).await?.map(Payload::Frame),
                topic => {
                    let value = self.value(topic).await?;
                    self.newer(value).map(Payload::Value)
                }
            };
            if payload.is_some() {
                return Ok(payload);
            }
        }
    }

    /// Waits for a reason to look again; `false` when the subscription is over.
    async fn wait(&mut self) -> bool {
        let longest = tokio::time::sleep(LONGEST);
        tokio::select! {
            changed = self.fleet.changed() => if changed.is_err() { return false },
            changed = self.operations.changed() => if changed.is_err() { return false },
            // A moved window is answered at once: somebody is scrolling.
            moved = self.span.changed() => return moved.is_ok(),
            () = longest => {}
        }
        let shortest = if matches!(self.topic, Topic::Cluster(_)) { SHORTEST_COUNTED } else { SHORTEST };
        if let Some(at) = self.at {
            tokio::select! {
                () = tokio::time::sleep_until(at + shortest) => {}
                moved = self.span.changed() => return moved.is_ok(),
            }
        }
        // What signalled meanwhile is in the value that is read now.
        self.fleet.mark_unchanged();
        self.operations.mark_unchanged();
        self.span.has_changed().is_ok()
    }

    async fn window(&mut self, query: &Query) -> Result<Option<Frame>> {
        let span = *self.span.borrow_and_update();
        let new = self.ops.vms.window(&self.ctx, query, span).await?;
        let frame = match &self.given {
            Some(Given::Window(old)) => difference(old, &new),
            _ => Some(Frame::Window(new.clone())),
        };
        self.given = Some(Given::Window(Box::new(new)));
        Ok(frame)
    }

    async fn value(&self, topic: Topic) -> Result<Value> {
        let (ops, ctx) = (&self.ops, &self.ctx);
        Ok(match topic {
            Topic::Vm(vm) => match ops.vms.detail(ctx, &vm).await {
                Ok(detail) => Value::Vm(Some(Box::new(detail))),
                Err(Error::NotFound) => Value::Vm(None),
                Err(error) => return Err(error),
            },
            Topic::Fleet => Value::Fleet(ops.fleet.list(ctx).await?),
            Topic::Cluster(id) => match ops.fleet.inventory(ctx, &id) {
                Ok(inventory) => Value::Cluster(Some(Box::new(inventory))),
                Err(Error::NotFound) => Value::Cluster(None),
                Err(error) => return Err(error),
            },
            Topic::Overview => Value::Overview(Box::new(ops.overview(ctx).await?)),
            Topic::Operations => Value::Operations(ops.operations(ctx).await?),
            Topic::Delivery(id) => Value::Delivery(Box::new(ops.provisioning.delivery(ctx, &id).await?)),
            Topic::Vms(_) => return Err(Error::Broken("a list is not a value".into())),
        })
    }

    fn newer(&mut self, value: Value) -> Option<Value> {
        // A value that is only read later is news of its age, and that every few seconds is often enough: clusters signal many
        // times a second, and whole values would go to every tab each time.
        let is_early = self.gave.is_some_and(|gave| gave.elapsed() < LONGEST);
        if matches!(&self.given, Some(Given::Value(old)) if **old == value || is_early && old.is_same_but_for_age(&value))
        {
            return None;
        }
        self.gave = Some(Instant::now());
        self.given = Some(Given::Value(Box::new(value.clone())));
        Some(value)
    }
}
