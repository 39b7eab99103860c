//! Each rule once: a write that breaks it, who refuses, with which code and gist. A file a noun.

mod backup;
mod image;
mod instance;
mod migration;
mod network;
mod node;
mod setting;
mod storage;
mod vm;

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
    let world = World::new(Release::V1_8, Clock::explicit(), 1);
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

fn check(what: &str, verdict: Result<Value, Refusal>, webhook: &str, code: u16, gist: &str) {
    let refusal = verdict.err().unwrap_or_else(|| panic!("{what}: was let through"));
    assert_eq!((refusal.webhook, refusal.code), (webhook, code), "{what}: {}", refusal.message);
    assert!(refusal.message.contains(gist), "{what}: {}", refusal.message);
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

fn get(world: &World, resource: Resource, namespace: &str, name: &str) -> Value {
    (*world.view(|view| view.get(resource, namespace, name)).unwrap()).clone()
}

/// An object `n` in `t` with this spec.
fn spec(spec: Value) -> Value {
    json!({"metadata": {"name": "n", "namespace": "t"}, "spec": spec})
}

/// What it is, what is created, and who refuses it how.
type New<'a> = (&'a str, Resource, Value, &'a str, u16, &'a str);
/// What it is, what is deleted, and who refuses it how.
type Old<'a> = (&'a str, Resource, (&'a str, &'a str), &'a str, u16, &'a str);

fn refuses_new(rows: &[New<'_>]) {
    let world = world();
    for (what, resource, object, webhook, code, gist) in rows {
        let verdict = judge(&world, *resource, Operation::Create, None, object.clone());
        check(what, verdict, webhook, *code, gist);
    }
}

fn refuses_deletion(rows: &[Old<'_>]) {
    let world = world();
    for (what, resource, (namespace, name), webhook, code, gist) in rows {
        let object = get(&world, *resource, namespace, name);
        let verdict = judge(&world, *resource, Operation::Delete, Some(&object), object.clone());
        check(what, verdict, webhook, *code, gist);
    }
}
