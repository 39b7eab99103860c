//! Which kubeconfigs are taken, and that no refusal quotes a secret.

use super::*;
use std::time::{Duration, Instant};

const CA: &str = include_str!("testdata/ca.b64");
const CERTIFICATE: &str = include_str!("testdata/client.b64");
const KEY: &str = include_str!("testdata/client-key.b64");

fn with(cluster: &str, user: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\nclusters:\n- name: c\n  cluster: {{server: 'https://10.0.0.1:6443', {cluster}}}\n\
         users:\n- name: u\n  user: {{{user}}}\ncontexts:\n- name: x\n  context: {{cluster: c, user: u}}\n"
    )
}

#[test]
fn a_harvester_kubeconfig_is_taken_and_debug_shows_no_secret() {
    let access =
        Access::parse(&with(&format!("certificate-authority-data: {CA}"), "token: kubeconfig-user-abc:secret"))
            .unwrap();
    assert_eq!(access.server(), "https://10.0.0.1:6443");
    assert_eq!(access.roots.as_ref().map(Vec::len), Some(1));
    assert!(!format!("{access:?}").contains("secret"));
}

#[test]
fn a_client_certificate_tells_when_it_ends() {
    let user = format!("client-certificate-data: {CERTIFICATE}, client-key-data: {KEY}");
    let access = Access::parse(&with("", &user)).unwrap();
    assert_eq!(access.expires().map(|t| t.rfc3339()[..4].to_owned()).as_deref(), Some("2046"));
}

#[test]
fn a_jwt_tells_when_it_ends() {
    // {"alg":"none"}.{"exp":1900000000}
    let access = Access::parse(&with("", "token: eyJhbGciOiJub25lIn0.eyJleHAiOjE5MDAwMDAwMDB9.x")).unwrap();
    assert_eq!(access.expires(), Some(UnixMs(1_900_000_000_000)));
}

#[test]
fn every_other_key_is_refused_by_name() {
    let user = [
        "exec: {command: sh}",
        "auth-provider: {name: gcp}",
        "tokenFile: /etc/passwd",
        "client-certificate: /a",
        "client-key: /b",
        "username: a",
        "password: b",
        "as: root",
        "as-uid: '1'",
        "as-groups: [a]",
        "as-user-extra: {a: [b]}",
        "extensions: [{name: x}]",
        "surprise: 1",
    ];
    for bad in user {
        let key = bad.split(':').next().unwrap();
        let refusal = Access::parse(&with("", &format!("token: t, {bad}"))).unwrap_err();
        assert_eq!(refusal.key, format!("users[u].user.{key}"));
        assert!(refusal.say.zh.contains(key) && refusal.say.en.contains(key), "{refusal:?}");
    }
    for bad in [
        "certificate-authority: /ca",
        "insecure-skip-tls-verify: true",
        "proxy-url: http://p",
        "extensions: [{name: y}]",
    ] {
        let key = bad.split(':').next().unwrap();
        let refusal = Access::parse(&with(bad, "token: t")).unwrap_err();
        assert_eq!(refusal.key, format!("clusters[c].cluster.{key}"));
    }
}

#[test]
fn keys_that_say_nothing_are_no_reason() {
    assert!(Access::parse(&with("insecure-skip-tls-verify: false, proxy-url: ''", "token: t, exec: null")).is_ok());
}

#[test]
fn servers_with_surprises_are_refused() {
    for bad in ["ftp://a", "https://user:pw@a", "https://a?b=c", "file:///etc/passwd", "a", "https://"] {
        let text = with("", "token: t").replace("https://10.0.0.1:6443", bad);
        assert_eq!(Access::parse(&text).unwrap_err().key, "server", "{bad}");
    }
}

#[test]
fn of_several_contexts_the_current_one_counts() {
    let text = "clusters:\n- {name: a, cluster: {server: 'https://a'}}\n- {name: b, cluster: {server: 'https://b'}}\n\
        users:\n- {name: u, user: {token: t}}\ncontexts:\n- {name: x, context: {cluster: a, user: u}}\n\
        - {name: y, context: {cluster: b, user: u}}\n";
    assert_eq!(Access::parse(text).unwrap_err().key, "contexts");
    assert_eq!(Access::parse(&format!("{text}current-context: y\n")).unwrap().server(), "https://b");
    assert_eq!(Access::parse(&format!("{text}current-context: z\n")).unwrap_err().key, "contexts");
}

/// What a person who pastes may wait; the YAML reader is ten times slower without optimisation.
const LIMIT: Duration = Duration::from_millis(if cfg!(debug_assertions) { 500 } else { 50 });

#[test]
fn bombs_duplicates_and_depth_end_quickly() {
    let mut bomb = String::from("a: &a [x,x,x,x,x,x,x,x,x]\n");
    for (this, last) in ('b'..='z').zip('a'..) {
        bomb += &format!("{this}: &{this} [*{last},*{last},*{last},*{last},*{last},*{last},*{last},*{last},*{last}]\n");
    }
    let deep = format!("clusters: {}", "[".repeat(100_000));
    let wide = format!("clusters: [{}]", "a,".repeat(100_000));
    let twice = with("", "token: t, token: t");
    let long = "a".repeat(MAX_TEXT + 1);
    for text in [bomb, deep, wide, twice, long, String::new(), "\u{0}".into(), "{".into(), "---\n---\n".into()] {
        // The best of some: other work on the machine is not ours.
        let once = |_| {
            let began = Instant::now();
            (Access::parse(&text).map(drop).unwrap_err(), began.elapsed())
        };
        let (refusal, took) = (0..5).map(once).min_by_key(|(_, took)| *took).unwrap();
        assert!(took < LIMIT, "{refusal}: {took:?}");
    }
}

#[test]
fn a_refusal_never_quotes_the_secret() {
    for text in [
        with("", "token: 'hunter2 is long'"),
        with("", "token: [hunter2]"),
        format!("token: hunter2\n{}", with("", "x")),
    ] {
        let refusal = Access::parse(&text).unwrap_err();
        assert!(!format!("{refusal:?} {refusal}").contains("hunter2"), "{refusal:?}");
    }
}
