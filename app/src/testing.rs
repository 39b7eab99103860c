//! How pages are looked at in tests: rendered to a string, as the server does it, with a session and a few known things.

use std::sync::Arc;

use leptos::prelude::*;
use model::access::{Me, Role};
use model::fleet::{Capacity, ClusterView, Health};
use model::id::{AccountId, ClusterId};
use model::quantity::{Bytes, Millicores};
use model::vm::Power;
use model::{Lang, Say, UnixMs};

use crate::frame::{Preferences, Session};
use crate::locales::provide_words;

/// 2026-11-29 14:08:00 in China.
pub(crate) const NOW: UnixMs = UnixMs(1_795_932_480_000);

/// The HTML of a view as somebody of `role` sees it in `lang`, without the markers that only hydration reads.
pub(crate) fn html<V: IntoView + 'static>(role: Role, lang: Lang, view: impl FnOnce() -> V) -> String {
    let owner = Owner::new();
    owner.with(|| {
        let me =
            Me {
                id: AccountId::parse("a1").unwrap(), login: "chen".into(), name: "陈思远".into(), number: None, role
            };
        let preferences = Preferences { lang, ..Preferences::default() };
        provide_context(Arc::new(Session { me: Some(me), preferences, now: NOW, ..Session::default() }));
        provide_words(lang);
        provide_context(app_ui::Now(Signal::stored(NOW.0)));
        // Links need a router around them only when they are `<A>`; ours are plain.
        view().into_any().to_html().replace("<!>", "")
    })
}

/// Panics unless each of `parts` occurs in `html`, in this order.
#[track_caller]
pub(crate) fn assert_parts(html: &str, parts: &[&str]) {
    let mut rest = html;
    for part in parts {
        let Some(at) = rest.find(part) else { panic!("{part}\nis not, or not in this order, in\n{html}") };
        rest = &rest[at + part.len()..];
    }
}

/// A cluster with two nodes and 44 VMs, as of a second ago or, when away, of six minutes ago.
pub(crate) fn cluster(id: &str, name: &str, health: Health) -> ClusterView {
    let age = if health.is_away() { 360_000 } else { 1_000 };
    ClusterView {
        id: ClusterId::parse(id).unwrap(),
        name: name.into(),
        url: "https://10.0.10.10:6443".into(),
        version: Some("v1.8.2".into()),
        health,
        problem: health.is_away().then(|| Say::fixed("连接被拒绝", "connection refused")),
        since: UnixMs(NOW.0 - age),
        as_of: Some(UnixMs(NOW.0 - age)),
        retry_at: health.is_away().then_some(UnixMs(NOW.0 + 47_000)),
        observe_only: None,
        nodes: (2, 2),
        power: vec![(Power::Running, 40), (Power::Stopped, 4)],
        capacity: Capacity {
            cpu: Millicores(100_000),
            cpu_requested: Millicores(60_000),
            cpu_used: Millicores(240_000),
            memory: Bytes::gib(100),
            memory_requested: Bytes::gib(70),
            memory_used: Bytes::gib(88),
            storage: Bytes::gib(1_000),
            storage_claimed: Bytes::gib(640),
        },
        quarantined: 0,
        registered: UnixMs(NOW.0 - 86_400_000),
    }
}
