//! Migrations.

use super::*;

const MIGRATION: &str = "migration-create-validator.kubevirt.io";

#[test]
fn migrations_are_refused_in_upstreams_words() {
    refuses_new(&[
        ("vmim name", VMIM, spec(json!({})), MIGRATION, 422, "vmiName is missing"),
        ("vmim none", VMIM, spec(json!({"vmiName": "none"})), MIGRATION, 400, "the VMI \"t/none\" does not exist"),
        ("vmim final", VMIM, spec(json!({"vmiName": "over"})), MIGRATION, 400, "finalized state"),
        ("vmim storage", VMIM, spec(json!({"vmiName": "held"})), MIGRATION, 400, "Reason: DisksNotLiveMigratable"),
        ("vmim twice", VMIM, spec(json!({"vmiName": "busy"})), MIGRATION, 400, "in-flight migration detected"),
        (
            "vmim priority",
            VMIM,
            spec(json!({"vmiName": "busy", "priority": "user-triggered"})),
            MIGRATION,
            422,
            "MigrationPriorityQueue",
        ),
    ]);
}
