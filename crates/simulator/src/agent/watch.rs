//! Follows one kind of a real API server: lists it, then watches, and begins again when the watch is lost.
//!
//! Invariant: whoever reads the channel learns of every object's last state, in the end; in between some may be left out.
//! Source: `k8s.io/client-go/tools/cache/reflector.go`.

use super::client::{Client, ClientError};
use super::kinds::{Kinds, api_version, path};
use crate::behave::{Resource, object};
use futures::StreamExt as _;
use serde_json::{Value, json};
use std::pin::pin;
use std::time::Duration;
use tokio::sync::mpsc::Sender;

/// Objects a page of a list.
const PAGE: usize = 500;
/// The server ends a watch after this time at the latest.
const WATCH_SECS: u64 = 290;
/// First and longest pause after a failure.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));

/// What was seen.
#[derive(Debug)]
pub(super) enum Seen {
    /// The whole kind, as of a version.
    All(Resource, Vec<Value>, u64),
    /// One object changed, or is gone.
    One(Resource, Value, bool),
}

/// Why a watch is over.
enum End {
    /// The server ended it in order; it goes on from here.
    Over(String),
    /// Its place is forgotten, or something broke: list again.
    Lost(ClientError),
    /// Nobody reads any more.
    Closed,
}

/// Follows until nobody reads any more.
pub(super) async fn follow(client: Client, kinds: Kinds, resource: Resource, seen: Sender<Seen>) {
    let mut pause = PAUSES.0;
    loop {
        match list(&client, &kinds, resource).await {
            Ok((items, version)) => {
                let number = version.parse().unwrap_or(0);
                if seen.send(Seen::All(resource, items, number)).await.is_err() {
                    return;
                }
                pause = PAUSES.0;
                let mut from = version;
                let lost = loop {
                    match watch(&client, &kinds, resource, from, &seen).await {
                        End::Over(place) => from = place,
                        End::Lost(error) => break error,
                        End::Closed => return,
                    }
                };
                tracing::debug!(kind = resource.plural, error = %lost, "watch lost; listing again");
            }
            Err(error) => {
                tracing::warn!(kind = resource.plural, %error, "could not list");
            }
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSES.1);
    }
}

async fn list(client: &Client, kinds: &Kinds, resource: Resource) -> Result<(Vec<Value>, String), ClientError> {
    let mut items = Vec::new();
    let mut more = String::new();
    loop {
        let query = if more.is_empty() { String::new() } else { format!("&continue={more}") };
        let page = client.get(&format!("{}?limit={PAGE}{query}", path(resource, ""))).await?;
        items.extend(object::items(&page, "/items").iter().map(|item| named(kinds, resource, item.clone())));
        more = object::text(&page, "/metadata/continue").to_owned();
        if more.is_empty() {
            return Ok((items, object::text(&page, "/metadata/resourceVersion").to_owned()));
        }
    }
}

/// Items of built-in lists carry no kind; steps want one.
pub(super) fn named(kinds: &Kinds, resource: Resource, mut item: Value) -> Value {
    if let (Some(kind), true) = (kinds.get(resource), item.is_object()) {
        item["apiVersion"] = json!(api_version(resource));
        item["kind"] = json!(kind.kind);
    }
    item
}

async fn watch(client: &Client, kinds: &Kinds, resource: Resource, from: String, seen: &Sender<Seen>) -> End {
    let query = format!("?watch=true&allowWatchBookmarks=true&timeoutSeconds={WATCH_SECS}&resourceVersion={from}");
    let lines = match client.lines(&format!("{}{query}", path(resource, ""))).await {
        Ok(lines) => lines,
        Err(error) => return End::Lost(error),
    };
    let mut lines = pin!(lines);
    let mut place = from;
    while let Some(line) = lines.next().await {
        let event = match line {
            Ok(event) => event,
            Err(error) => return End::Lost(error),
        };
        let kind = object::text(&event, "/type");
        if kind == "ERROR" {
            let text = |pointer: &str| object::text(&event, pointer).to_owned();
            return End::Lost(ClientError::Refused {
                code: object::number(&event, "/object/code").and_then(|code| u16::try_from(code).ok()).unwrap_or(0),
                reason: text("/object/reason"),
                message: text("/object/message"),
            });
        }
        object::text(&event, "/object/metadata/resourceVersion").clone_into(&mut place);
        if kind == "BOOKMARK" {
            continue;
        }
        let item = named(kinds, resource, event["object"].clone());
        if seen.send(Seen::One(resource, item, kind == "DELETED")).await.is_err() {
            return End::Closed;
        }
    }
    End::Over(place)
}
