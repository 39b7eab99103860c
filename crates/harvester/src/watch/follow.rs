//! One kind of one cluster: list, then watch, for ever.
//!
//! Every list is read page by page and every object by itself; nothing is taken out of the cache before a list has ended,
//! so a broken list or a re-list is never seen as rows that vanish. Lists and comparisons run on the same task as the
//! watch, so there is one order of events per kind. (`reliability.md` rows 1 to 8, 11, 13)

use super::backoff::{Backoff, GOOD, random};
use super::freshness::Counts;
use super::gate::verdict;
use super::index::Change;
use super::kinds::Followed;
use super::read::{Event, Page, Read, read_event, read_piece};
use super::shared::Shared;
use super::split::{Items, Lines};
use crate::error::{ClusterError, chain};
use http_body_util::BodyExt as _;
use kube::client::Body;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Objects a page: 500 VMs are 1.6 MiB.
const PAGE: usize = 500;

/// Silence in a list after which it is given up.
const LIST_IDLE: Duration = Duration::from_secs(20);

/// How long a watch is asked to last; the server closes it then. A part is drawn, so that they do not all end at once.
const WATCH_SECONDS: (u64, u64) = (240, 60);

/// Silence in a watch after which it is begun anew: API servers send a bookmark about every minute
/// (`storage/cacher/cacher.go`, `bookmarkFrequency`), so a connection that says nothing for so long is dead or speaks to
/// somebody who is. Beginning anew costs one request.
const WATCH_IDLE: Duration = Duration::from_secs(150);

/// How often everything is listed again to find what the watch did not say (`reliability.md` row 5).
const COMPARE_EVERY: Duration = Duration::from_secs(300);

/// Tries of one watch on its own before the whole cluster counts as away: a single broken connection says little.
const LONE_TRIES: u32 = 2;

/// How a watch ended.
enum End {
    /// The server closed it, as it does every few minutes.
    Closed,
    /// The version is too old.
    Expired,
    /// It is time to compare.
    Compare,
}

/// Follows one kind until the cache stops.
pub(crate) async fn follow<F: Followed>(shared: Arc<Shared>) {
    let mut follower = Follower::<F> {
        shared: shared.clone(),
        version: None,
        newest: 0,
        backoff: Backoff::default(),
        failures: 0,
        openings: 0,
        compare_at: Instant::now() + COMPARE_EVERY,
        kind: std::marker::PhantomData,
    };
    tokio::select! {
        () = follower.run() => {}
        () = shared.stop.cancelled() => {}
    }
}

struct Follower<F> {
    shared: Arc<Shared>,
    /// Where to watch from; `None` asks for a list.
    version: Option<String>,
    /// The newest version seen, to notice a history that went back.
    newest: u64,
    backoff: Backoff,
    failures: u32,
    /// Of the gate, when it was last passed.
    openings: u64,
    compare_at: Instant,
    kind: std::marker::PhantomData<F>,
}

impl<F: Followed> Follower<F> {
    async fn run(&mut self) {
        let mut compare = self.shared.compare.subscribe();
        loop {
            self.shared.gate.opened().await;
            let openings = self.shared.gate.openings();
            if std::mem::replace(&mut self.openings, openings) != openings {
                self.failures = 0;
                self.backoff.reset();
            }
            let began = Instant::now();
            let ended = match self.version.clone() {
                None => self.list(false).await.map(|()| None),
                Some(version) => self.watch(&version, &mut compare).await.map(Some),
            };
            match ended {
                Ok(None) => self.went_well(),
                Ok(Some(End::Compare)) => {
                    self.compare_at = Instant::now() + COMPARE_EVERY;
                    match self.list(true).await {
                        Ok(()) => {}
                        // It broke off in the middle, or the cluster is older than it was: the next list is begun anew.
                        Err(ClusterError::Expired) => self.expired(),
                        Err(error) => self.failed(&error).await,
                    }
                }
                Ok(Some(end)) => {
                    if matches!(end, End::Expired) {
                        self.expired();
                    }
                    if began.elapsed() >= GOOD {
                        self.backoff.reset();
                    } else {
                        let wait = self.backoff.next(random());
                        self.shared.wait(wait).await;
                    }
                }
                Err(ClusterError::Expired) => self.expired(),
                Err(error) => {
                    if began.elapsed() >= GOOD {
                        self.failures = 0;
                        self.backoff.reset();
                    }
                    self.failed(&error).await;
                }
            }
        }
    }

