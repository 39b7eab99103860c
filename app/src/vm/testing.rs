//! VMs for tests of this noun.

use std::sync::Arc;

use leptos::prelude::*;
use model::fleet::ClusterView;
use model::ipam::Truth;
use model::live::{Span, Window};
use model::quantity::Bytes;
use model::vm::{Disk, EventLine, Nic, Power, Query, VmDetail, VmRow};
use model::{Say, UnixMs};

use super::list::List;
use super::place::Place;
use super::power::Switchboard;
use super::selection::Selection;
use crate::live::use_rows;
use crate::testing::NOW;

/// A VM of the cluster `bj-1` with all fields filled.
pub(crate) fn row(name: &str, power: Power) -> VmRow {
    let text = |text: &str| Some(Arc::from(text));
    VmRow {
        cluster: "bj-1".into(),
        namespace: "erp-prod".into(),
        name: name.into(),
        uid: "u-1".into(),
        power,
        status: "Running".into(),
        problem: None,
        addresses: vec!["10.20.30.47".parse().unwrap()],
        macs: vec!["52:54:00:3a:07:47".into()],
        node: text("bj1-hv-03"),
        owner: text("E10432"),
        owner_name: text("陈思远"),
        service: text("ERP 核心"),
        environment: text("prod"),
        display_name: text("ERP 主库 07"),
        is_managed: true,
        has_agent: true,
        os: text("openEuler 24.03 LTS"),
        cpu: 16,
        memory: Bytes::gib(64),
        disk: Bytes::gib(2048),
        created: UnixMs(NOW.0 - 86_400_000),
        changed: UnixMs(NOW.0 - 60_000),
        change: None,
    }
}

/// The page of that VM: one disk that is not well, one interface, an address that drifted, a warning.
pub(super) fn detail(name: &str, power: Power) -> VmDetail {
    let ip = |text: &str| text.parse().unwrap();
    VmDetail {
        row: row(name, power),
        run_strategy: "RerunOnFailure".into(),
        description: Some("主库".into()),
        machine: Some("q35".into()),
        topology: (1, 16, 1),
        disks: vec![Disk {
            name: "root".into(),
            source: format!("{name}-root"),
            bus: "virtio".into(),
            kind: "disk".into(),
            size: Some(Bytes::gib(100)),
            class: Some("lh-nvme-3r".into()),
            image: Some("default/openeuler".into()),
            phase: Some("Bound".into()),
            robustness: Some("degraded".into()),
        }],
        nics: vec![Nic {
            name: "eth0".into(),
            network: "erp-prod/vlan2030".into(),
            vlan: Some(2030),
            model: "virtio".into(),
            binding: "bridge".into(),
            mac: Some("52:54:00:3a:07:47".into()),
            addresses: vec![ip("10.20.30.147")],
            link: Some("up".into()),
        }],
        truths: vec![Truth {
            nic: Some("eth0".into()),
            ledger: Some(ip("10.20.30.47")),
            injected: Some(ip("10.20.30.47")),
            observed: vec![ip("10.20.30.147")],
            as_of: Some(NOW),
            drift: Some(Say::fixed("实测与台账不符", "observed differs from the ledger")),
        }],
        conditions: vec![],
        not_migratable: Some("disk is local".into()),
        restart_required: Some("memory changed".into()),
        running_since: Some(UnixMs(NOW.0 - 41 * 86_400_000)),
        kernel: Some("6.6.0-28".into()),
        hostname: Some(name.into()),
        migration_target: None,
        events: vec![EventLine {
            at: UnixMs(NOW.0 - 5_000),
            is_warning: true,
            reason: "FailedMount".into(),
            message: "<b>volume</b> is not ready".into(),
            about: "Pod/virt-launcher-x".into(),
            count: 12,
        }],
        operations: vec![],
        as_of: NOW,
    }
}

/// A list of those rows, searched for `text`, in a page that nothing reaches. Call it under an owner.
pub(super) fn list(rows: Vec<VmRow>, clusters: Vec<ClusterView>, text: &str) -> List {
    let (total, place) = (rows.len() as u32, Place { text: text.into(), ..Place::default() });
    let query = Query { text: text.into(), sort: place.sort };
    let window = Window { start: 0, total, of: total, rows, took_us: 5_900 };
    let asked = query.clone();
    List {
        place: Memo::new(move |_| place.clone()),
        go: Callback::new(|_| ()),
        typed: RwSignal::new(String::new()),
        asked: Memo::new(move |_| asked.clone()),
        want: RwSignal::new((Query::default(), 0)),
        rows: use_rows(Signal::stored(query), Signal::stored(Span::default()), window),
        fleet: ArcRwSignal::new(clusters),
        seen: RwSignal::new(None),
        cursor: RwSignal::new(None),
        selection: Selection::default(),
        board: Switchboard::new(),
    }
}
