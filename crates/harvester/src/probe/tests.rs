//! The matrix of capabilities: whole, honest about what is unknown, and different for two releases.

use super::*;
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

#[tokio::test]
async fn two_releases_differ_where_the_matrix_says() {
    let probe_of = async |release: &str| {
        let world = crate::testing::World::of(simulator::Simulator::builder().harvester(release).build());
        probe(&world.cluster, UnixMs(7)).await.unwrap()
    };
    let (old, new) = (probe_of("1.4").await, probe_of("1.8").await);
    let present = |probe: &Probe| -> Vec<String> {
        probe.capabilities.iter().filter(|c| c.verdict == Verdict::Present).map(|c| c.key.clone()).collect()
    };
    let (old_has, new_has) = (present(&old), present(&new));
    for key in ["nic-hotplug", "migration-settings", "storage-migration", "migration-network", "cpu-memory-hotplug"] {
        assert!(
            !old_has.contains(&key.to_owned()) && new_has.contains(&key.to_owned()),
            "{key}: {old_has:?} {new_has:?}"
        );
    }
    assert!(old_has.contains(&"vm-snapshot".to_owned()), "{old_has:?}");
    assert!(new.server_version.is_some_and(|v| v.starts_with("v1.8")) && new.kubernetes.is_some());
    let unknown: Vec<_> = new.capabilities.iter().filter(|c| c.verdict == Verdict::Unknown).map(|c| &c.key).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
