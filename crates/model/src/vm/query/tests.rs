//! The search language, a case a line.

use super::*;
use crate::time::UnixMs;
use crate::vm::Power;

fn row() -> VmRow {
    VmRow {
        cluster: "bj-1".into(),
        namespace: "erp-prod".into(),
        name: "prod-order-app-03".into(),
        uid: "u".into(),
        power: Power::Migrating,
        status: "Migrating".into(),
        problem: None,
        addresses: vec!["10.20.31.103".parse().unwrap(), "2001:db8:20:35::3:2".parse().unwrap()],
        macs: vec!["52:54:00:ab:10:01".into()],
        node: Some("bj1-hv-07".into()),
        owner: Some("E10877".into()),
        owner_name: Some("林若涵".into()),
        service: Some("订单服务".into()),
        environment: Some("prod".into()),
        display_name: None,
        is_managed: true,
        has_agent: true,
        os: Some("openEuler 24.03 LTS".into()),
        cpu: 4,
        memory: Bytes::gib(16),
        disk: Bytes::gib(200),
        created: UnixMs(0),
        changed: UnixMs(0),
        change: None,
    }
}

#[test]
fn terms_hold_or_do_not() {
    let row = row();
    for (text, holds) in [
        ("", true),
        ("order", true),
        ("ORDER", true),
        ("10.20.31.", true),
        ("10.20.3.", false),
        ("owner:E10877 env:prod cpu>=4", true),
        ("owner:e10877", true),
        ("负责人:林若涵", true),
        ("服务：订单", true),
        ("-status:running", true),
        ("-status:migrating", false),
        ("状态:迁移中", true),
        ("mem>8", true),
        ("mem>=16Gi mem<=16g", true),
        ("mem>16Gi", false),
        ("disk<1Ti", true),
        ("ip:2001:db8:20", true),
        ("2001:db8:20:35::3:2", true),
        ("52:54:00:ab", true),
        ("mac:52:54:00", true),
        ("managed:yes -agent:no", true),
        ("node:*", true),
        ("\"order app\"", false),
        ("owner:", false),
        ("env:pro", false),
        ("-", true),
    ] {
        let verdict = Query { text: text.into(), sort: Sort::default() }.parse().unwrap();
        assert_eq!(verdict.admits(&row), holds, "{text}");
    }
}

#[test]
fn a_text_that_does_not_parse_says_why() {
    for (text, has) in [("colour:red", "colour"), ("cpu>many", "number"), ("owner>5", "order"), ("mem:8Q", "number")] {
        let said = Query { text: text.into(), sort: Sort::default() }.parse().unwrap_err();
        assert!(said.en.contains(has), "{text}: {}", said.en);
    }
    assert!(Query { text: "x".repeat(2000), sort: Sort::default() }.parse().is_err());
}

#[test]
fn an_order_survives_the_url() {
    for sort in SortKey::ALL.into_iter().flat_map(|key| [false, true].map(|descending| Sort { key, descending })) {
        assert_eq!(Sort::parse(&sort.word()), sort);
    }
    assert_eq!(Sort::parse("nonsense"), Sort::default());
}
