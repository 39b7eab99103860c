//! VMs: what the webhooks fill in, and what they refuse.

use super::*;

#[test]
fn a_good_vm_is_completed_and_stored() {
    let world = world();
    let made = judge(&world, VM, Operation::Create, None, fresh()).unwrap();
    let domain = &made["spec"]["template"]["spec"]["domain"];
    assert_eq!(domain["resources"]["requests"], json!({"cpu": "200m", "memory": "2730Mi"}));
    assert_eq!(domain["memory"]["guest"], "4Gi");
    assert_eq!(domain["cpu"], json!({"cores": 2, "sockets": 1, "threads": 1, "maxSockets": 1}));
    assert_eq!(made["spec"]["template"]["spec"]["terminationGracePeriodSeconds"], 120);
    let terms = &made["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        ["nodeSelectorTerms"];
    assert_eq!(
        terms,
        &json!([{"matchExpressions": [{"key": "network.harvesterhci.io/cn-data", "operator": "In", "values": ["true"]}]}])
    );
    let again = judge(&world, VM, Operation::Update, Some(&made), made.clone()).unwrap();
    assert_eq!(again, made, "mutating twice changes nothing");
}

#[test]
fn a_missing_mac_is_made_up_and_stays() {
    let world = world();
    let mut vm = fresh();
    vm["spec"]["template"]["spec"]["domain"]["devices"]["interfaces"][0].as_object_mut().unwrap().remove("macAddress");
    let made = judge(&world, VM, Operation::Create, None, vm).unwrap();
    let mac = made["spec"]["template"]["spec"]["domain"]["devices"]["interfaces"][0]["macAddress"].as_str().unwrap();
    assert_eq!(u8::from_str_radix(&mac[..2], 16).unwrap() & 3, 2, "{mac} is local and unicast");
}

/// What to change in a good VM, and who then refuses it how.
#[test]
fn vms_are_refused_in_upstreams_words() {
    let world = world();
    let at = "/spec/template/spec";
    let many = "x".repeat(2049);
    for (what, pointer, value, webhook, code, gist) in [
        ("strategy", "/spec/runStrategy", json!("Sometimes"), KUBEVIRT, 422, "Invalid RunStrategy (Sometimes)"),
        ("no strategy", "/spec/runStrategy", json!(null), KUBEVIRT, 422, "RunStrategy must be specified"),
        ("both", "/spec/running", json!(true), KUBEVIRT, 422, "mutually exclusive"),
        ("grace", &format!("{at}/terminationGracePeriodSeconds"), json!(-1), HARVESTER, 422, "can't be negative"),
        (
            "memory",
            &format!("{at}/domain/resources/limits"),
            json!({"cpu": "1"}),
            HARVESTER,
            422,
            "either memory.guest or resources.limits.memory",
        ),
        ("no volume", &format!("{at}/volumes"), json!([]), KUBEVIRT, 422, "Name 'root' not found"),
        (
            "two sources",
            &format!("{at}/volumes"),
            json!([{"name": "root", "emptyDisk": {}, "containerDisk": {}}]),
            KUBEVIRT,
            422,
            "exactly one source",
        ),
        (
            "inline",
            &format!("{at}/volumes"),
            json!([{"name": "root", "cloudInitNoCloud": {"userData": many}}]),
            KUBEVIRT,
            422,
            "2048 byte limit",
        ),
        (
            "golden",
            &format!("{at}/volumes"),
            json!([{"name": "root", "persistentVolumeClaim": {"claimName": "golden"}}]),
            HARVESTER,
            422,
            "golden image",
        ),
        (
            "claim in use",
            &format!("{at}/volumes"),
            json!([{"name": "root", "persistentVolumeClaim": {"claimName": "root"}}]),
            HARVESTER,
            422,
            "already used by other VM t/held",
        ),
        (
            "bus",
            &format!("{at}/domain/devices/disks"),
            json!([{"name": "root", "disk": {"bus": "ide"}}]),
            KUBEVIRT,
            422,
            "IDE bus is not supported",
        ),
        (
            "cdrom",
            &format!("{at}/domain/devices/disks"),
            json!([{"name": "root", "cdrom": {"bus": "virtio"}}]),
            KUBEVIRT,
            422,
            "invalid for CD-ROM",
        ),
        (
            "targets",
            &format!("{at}/domain/devices/disks"),
            json!([{"name": "root", "disk": {}, "cdrom": {}}]),
            KUBEVIRT,
            422,
            "single target type",
        ),
        (
            "boot order",
            &format!("{at}/domain/devices/disks"),
            json!([{"name": "root", "bootOrder": 0, "disk": {}}]),
            KUBEVIRT,
            422,
            "must have a boot order > 0",
        ),
        (
            "serial",
            &format!("{at}/domain/devices/disks"),
            json!([{"name": "root", "serial": "a b", "disk": {}}]),
            KUBEVIRT,
            422,
            "A-Za-z0-9_.+-",
        ),
        (
            "mac",
            &format!("{at}/domain/devices/interfaces/0/macAddress"),
            json!("52:54"),
            KUBEVIRT,
            422,
            "malformed MAC address",
        ),
        (
            "mac twice",
            &format!("{at}/domain/devices/interfaces/0/macAddress"),
            json!("52:54:00:00:00:01"),
            HARVESTER,
            422,
            "duplicate mac address",
        ),
        (
            "masquerade",
            &format!("{at}/domain/devices/interfaces/0/masquerade"),
            json!({}),
            KUBEVIRT,
            422,
            "only implemented with pod network",
        ),
        (
            "interface state",
            &format!("{at}/domain/devices/interfaces/0/state"),
            json!("gone"),
            KUBEVIRT,
            422,
            "state value is unsupported",
        ),
        ("no network", &format!("{at}/networks"), json!([]), KUBEVIRT, 422, "name 'nic-1' not found"),
        (
            "no NAD",
            &format!("{at}/networks/0/multus/networkName"),
            json!("t/none"),
            "mutator.harvesterhci.io",
            400,
            "not found",
        ),
        (
            "sockets",
            &format!("{at}/domain/cpu"),
            json!({"cores": 1, "sockets": 4, "threads": 1, "maxSockets": 2}),
            KUBEVIRT,
            422,
            "maximum sockets",
        ),
        (
            "pinning",
            &format!("{at}/domain/cpu"),
            json!({"cores": 1, "sockets": 1, "threads": 4, "dedicatedCpuPlacement": true}),
            KUBEVIRT,
            422,
            "two threads",
        ),
        (
            "numa",
            &format!("{at}/domain/cpu"),
            json!({"cores": 1, "sockets": 1, "threads": 1, "numa": {"guestMappingPassthrough": {}}}),
            KUBEVIRT,
            422,
            "numa",
        ),
        (
            "firmware",
            &format!("{at}/domain/firmware"),
            json!({"bootloader": {"efi": {}, "bios": {}}}),
            KUBEVIRT,
            422,
            "mutually exclusive",
        ),
        (
            "secure boot",
            &format!("{at}/domain/firmware"),
            json!({"bootloader": {"efi": {"secureBoot": true}}}),
            KUBEVIRT,
            422,
            "requires SMM",
        ),
        ("eviction", &format!("{at}/evictionStrategy"), json!("Now"), KUBEVIRT, 422, "evictionStrategy"),
        ("hostname", &format!("{at}/hostname"), json!("A b"), KUBEVIRT, 422, "DNS_LABEL"),
        (
            "maintenance",
            "/metadata/labels",
            json!({"harvesterhci.io/maintain-mode-strategy": "Never"}),
            HARVESTER,
            422,
            "invalid maintenance mode strategy",
        ),
        (
            "reserved",
            "/metadata/annotations",
            json!({"harvesterhci.io/reservedMemory": "8Gi"}),
            HARVESTER,
            422,
            "reservedMemory",
        ),
        (
            "claims",
            "/metadata/annotations",
            json!({"harvesterhci.io/volumeClaimTemplates": "{"}),
            HARVESTER,
            422,
            "volumeClaimTemplates annotation is invalid",
        ),
        (
            "claim name",
            "/metadata/annotations",
            json!({"harvesterhci.io/volumeClaimTemplates": "[{}]"}),
            HARVESTER,
            422,
            "PVC name is empty",
        ),
        (
            "image",
            "/metadata/annotations",
            json!({"harvesterhci.io/volumeClaimTemplates": "[{\"metadata\":{\"name\":\"a\",\"annotations\":{\"harvesterhci.io/imageId\":\"t/none\"}}}]"}),
            HARVESTER,
            422,
            "image t/none not found",
        ),
        ("denied", "/metadata/name", json!("x-fault-denied"), HARVESTER, 403, "denied by the policy"),
        (
            "device",
            &format!("{at}/domain/devices/hostDevices"),
            json!([{"name": "gpu-1", "deviceName": "a/b"}]),
            "pcidevices.harvesterhci.io",
            422,
            "pcidevice not found",
        ),
    ] {
        let mut vm = fresh();
        if pointer.ends_with("/domain/cpu") && value.get("maxSockets").is_some() {
            vm["metadata"]["annotations"]["harvesterhci.io/enableCPUAndMemoryHotplug"] = json!("true");
        }
        set(&mut vm, pointer, value);
        check(what, judge(&world, VM, Operation::Create, None, vm), webhook, code, gist);
    }
}

#[test]
fn shrinking_a_disk_and_changing_its_class_are_refused() {
    let world = world();
    let old = vm();
    for (from, to, gist) in [("10Gi", "5Gi", "PVC_EXPAND"), ("harvester-longhorn", "longhorn", "storage class names")] {
        let mut new = old.clone();
        let text =
            new["metadata"]["annotations"]["harvesterhci.io/volumeClaimTemplates"].as_str().unwrap().replace(from, to);
        new["metadata"]["annotations"]["harvesterhci.io/volumeClaimTemplates"] = json!(text);
        check(gist, judge(&world, VM, Operation::Update, Some(&old), new), HARVESTER, 422, gist);
    }
}
