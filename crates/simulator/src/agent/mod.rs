//! The node agent: the behaviours of [`crate::behave`] at a real API server, for the roles that are missing there.
//!
//! On a real control plane ("the witness") upstream's own programs do their parts; this plays the others: kubelet,
//! virt-handler, the guests, Longhorn, CDI, Harvester. Steps are the simulator's own and stay pure: the agent keeps their
//! view by list and watch ([`watch`], [`mirror`]) and does their effects by REST ([`deed`]), each as the identity of the
//! program that would. Invariants: one task at a time on one object and behaviour; a write never overwrites what its step
//! had not seen; a refused write is tried again later and later, from the start, with what is then seen.
//!
//! It must never do what upstream's programs there do themselves: which those are says [`crate::behave::role`].

mod client;
mod deed;
mod door;
mod kinds;
mod kubeconfig;
mod mirror;
mod seed;
mod watch;

use crate::behave::resources::{DAEMONSET, FOLLOWED};
use crate::behave::{self, Now, Outcome, Role, View};
use crate::clock::Clock;
use crate::drive::{Agenda, Task, due_ms};
use crate::serve::spawn;
use anyhow::Context as _;
use client::{Client, ClientError};
use deed::{Bases, Hands, Written};
pub use door::Door;
use futures::stream::{FuturesUnordered, StreamExt as _};
use kinds::Kinds;
use kubeconfig::Kubeconfig;
use mirror::{Mirror, News};
use rand::RngExt as _;
use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;
use tokio::sync::mpsc::{self, Receiver};
use tokio_util::sync::CancellationToken;
use watch::Seen;

/// Writes under way at a time.
const HANDS: usize = 32;
/// Changes that wait for the agent.
const CHANGES: usize = 4096;
/// A conflict is tried again after this time, since what was missed is on its way; other refusals after the second, then
/// twice as long each time up to the third.
const RETRY: (Duration, Duration, Duration) =
    (Duration::from_millis(100), Duration::from_secs(1), Duration::from_secs(60));

/// What an agent is told to do.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the server is, and who the agent is there: a context of a role's name is that role's identity, the current
    /// context everybody else's.
    pub kubeconfig: PathBuf,
    /// A kubeconfig of its own for some roles.
    pub identities: Vec<(Role, PathBuf)>,
    /// The roles that are played.
    pub roles: Vec<Role>,
    /// Hosts that there are to be, `hv-01` and on; those that are missing are made.
    pub nodes: usize,
    /// virt-handler's port, if it is to be served.
    pub door: Option<Door>,
    /// Whether what Harvester brings (settings, classes, networks, images) is to be made where it is missing.
    pub brings_platform: bool,
    /// The clock; a server on the same machine has the same.
    pub clock: Clock,
}

/// A running agent.
pub struct Agent {
    hands: Hands,
    mirror: Mirror,
    agenda: Agenda,
    clock: Clock,
    changes: Receiver<Seen>,
    /// Tasks whose effects are under way.
    busy: HashSet<Task>,
    /// Busy tasks that something woke meanwhile.
    woken: HashSet<Task>,
    /// How often a task was refused in a row.
    refused: HashMap<Task, u32>,
    /// Kinds of which the first list is not here yet.
    missing: HashSet<behave::Resource>,
    ready: CancellationToken,
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent").field("busy", &self.busy.len()).finish_non_exhaustive()
    }
}

/// The end of a task's effects.
struct Done {
    task: Task,
    written: Vec<Written>,
    again_after: Option<Duration>,
    result: Result<(), ClientError>,
}

type Work = FuturesUnordered<Pin<Box<dyn Future<Output = Done> + Send>>>;

