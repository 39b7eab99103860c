//! `watch`: changes as they happen.
//!
//! Source: `k8s.io/apiserver/pkg/endpoints/handlers/watch.go`, `pkg/storage/cacher`.

use super::show::Shown;
use super::wire::Form;
use super::{Asked, Call, list, table};
use crate::world::catalogue::Kind;
use crate::world::fault::Harm;
use crate::world::select::Selector;
use crate::world::{Change, Key, Status, Subscription, World};
use axum::body::{Body, Bytes};
use axum::response::Response;
use futures::StreamExt;
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Real time between bookmarks. Upstream's is about a minute; shorter here, so that tests and fast clocks see some.
const BOOKMARK_EVERY: Duration = Duration::from_secs(10);
/// The last bookmark comes so long before the end. Source: `cacher/cache_watcher.go` (`nextBookmarkTime`).
const LAST_BOOKMARK: Duration = Duration::from_secs(2);
/// How long a watch lives when the client does not say. Upstream: 30 to 60 minutes.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(1800);

struct Stream {
    world: World,
    kind: usize,
    version: String,
    namespace: Option<String>,
    selector: Selector,
    form: Form,
    include: String,
    bookmarks: bool,
    initial_end: bool,
    first: bool,
    queue: VecDeque<Bytes>,
    changes: Subscription,
    end: Instant,
    next_bookmark: Instant,
    is_over: bool,
}

/// Answers a watch.
pub(super) fn serve(call: &Call<'_>, asked: &Asked<'_>) -> Result<Response, Status> {
    let kind = asked.kind;
    let query = &call.query;
    let selector = list::selector(kind, query)?;
    let version = query.text("resourceVersion");
    let wants_initial = query.flag("sendInitialEvents");
    check_initial(query.has("sendInitialEvents"), query.text("resourceVersionMatch"))?;
    let namespace = asked.target.namespace.clone();
    let (initial, from) = if version.is_empty() || version == "0" || wants_initial {
        if query.has("sendInitialEvents") && !wants_initial {
            (Vec::new(), call.world.version())
        } else {
            let page = call.world.page(kind, namespace.as_deref(), &selector, 0, None)?;
            (page.items, page.version)
        }
    } else {
        (Vec::new(), list::parse_version(version).map_err(|why| Status::new(500, "", why))?)
    };
    let timeout = query.text("timeoutSeconds").parse().map_or(DEFAULT_TIMEOUT, Duration::from_secs);
    let now = Instant::now();
    let mut stream = Stream {
        world: call.world.clone(),
        kind: kind.id,
        version: asked.target.version.clone(),
        namespace,
        selector,
        form: call.accepts.form,
        include: query.text("includeObject").to_owned(),
        bookmarks: query.flag("allowWatchBookmarks"),
        initial_end: wants_initial,
        first: true,
        queue: VecDeque::new(),
        changes: call.world.subscribe(kind.resource, from),
        end: now + timeout,
        next_bookmark: (now + BOOKMARK_EVERY).min(now + timeout.saturating_sub(LAST_BOOKMARK)),
        is_over: false,
    };
    for object in &initial {
        stream.push("ADDED", object);
    }
    if stream.initial_end && stream.bookmarks {
        stream.push_bookmark(true);
    }
    let body = futures::stream::unfold(stream, |mut stream| async move {
        let bytes = stream.next().await?;
        Some((Ok::<_, std::convert::Infallible>(bytes), stream))
    });
    let mut response = Response::new(Body::from_stream(body));
    response.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    Ok(response)
}

/// Source: `apimachinery/pkg/apis/meta/internalversion/validation/validation.go`.
fn check_initial(is_given: bool, rule: &str) -> Result<(), Status> {
    let fault = match (is_given, rule) {
        (true, "" | "Exact") => "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        (false, rule) if !rule.is_empty() => {
            "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
        }
        _ => return Ok(()),
    };
    Err(Status::invalid_options("ListOptions", "resourceVersionMatch", fault))
}

