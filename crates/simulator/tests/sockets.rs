//! KubeVirt's subresources on a simulated cluster that runs a VM, with upgrades and without a socket.

mod support;

use futures::{SinkExt, StreamExt};
use http::header::{CONNECTION, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE};
use hyper_util::rt::TokioIo;
use serde_json::json;
use simulator::Simulator;
use simulator::behave::resources::VMI;
use std::collections::BTreeSet;
use std::time::Duration;
use support::plain;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;
use tower::ServiceExt;

const SUB: &str = "/apis/subresources.kubevirt.io/v1/namespaces/default";

fn vm() -> serde_json::Value {
    json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": { "name": "web", "namespace": "default" },
        "spec": { "runStrategy": "RerunOnFailure", "template": { "spec": {
            "domain": {
                "cpu": { "cores": 1 }, "resources": { "limits": { "cpu": "1", "memory": "1Gi" } },
                "devices": { "disks": [{ "name": "root", "disk": { "bus": "virtio" } }],
                             "interfaces": [{ "name": "default", "masquerade": {} }] },
            },
            "networks": [{ "name": "default", "pod": {} }],
            "volumes": [{ "name": "root", "containerDisk": { "image": "fedora" } }],
        } } },
    })
}

async fn running() -> Simulator {
    let simulator = Simulator::builder().seed(3).build();
    let made = plain(&simulator.router(), "POST /apis/kubevirt.io/v1/namespaces/default/virtualmachines", vm()).await;
    assert_eq!(made.code, 201, "{}", made.text);
    let runs = simulator.advance_until(Duration::from_secs(300), |view| {
        view.get(VMI, "default", "web").is_some_and(|vmi| vmi["status"]["phase"] == "Running")
    });
    assert!(runs.expect("the world comes to rest"), "the VM runs within five minutes");
    simulator
}

#[tokio::test]
async fn power_is_changed_through_subresources() {
    let simulator = running().await;
    let router = simulator.router();
    let call = |line: &str| {
        let (method, path) = line.split_once(' ').expect("method and path");
        format!("{method} {SUB}/{path}")
    };
    let cases = [
        ("PUT virtualmachines/web/start", 409),
        ("GET virtualmachines/web/start", 405),
        ("PUT virtualmachines/none/start", 404),
        ("PUT virtualmachines/web/fly", 404),
        ("PUT virtualmachineinstances/web/pause", 200),
        ("PUT virtualmachineinstances/web/pause", 409),
        ("PUT virtualmachineinstances/web/unpause", 200),
        ("PUT virtualmachines/web/stop", 202),
    ];
    for (line, code) in cases {
        let answer = plain(&router, &call(line), json!({})).await;
        assert_eq!(answer.code, code, "{line}: {}", answer.text);
        simulator.advance(Duration::from_secs(5)).expect("the world comes to rest");
    }
    let gone = simulator.advance_until(Duration::from_secs(300), |view| view.get(VMI, "default", "web").is_none());
    assert!(gone.expect("the world comes to rest"), "the VM stops");
}

async fn console(simulator: &Simulator) -> WebSocketStream<TokioIo<hyper::upgrade::Upgraded>> {
    let request = http::Request::get(format!("{SUB}/virtualmachineinstances/web/console"))
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "websocket")
        .header(SEC_WEBSOCKET_VERSION, "13")
        .header(SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ==")
        .header(SEC_WEBSOCKET_PROTOCOL, "plain.kubevirt.io")
        .body(axum::body::Body::empty())
        .expect("a request");
    let response = simulator.duplex_service().oneshot(request).await.expect("an answer");
    assert_eq!(response.status(), 101);
    assert_eq!(response.headers()[SEC_WEBSOCKET_PROTOCOL], "plain.kubevirt.io");
    let upgraded = hyper::upgrade::on(response).await.expect("upgraded");
    WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Client, None).await
}

#[tokio::test]
async fn a_console_speaks_binary_frames_and_the_last_client_keeps_it() {
    let simulator = running().await;
    let mut first = console(&simulator).await;
    first.send(Message::Binary("\r".into())).await.expect("sent");
    let said = first.next().await.expect("an answer").expect("a frame");
    assert!(said.is_binary());
    let _second = console(&simulator).await;
    let end = tokio::time::timeout(Duration::from_secs(5), async {
        while let Some(Ok(message)) = first.next().await {
            if message.is_close() {
                break;
            }
        }
    });
    assert!(end.await.is_ok(), "the first client is let go");
}

#[tokio::test]
async fn without_an_upgrade_the_router_says_so() {
    let simulator = running().await;
    let answer = plain(&simulator.router(), &format!("GET {SUB}/virtualmachineinstances/web/vnc"), json!(null)).await;
    assert!((400..500).contains(&answer.code), "{}", answer.code);
}

/// Width, height and the colours of a PNG as our screens make them: RGB, rows unfiltered.
fn decoded(png: &[u8]) -> (u32, u32, BTreeSet<[u8; 3]>) {
    let mut rest = png.strip_prefix(b"\x89PNG\r\n\x1a\n").expect("the signature");
    let number = |bytes: &[u8]| u32::from_be_bytes(bytes[..4].try_into().expect("four bytes"));
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let length = number(rest) as usize;
        chunks.push((&rest[4..8], &rest[8..8 + length]));
        rest = &rest[12 + length..];
    }
    let kinds: Vec<_> = chunks.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [b"IHDR", b"IDAT", b"IEND"]);
    let (header, body) = (chunks[0].1, chunks[1].1);
    let (width, height) = (number(header), number(&header[4..]));
    assert_eq!(header[8..], [8, 2, 0, 0, 0], "eight bits, RGB");
    let pixels = miniz_oxide::inflate::decompress_to_vec_zlib(body).expect("zlib");
    let rows: Vec<_> = pixels.chunks(width as usize * 3 + 1).collect();
    assert_eq!(rows.len(), height as usize);
    assert!(rows.iter().all(|row| row[0] == 0), "no filter");
    let pixels = rows.iter().flat_map(|row| row[1..].chunks(3));
    (width, height, pixels.map(|pixel| pixel.try_into().expect("three bytes")).collect())
}

#[tokio::test]
async fn a_screenshot_is_a_picture_of_the_screen() {
    let simulator = running().await;
    let path = |name: &str| format!("GET {SUB}/virtualmachineinstances/{name}/vnc/screenshot");
    for query in ["", "?moveCursor=true"] {
        let answer = plain(&simulator.router(), &format!("{}{query}", path("web")), json!(null)).await;
        assert_eq!((answer.code, &answer.headers["content-type"]), (200, &"image/png".parse().expect("a value")));
        let (width, height, colours) = decoded(&answer.bytes);
        assert_eq!((width, height), (640, 400), "the drawn screen's size");
        assert!(colours.len() > 1, "something is written on it");
    }
    assert_eq!(plain(&simulator.router(), &path("none"), json!(null)).await.code, 500);
}
