//! Nodes are emptied: by evictions, by the drain taint, by Harvester's maintenance mode.

mod support;

use serde_json::{Value, json};
use simulator::Simulator;
use simulator::behave::View;
use simulator::behave::resources::{EVENT, NODE, POD, VM, VMI, VMIM};
use std::time::Duration;
use support::{patch, plain};

const NODES: &str = "/api/v1/nodes";
const HALF_AN_HOUR: Duration = Duration::from_secs(1800);
const ON_NODE: &str = "kubevirt.io/nodeName";

fn on(view: &dyn View, node: &str) -> usize {
    view.labelled(VMI, None, ON_NODE, node).len()
}

fn place(object: &Value) -> (&str, &str) {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
    (text("namespace"), text("name"))
}

async fn evict(simulator: &Simulator, pod: &Value, query: &str) -> support::Answer {
    let (namespace, name) = place(pod);
    let eviction =
        json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": name, "namespace": namespace } });
    plain(&simulator.router(), &format!("POST /api/v1/namespaces/{namespace}/pods/{name}/eviction{query}"), eviction)
        .await
}

fn open_jobs(view: &dyn View) -> usize {
    let is_open = |phase: &Value| phase != "Succeeded" && phase != "Failed";
    view.list(VMIM, None).iter().filter(|job| is_open(&job["status"]["phase"])).count()
}

fn runs_elsewhere(simulator: &Simulator, vmis: usize, node: &str) {
    let all = simulator.world().list(VMI, None);
    assert_eq!(all.len(), vmis, "nobody was lost");
    for vmi in &all {
        assert_eq!(vmi["status"]["phase"], "Running");
        assert_ne!(vmi["status"]["nodeName"], node);
        assert!(vmi["status"]["evacuationNodeName"].is_null(), "{}", vmi["status"]["evacuationNodeName"]);
    }
}

#[tokio::test]
async fn evictions_become_migrations_until_the_node_is_empty() {
    let simulator = Simulator::builder().vms(12).build();
    let router = simulator.router();
    let cordon = json!({ "spec": { "unschedulable": true } });
    assert_eq!(patch(&router, &format!("{NODES}/hv-01"), "strategic", cordon).await.code, 200);
    let vmis = simulator.world().list(VMI, None).len();
    let pods = simulator.world().labelled(POD, None, ON_NODE, "hv-01");
    assert!(pods.len() >= 3);
    let dry = evict(&simulator, &pods[0], "?dryRun=All").await;
    assert_eq!(dry.code, 429);
    let marked = |view: &dyn View| {
        view.list(VMI, None).iter().filter(|vmi| vmi["status"]["evacuationNodeName"] == "hv-01").count()
    };
    assert_eq!(marked(simulator.world()), 0, "a rehearsal marks nobody");
    for pod in &pods {
        let answer = evict(&simulator, pod, "").await;
        let words = format!(
            "admission webhook \"virt-launcher-eviction-interceptor.kubevirt.io\" denied the request: Eviction triggered evacuation of VMI \"{}/{}\"",
            place(pod).0,
            pod["metadata"]["labels"]["vm.kubevirt.io/name"].as_str().unwrap_or_default(),
        );
        assert_eq!(answer.gist(), format!("429 : {words}"));
    }
    assert_eq!(marked(simulator.world()), pods.len());
    let mut most = 0;
    let empty = simulator.advance_until(HALF_AN_HOUR, |view| {
        most = most.max(open_jobs(view));
        on(view, "hv-01") == 0 && open_jobs(view) == 0
    });
    assert!(empty.expect("the world comes to rest"), "the node is empty");
    assert_eq!(most, 2, "no more than may leave one node at a time");
    let jobs = simulator.world().list(VMIM, None);
    assert_eq!(jobs.len(), pods.len());
    for job in &jobs {
        assert!(place(job).1.starts_with("kubevirt-evacuation-"), "{}", place(job).1);
        assert_eq!(job["metadata"]["annotations"]["kubevirt.io/evacuationMigration"], "hv-01");
    }
    runs_elsewhere(&simulator, vmis, "hv-01");
    let (namespace, name) = place(&pods[0]);
    let left = simulator.world().get(POD, namespace, name).expect("the old pod stays, as a record");
    assert_eq!(left["status"]["phase"], "Succeeded");
    assert_eq!(evict(&simulator, &pods[0], "").await.code, 201, "and may be evicted");
}

