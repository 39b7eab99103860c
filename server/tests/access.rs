//! Signing in, lock-out, and requests that other sites make with our cookies.

mod common;

use common::{Browser, PASSWORD, serve};

#[tokio::test]
async fn a_session_begins_is_used_and_ends_in_the_database() {
    let running = serve().await;
    let browser = Browser::signed_in(running.address, "viewer").await;
    assert_eq!(browser.get("/vms").await.status, 200);
    let left = browser.form("/sign-out", &format!("csrf={}", browser.csrf)).await;
    assert_eq!(left.status, 303);
    // The cookie is still sent; the session behind it is gone.
    let after = browser.get("/api/app/frame/api/list_operations").await;
    assert_ne!(after.status, 200, "{}", after.text);
}

#[tokio::test]
async fn a_wrong_password_says_only_that_and_five_lock_the_account() {
    let running = serve().await;
    let nobody = Browser::nobody(running.address);
    for n in 1..=5 {
        let answer = nobody.form("/sign-in", "login=viewer&password=wrong-password").await;
        assert_eq!(answer.status, 303, "try {n}");
        assert!(answer.headers.get("set-cookie").is_none());
        let code = if n < 5 { "fault=invalid" } else { "fault=too-many" };
        assert!(answer.header("location").contains(code), "try {n}: {}", answer.header("location"));
    }
    let right = nobody.form("/sign-in", &format!("login=viewer&password={}", PASSWORD.replace(' ', "+"))).await;
    assert!(
        right.header("location").contains("fault=too-many"),
        "a locked account does not open for the right password"
    );
    let unknown = nobody.form("/sign-in", "login=nobody-here&password=wrong-password").await;
    assert!(unknown.header("location").contains("fault=invalid"));
}

#[tokio::test]
async fn another_site_changes_nothing_with_our_cookies() {
    let running = serve().await;
    let browser = Browser::signed_in(running.address, "admin").await;
    let foreign = [("origin", "https://evil.example"), ("content-type", "application/x-www-form-urlencoded")];
    for path in ["/sign-out", "/sign-in", "/api/app/vm/api/power", "/api/app/fleet/api/register_cluster"] {
        let answer = browser.send(http::Method::POST, path, &foreign, String::new()).await;
        assert_eq!(answer.status, 403, "{path}");
        let silent = browser.send(http::Method::POST, path, &[], String::new()).await;
        assert_eq!(silent.status, 403, "{path} without an origin");
    }
    for path in ["/live", "/console-stream"] {
        let upgrade = [
            ("origin", "https://evil.example"),
            ("connection", "Upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        assert_eq!(browser.send(http::Method::GET, path, &upgrade, String::new()).await.status, 403, "{path}");
    }
}

/// Everything that another site's page could send is right but for what only our pages know.
#[tokio::test]
async fn a_change_without_the_sessions_secret_is_refused() {
    let running = serve().await;
    let browser = Browser::signed_in(running.address, "admin").await;
    let stranger = Browser { csrf: Browser::signed_in(running.address, "viewer").await.csrf, ..browser.clone() };
    let silent = Browser { csrf: String::new(), ..browser.clone() };
    for (path, method) in leptos::server_fn::axum::server_fn_paths().filter(|(_, m)| *m != http::Method::GET) {
        for other in [&stranger, &silent] {
            let answer = other.json(path, &serde_json::json!({})).await;
            assert_eq!(answer.status, 403, "{method} {path}");
            assert!(answer.text.contains("another sign-in"), "{path}: {}", answer.text);
        }
        let own = browser.json(path, &serde_json::json!({})).await;
        assert!(!own.text.contains("another sign-in"), "{path}: {}", own.text);
    }
    assert_eq!(silent.form("/sign-out", "").await.status, 403);
    assert_eq!(stranger.form("/sign-out", &format!("csrf={}", stranger.csrf)).await.status, 403);
    assert_eq!(browser.get("/vms").await.status, 200, "the session goes on");
}

#[tokio::test]
async fn the_cookie_cannot_be_read_by_scripts_and_links_lead_only_to_us() {
    let running = serve().await;
    let nobody = Browser::nobody(running.address);
    let body = format!("login=admin&password={}&next=//evil.example/x", PASSWORD.replace(' ', "+"));
    let answer = nobody.form("/sign-in", &body).await;
    let cookie = answer.header("set-cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    assert_eq!(answer.header("location"), "/");
}
