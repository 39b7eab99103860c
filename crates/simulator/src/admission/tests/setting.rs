//! Settings and add-ons.

use super::*;

#[test]
fn add_ons_are_refused_in_upstreams_words() {
    refuses_new(&[("addon", ADDON, spec(json!({"chart": "rancher-monitoring"})), HARVESTER, 409, "has been created")]);
}

#[test]
fn settings_stay() {
    refuses_deletion(&[("setting", SETTING, ("", "overcommit-config"), HARVESTER, 405, "Disallow delete")]);
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let world = world();
    for (name, value, gist) in [
        ("overcommit-config", "{\"cpu\":50}", "should not be less than 100"),
        ("overcommit-config", "x", "invalid JSON"),
        ("storage-network", "{\"vlan\":1}", "stop all VMs"),
        ("kubevirt-migration", "{}", "while a migration is in progress"),
        ("backup-target", "{\"type\":\"ftp\"}", "unsupported backup target type"),
        ("default-vm-termination-grace-period-seconds", "-1", "grace period"),
    ] {
        let old = get(&world, SETTING, "", name);
        let mut new = old.clone();
        new["value"] = json!(value);
        check(name, judge(&world, SETTING, Operation::Update, Some(&old), new), HARVESTER, 422, gist);
    }
}
