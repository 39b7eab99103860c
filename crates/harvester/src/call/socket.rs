//! Subresources that are sockets: KubeVirt's screen and serial line.
//!
//! kube's own `connect` adds a subprotocol of Kubernetes and refuses KubeVirt's answer, so the upgrade is made here.
//! Source: RFC 6455 §4.1; KubeVirt `staging/src/kubevirt.io/client-go/kubecli/websocket.go` (`harvester-api.md` §2.1).

use crate::cluster::Cluster;
use crate::error::ClusterError;
use http::{Request, Response, header};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use kube::client::Body;
use std::time::Duration;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// An open subresource: every message is binary and carries raw bytes.
pub type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// How long the cluster may take to open one: virt-handler has to find the domain's socket.
const OPEN_WITHIN: Duration = Duration::from_secs(15);

/// Largest message taken: KubeVirt copies in buffers of 10 KiB, QEMU's rectangles are cut by it.
const MAX_MESSAGE: usize = 4 << 20;

impl Cluster {
    /// Opens a WebSocket that speaks `protocol` and nothing else.
    pub(crate) async fn open(&self, path: &str, protocol: &str) -> Result<Socket, ClusterError> {
        let opening = self.upgrade(path, protocol);
        tokio::time::timeout(OPEN_WITHIN, opening).await.unwrap_or_else(|late| Err(ClusterError::away(late)))
    }

    async fn upgrade(&self, path: &str, protocol: &str) -> Result<Socket, ClusterError> {
        let key = generate_key();
        let request = Request::get(path)
            .header(header::CONNECTION, "Upgrade")
            .header(header::UPGRADE, "websocket")
            .header(header::SEC_WEBSOCKET_VERSION, "13")
            .header(header::SEC_WEBSOCKET_KEY, &key)
            .header(header::SEC_WEBSOCKET_PROTOCOL, protocol)
            .body(Body::empty())
            .map_err(|e| ClusterError::garbled(e.to_string()))?;
        let response = self.send(request).await?;
        if !is_opened(&response, &key, protocol) {
            return Err(ClusterError::garbled("the console did not open as a WebSocket of KubeVirt"));
        }
        let upgraded = hyper::upgrade::on(response).await.map_err(ClusterError::away)?;
        let limits = WebSocketConfig::default().max_message_size(Some(MAX_MESSAGE)).max_frame_size(Some(MAX_MESSAGE));
        Ok(WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Client, Some(limits)).await)
    }
}

/// Whether the answer agrees to the upgrade, the key and the protocol that were asked for.
fn is_opened(response: &Response<Body>, key: &str, protocol: &str) -> bool {
    let is = |name, value: &str| response.headers().get(name).is_some_and(|v| v.as_bytes() == value.as_bytes());
    response.status() == 101
        && is(header::SEC_WEBSOCKET_ACCEPT, &derive_accept_key(key.as_bytes()))
        && is(header::SEC_WEBSOCKET_PROTOCOL, protocol)
}
