//! The node agent at an API server on which only upstream's own programs act: here the simulator's, over HTTP.
//!
//! The same agent does the same at a real control plane; this needs none.

mod support;

use serde_json::{Value, json};
use simulator::agent::{Agent, Door, Options};
use simulator::behave::resources::{LEASE, LONGHORN_VOLUME, NODE, POD, PV, PVC, VM, VMI, VMIM};
use simulator::behave::role::{Role, roles};
use simulator::behave::{Resource, View};
use simulator::clock::Clock;
use simulator::scenario::Scenario;
use simulator::serve::Served;
use simulator::{Simulator, world};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use support::{patch, plain};
use tokio_util::sync::{CancellationToken, DropGuard};

/// How much faster than real time these clusters live.
const SPEED: f64 = 20.0;
/// Real time within which what should come has come.
const LIMIT: Duration = Duration::from_secs(90);
const VMS: &str = "/apis/kubevirt.io/v1/namespaces/default/virtualmachines";

struct Lab {
    simulator: Simulator,
    _served: Served,
    _folder: tempfile::TempDir,
    _stop: DropGuard,
}

impl Lab {
    async fn new(door: impl FnOnce(&tempfile::TempDir) -> Option<Door>) -> Self {
        let clock = Clock::auto(SPEED);
        let simulator = Simulator::builder()
            .scenario(Scenario::Empty { hosts: 0 })
            .roles(&roles("upstream").expect("a list"))
            .clock(clock.clone())
            .build();
        let served = simulator.serve("127.0.0.1:0").await.expect("a free port");
        simulator.start();
        let folder = tempfile::tempdir().expect("a folder");
        let kubeconfig = folder.path().join("agent.kubeconfig");
        std::fs::write(&kubeconfig, served.agent_kubeconfig()).expect("written");
        let stop = CancellationToken::new();
        let options = Options {
            kubeconfig,
            identities: Vec::new(),
            roles: roles("node").expect("a list"),
            nodes: 3,
            door: door(&folder),
            brings_platform: false,
            clock,
        };
        let agent = Agent::start(options, &stop).await.expect("an agent");
        let ready = agent.ready();
        let run = agent.run(stop.clone());
        #[expect(clippy::disallowed_methods, reason = "ends with the lab's token")]
        drop(tokio::spawn(run));
        tokio::time::timeout(LIMIT, ready.cancelled()).await.expect("the agent is ready");
        Self { simulator, _served: served, _folder: folder, _stop: stop.drop_guard() }
    }

    fn get(&self, resource: Resource, name: &str) -> Value {
        self.simulator.world().get(resource, "default", name).map(|object| (*object).clone()).unwrap_or_default()
    }