impl Agent {
    /// Connects, makes what has to be there, and follows the server's objects until `stop`.
    ///
    /// # Errors
    /// When an identity cannot be read, the server does not answer, or the port is taken.
    pub async fn start(options: Options, stop: &CancellationToken) -> anyhow::Result<Self> {
        let main = Kubeconfig::read(&options.kubeconfig)?;
        let reader = Client::new(main.identity("")?);
        let mut clients = HashMap::new();
        for role in &options.roles {
            // The guest's words are virt-handler's writing.
            let whose = if *role == Role::Guest { Role::VirtHandler } else { *role };
            let own = options.identities.iter().find(|(of, _)| *of == whose);
            let identity = match own {
                Some((_, path)) => Kubeconfig::read(path)?.identity(whose.name())?,
                None => main.identity(whose.name())?,
            };
            clients.insert(*role, Client::new(identity));
        }
        let wanted = [FOLLOWED, &[DAEMONSET]].concat();
        let kinds = Kinds::discover(&reader, &wanted).await.context("asking the server for its kinds")?;
        let handler = match clients.get(&Role::VirtHandler) {
            Some(client) => Some(client.user().await.context("asking who virt-handler is")?),
            None => None,
        };
        let hands = Hands::new(reader.clone(), clients, handler, kinds.clone());
        seed::plant(&hands, &options).await.context("making what has to be there")?;
        let (sender, changes) = mpsc::channel(CHANGES);
        let mut missing = HashSet::new();
        for resource in FOLLOWED.iter().copied().filter(|resource| kinds.get(*resource).is_some()) {
            missing.insert(resource);
            let followed = watch::follow(reader.clone(), kinds.clone(), resource, sender.clone());
            let stop = stop.clone();
            spawn(async move {
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = followed => {}
                }
            });
        }
        let roles = options.roles.clone();
        let agent = Self {
            hands,
            mirror: Mirror::default(),
            agenda: Agenda::new(behave::ALL, |role| roles.contains(&role)),
            clock: options.clock,
            changes,
            busy: HashSet::new(),
            woken: HashSet::new(),
            refused: HashMap::new(),
            missing,
            ready: CancellationToken::new(),
        };
        if let Some(door) = options.door {
            door.open(agent.hands.clone(), agent.mirror.clone(), agent.clock.clone(), options.nodes, stop).await?;
        }
        Ok(agent)
    }

    /// Cancelled when all kinds were listed once and behaviours act.
    pub fn ready(&self) -> CancellationToken {
        self.ready.clone()
    }

    /// Acts until `stop`.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut work = Work::new();
        loop {
            if self.missing.is_empty() {
                self.ready.cancel();
                self.agenda.ring(self.clock.unix_ms());
                self.begin(&mut work);
            }
            let next = self.agenda.next_due_ms().filter(|_| work.len() < HANDS);
            let alarm = async {
                match next {
                    Some(due) => self.clock.until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                seen = self.changes.recv() => match seen {
                    Some(seen) => self.learn(seen),
                    None => return,
                },
                Some(done) = work.next() => self.finish(done),
                () = alarm => {}
            }
        }
    }

    fn learn(&mut self, seen: Seen) {
        match seen {
            Seen::All(resource, items, version) => {
                let news = self.mirror.replace(resource, items, version);
                news.iter().for_each(|news| self.wake(news));
                if self.missing.remove(&resource) {
                    // Those whom nobody changes are looked at once, as a controller does with its first list.
                    for key in self.mirror.keys(resource) {
                        self.agenda.wake_own(resource, &key);
                    }
                }
            }
            Seen::One(resource, object, is_removal) => {
                if let Some(news) = self.mirror.take(resource, object, is_removal) {
                    self.wake(&news);
                }
            }
        }
    }

    fn wake(&mut self, news: &News) {
        self.agenda.wake(news.resource, &news.key, &news.object, news.is_removal);
    }

    /// Does steps until nothing is queued or all hands are full.
    fn begin(&mut self, work: &mut Work) {
        while work.len() < HANDS {
            let Some(task) = self.agenda.next() else { return };
            if self.busy.contains(&task) {
                self.woken.insert(task);
                continue;
            }
            let behaviour = self.agenda.behaviour(&task);
            let Some(object) = self.mirror.get(behaviour.on, &task.key.namespace, &task.key.name) else {
                self.agenda.set_alarm(task, None);
                continue;
            };
            let now = Now { unix_ms: self.clock.unix_ms(), random: rand::rng().random() };
            let Outcome { effects, again_after } = (behaviour.step)(&object, &self.mirror, now);
            if effects.is_empty() {
                self.agenda.set_alarm(task, again_after.map(|delay| due_ms(now.unix_ms, delay)));
                continue;
            }
            tracing::debug!(behaviour = behaviour.name, namespace = %task.key.namespace, name = %task.key.name, effects = effects.len(), "acts");
            self.busy.insert(task.clone());
            let bases = Bases::of(&effects, &self.mirror);
            let hands = self.hands.clone();
            work.push(Box::pin(async move {
                let mut written = Vec::new();
                let result = hands.perform(behaviour.role, &effects, bases, now.unix_ms, &mut written).await;
                Done { task, written, again_after, result }
            }));
        }
    }

    fn finish(&mut self, done: Done) {
        let Done { task, written, again_after, result } = done;
        self.busy.remove(&task);
        for (resource, object) in written {
            if let Some(news) = self.mirror.take(resource, object, false) {
                self.wake(&news);
            }
        }
        let behaviour = self.agenda.behaviour(&task);
        let delay = match result {
            Ok(()) => {
                self.refused.remove(&task);
                again_after
            }
            Err(error) if error.code() == 409 => Some(RETRY.0),
            Err(error) => {
                let times = self.refused.entry(task.clone()).or_default();
                *times += 1;
                let doubled = RETRY.1.saturating_mul(2_u32.saturating_pow(*times - 1)).min(RETRY.2);
                let (namespace, name) = (&task.key.namespace, &task.key.name);
                tracing::warn!(behaviour = behaviour.name, %namespace, %name, %error, again_secs = doubled.as_secs(), "refused");
                Some(doubled)
            }
        };
        let now_ms = self.clock.unix_ms();
        self.agenda.set_alarm(task.clone(), delay.map(|delay| due_ms(now_ms, delay)));
        if self.woken.remove(&task) && !self.refused.contains_key(&task) {
            self.agenda.enqueue(task);
        }
    }
}