#[tokio::test]
async fn a_drain_taint_empties_a_node_and_cancelling_spares_who_is_still_there() {
    let simulator = Simulator::builder().vms(12).build();
    let router = simulator.router();
    let vmis = simulator.world().list(VMI, None).len();
    let taint = json!({ "spec": { "taints": [{ "key": "kubevirt.io/drain", "effect": "NoSchedule" }] } });
    assert_eq!(patch(&router, &format!("{NODES}/hv-02"), "strategic", taint).await.code, 200);
    let empty = simulator.advance_until(HALF_AN_HOUR, |view| on(view, "hv-02") == 0);
    assert!(empty.expect("the world comes to rest"), "the node is empty");
    simulator.advance(Duration::from_secs(60)).expect("the world comes to rest");
    runs_elsewhere(&simulator, vmis, "hv-02");

    let pods = simulator.world().labelled(POD, None, ON_NODE, "hv-01");
    for pod in &pods {
        assert_eq!(evict(&simulator, pod, "").await.code, 429);
    }
    for vmi in simulator.world().labelled(VMI, None, ON_NODE, "hv-01") {
        let (namespace, name) = place(&vmi);
        let line = format!(
            "PUT /apis/subresources.kubevirt.io/v1/namespaces/{namespace}/virtualmachineinstances/{name}/evacuate/cancel"
        );
        assert_eq!(plain(&router, &line, json!({ "evacuationNodeName": "hv-01" })).await.code, 200);
    }
    let before = on(simulator.world(), "hv-01");
    simulator.advance(Duration::from_secs(120)).expect("the world comes to rest");
    assert_eq!(on(simulator.world(), "hv-01"), before, "nobody leaves");
}

/// A VM on the pod network, which migrates with `masquerade` and cannot with `bridge`.
fn vm(name: &str, binding: &str) -> Value {
    json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": { "name": name, "namespace": "default" },
        "spec": { "runStrategy": "RerunOnFailure", "template": { "spec": {
            "evictionStrategy": "LiveMigrate",
            "domain": {
                "cpu": { "cores": 1 }, "resources": { "limits": { "cpu": "1", "memory": "1Gi" } },
                "devices": { "disks": [{ "name": "root", "disk": { "bus": "virtio" } }],
                             "interfaces": [{ "name": "default", binding: {} }] },
            },
            "networks": [{ "name": "default", "pod": {} }],
            "volumes": [{ "name": "root", "containerDisk": { "image": "fedora" } }],
        } } },
    })
}

async fn start(simulator: &Simulator, vm: Value) -> String {
    let name = place(&vm).1.to_owned();
    let made = plain(&simulator.router(), "POST /apis/kubevirt.io/v1/namespaces/default/virtualmachines", vm).await;
    assert_eq!(made.code, 201, "{}", made.text);
    let runs = simulator.advance_until(HALF_AN_HOUR, |view| {
        view.get(VMI, "default", &name).is_some_and(|vmi| vmi["status"]["phase"] == "Running")
    });
    assert!(runs.expect("the world comes to rest"), "{name} runs");
    let vmi = simulator.world().get(VMI, "default", &name).expect("the instance");
    vmi["status"]["nodeName"].as_str().expect("a node").to_owned()
}

fn pod_of(simulator: &Simulator, name: &str) -> Value {
    let pods = simulator.world().labelled(POD, Some("default"), "vm.kubevirt.io/name", name);
    (*pods[0]).clone()
}

#[tokio::test]
async fn who_cannot_move_is_kept_and_who_fails_tries_ever_later() {
    let simulator = Simulator::builder().build();
    start(&simulator, vm("fixed", "bridge")).await;
    let refused = evict(&simulator, &pod_of(&simulator, "fixed"), "").await;
    assert!(refused.gist().ends_with("VMI fixed is configured with an eviction strategy but is not live-migratable"));
    assert_eq!(refused.code, 429);

    let name = "web-fault-migration-fails";
    start(&simulator, vm(name, "masquerade")).await;
    assert_eq!(evict(&simulator, &pod_of(&simulator, name), "").await.code, 429);
    simulator.advance(Duration::from_secs(300)).expect("the world comes to rest");
    let jobs = simulator.world().list(VMIM, None);
    let stamp = |job: &Value, phase: &str| -> i64 {
        let steps = job["status"]["phaseTransitionTimestamps"].as_array().expect("steps");
        let step = steps.iter().find(|step| step["phase"] == phase);
        let text = step.and_then(|step| step["phaseTransitionTimestamp"].as_str());
        text.and_then(simulator::clock::parse_rfc3339).unwrap_or(i64::MAX)
    };
    let mut tries: Vec<(i64, i64)> = jobs.iter().map(|job| (stamp(job, "Scheduling"), stamp(job, "Failed"))).collect();
    tries.sort_unstable();
    let pauses: Vec<i64> = tries.windows(2).map(|pair| (pair[1].0 - pair[0].1) / 1000).collect();
    assert!(pauses.len() >= 2 && (20..30).contains(&pauses[0]) && (40..55).contains(&pauses[1]), "{pauses:?}");
    let events = simulator.world().list(EVENT, Some("default"));
    assert!(events.iter().any(|event| event["reason"] == "MigrationBackoff"));
}