    async fn until(&self, what: &str, holds: impl Fn(&world::World) -> bool) {
        let end = Instant::now() + LIMIT;
        while !holds(self.simulator.world()) {
            if Instant::now() > end {
                let phases: Vec<Value> =
                    self.simulator.world().list(VMI, None).iter().map(|vmi| vmi["status"].clone()).collect();
                panic!("{what} did not come; instances: {phases:#?}; web: {:#}", self.get(VM, "web")["status"]);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn post(&self, path: &str, object: Value) {
        let made = plain(&self.simulator.router(), &format!("POST {path}"), object).await;
        assert_eq!(made.code, 201, "{}", made.text);
    }

    async fn annotate(&self, node: &str, fault: Value) {
        let note = json!({"metadata": {"annotations": {"simulator.harvester-admin/fault": fault}}});
        let answer = patch(&self.simulator.router(), &format!("/api/v1/nodes/{node}"), "merge", note).await;
        assert_eq!(answer.code, 200, "{}", answer.text);
    }

    /// Creates a VM with a disk and an address, and waits until it runs there.
    async fn start(&self) {
        self.post("/api/v1/namespaces/default/secrets", secret()).await;
        self.post(VMS, vm()).await;
        self.until("a running VM at its address", |world| {
            let vmi = world.get(VMI, "default", "web");
            let vm = world.get(VM, "default", "web");
            vmi.is_some_and(|vmi| vmi["status"]["interfaces"][0]["ipAddress"] == ADDRESS && is_true(&vmi, "Ready"))
                && vm.is_some_and(|vm| vm["status"]["printableStatus"] == "Running" && vm["status"]["ready"] == true)
        })
        .await;
    }
}

fn is_true(object: &Value, kind: &str) -> bool {
    let conditions = object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    conditions.iter().any(|held| held["type"] == kind && held["status"] == "True")
}

fn node_of(world: &world::World) -> String {
    let vmi = world.get(VMI, "default", "web").map(|vmi| (*vmi).clone()).unwrap_or_default();
    vmi["status"]["nodeName"].as_str().unwrap_or_default().to_owned()
}

fn phase(world: &world::World) -> Value {
    world.get(VMI, "default", "web").map(|vmi| vmi["status"]["phase"].clone()).unwrap_or_default()
}

const ADDRESS: &str = "10.20.0.31";
const MAC: &str = "52:54:00:ab:10:01";

fn secret() -> Value {
    let network = format!(
        "version: 2\nethernets:\n  nic-1:\n    match: {{macaddress: \"{MAC}\"}}\n    set-name: nic-1\n    addresses: [{ADDRESS}/16]\n"
    );
    json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "web-ci", "namespace": "default"},
        "stringData": {"userdata": "#cloud-config\npackages: [qemu-guest-agent]\n", "networkdata": network},
    })
}

