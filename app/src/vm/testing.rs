//! VMs for tests of this noun.

use std::sync::Arc;

use model::UnixMs;
use model::quantity::Bytes;
use model::vm::{Power, VmRow};

use crate::testing::NOW;

/// A VM of the cluster `bj-1` with all fields filled.
pub(super) fn row(name: &str, power: Power) -> VmRow {
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
