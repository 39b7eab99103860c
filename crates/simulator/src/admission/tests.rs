//! Each rule once: a write that breaks it, who refuses, with which code and gist.

use super::*;
use crate::behave::resources::*;
use crate::clock::Clock;
use crate::scenario::{self};
use crate::world::catalogue::Release;
use crate::world::{By, World};
use serde_json::{Value, json};

const HARVESTER: &str = "validator.harvesterhci.io";
const KUBEVIRT: &str = "virtualmachine-validator.kubevirt.io";

fn world() -> World {
    let world = World::new(Release::V1_8, Clock::explicit(), 3);
    scenario::empty(&world, 3);
    let put = |resource, object: Value| {
        let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default().to_owned();
        world.create(resource, &namespace, object, &By::seed()).unwrap();
    };
    put(NAMESPACE, json!({"metadata": {"name": "t"}}));
    let mut held = vm();
    held["metadata"]["name"] = json!("held");
    put(VM, held);
    put(
        VMI,
        json!({
            "metadata": {"name": "held", "namespace": "t"},
            "spec": {"networks": [{"name": "nic-1", "multus": {"networkName": "harvester-public/vlan-120"}}]},
            "status": {"phase": "Running", "conditions": [{"type": "LiveMigratable", "status": "False", "reason": "DisksNotLiveMigratable", "message": "PVC x is not shared"}]},
        }),
    );
    put(VMI, json!({"metadata": {"name": "over", "namespace": "t"}, "status": {"phase": "Succeeded"}}));
    put(VMI, json!({"metadata": {"name": "busy", "namespace": "t"}, "status": {"phase": "Running"}}));
    put(
        VMIM,
        json!({"metadata": {"name": "m", "namespace": "t", "labels": {"kubevirt.io/vmi-name": "busy"}}, "spec": {"vmiName": "busy"}, "status": {"phase": "Running"}}),
    );
    put(
        PVC,
        json!({"metadata": {"name": "root", "namespace": "t"}, "spec": {"accessModes": ["ReadWriteMany"], "storageClassName": "harvester-longhorn", "resources": {"requests": {"storage": "10Gi"}}}}),
    );
    put(
        PVC,
        json!({"metadata": {"name": "golden", "namespace": "t", "annotations": {"harvesterhci.io/goldenImage": "true"}}}),
    );
    world
}

fn vm() -> Value {
    let claims = json!([{"metadata": {"name": "root"}, "spec": {"storageClassName": "harvester-longhorn", "resources": {"requests": {"storage": "10Gi"}}}}]);
    json!({
        "metadata": {"name": "new", "namespace": "t", "annotations": {"harvesterhci.io/volumeClaimTemplates": claims.to_string()}},
        "spec": {"runStrategy": "Halted", "template": {"spec": {
            "domain": {
                "cpu": {"cores": 2}, "resources": {"limits": {"cpu": "2", "memory": "4Gi"}},
                "devices": {
                    "disks": [{"name": "root", "bootOrder": 1, "disk": {"bus": "virtio"}}],
                    "interfaces": [{"name": "nic-1", "bridge": {}, "macAddress": "52:54:00:00:00:01"}],
                },
            },
            "networks": [{"name": "nic-1", "multus": {"networkName": "harvester-public/vlan-120"}}],
            "volumes": [{"name": "root", "persistentVolumeClaim": {"claimName": "root"}}],
        }}},
    })
}

fn fresh() -> Value {
    let mut made = vm();
    made["spec"]["template"]["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"] = json!("other");
    made["spec"]["template"]["spec"]["domain"]["devices"]["interfaces"][0]["macAddress"] = json!("52:54:00:00:00:02");
    made["metadata"]["annotations"] = json!({});
    made
}

fn outsider() -> Caller {
    Caller { user: "alice".into(), is_kubevirt: false }
}

fn judge(
    world: &World,
    resource: Resource,
    operation: Operation,
    old: Option<&Value>,
    new: Value,
) -> Result<Value, Refusal> {
    world.view(|view| admit(resource, operation, old, new, view, &outsider()))
}

fn check(world: &World, what: &str, verdict: Result<Value, Refusal>, webhook: &str, code: u16, gist: &str) {
    let _ = world;
    let refusal = verdict.err().unwrap_or_else(|| panic!("{what}: was let through"));
    assert_eq!((refusal.webhook, refusal.code), (webhook, code), "{what}: {}", refusal.message);
    assert!(refusal.message.contains(gist), "{what}: {}", refusal.message);
}

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
        ("no strategy", "/spec/runStrategy", json!(""), KUBEVIRT, 422, "RunStrategy must be specified"),
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
        ("no volume", &format!("{at}/volumes"), json!([]), KUBEVIRT, 422, "name 'root' not found"),
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
            "unrecognized bus ide",
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
            "bootOrder must have a value > 0",
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
            json!({"cores": 1, "sockets": 1, "threads": 1, "numa": {}}),
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
        check(&world, what, judge(&world, VM, Operation::Create, None, vm), webhook, code, gist);
    }
}

