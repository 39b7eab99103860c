//! Backups, restores and schedules.

use super::*;

#[test]
fn backups_restores_and_schedules_are_refused_in_upstreams_words() {
    refuses_new(&[
        (
            "backup source",
            BACKUP,
            spec(json!({"type": "snapshot", "source": {"name": ""}})),
            HARVESTER,
            422,
            "source VM name is empty",
        ),
        (
            "backup vm",
            BACKUP,
            spec(json!({"type": "snapshot", "source": {"name": "none"}})),
            HARVESTER,
            422,
            "not found",
        ),
        (
            "backup target",
            BACKUP,
            spec(json!({"type": "backup", "source": {"name": "held"}})),
            HARVESTER,
            422,
            "backup target is not set",
        ),
        ("restore name", RESTORE, spec(json!({"target": {"name": "No!"}})), HARVESTER, 422, "DNS-1123"),
        (
            "restore backup",
            RESTORE,
            spec(json!({"target": {"name": "a"}, "virtualMachineBackupName": "none"})),
            HARVESTER,
            422,
            "not found",
        ),
        (
            "schedule retain",
            SCHEDULE,
            spec(json!({"cron": "0 2 * * *", "retain": 1})),
            HARVESTER,
            422,
            "between 2 and 250",
        ),
        ("schedule often", SCHEDULE, spec(json!({"cron": "*/5 * * * *", "retain": 8})), HARVESTER, 422, "one hour"),
    ]);
}
