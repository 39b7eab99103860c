//! Instances, which are KubeVirt's own.

use super::*;

#[test]
fn an_instance_is_changed_by_kubevirt_only() {
    let world = world();
    let old = get(&world, VMI, "t", "busy");
    let guard = "virtualmachineinstances-update-validator.kubevirt.io";
    for (pointer, value, gist) in [
        ("/spec/hostname", json!("x"), "update of VMI object is restricted"),
        ("/metadata/labels", json!({"kubevirt.io/nodeName": "x"}), "reserved kubevirt.io/ labels"),
    ] {
        let mut new = old.clone();
        set(&mut new, pointer, value);
        check(pointer, judge(&world, VMI, Operation::Update, Some(&old), new), guard, 422, gist);
    }
    let mut changed = old.clone();
    changed["status"]["phase"] = json!("Failed");
    let kept = judge(&world, VMI, Operation::Update, Some(&old), changed).unwrap();
    assert_eq!(kept["status"]["phase"], "Running", "a status by others is put back");
}