impl Stream {
    /// The next piece of the body, or `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(first) = self.queue.pop_front() {
                // What is there goes out together: one write for a burst.
                let mut piece = Vec::from(first);
                while piece.len() < 32 * 1024
                    && let Some(more) = self.queue.pop_front()
                {
                    piece.extend_from_slice(&more);
                }
                return Some(piece.into());
            }
            if self.is_over {
                return None;
            }
            let wake = if self.bookmarks { self.end.min(self.next_bookmark) } else { self.end };
            tokio::select! {
                changes = self.changes.next() => match changes {
                    Ok(changes) => changes.iter().for_each(|change| self.tell(change)),
                    Err(old) => self.fail(&Status::expired(old.to_string())),
                },
                () = sleep_until(wake) => {
                    if Instant::now() >= self.end {
                        self.is_over = true;
                    } else {
                        let last = self.end.checked_sub(LAST_BOOKMARK).unwrap_or(self.end);
                        let regular = Instant::now() + BOOKMARK_EVERY;
                        self.next_bookmark = if Instant::now() < last { regular.min(last) } else { self.end + BOOKMARK_EVERY };
                        self.push_bookmark(false);
                    }
                }
            }
        }
    }

    fn kind(&self) -> Option<Kind> {
        self.world.catalogue().kinds().get(self.kind).cloned()
    }

    fn is_here(&self, key: &Key) -> bool {
        self.namespace.as_deref().is_none_or(|namespace| &*key.namespace == namespace)
    }

    /// Tells of a change as far as the selector sees it. Source: `cacher/cache_watcher.go` (`convertToWatchEvent`).
    fn tell(&mut self, change: &Change) {
        if !self.is_here(&change.key) {
            return;
        }
        let was = change.previous.as_ref().is_some_and(|previous| self.selector.wants(previous));
        let is = !change.is_removal && self.selector.wants(&change.object);
        match (was, is) {
            (false, true) => self.push("ADDED", &change.object),
            (true, true) => self.push("MODIFIED", &change.object),
            (true, false) if change.is_removal => self.push("DELETED", &change.object),
            (true, false) => {
                // It left the selection: upstream shows how it was, with the new version.
                let previous = change.previous.as_deref().unwrap_or(&change.object);
                let mut last = previous.clone();
                last["metadata"]["resourceVersion"] = change.version.to_string().into();
                self.push("DELETED", &Arc::new(last));
            }
            (false, false) => {}
        }
    }

    fn push(&mut self, event: &str, object: &Value) {
        let Some(kind) = self.kind() else { return };
        let mut line = format!("{{\"type\":\"{event}\",\"object\":").into_bytes();
        // Writing into a Vec cannot fail.
        let _ = match self.form {
            Form::Table => {
                let meta = json!({ "resourceVersion": object["metadata"]["resourceVersion"] });
                let now_ms = self.world.clock().unix_ms();
                let rows = std::iter::once(object);
                let table = table::table(&kind, rows, &self.include, self.first, meta, now_ms);
                serde_json::to_writer(&mut line, &table)
            }
            form => {
                let is_metadata = form == Form::Metadata;
                let shown = Shown { object, kind: &kind, version: &self.version, is_item: false, is_metadata };
                serde_json::to_writer(&mut line, &shown)
            }
        };
        self.first = false;
        line.extend_from_slice(b"}\n");
        self.queue.push_back(line.into());
    }

    fn push_bookmark(&mut self, is_initial_end: bool) {
        let Some(kind) = self.kind() else { return };
        let mut meta = json!({ "creationTimestamp": null, "resourceVersion": self.changes.place().to_string() });
        if is_initial_end {
            meta["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
        }
        let object = json!({ "kind": kind.kind, "apiVersion": kind.api_version_in(&self.version), "metadata": meta });
        self.queue.push_back(format!("{}\n", json!({ "type": "BOOKMARK", "object": object })).into());
    }

    fn fail(&mut self, status: &Status) {
        self.queue.push_back(format!("{}\n", json!({ "type": "ERROR", "object": status.body() })).into());
        self.is_over = true;
    }
}

/// Tells the events of a watch as `harm` says; bookmarks and errors are told as they are.
pub(super) fn distort(response: Response, harm: Harm) -> Response {
    response.map(|body| {
        let mut teller = Teller { harm, seen: 0, held: None };
        let lines = body.into_data_stream().map(move |chunk| {
            let chunk = chunk?;
            let mut told = Vec::new();
            chunk.split_inclusive(|byte| *byte == b'\n').for_each(|line| teller.tell(line, &mut told));
            Ok::<_, axum::Error>(Bytes::from(told))
        });
        Body::from_stream(lines)
    })
}

/// Who tells a watch's events wrong.
struct Teller {
    harm: Harm,
    seen: u64,
    /// What is told after the next event.
    held: Option<Vec<u8>>,
}

impl Teller {
    fn tell(&mut self, line: &[u8], told: &mut Vec<u8>) {
        if ["BOOKMARK", "ERROR"].iter().any(|kind| line.starts_with(format!(r#"{{"type":"{kind}""#).as_bytes()))
            || line.starts_with(b"{\"object\"")
        {
            return told.extend_from_slice(line);
        }
        self.seen += 1;
        match self.harm {
            Harm::LoseEvents { one_in } if self.seen.is_multiple_of(one_in.max(1)) => {}
            Harm::RepeatEvents => {
                told.extend_from_slice(line);
                told.extend(self.held.replace(line.to_vec()).into_iter().flatten());
            }
            Harm::SwapEvents if self.held.is_none() => self.held = Some(line.to_vec()),
            _ => {
                told.extend_from_slice(line);
                told.extend(self.held.take().into_iter().flatten());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_wrong_as_ordered_and_bookmarks_stay() {
        let told = |harm: Harm| {
            let mut teller = Teller { harm, seen: 0, held: None };
            let mut told = Vec::new();
            for line in ["a\n", "b\n", "{\"type\":\"BOOKMARK\"}\n", "c\n", "d\n"] {
                teller.tell(line.as_bytes(), &mut told);
            }
            String::from_utf8(told).unwrap().replace("{\"type\":\"BOOKMARK\"}", "-").replace('\n', "")
        };
        assert_eq!(told(Harm::LoseEvents { one_in: 2 }), "a-c");
        assert_eq!(told(Harm::RepeatEvents), "aba-cbdc");
        assert_eq!(told(Harm::SwapEvents), "ba-dc");
    }
}
