//! Every endpoint as nobody; every change as somebody who may not make it. Endpoints are enumerated, not listed, so that a
//! new one is in the sweep by construction.

mod common;

use common::{Browser, Lab, serve, settle};
use leptos::server_fn::axum::server_fn_paths;
use serde_json::json;

#[tokio::test]
async fn nobody_gets_nothing_from_any_server_function() {
    let running = serve().await;
    let nobody = Browser::nobody(running.address);
    let mut seen = 0;
    for (path, method) in server_fn_paths() {
        let answer = match method {
            http::Method::GET => nobody.get(path).await,
            _ => nobody.json(path, &json!({})).await,
        };
        assert!(answer.status >= 400, "{method} {path} answered {} to nobody: {}", answer.status, answer.text);
        seen += 1;
    }
    assert!(seen >= 20, "only {seen} server functions are registered");
}

#[tokio::test]
async fn pages_lead_nobody_to_sign_in() {
    let running = serve().await;
    let nobody = Browser::nobody(running.address);
    for path in ["/", "/vms", "/clusters", "/audit", "/portal", "/addresses", "/vms/a/b/c", "/console/a/b/c"] {
        let answer = nobody.get(path).await;
        let is_led = answer.status == 302 || answer.status == 303 || answer.text.contains("name=\"password\"");
        assert!(is_led, "{path}: {}", answer.status);
    }
}

#[tokio::test]
async fn a_viewer_changes_nothing() {
    let (running, lab) = (serve().await, Lab::start(10, 10.0).await);
    settle(&running.ops, &lab).await;
    let viewer = Browser::signed_in(running.address, "viewer").await;
    let vm = json!({ "cluster": "lab-1", "namespace": "a", "name": "b" });
    let subnet = json!({ "name": "x", "cidr": "10.9.0.0/24" });
    let draft = json!({
        "template": "web-gateway", "service": "x", "environment": "test", "cluster": "lab-1", "network": "a/b",
        "flavour": "1c1g1", "subnet": "0190-x",
    });
    let bodies = [
        ("change_power", json!({ "command": { "vm": vm, "action": "stop", "reason": "", "key": "0193-key" } })),
        ("examine_kubeconfig", json!({ "kubeconfig": "x" })),
        (
            "register_cluster",
            json!({ "register": { "id": "x", "name": "x", "kubeconfig": "x", "is_observe_only": false } }),
        ),
        ("remove_cluster", json!({ "id": "lab-1", "reason": "" })),
        ("ask_ticket", json!({ "open": { "vm": vm, "mode": "vnc", "reason": "" } })),
        ("create_subnet", json!({ "draft": subnet })),
        ("update_subnet", json!({ "id": "0190-x", "draft": subnet })),
        ("remove_subnet", json!({ "id": "0190-x", "reason": "" })),
        ("reserve_address", json!({ "id": "0190-x", "address": "10.9.0.9", "note": "x" })),
        ("release_address", json!({ "id": "0190-x", "address": "10.9.0.9", "reason": "x" })),
        ("preview_order", json!({ "draft": draft })),
        ("place_order", json!({ "order": { "draft": draft, "key": "0193-key" } })),
        ("undo_delivery", json!({ "id": "0190-x", "reason": "" })),
    ];
    // Changes that anybody who is signed in may make: to his own session, and looking again.
    const OWN: [&str; 6] = ["sign_in", "sign_out", "end_session", "verify_audit", "probe_cluster", "refresh_cluster"];
    for (path, method) in server_fn_paths().filter(|(_, method)| *method != http::Method::GET) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some((_, body)) = bodies.iter().find(|(known, _)| *known == name) else {
            assert!(OWN.contains(&name), "{method} {path} is a change that this test does not know");
            continue;
        };
        let answer = viewer.json(path, body).await;
        assert_eq!(answer.status, 403, "{path}: {}", answer.text);
        assert!(answer.text.contains("forbidden"), "{path}: {}", answer.text);
    }
    // What was asked for in vain is in the trail, with who asked and for what.
    let admin = Browser::signed_in(running.address, "admin").await;
    let trail = admin.get("/audit?q=lab-1%2Fa%2Fb").await.text;
    for act in ["vm.power", "console.open"] {
        assert!(trail.contains(act), "{act} of lab-1/a/b is not in the trail");
    }
}

/// What may not be seen and what is not there look the same.
#[tokio::test]
async fn a_missing_thing_is_one_answer() {
    let (running, lab) = (serve().await, Lab::start(0, 10.0).await);
    settle(&running.ops, &lab).await;
    let viewer = Browser::signed_in(running.address, "viewer").await;
    for path in ["/vms/nowhere/a/b", "/vms/lab-1/a/b", "/clusters/nowhere", "/deliveries/none", "/addresses/none"] {
        let answer = viewer.get(path).await;
        assert_eq!(answer.status, 404, "{path}");
    }
}
