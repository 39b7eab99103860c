//! VNC and serial console over WebSockets.
//!
//! One client a VM and stream, as virt-handler has it: a new one ends the old one, unless it asks to preserve the
//! session. Frames are binary and raw, without a channel byte. Source: K `pkg/virt-handler/rest/console.go`,
//! `staging/src/kubevirt.io/client-go/kubecli`; `harvester-api.md` §2.1.

use crate::screen::Screens;
use crate::world::Status;
use axum::extract::FromRequestParts;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::request::Parts;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

/// The subprotocol that KubeVirt's clients offer.
const PROTOCOL: &str = "plain.kubevirt.io";
/// KubeVirt's own buffer.
const BUFFER_BYTES: usize = 10_240;
/// Bytes that wait between guest and socket.
const PIPE_BYTES: usize = 256 * 1024;

/// Namespace, name and kind of stream.
type Place = (String, String, String);

/// Streams that are open.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sessions(Arc<Mutex<HashMap<Place, CancellationToken>>>);

impl Sessions {
    /// Takes the place of whoever is there; `None` when that session is to be preserved.
    fn enter(&self, key: Place, preserve: bool) -> Option<CancellationToken> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, token| !token.is_cancelled());
        if preserve && open.contains_key(&key) {
            return None;
        }
        let token = CancellationToken::new();
        if let Some(old) = open.insert(key, token.clone()) {
            old.cancel();
        }
        Some(token)
    }
}

/// Opens `vnc` or `console`; with `preserves` only when nobody has it open.
///
/// # Errors
/// When somebody has it open and is to be preserved.
pub(crate) async fn open(
    parts: &mut Parts,
    (sessions, screens): (&Sessions, &Screens),
    preserves: bool,
    sub: &str,
    (namespace, name): (&str, &str),
) -> Result<Response, Status> {
    let upgrade = match WebSocketUpgrade::from_request_parts(parts, &()).await {
        Ok(upgrade) => upgrade,
        Err(rejection) => return Ok(rejection.into_response()),
    };
    let key = (namespace.to_owned(), name.to_owned(), sub.to_owned());
    let token = sessions.enter(key, preserves);
    let token = token.ok_or_else(|| Status::internal("Active VNC connection. Request denied."))?;
    let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
    let screens = screens.clone();
    let (is_vnc, namespace, name) = (sub == "vnc", namespace.to_owned(), name.to_owned());
    let guest = async move {
        if is_vnc {
            screens.vnc(&namespace, &name, theirs).await
        } else {
            screens.console(&namespace, &name, theirs).await
        }
    };
    let pumped = upgrade.protocols([PROTOCOL]).on_upgrade(move |socket| async move {
        tokio::select! {
            () = token.cancelled() => {}
            () = pump(socket, ours) => token.cancel(),
            () = guest => token.cancel(),
        }
    });
    Ok(pumped)
}

/// Copies both ways until either end is over.
async fn pump(mut socket: WebSocket, guest: impl AsyncRead + AsyncWrite) {
    let (mut from_guest, mut to_guest) = tokio::io::split(guest);
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        tokio::select! {
            read = from_guest.read(&mut buffer) => match read {
                Ok(0) | Err(_) => break,
                Ok(len) => {
                    if socket.send(Message::Binary(Bytes::copy_from_slice(&buffer[..len]))).await.is_err() {
                        return;
                    }
                }
            },
            message = socket.recv() => match message {
                Some(Ok(Message::Binary(bytes))) => {
                    if to_guest.write_all(&bytes).await.is_err() {
                        break;
                    }
                }
                Some(Ok(Message::Text(text))) => {
                    if to_guest.write_all(text.as_bytes()).await.is_err() {
                        break;
                    }
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
            },
        }
    }
    // The peer may be gone already.
    let _ = socket.send(Message::Close(None)).await;
}
