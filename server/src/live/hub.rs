//! Topics and sockets: one WebSocket a page, any number of subscriptions in it, bounded queues.
//!
//! The hub knows no noun: it asks `ops` to follow a topic and passes on what comes. A slow browser is not buffered for: its
//! followers wait until the queue has room, and then send the difference to what the browser has, however much happened
//! meanwhile. A browser that does not take a frame within [`PATIENCE`] is dropped.

use crate::wire::Shared;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Response};
use futures::stream::SplitSink;
use futures::{SinkExt, StreamExt};
use http::StatusCode;
use model::live::{Down, MAX_TOPICS, MAX_UP, PROTOCOL, Up};
use ops::live::{Follower, Payload};
use ops::{Actor, Context};
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::http::session::{self, SessionToken};

/// Frames that wait for a browser before its followers wait too.
const QUEUE: usize = 32;
/// A browser that takes no frame for so long is gone.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often the browser hears the server's time, and a session is looked at again.
const BEAT: Duration = Duration::from_secs(5);

/// `GET /live`.
pub(crate) async fn socket(
    State(shared): State<Shared>,
    Extension(ctx): Extension<Context>,
    token: Option<Extension<SessionToken>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let (Actor::Account(_), Some(Extension(SessionToken(token)))) = (&ctx.actor, token) else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    upgrade.max_message_size(MAX_UP).on_upgrade(move |socket| serve(shared, ctx, token, socket))
}

async fn serve(shared: Shared, ctx: Context, token: String, socket: WebSocket) {
    let (sink, mut stream) = socket.split();
    let (frames, queue) = mpsc::channel(QUEUE);
    let mut tasks = JoinSet::new();
    tasks.spawn(write(sink, queue));
    let hello = Down::Hello { protocol: PROTOCOL, build: shared.build.to_string(), now: shared.ops.clock.now() };
    if frames.send(hello).await.is_err() {
        return;
    }
    let mut topics: HashMap<u32, watch::Sender<model::live::Span>> = HashMap::new();
    let mut beat = tokio::time::interval(BEAT);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shared.tasks.stopping() => break,
            _ = beat.tick() => {
                // A session that was ended elsewhere takes its sockets with it.
                let now = shared.ops.clock.now();
                if !session::is_alive(&shared, &token, now).await { break; }
                if frames.try_send(Down::Beat { now }).is_err_and(|e| matches!(e, mpsc::error::TrySendError::Closed(_))) { break; }
            }
            message = stream.next() => {
                let Some(Ok(message)) = message else { break };
                let bytes = match message {
                    Message::Binary(bytes) => bytes,
                    Message::Close(_) => break,
                    _ => continue,
                };
                let Ok(up) = postcard::from_bytes::<Up>(&bytes) else { break };
                if !obey(&shared, &ctx, up, &mut topics, &frames, &mut tasks).await { break; }
            }
        }
    }
    tasks.abort_all();
}

/// Carries out what the browser asks; `false` when it asks for too much.
async fn obey(
    shared: &Shared,
    ctx: &Context,
    up: Up,
    topics: &mut HashMap<u32, watch::Sender<model::live::Span>>,
    frames: &mpsc::Sender<Down>,
    tasks: &mut JoinSet<()>,
) -> bool {
    match up {
        Up::Open { sub, topic, span } => {
            topics.retain(|_, span| !span.is_closed());
            if topics.len() >= MAX_TOPICS {
                return false;
            }
            let now = Context { now: shared.ops.clock.now(), ..ctx.clone() };
            let (sender, receiver) = watch::channel(span);
            match shared.ops.follow(now.clone(), topic, receiver) {
                Ok(follower) => {
                    topics.insert(sub, sender);
                    tasks.spawn(follow(sub, follower, frames.clone()));
                }
                Err(error) => {
                    session::note_denials(shared, &now).await;
                    return frames.send(Down::Refused { sub, fault: app::backend::translate(error) }).await.is_ok();
                }
            }
        }
        Up::Move { sub, span } => {
            if let Some(sender) = topics.get(&sub) {
                sender.send_replace(span);
            }
        }
        Up::Close { sub } => {
            topics.remove(&sub);
        }
    }
    true
}

async fn follow(sub: u32, mut follower: Follower, frames: mpsc::Sender<Down>) {
    loop {
        let down = match follower.next().await {
            Ok(Some(Payload::Frame(frame))) => Down::Rows { sub, frame },
            Ok(Some(Payload::Value(value))) => Down::Value { sub, value },
            Ok(None) => return,
            Err(error) => {
                let _ = frames.send(Down::Refused { sub, fault: app::backend::translate(error) }).await;
                return;
            }
        };
        if frames.send(down).await.is_err() {
            return;
        }
    }
}

async fn write(mut sink: SplitSink<WebSocket, Message>, mut queue: mpsc::Receiver<Down>) {
    while let Some(down) = queue.recv().await {
        let bytes = match postcard::to_stdvec(&down) {
            Ok(bytes) => bytes,
            Err(error) => {
                tracing::error!(%error, "a frame that cannot be written");
                break;
            }
        };
        match tokio::time::timeout(PATIENCE, sink.send(Message::Binary(bytes.into()))).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => break,
        }
    }
    let goodbye = axum::extract::ws::CloseFrame { code: close_code::AWAY, reason: "".into() };
    let _ = sink.send(Message::Close(Some(goodbye))).await;
}