    fn count(&self, work: impl FnOnce(&mut Counts)) {
        self.shared.books.count(F::KIND, work);
    }

    /// There is no place to watch from any more.
    fn expired(&mut self) {
        self.version = None;
        self.count(|counts| counts.resyncs += 1);
    }

    fn went_well(&mut self) {
        self.failures = 0;
        self.is_answered();
    }

    /// The cluster has answered; whether it keeps its word is not known yet.
    fn is_answered(&mut self) {
        let now = self.shared.now();
        let (objects, had_problem) = (self.shared.write(|s| F::index(s).len()), self.set_problem(None));
        self.shared.books.with(F::KIND, |book| {
            book.fresh = Some(now);
            book.objects = u32::try_from(objects).unwrap_or(u32::MAX);
        });
        if had_problem {
            self.shared.status_changed();
        }
    }

    async fn failed(&mut self, error: &ClusterError) {
        self.failures += 1;
        self.count(|counts| counts.failures += 1);
        self.shared.gate.heard(error);
        tracing::debug!(cluster = %self.shared.cluster.id(), kind = F::KIND.plural(), error = chain(error), "watch failed");
        let is_of_cluster = verdict(error).is_some();
        // One connection that broke is tried again alone; the door closes when that fails too.
        let is_lone = matches!(error, ClusterError::Away { .. }) && self.failures < LONE_TRIES;
        if is_of_cluster && !is_lone && self.shared.gate.close(error) {
            self.shared.status_changed();
            return;
        }
        if !is_lone {
            let is_absent = matches!(error, ClusterError::NotFound { .. });
            self.shared.books.with(F::KIND, |book| book.is_absent = is_absent);
            self.set_problem(Some(error.to_string()));
            self.shared.status_changed();
        }
        let wait = self.backoff.next(random()).max(self.shared.gate.least_wait(error, self.failures));
        self.shared.wait(wait).await;
    }

    /// `true` when there was one before.
    fn set_problem(&self, problem: Option<String>) -> bool {
        self.shared.books.with(F::KIND, |book| std::mem::replace(&mut book.problem, problem).is_some())
    }

    /// Reads all objects. As a comparison it counts what the watch should have said and did not.
    async fn list(&mut self, is_comparison: bool) -> Result<(), ClusterError> {
        self.count(|counts| counts.lists += u64::from(!is_comparison));
        self.shared.write(|state| F::index(state).begin());
        let mut repairs = 0;
        let mut next: Option<String> = None;
        let version = loop {
            let path = match &next {
                Some(token) => format!("{}?limit={PAGE}&continue={}", F::KIND.collection(None), query(token)),
                None => format!("{}?limit={PAGE}", F::KIND.collection(None)),
            };
            let (page, missed) = self.page(&path).await?;
            repairs += missed;
            let version = page.metadata.resource_version;
            match page.metadata.next.filter(|token| !token.is_empty()) {
                Some(token) => next = Some(token),
                None => break version,
            }
        };
        let number = version.parse().unwrap_or(u64::MAX);
        if number < self.newest {
            // A cluster restored from a backup: start from nothing known, with the same rows on the screen.
            self.newest = 0;
            self.shared.write(|state| F::index(state).forget_versions());
            return Err(ClusterError::Expired);
        }
        let now = self.shared.now();
        let gone = self.shared.write(|state| F::end(state, number, now));
        if is_comparison {
            repairs += gone as u64;
            self.count(|counts| counts.repairs += repairs);
            if repairs > 0 {
                tracing::warn!(cluster = %self.shared.cluster.id(), kind = F::KIND.plural(), repairs, "the watch had lost events");
            }
        } else {
            self.newest = number;
            self.version = Some(version);
        }
        Ok(())
    }

    async fn page(&mut self, path: &str) -> Result<(Page, u64), ClusterError> {
        let mut body = self.shared.cluster.stream(path).await?;
        let mut items = Items::default();
        let mut missed = 0;
        while let Some(chunk) = chunk(&mut body, LIST_IDLE).await? {
            let mut read = Vec::new();
            let shared = &self.shared;
            let fed = items.feed(&chunk, |piece| read.extend(read_piece::<F>(shared, &piece)));
            fed.map_err(|_| ClusterError::garbled(format!("the list of {} has no end", F::KIND.plural())))?;
            missed += self.keep(read);
        }
        let outside = items
            .outside()
            .ok_or_else(|| ClusterError::garbled(format!("the list of {} broke off", F::KIND.plural())))?;
        let page = serde_json::from_slice(outside)
            .map_err(|e| ClusterError::garbled(format!("list of {}: {e}", F::KIND.plural())))?;
        Ok((page, missed))
    }

