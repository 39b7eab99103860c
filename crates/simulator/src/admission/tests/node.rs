//! Nodes and namespaces.

use super::*;

#[test]
fn system_namespaces_stay() {
    refuses_deletion(&[("namespace", NAMESPACE, ("", "harvester-system"), HARVESTER, 403, "protected")]);
}

#[test]
fn the_last_available_node_stays_available() {
    let world = world();
    let cordon = |name: &str| {
        let old = get(&world, NODE, "", name);
        let mut new = old.clone();
        new["spec"]["unschedulable"] = json!(true);
        let verdict = judge(&world, NODE, Operation::Update, Some(&old), new.clone());
        let effect = crate::behave::Effect::Merge {
            resource: NODE,
            namespace: String::new(),
            name: name.into(),
            patch: json!({"spec": {"unschedulable": true}}),
            status: false,
        };
        if verdict.is_ok() {
            world.perform(&effect, &By::seed()).unwrap();
        }
        verdict
    };
    assert!(cordon("hv-01").is_ok());
    assert!(cordon("hv-02").is_ok());
    check("cordon", cordon("hv-03"), HARVESTER, 400, "last available node");
}
