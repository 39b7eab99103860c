//! What pages carry: policies, and foreign text as text.

mod common;

use common::{Browser, Lab, serve, settle, until};

#[tokio::test]
async fn every_answer_has_its_policies() {
    let running = serve().await;
    let admin = Browser::signed_in(running.address, "admin").await;
    let page = admin.get("/vms").await;
    let policy = page.header("content-security-policy").to_owned();
    assert!(
        policy.contains("'nonce-") && !policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"),
        "{policy}"
    );
    assert!(!page.text.contains(" style=\""), "inline styles do not pass the policy");
    for path in ["/vms", "/healthz", "/api/app/fleet/api/list_clusters", "/nowhere"] {
        let answer = admin.get(path).await;
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "same-origin", "{path}");
        assert!(answer.header("content-security-policy").contains("default-src 'none'"), "{path}");
    }
    assert_eq!(page.header("cache-control"), "no-store");
}

/// The seed has a VM whose names and guest say `<script>`, `javascript:` and worse.
#[tokio::test]
async fn hostile_text_is_text() {
    let (running, lab) = (serve().await, Lab::start(60, 10.0).await);
    settle(&running.ops, &lab).await;
    let id = model::id::ClusterId::parse(common::CLUSTER).unwrap();
    let rows = || running.ops.fleet.member(&id).unwrap().running().unwrap().cache.rows();
    until("the seed's VMs are there", || rows().len() >= 60).await;
    let hostile = rows().iter().find(|row| row.display_name.as_deref().is_some_and(|n| n.contains('<'))).cloned();
    let hostile = hostile.expect("the seed has a VM with markup in its display name");
    let admin = Browser::signed_in(running.address, "admin").await;
    for path in
        [format!("/vms?q={}", hostile.name), format!("/vms/{}/{}/{}", hostile.cluster, hostile.namespace, hostile.name)]
    {
        let page = admin.get(&path).await;
        assert_eq!(page.status, 200, "{path}");
        let body = page.text.split("<body").nth(1).unwrap_or_default();
        assert!(!body.contains("<script>alert"), "{path}");
        assert!(!body.contains("href=\"javascript:"), "{path}");
        assert!(!body.contains('\u{202e}') && !body.contains('\u{1b}'), "{path}: bidi or terminal controls");
    }
}