fn set(object: &mut Value, pointer: &str, value: Value) {
    let mut at = object;
    for part in pointer.trim_start_matches('/').split('/') {
        at = match part.parse::<usize>() {
            Ok(index) => &mut at[index],
            Err(_) => &mut at[part],
        };
    }
    *at = value;
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
        check(&world, gist, judge(&world, VM, Operation::Update, Some(&old), new), HARVESTER, 422, gist);
    }
}

#[test]
fn other_kinds_are_refused_in_upstreams_words() {
    let world = world();
    let nad = |config: &str| json!({"metadata": {"name": "n", "namespace": "t"}, "spec": {"config": config}});
    let network = "network-validator.network.harvesterhci.io";
    let lb = "validator.loadbalancer.harvesterhci.io";
    let migration = "migration-create-validator.kubevirt.io";
    let spec = |spec: Value| json!({"metadata": {"name": "n", "namespace": "t"}, "spec": spec});
    for (what, resource, object, webhook, code, gist) in [
        ("vmim name", VMIM, spec(json!({})), migration, 422, "vmiName is missing"),
        ("vmim none", VMIM, spec(json!({"vmiName": "none"})), migration, 404, "the VMI \"t/none\" does not exist"),
        ("vmim final", VMIM, spec(json!({"vmiName": "over"})), migration, 422, "finalized state"),
        ("vmim storage", VMIM, spec(json!({"vmiName": "held"})), migration, 422, "Reason: DisksNotLiveMigratable"),
        ("vmim twice", VMIM, spec(json!({"vmiName": "busy"})), migration, 422, "in-flight migration detected"),
        (
            "vmim priority",
            VMIM,
            spec(json!({"vmiName": "busy", "priority": "user-triggered"})),
            migration,
            422,
            "priority",
        ),
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
        (
            "image url",
            IMAGE,
            spec(json!({"sourceType": "download", "displayName": "a"})),
            HARVESTER,
            422,
            "url is required",
        ),
        (
            "image name",
            IMAGE,
            spec(json!({"sourceType": "upload", "displayName": "a b"})),
            HARVESTER,
            422,
            "not a valid label value",
        ),
        (
            "image checksum",
            IMAGE,
            spec(json!({"sourceType": "upload", "displayName": "a", "checksum": "12"})),
            HARVESTER,
            422,
            "SHA-512",
        ),
        (
            "image class",
            IMAGE,
            spec(json!({"sourceType": "upload", "displayName": "a", "backend": "cdi"})),
            HARVESTER,
            422,
            "targetStorageClassName",
        ),
        (
            "image retry",
            IMAGE,
            spec(json!({"sourceType": "upload", "displayName": "a", "retry": 11})),
            HARVESTER,
            422,
            "between 0 and 10",
        ),
        ("keypair", KEYPAIR, spec(json!({"publicKey": "hello"})), HARVESTER, 422, "OpenSSH"),
        ("template version", TEMPLATE_VERSION, spec(json!({"templateId": "t/none"})), HARVESTER, 422, "not found"),
        ("nad empty", NAD, nad(""), network, 422, "config is empty"),
        ("nad bridge", NAD, nad("{\"type\":\"bridge\",\"bridge\":\"x\"}"), network, 422, "bridge name x is invalid"),
        (
            "nad network",
            NAD,
            nad("{\"type\":\"bridge\",\"bridge\":\"cn-none-br\"}"),
            network,
            422,
            "cluster network cn-none does not exist",
        ),
        (
            "nad vlan",
            NAD,
            nad("{\"type\":\"bridge\",\"bridge\":\"cn-data-br\",\"vlan\":5000}"),
            network,
            422,
            "range 1-4094",
        ),
        (
            "nad mtu",
            NAD,
            nad("{\"type\":\"bridge\",\"bridge\":\"cn-data-br\",\"vlan\":9,\"mtu\":1400}"),
            network,
            422,
            "differs from the uplink",
        ),
        ("cluster network", CLUSTERNETWORK, json!({"metadata": {"name": "far-too-long-a-name"}}), network, 422, "12"),
        ("vlan mgmt", VLANCONFIG, spec(json!({"clusterNetwork": "mgmt"})), network, 422, "can't be mgmt"),
        ("vlan overlap", VLANCONFIG, spec(json!({"clusterNetwork": "cn-data"})), network, 422, "overlaps"),
        ("lb pool", LB_POOL, spec(json!({"ranges": []})), lb, 422, "range can't be empty"),
        (
            "lb listener",
            LOADBALANCER,
            spec(json!({"workloadType": "vm", "listeners": []})),
            lb,
            422,
            "at least one listener",
        ),
        (
            "dhcp",
            DHCP_POOL,
            spec(json!({"networkName": "harvester-public/vlan-120", "ipv4Config": {"cidr": "10.53.1.0/24"}})),
            "validator.network.harvesterhci.io",
            422,
            "service cidr",
        ),
        ("claim class", PVC, spec(json!({"storageClassName": "longhorn-static"})), HARVESTER, 422, "reserved"),
        (
            "class",
            STORAGECLASS,
            json!({"metadata": {"name": "n"}, "parameters": {"dataLocality": "strict-local"}}),
            HARVESTER,
            422,
            "strict-local",
        ),
        ("addon", ADDON, spec(json!({"chart": "rancher-monitoring"})), HARVESTER, 409, "has been created"),
    ] {
        check(&world, what, judge(&world, resource, Operation::Create, None, object), webhook, code, gist);
    }
}

