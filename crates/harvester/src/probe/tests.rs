//! The matrix of capabilities: whole, honest about what is unknown, and as each release is.

use super::*;
use expect_test::expect;
use model::fleet::Verdict;
use serde_json::json;

fn verdict(facts: &Facts, key: &str) -> Verdict {
    capabilities(facts).into_iter().find(|c| c.key == key).map(|c| c.verdict).unwrap()
}

#[test]
fn the_matrix_is_whole_and_each_row_is_there_once() {
    let rows = table::rows();
    assert!(rows.len() >= 35, "{}", rows.len());
    let keys: std::collections::BTreeSet<_> = rows.iter().map(|r| r.key).collect();
    assert_eq!(keys.len(), rows.len());
    let versions: Vec<_> = rows.iter().map(|r| Version::parse(r.since).unwrap()).collect();
    assert!(versions.is_sorted(), "by first version");
}

#[test]
fn what_could_not_be_looked_for_is_unknown_and_never_absent() {
    let mut facts = Facts::default();
    facts.settings.insert("max-hotplug-ratio", Err("not permitted".into()));
    facts.kubevirt = Some(Err("not permitted".into()));
    facts.server_version = Some("master-3f2a1c-head".into());
    for key in ["cpu-memory-hotplug", "declarative-hotplug", "nic-hotplug"] {
        assert_eq!(verdict(&facts, key), Verdict::Unknown, "{key}");
    }
}

#[test]
fn a_marker_decides_whatever_the_version_says() {
    let mut facts = Facts { server_version: Some("v1.4.0".into()), ..Facts::default() };
    assert_eq!(verdict(&facts, "nic-hotplug"), Verdict::Absent);
    facts.kubevirt = Some(Ok(Some(
        json!({"spec": {"configuration": {"developerConfiguration": {"featureGates": ["DeclarativeHotplugVolumes"]}}}}),
    )));
    assert_eq!(verdict(&facts, "declarative-hotplug"), Verdict::Present);
    facts.server_version = Some("v1.10.0-dev".into());
    assert_eq!(verdict(&facts, "nic-hotplug"), Verdict::Present);
    assert_eq!(verdict(&facts, "longhorn-v2-backup"), Verdict::Absent);
}

#[test]
fn of_two_markers_the_missing_one_is_told() {
    let gates = json!({"spec": {"configuration": {"developerConfiguration": {"featureGates": ["CPUManager"]}}}});
    let facts = Facts { kubevirt: Some(Ok(Some(gates))), pinning: Some(Ok(Some(false))), ..Facts::default() };
    let row = capabilities(&facts).into_iter().find(|c| c.key == "cpu-pinning").unwrap();
    assert_eq!((row.verdict, row.evidence.en.as_ref()), (Verdict::Absent, "not there: Node cpumanager=true"));
    assert!(row.instead.is_some());
}

/// Add-ons are off and Longhorn v2 too, as Harvester comes: `managed-dhcp`, `usb-passthrough`, `vpc`, `descheduler` and
/// `longhorn-v2` are absent throughout.
#[tokio::test]
async fn each_release_has_what_the_matrix_says() {
    let mut told = String::new();
    let mut before: Vec<String> = Vec::new();
    for release in simulator::world::catalogue::Release::ALL {
        let world = crate::testing::World::of(simulator::Simulator::builder().harvester(release.line()).build());
        let probe = probe(&world.cluster, UnixMs(7)).await.unwrap();
        assert!(probe.kubernetes.is_some());
        assert_eq!(probe.server_version.as_deref(), Some(release.harvester()));
        let of = |verdict| probe.capabilities.iter().filter(move |c| c.verdict == verdict).map(|c| c.key.clone());
        let unknown: Vec<_> = of(Verdict::Unknown).collect();
        assert!(unknown.is_empty(), "{release:?}: {unknown:?}");
        let present: Vec<_> = of(Verdict::Present).collect();
        let gone = before.iter().filter(|key| !present.contains(key)).map(|key| format!(" -{key}"));
        let come = present.iter().filter(|key| !before.contains(key)).map(|key| format!(" {key}"));
        told += &format!("{}:{}\n", release.line(), gone.chain(come).collect::<String>());
        before = present;
    }
    expect![[r#"
        1.2: vm-snapshot force-stop quota-auto-scale
        1.3: keep-mac
        1.4: maintain-strategy schedule-backup snapshot-quota image-encryption
        1.6: cdi-images persistent-tpm duplicate-mac-check untagged-network vmi-reset cpu-memory-hotplug migration-network online-expansion
        1.8: migration-target nic-hotplug migration-settings vlan-trunk upgrade-pause longhorn-v2-backup declarative-hotplug storage-migration evacuate-cancel host-network rwx-network managedtap
        1.9: -longhorn-v2-backup halt-after-restore fs-freeze-deadline static-ip-annotation upgrade-plan
    "#]]
    .assert_eq(&told);
}