fn vm() -> Value {
    let claims = json!([{
        "metadata": {"name": "web-root"},
        "spec": {"accessModes": ["ReadWriteMany"], "volumeMode": "Block", "storageClassName": "harvester-longhorn", "resources": {"requests": {"storage": "10Gi"}}},
    }]);
    json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
        "metadata": {
            "name": "web", "namespace": "default",
            "annotations": {"harvesterhci.io/volumeClaimTemplates": claims.to_string()},
        },
        "spec": {"runStrategy": "RerunOnFailure", "template": {"spec": {
            "evictionStrategy": "LiveMigrate", "terminationGracePeriodSeconds": 120,
            "domain": {
                "cpu": {"cores": 2}, "resources": {"limits": {"cpu": "2", "memory": "2Gi"}},
                "features": {"acpi": {"enabled": true}},
                "devices": {
                    "disks": [{"name": "root", "disk": {"bus": "virtio"}}, {"name": "ci", "disk": {"bus": "virtio"}}],
                    "interfaces": [{"name": "nic-1", "bridge": {}, "macAddress": MAC}],
                },
            },
            "networks": [{"name": "nic-1", "multus": {"networkName": "harvester-public/vlan-120"}}],
            "volumes": [
                {"name": "root", "persistentVolumeClaim": {"claimName": "web-root"}},
                {"name": "ci", "cloudInitNoCloud": {"secretRef": {"name": "web-ci"}, "networkDataSecretRef": {"name": "web-ci"}}},
            ],
        }}},
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vm_runs_moves_is_drained_stops_and_goes() {
    let lab = Lab::new(|_| None).await;
    let world = lab.simulator.world();
    assert_eq!(world.list(NODE, None).len(), 3);
    lab.start().await;
    let claim = lab.get(PVC, "web-root");
    assert_eq!(claim["status"]["phase"], "Bound");
    let volume = claim["spec"]["volumeName"].as_str().expect("a volume").to_owned();
    assert!(world.get(PV, "", &volume).is_some());
    lab.until("an attached volume", |world| {
        let volume = world.get(LONGHORN_VOLUME, "longhorn-system", &volume);
        volume.is_some_and(|volume| {
            volume["status"]["state"] == "attached" && volume["status"]["robustness"] == "healthy"
        })
    })
    .await;

    let before = node_of(world);
    let move_it = json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstanceMigration",
        "metadata": {"name": "move"}, "spec": {"vmiName": "web"},
    });
    lab.post("/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstancemigrations", move_it).await;
    lab.until("a migrated VM", |world| {
        let job = world.get(VMIM, "default", "move");
        job.is_some_and(|job| job["status"]["phase"] == "Succeeded") && node_of(world) != before
    })
    .await;
    let vmi = lab.get(VMI, "web");
    assert_eq!(vmi["status"]["interfaces"][0]["ipAddress"], ADDRESS, "it keeps its address");
    lab.until("an ended source", |world| {
        let pods = world.list(POD, Some("default"));
        pods.len() == 2 && pods.iter().filter(|pod| pod["status"]["phase"] == "Succeeded").count() == 1
    })
    .await;
    lab.until("ready again", |world| world.get(VMI, "default", "web").is_some_and(|vmi| is_true(&vmi, "Ready"))).await;

    let drained = node_of(world);
    let cordon = json!({"spec": {"unschedulable": true}});
    assert_eq!(patch(&lab.simulator.router(), &format!("/api/v1/nodes/{drained}"), "merge", cordon).await.code, 200);
    let pod =
        world.list(POD, Some("default")).into_iter().find(|pod| pod["status"]["phase"] == "Running").expect("a pod");
    let name = pod["metadata"]["name"].as_str().expect("a name");
    let eviction =
        json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": "default"}});
    let line = format!("POST /api/v1/namespaces/default/pods/{name}/eviction");
    assert_eq!(plain(&lab.simulator.router(), &line, eviction).await.code, 429, "it is moved, not killed");
    lab.until("an empty node", |world| node_of(world) != drained && phase(world) == "Running").await;

    let halt = json!({"spec": {"runStrategy": "Halted"}});
    assert_eq!(patch(&lab.simulator.router(), &format!("{VMS}/web"), "merge", halt).await.code, 200);
    lab.until("a stopped VM", |world| {
        world.get(VM, "default", "web").is_some_and(|vm| vm["status"]["printableStatus"] == "Stopped")
            && world.get(VMI, "default", "web").is_none()
            && world.list(POD, Some("default")).is_empty()
    })
    .await;
    let note = json!({"metadata": {"annotations": {"harvesterhci.io/removedPersistentVolumeClaims": "web-root"}}});
    assert_eq!(patch(&lab.simulator.router(), &format!("{VMS}/web"), "merge", note).await.code, 200);
    assert_eq!(plain(&lab.simulator.router(), &format!("DELETE {VMS}/web"), json!(null)).await.code, 200);
    lab.until("nothing left", |world| {
        world.get(VM, "default", "web").is_none()
            && world.list(PVC, None).is_empty()
            && world.list(PV, None).is_empty()
            && world.list(LONGHORN_VOLUME, None).is_empty()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_node_is_seen_and_its_vm_starts_elsewhere() {
    let lab = Lab::new(|_| None).await;
    lab.start().await;
    let dead = node_of(lab.simulator.world());
    let renewed = |world: &world::World| {
        world.get(LEASE, "kube-node-lease", &dead).map(|lease| lease["spec"]["renewTime"].clone())
    };
    lab.annotate(&dead, json!("fault-node-down")).await;
    lab.until("NotReady", |world| {
        let node = world.get(NODE, "", &dead).expect("the node");
        let taints = node["spec"]["taints"].as_array().cloned().unwrap_or_default();
        !is_true(&node, "Ready") && taints.iter().any(|taint| taint["key"] == "node.kubernetes.io/unreachable")
    })
    .await;
    let silent = renewed(lab.simulator.world());
    lab.until("VM not ready", |world| world.get(VMI, "default", "web").is_some_and(|vmi| !is_true(&vmi, "Ready")))
        .await;
    lab.until("a VM elsewhere", |world| {
        !node_of(world).is_empty() && node_of(world) != dead && phase(world) == "Running"
    })
    .await;
    assert_eq!(renewed(lab.simulator.world()), silent, "the dead say nothing");
    lab.annotate(&dead, Value::Null).await;
    lab.until("Ready again", |world| {
        let node = world.get(NODE, "", &dead).expect("the node");
        is_true(&node, "Ready") && node["spec"]["taints"].is_null()
    })
    .await;
}

#[test]
fn the_agent_leaves_upstreams_work_alone() {
    let node = roles("node").expect("a list");
    for theirs in [Role::Scheduler, Role::ControllerManager, Role::VirtController] {
        assert!(!node.contains(&theirs), "{}", theirs.name());
    }
}

mod door;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn virt_handlers_port_serves_virt_api_and_nobody_else() {
    let port = std::net::TcpListener::bind("127.0.1.1:0").and_then(|held| held.local_addr()).expect("a port").port();
    let mut keys = None;
    let lab = Lab::new(|folder| {
        let tls: PathBuf = folder.path().join("tls");
        keys = Some(door::Keys::write(&tls));
        Some(Door { port, tls })
    })
    .await;
    let keys = keys.expect("made with the lab");
    lab.start().await;
    let node = node_of(lab.simulator.world());
    let number: u8 = node.trim_start_matches("hv-0").parse().expect("hv-0n");
    let virt_api =
        door::Caller::new(format!("127.0.1.{number}:{port}"), keys.client("kubevirt.io:system:client:virt-handler"));
    let vmi = "/v1/namespaces/default/virtualmachineinstances/web";

    assert_eq!(virt_api.call("PUT", &format!("{vmi}/pause")).await.0, 202);
    lab.until("a paused VM", |world| {
        let vmi = world.get(VMI, "default", "web").expect("the instance");
        let vm = world.get(VM, "default", "web").expect("the VM");
        is_true(&vmi, "Paused") && !is_true(&vmi, "Ready") && vm["status"]["printableStatus"] == "Paused"
    })
    .await;
    assert_eq!(virt_api.call("PUT", &format!("{vmi}/unpause")).await.0, 202);
    lab.until("a VM that is ready", |world| world.get(VMI, "default", "web").is_some_and(|vmi| is_true(&vmi, "Ready")))
        .await;
    let (code, body) = virt_api.call("GET", &format!("{vmi}/guestosinfo")).await;
    let info: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!((code, &info["hostname"]), (200, &json!("web")));
    let (code, picture) = virt_api.call("GET", &format!("{vmi}/vnc/screenshot")).await;
    assert!(code == 200 && picture.starts_with(b"\x89PNG"), "{code}");
    assert_eq!(virt_api.call("PUT", &format!("{vmi}/softreboot")).await.0, 202);
    lab.until("an agent that went away", |world| {
        world.get(VMI, "default", "web").is_some_and(|vmi| !is_true(&vmi, "AgentConnected"))
    })
    .await;
    lab.until("an agent that came back", |world| {
        world.get(VMI, "default", "web").is_some_and(|vmi| is_true(&vmi, "AgentConnected"))
    })
    .await;
    assert_eq!(virt_api.call("PUT", "/v1/namespaces/default/virtualmachineinstances/none/pause").await.0, 404);
    assert_eq!(virt_api.banner(&format!("{vmi}/vnc")).await, b"RFB 003.008\n");

    let stranger = door::Caller::new(virt_api.address.clone(), keys.client("somebody"));
    assert!(stranger.try_call("PUT", &format!("{vmi}/pause")).await.is_err(), "another name");
    let nobody = door::Caller::new(virt_api.address.clone(), keys.without_certificate());
    assert!(nobody.try_call("PUT", &format!("{vmi}/pause")).await.is_err(), "no certificate");
    let elsewhere = door::Caller::new(
        format!("127.0.1.{}:{port}", number % 3 + 1),
        keys.client("kubevirt.io:system:client:virt-handler"),
    );
    assert_eq!(elsewhere.call("PUT", &format!("{vmi}/pause")).await.0, 404, "it is not on that host");
}