#[test]
fn deletions_and_changes_are_refused_in_upstreams_words() {
    let world = world();
    let get = |resource, namespace: &str, name: &str| {
        (*world.view(|view| view.get(resource, namespace, name)).unwrap()).clone()
    };
    let network = "network-validator.network.harvesterhci.io";
    for (what, resource, object, webhook, code, gist) in [
        ("nad in use", NAD, get(NAD, "harvester-public", "vlan-120"), network, 400, "must remove the related networks"),
        ("mgmt", CLUSTERNETWORK, get(CLUSTERNETWORK, "", "mgmt"), network, 403, "not allowed to be deleted"),
        ("claim in use", PVC, get(PVC, "t", "root"), HARVESTER, 400, "currently attached to VMs: t/held"),
        ("golden", PVC, get(PVC, "t", "golden"), HARVESTER, 400, "golden image"),
        ("class", STORAGECLASS, get(STORAGECLASS, "", "harvester-longhorn"), HARVESTER, 422, "reserved"),
        ("setting", SETTING, get(SETTING, "", "overcommit-config"), HARVESTER, 405, "Disallow delete"),
        ("namespace", NAMESPACE, get(NAMESPACE, "", "harvester-system"), HARVESTER, 403, "protected"),
    ] {
        check(
            &world,
            what,
            judge(&world, resource, Operation::Delete, Some(&object), object.clone()),
            webhook,
            code,
            gist,
        );
    }
    for (name, value, gist) in [
        ("overcommit-config", "{\"cpu\":50}", "should not be less than 100"),
        ("overcommit-config", "x", "invalid JSON"),
        ("storage-network", "{\"vlan\":1}", "stop all VMs"),
        ("kubevirt-migration", "{}", "while a migration is in progress"),
        ("backup-target", "{\"type\":\"ftp\"}", "unsupported backup target type"),
        ("default-vm-termination-grace-period-seconds", "-1", "grace period"),
    ] {
        let old = get(SETTING, "", name);
        let mut new = old.clone();
        new["value"] = json!(value);
        check(&world, name, judge(&world, SETTING, Operation::Update, Some(&old), new), HARVESTER, 422, gist);
    }
    let old = get(VMI, "t", "busy");
    let guard = "virtualmachineinstances-update-validator.kubevirt.io";
    for (pointer, value, gist) in [
        ("/spec/hostname", json!("x"), "update of VMI object is restricted"),
        ("/metadata/labels", json!({"kubevirt.io/nodeName": "x"}), "reserved kubevirt.io/ labels"),
    ] {
        let mut new = old.clone();
        set(&mut new, pointer, value);
        check(&world, pointer, judge(&world, VMI, Operation::Update, Some(&old), new), guard, 422, gist);
    }
    let mut changed = old.clone();
    changed["status"]["phase"] = json!("Failed");
    let kept = judge(&world, VMI, Operation::Update, Some(&old), changed).unwrap();
    assert_eq!(kept["status"]["phase"], "Running", "a status by others is put back");
}

#[test]
fn the_last_available_node_stays_available() {
    let world = world();
    let cordon = |name: &str| {
        let old = (*world.view(|view| view.get(NODE, "", name)).unwrap()).clone();
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
    check(&world, "cordon", cordon("hv-03"), HARVESTER, 400, "last available node");
}