fn note<'a>(node: &'a Value, key: &str) -> Option<&'a str> {
    node["metadata"]["annotations"][format!("harvesterhci.io/{key}")].as_str()
}

async fn request_maintenance(simulator: &Simulator, node: &str, is_forced: bool) {
    let mut notes = json!({ "harvesterhci.io/drain-requested": "true" });
    if is_forced {
        notes["harvesterhci.io/drain-forced"] = json!("true");
    }
    let asked = json!({ "metadata": { "annotations": notes } });
    let answer = patch(&simulator.router(), &format!("{NODES}/{node}"), "merge", asked).await;
    assert_eq!(answer.code, 200, "{}", answer.text);
}

fn node(simulator: &Simulator, name: &str) -> Value {
    (*simulator.world().get(NODE, "", name).expect("the node")).clone()
}

async fn label(simulator: &Simulator, vm: &Value, strategy: &str) {
    let (namespace, name) = place(vm);
    let labels = json!({ "metadata": { "labels": { "harvesterhci.io/maintain-mode-strategy": strategy } } });
    for kind in ["virtualmachines", "virtualmachineinstances"] {
        let path = format!("/apis/kubevirt.io/v1/namespaces/{namespace}/{kind}/{name}");
        let answer = patch(&simulator.router(), &path, "merge", labels.clone()).await;
        assert_eq!(answer.code, 200, "{}", answer.text);
    }
}

#[tokio::test]
async fn maintenance_empties_a_node_and_starts_elsewhere_who_wants_that() {
    let simulator = Simulator::builder().vms(12).build();
    let here = simulator.world().labelled(VMI, None, ON_NODE, "hv-01");
    label(&simulator, &here[0], "ShutdownAndRestartAfterEnable").await;
    label(&simulator, &here[1], "Shutdown").await;
    request_maintenance(&simulator, "hv-01", false).await;
    let done = simulator
        .advance_until(HALF_AN_HOUR, |view| {
            view.get(NODE, "", "hv-01").is_some_and(|node| note(&node, "maintain-status") == Some("completed"))
        })
        .expect("the world comes to rest");
    let found = node(&simulator, "hv-01");
    assert!(done, "{}", found["metadata"]["annotations"]);
    assert_eq!((note(&found, "drain-requested"), on(simulator.world(), "hv-01")), (None, 0));
    assert_eq!(found["spec"]["unschedulable"], true);
    assert_eq!(found["spec"]["taints"][0]["key"], "kubevirt.io/drain");
    simulator.advance(Duration::from_secs(300)).expect("the world comes to rest");
    let vm = |vmi: &Value| simulator.world().get(VM, place(vmi).0, place(vmi).1).expect("the VM");
    assert_eq!(vm(&here[0])["status"]["printableStatus"], "Running", "started again elsewhere");
    assert!(vm(&here[0])["metadata"]["annotations"].get("harvesterhci.io/maintain-mode-strategy-node-name").is_none());
    assert_eq!(vm(&here[1])["status"]["printableStatus"], "Stopped", "stays down");
    runs_elsewhere(&simulator, simulator.world().list(VMI, None).len(), "hv-01");

    request_maintenance(&simulator, "hv-02", false).await;
    simulator.settle().expect("the world comes to rest");
    let second = node(&simulator, "hv-02");
    let seen = (note(&second, "drain-requested"), note(&second, "maintain-status"), &second["spec"]["unschedulable"]);
    assert_eq!(seen, (None, None, &Value::Null), "a second control plane is not let go");
}

#[tokio::test]
async fn who_cannot_move_holds_maintenance_up_until_it_is_forced() {
    let simulator = Simulator::builder().build();
    let name = start(&simulator, vm("fixed", "bridge")).await;
    request_maintenance(&simulator, &name, false).await;
    simulator.advance(Duration::from_secs(120)).expect("the world comes to rest");
    let held = node(&simulator, &name);
    assert_eq!((note(&held, "drain-requested"), note(&held, "maintain-status")), (Some("true"), None));
    assert_eq!(on(simulator.world(), &name), 1);
    request_maintenance(&simulator, &name, true).await;
    let done = simulator.advance_until(HALF_AN_HOUR, |view| {
        view.get(NODE, "", &name).is_some_and(|node| note(&node, "maintain-status") == Some("completed"))
    });
    assert!(done.expect("the world comes to rest"), "{}", node(&simulator, &name)["metadata"]["annotations"]);
    let vm = simulator.world().get(VM, "default", "fixed").expect("the VM");
    assert_eq!(vm["spec"]["runStrategy"], "Halted", "stopped, and not started again");
}
