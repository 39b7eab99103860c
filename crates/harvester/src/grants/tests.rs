//! One table behind the page, the check and the role.

use super::*;
use expect_test::expect_file;

fn held(rules: &str) -> Held {
    serde_json::from_str(rules).unwrap()
}

fn right(plural: &str) -> Right {
    rights().into_iter().find(|r| r.plural == plural).unwrap()
}

#[test]
fn stars_count_and_single_objects_do_not() {
    let admin = held(r#"{"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]}"#);
    assert!(rights().iter().all(|r| r.verbs.iter().all(|v| admin.has(r, v))));
    let one = held(
        r#"{"resourceRules":[{"verbs":["get"],"apiGroups":["harvesterhci.io"],"resources":["settings"],"resourceNames":["server-version"]}]}"#,
    );
    assert!(!one.has(&right("settings"), "get"));
    let sub =
        held(r#"{"resourceRules":[{"verbs":["get"],"apiGroups":["subresources.kubevirt.io"],"resources":["*/vnc"]}]}"#);
    assert!(
        sub.has(&right("virtualmachineinstances/vnc"), "get")
            && !sub.has(&right("virtualmachineinstances/console"), "get")
    );
}

#[test]
fn the_role_names_no_stars_and_reads_as_yaml() {
    let yaml = cluster_role_yaml();
    assert!(!yaml.contains('*'));
    let roles: Vec<serde_json::Value> = serde_saphyr::from_multiple(&yaml).unwrap();
    assert_eq!(roles.len(), 3);
    let rules: usize = roles.iter().map(|r| r["rules"].as_array().map_or(0, Vec::len)).sum();
    assert_eq!(rules, rights().len());
}

#[test]
fn what_the_cache_follows_is_in_the_role() {
    use crate::api::Kind::*;
    for kind in [
        VirtualMachine,
        VirtualMachineInstance,
        VirtualMachineInstanceMigration,
        Node,
        PersistentVolumeClaim,
        NetworkAttachmentDefinition,
        VirtualMachineImage,
        KeyPair,
        Namespace,
        LonghornNode,
        StorageClass,
    ] {
        let is_in =
            |r: &Right| r.group == kind.group() && r.plural == kind.plural() && r.verbs == ["get", "list", "watch"];
        assert!(rights().iter().any(is_in), "{kind:?}");
    }
}

#[tokio::test]
async fn an_administrator_lacks_nothing_and_a_reader_the_changes() {
    let world = crate::testing::World::new();
    let missing = |grants: &[Grant]| {
        grants.iter().filter(|g| !g.missing.is_empty()).map(|g| g.resource.clone()).collect::<Vec<_>>()
    };
    assert_eq!(missing(&grants(&world.cluster).await.unwrap()), Vec::<String>::new());
    let token = world.simulator.world().access().reader_token().to_owned();
    let reader = world.seen_by(&token);
    let lacks = missing(&grants(&reader.cluster).await.unwrap());
    assert!(lacks.contains(&"kubevirt.io/virtualmachines".to_owned()), "{lacks:?}");
}

#[test]
fn the_role_in_deploy_is_this_one() {
    expect_file!["../../../../deploy/clusterrole.yaml"].assert_eq(&cluster_role_yaml());
}
