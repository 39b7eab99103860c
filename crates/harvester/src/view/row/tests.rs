//! Rows of VMs and their halves, from whole objects to empty and hostile ones.

use super::*;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

fn row(vm: Value, vmi: Option<Value>, is_moving: bool) -> VmRow {
    let (keys, mut intern, cluster) = (Keys::default(), Intern::default(), Arc::from("bj-1"));
    let text = vm.to_string();
    let (mut row, half) = of_vm(&serde_json::from_str(&text).unwrap(), &cluster, &keys, &mut intern);
    let text = vmi.map(|vmi| vmi.to_string());
    let mut vmi = text.as_deref().map(|text| of_vmi(&serde_json::from_str(text).unwrap(), &mut intern));
    lay(&mut row, None, &half, vmi.as_mut(), is_moving, Bytes::gib(half.claims.len() as u64));
    row
}

fn check(vm: Value, vmi: Option<Value>, expected: Expect) {
    let r = row(vm, vmi, false);
    expected.assert_eq(&format!(
        "{:?} {} {:?} {:?} {:?} node={:?} os={:?} agent={} {}c {} {}",
        r.power,
        r.status,
        r.problem,
        r.addresses,
        r.macs,
        r.node,
        r.os,
        r.has_agent,
        r.cpu,
        r.memory.human(),
        r.disk.human()
    ));
}

fn vm(status: &str) -> Value {
    json!({"metadata": {"name": "web-01", "namespace": "team-a", "uid": "u-1", "resourceVersion": "7", "creationTimestamp": "2026-03-02T08:00:00Z",
        "labels": {"harvesterhci.io/os": "linux"},
        "annotations": {"harvesterhci.io/volumeClaimTemplates": json!([{"metadata": {"name": "root"}, "spec": {"resources": {"requests": {"storage": "20Gi"}}}}]).to_string()}},
      "spec": {"runStrategy": "RerunOnFailure", "template": {"spec": {
        "domain": {"cpu": {"cores": 4}, "resources": {"limits": {"cpu": "4", "memory": "8Gi"}},
          "devices": {"interfaces": [{"name": "nic-1", "macAddress": "52:54:00:AB:10:01"}]}},
        "volumes": [{"name": "r", "persistentVolumeClaim": {"claimName": "root"}}, {"name": "d", "dataVolume": {"name": "data"}}]}}},
      "status": {"printableStatus": status}})
}

fn vmi() -> Value {
    json!({"metadata": {"name": "web-01", "namespace": "team-a", "uid": "u-2", "resourceVersion": "9"},
      "status": {"phase": "Running", "nodeName": "hv-02", "guestOSInfo": {"prettyName": "Ubuntu 24.04"},
        "conditions": [{"type": "AgentConnected", "status": "True"}],
        "interfaces": [
          {"name": "nic-1", "mac": "52:54:00:ab:10:01", "ipAddress": "fe80::1", "ipAddresses": ["10.20.0.31", "10.20.0.31/24", "fe80::5054:ff:feab:1001", "2001:db8::5", "127.0.0.1", "nonsense"]},
          {"interfaceName": "docker0", "ipAddress": "172.17.0.1"}]}})
}

#[test]
fn halves_make_a_row() {
    check(
        vm("Running"),
        Some(vmi()),
        expect![[
            r#"Running Running None [10.20.0.31, 2001:db8::5] ["52:54:00:ab:10:01"] node=Some("hv-02") os=Some("Ubuntu 24.04") agent=true 4c 8 GiB 21 GiB"#
        ]],
    );
    check(
        vm("Stopped"),
        None,
        expect![[
            r#"Stopped Stopped None [] ["52:54:00:ab:10:01"] node=None os=Some("linux") agent=false 4c 8 GiB 21 GiB"#
        ]],
    );
}

#[test]
fn an_instance_that_ended_is_no_instance() {
    let mut ended = vmi();
    ended["status"]["phase"] = "Succeeded".into();
    check(
        vm("Stopped"),
        Some(ended),
        expect![[
            r#"Stopped Stopped None [] ["52:54:00:ab:10:01"] node=None os=Some("linux") agent=false 4c 8 GiB 21 GiB"#
        ]],
    );
}

#[test]
fn why_it_does_not_come_up() {
    let mut pending = vmi();
    pending["status"]["conditions"] = json!([{"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available: 3 Insufficient memory."}]);
    pending["status"]["nodeName"] = json!(null);
    let r = row(vm("ErrorUnschedulable"), Some(pending), false);
    assert_eq!(r.problem.as_deref(), Some("0/3 nodes are available: 3 Insufficient memory."));
    assert_eq!((r.power, &*r.status), (Power::Failed, "ErrorUnschedulable"));
}

#[test]
fn a_migration_and_a_deletion_win_over_running() {
    assert_eq!(row(vm("Running"), Some(vmi()), true).power, Power::Migrating);
    assert_eq!(row(vm("Stopped"), None, true).power, Power::Stopped);
    let mut going = vm("Running");
    going["metadata"]["deletionTimestamp"] = "2026-03-02T09:00:00Z".into();
    assert_eq!(row(going, None, false).power, Power::Deleting);
}

#[test]
fn an_empty_object_is_a_row_of_unknowns() {
    let bare = json!({"metadata": {"name": "x", "namespace": "a", "uid": "u", "resourceVersion": "1", "labels": null, "annotations": null}, "spec": null, "status": null});
    check(bare, None, expect!["Unknown Unknown None [] [] node=None os=None agent=false 0c 0 B 0 B"]);
}

#[test]
fn hostile_texts_are_cleaned_and_cut() {
    let mut hostile = vm("Running\u{202e}<script>");
    hostile["metadata"]["annotations"]["harvesterhci.io/vmDisplayName"] = "\u{1b}[31mx".repeat(500).into();
    let mut guest = vmi();
    guest["status"]["guestOSInfo"]["prettyName"] = "A\u{0}B\nC".into();
    let r = row(hostile, Some(guest), false);
    assert_eq!((&*r.status, r.os.as_deref()), ("Running<script>", Some("AB C")));
    assert_eq!(r.display_name.map(|d| d.chars().count()), Some(254));
}
