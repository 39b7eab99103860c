//! Claims and storage classes.

use super::*;

#[test]
fn claims_and_classes_are_refused_in_upstreams_words() {
    refuses_new(&[
        ("claim class", PVC, spec(json!({"storageClassName": "longhorn-static"})), HARVESTER, 422, "reserved"),
        (
            "class",
            STORAGECLASS,
            json!({"metadata": {"name": "n"}, "parameters": {"dataLocality": "strict-local"}}),
            HARVESTER,
            422,
            "strict-local",
        ),
    ]);
}

#[test]
fn claims_in_use_and_reserved_classes_stay() {
    refuses_deletion(&[
        ("claim in use", PVC, ("t", "root"), HARVESTER, 400, "currently attached to VMs: t/held"),
        ("golden", PVC, ("t", "golden"), HARVESTER, 400, "golden image"),
        ("class", STORAGECLASS, ("", "harvester-longhorn"), HARVESTER, 422, "reserved"),
    ]);
}