    /// Keeps what was read; gives how much of it the watch should have told before.
    fn keep(&mut self, read: Vec<Read<F::Part>>) -> u64 {
        if read.is_empty() {
            return 0;
        }
        let (now, newest) = (self.shared.now(), self.newest);
        self.shared.write(|state| {
            let mut missed = 0;
            for item in read {
                match item {
                    Read::Object(id, part) => {
                        let change = F::apply(state, id, part, now);
                        missed += u64::from(change != Change::None && id.version <= newest);
                    }
                    Read::Broken(key) => F::index(state).touch(key),
                }
            }
            missed
        })
    }

    async fn watch(
        &mut self,
        version: &str,
        compare: &mut tokio::sync::watch::Receiver<u64>,
    ) -> Result<End, ClusterError> {
        let seconds = WATCH_SECONDS.0 + random() % WATCH_SECONDS.1;
        let path = format!(
            "{}?watch=true&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={seconds}",
            F::KIND.collection(None),
            query(version)
        );
        let mut body = self.shared.cluster.stream(&path).await?;
        self.count(|counts| counts.watches += 1);
        // An answer that breaks off at once is none: failures are forgotten with the first event.
        self.is_answered();
        let mut lines = Lines::default();
        loop {
            let chunk = tokio::select! {
                chunk = chunk(&mut body, WATCH_IDLE) => chunk?,
                () = tokio::time::sleep_until(self.compare_at) => return Ok(End::Compare),
                _ = compare.changed() => return Ok(End::Compare),
                // The cluster does not answer: its connections may be dead without a word, and are not used when it is back.
                () = self.shared.gate.closed() => return Ok(End::Closed),
            };
            let Some(chunk) = chunk else { return Ok(End::Closed) };
            self.failures = 0;
            let mut events = Vec::new();
            lines.feed(&chunk, |piece| events.extend(read_event::<F>(&self.shared, &piece)));
            for event in events {
                if let Some(end) = self.take(event)? {
                    return Ok(end);
                }
            }
            let (now, objects) = (self.shared.now(), self.shared.write(|s| F::index(s).len()));
            self.shared.books.with(F::KIND, |book| {
                book.fresh = Some(now);
                book.objects = u32::try_from(objects).unwrap_or(u32::MAX);
            });
        }
    }

    fn take(&mut self, event: Event<F::Part>) -> Result<Option<End>, ClusterError> {
        let now = self.shared.now();
        match event {
            Event::Set(id, part) => {
                self.saw(id.version);
                let change = self.shared.write(|state| F::apply(state, id, part, now));
                self.count(|counts| {
                    counts.events += 1;
                    counts.stale += u64::from(change == Change::None);
                    counts.replaced += u64::from(change == Change::Replaced);
                });
            }
            Event::Gone(id) => {
                self.saw(id.version);
                self.shared.quarantine.take(F::KIND, id.key);
                let was_there = self.shared.write(|state| F::delete(state, id, now));
                self.count(|counts| {
                    counts.events += 1;
                    counts.stale += u64::from(!was_there);
                });
            }
            Event::Bookmark(version) => {
                self.newest = self.newest.max(version.parse().unwrap_or_default());
                self.version = Some(version);
                self.count(|counts| counts.bookmarks += 1);
            }
            Event::Expired => return Ok(Some(End::Expired)),
            Event::Failed(message) => return Err(ClusterError::Broken { status: 500, message }),
        }
        Ok(None)
    }

    fn saw(&mut self, version: u64) {
        // Events of one watch come in the order of their versions; a lower one is a repetition.
        if version > self.newest && version != u64::MAX {
            self.newest = version;
            self.version = Some(version.to_string());
        }
    }
}

/// The next bytes; `None` at the end.
async fn chunk(body: &mut Body, idle: Duration) -> Result<Option<bytes::Bytes>, ClusterError> {
    loop {
        let Some(frame) = timeout(idle, body.frame()).await.map_err(ClusterError::away)? else { return Ok(None) };
        match frame.map_err(ClusterError::away)?.into_data() {
            Ok(data) if !data.is_empty() => return Ok(Some(data)),
            _ => {}
        }
    }
}

/// A value in a query string.
fn query(value: &str) -> String {
    crate::call::segment(value)
}
