//! The console's socket: a ticket as the first message, then bytes both ways between a browser and a cluster.
//!
//! The ticket is never in a URL. What goes over the line is not looked at, not kept and not logged; only its length is.

use crate::http::session;
use crate::wire::Shared;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Response};
use futures::{SinkExt, StreamExt};
use harvester::ClusterError;
use http::StatusCode;
use model::console::CloseCode;
use ops::console::{Admission, Seat};
use ops::{Actor, Context};
use std::time::Duration;
use tokio_tungstenite::tungstenite::Message as Upstream;

/// How long a browser may take to show its ticket.
const SHOW_WITHIN: Duration = Duration::from_secs(10);
/// How long a browser may take to answer the end of a line.
const ANSWER_WITHIN: Duration = Duration::from_secs(3);
/// Largest message of a browser: a paste, not a file.
const MAX_UP: usize = 256 * 1024;
/// How often the line is pinged, so that proxies keep it and a dead browser is found.
const PING: Duration = Duration::from_secs(20);

/// `GET /console-stream`.
pub(crate) async fn socket(
    State(shared): State<Shared>,
    Extension(ctx): Extension<Context>,
    upgrade: WebSocketUpgrade,
) -> Response {
    if !matches!(ctx.actor, Actor::Account(_)) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    // noVNC and websockify ask for "binary"; others ask for nothing.
    upgrade.protocols(["binary"]).max_message_size(MAX_UP).on_upgrade(move |socket| serve(shared, ctx, socket))
}

async fn serve(shared: Shared, ctx: Context, mut socket: WebSocket) {
    let mut admission = match admit(&shared, &ctx, &mut socket).await {
        Ok(admission) => admission,
        Err(code) => return close(socket, code, None).await,
    };
    let upstream = match harvester::act::console(&admission.cluster, &admission.vm, admission.mode).await {
        Ok(upstream) => upstream,
        Err(error) => {
            tracing::info!(vm = %admission.vm, %error, "a console did not open");
            note(&shared, &ctx, &admission, 0, (0, 0), &error.to_string()).await;
            return close(socket, code_of(&error), None).await;
        }
    };
    let began = shared.ops.clock.now();
    let (code, bytes, by) = pump(&shared, &mut socket, upstream, &mut admission.seat).await;
    let length_ms = shared.ops.clock.now().since(began);
    note(&shared, &ctx, &admission, length_ms, bytes, &format!("{code:?}")).await;
    close(socket, code, by).await;
}

async fn admit(shared: &Shared, ctx: &Context, socket: &mut WebSocket) -> Result<Admission, CloseCode> {
    let first = tokio::time::timeout(SHOW_WITHIN, socket.recv()).await;
    let Ok(Some(Ok(Message::Text(secret)))) = first else { return Err(CloseCode::BadTicket) };
    let now = Context { now: shared.ops.clock.now(), ..ctx.clone() };
    let redeemed = shared.ops.consoles.redeem(&now, secret.as_str()).await;
    session::note_denials(shared, &now).await;
    redeemed.map_err(|error| {
        tracing::info!(login = ctx.actor.login(), %error, "a console ticket was refused");
        CloseCode::BadTicket
    })
}

/// Carries bytes until either side ends or somebody else takes the seat; gives why, how many went to and from the cluster,
/// and who took it.
async fn pump(
    shared: &Shared,
    socket: &mut WebSocket,
    upstream: harvester::Socket,
    seat: &mut Seat,
) -> (CloseCode, (u64, u64), Option<String>) {
    let (mut to_cluster, mut from_cluster) = upstream.split();
    let (mut sent, mut received) = (0, 0);
    let mut by = None;
    let mut ping = tokio::time::interval(PING);
    let code = loop {
        tokio::select! {
            () = shared.tasks.stopping() => break CloseCode::Ended,
            name = seat.ousted() => {
                by = Some(name);
                break CloseCode::TakenOver;
            }
            _ = ping.tick() => if socket.send(Message::Ping(Default::default())).await.is_err() { break CloseCode::Ended },
            message = from_cluster.next() => match message {
                Some(Ok(Upstream::Binary(bytes))) => {
                    received += bytes.len() as u64;
                    if socket.send(Message::Binary(bytes)).await.is_err() { break CloseCode::Ended }
                }
                Some(Ok(Upstream::Close(_))) | None => break CloseCode::Ended,
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    tracing::info!(%error, "a console line broke");
                    break CloseCode::Away;
                }
            },
            message = socket.recv() => match message {
                Some(Ok(Message::Binary(bytes))) => {
                    sent += bytes.len() as u64;
                    if to_cluster.send(Upstream::Binary(bytes)).await.is_err() { break CloseCode::Ended }
                }
                Some(Ok(Message::Close(_))) | None | Some(Err(_)) => break CloseCode::Ended,
                Some(Ok(_)) => {}
            },
        }
    };
    let _ = to_cluster.close().await;
    (code, (sent, received), by)
}

fn code_of(error: &ClusterError) -> CloseCode {
    match error {
        ClusterError::NotFound { .. } | ClusterError::Conflict { .. } | ClusterError::Refused { .. } => {
            CloseCode::NotRunning
        }
        _ => CloseCode::Away,
    }
}

async fn note(shared: &Shared, ctx: &Context, admission: &Admission, length_ms: i64, bytes: (u64, u64), how: &str) {
    let now = Context { now: shared.ops.clock.now(), ..ctx.clone() };
    if let Err(error) = shared.ops.consoles.ended(&now, &admission.vm, admission.mode, length_ms, bytes, how).await {
        tracing::error!(%error, "a console session could not be noted");
    }
}

/// Longest reason of a close frame, in bytes (RFC 6455 §5.5).
const MOST_REASON: usize = 123;

/// Ends the line; the reason is who took the screen where somebody did.
async fn close(mut socket: WebSocket, code: CloseCode, by: Option<String>) {
    let mut reason = by.unwrap_or_else(|| code.say().en.into_owned());
    while reason.len() > MOST_REASON {
        reason.pop();
    }
    if socket.send(Message::Close(Some(CloseFrame { code: code as u16, reason: reason.into() }))).await.is_err() {
        return;
    }
    // Until the browser has answered, what it still sends is read: a connection that is dropped with unread bytes is reset,
    // and a reset overtakes the reason.
    let answered = async { while let Some(Ok(_)) = socket.recv().await {} };
    if tokio::time::timeout(ANSWER_WITHIN, answered).await.is_err() {
        tracing::debug!("a browser did not answer the end of its console");
    }
}
