//! A simulated cluster in three lines, for this crate's own tests.

use crate::{Cache, Clock, Cluster};
use model::UnixMs;
use model::id::{ClusterId, VmRef};
use serde_json::{Value, json};
use simulator::Simulator;
use simulator::behave::resources::{NAMESPACE, VM, VMI};
use simulator::world::fault::{Fault, Harm};
use simulator::world::{By, Deletion};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};
use tokio_util::task::TaskTracker;

pub(crate) use simulator::world::fault;

/// A cluster `bj-1` with namespace `team-a`.
pub(crate) struct World {
    pub(crate) simulator: Simulator,
    pub(crate) cluster: Cluster,
    pub(crate) tasks: TaskTracker,
}

pub(crate) fn id() -> ClusterId {
    ClusterId::parse("bj-1").unwrap()
}

pub(crate) fn vm_ref(name: &str) -> VmRef {
    VmRef::parse("bj-1", "team-a", name).unwrap()
}

impl World {
    pub(crate) fn new() -> Self {
        Self::of(Simulator::builder().build())
    }

    pub(crate) fn of(simulator: Simulator) -> Self {
        let cluster = Cluster::over(id(), kube::Client::new(simulator.router(), "default"));
        // The scenario may have made it already.
        let _ = simulator.world().create(NAMESPACE, "", json!({"metadata": {"name": "team-a"}}), &By::seed());
        Self { simulator, cluster, tasks: TaskTracker::new() }
    }

    /// Can upgrade to WebSockets.
    pub(crate) fn with_sockets(mut self) -> Self {
        self.cluster = Cluster::over(id(), kube::Client::new(self.simulator.duplex_service(), "default"));
        self
    }

    pub(crate) fn seen_by(mut self, token: &str) -> Self {
        self.cluster = Cluster::over(id(), kube::Client::new(self.simulator.router_as(token), "default"));
        self
    }

    pub(crate) fn cache(&self) -> Arc<Cache> {
        Cache::start(self.cluster.clone(), &self.tasks, clock())
    }

    pub(crate) fn fault(&self, fault: Fault) {
        self.simulator.world().faults().add(fault);
    }

    pub(crate) fn always(&self, verb: &str, resource: &str, harm: Harm) {
        self.fault(Fault::always(verb, resource, harm));
    }

    pub(crate) fn once(&self, verb: &str, resource: &str, harm: Harm) {
        self.fault(Fault::times(1, verb, resource, harm));
    }

    /// Puts a VM there as it stands; nothing acts on it.
    pub(crate) fn put_vm(&self, name: &str, status: &str) {
        let made = self.simulator.world().create(VM, "team-a", vm(name, status), &By::seed());
        made.unwrap_or_else(|refusal| panic!("{name}: {refusal:?}"));
    }

    pub(crate) fn put_vmi(&self, name: &str, node: &str, address: &str) {
        let vmi = json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", "metadata": {"name": name, "namespace": "team-a"},
            "spec": {"domain": {"devices": {}, "resources": {"limits": {"cpu": "2", "memory": "4Gi"}, "requests": {"cpu": "200m", "memory": "2Gi"}}}},
            "status": {"phase": "Running", "nodeName": node, "interfaces": [{"name": "nic-1", "ipAddress": address}],
                "conditions": [{"type": "AgentConnected", "status": "True"}]}});
        self.simulator.world().create(VMI, "team-a", vmi, &By::seed()).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    }

    pub(crate) fn modify_vm(&self, name: &str, change: impl FnMut(&mut Value)) {
        let mut change = change;
        let changed =
            self.simulator.world().modify(VM, ("team-a", name), simulator::world::Part::Main, &By::seed(), |object| {
                let mut object = object.clone();
                change(&mut object);
                Ok(object)
            });
        changed.map(drop).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    }

    pub(crate) fn delete_vm(&self, name: &str) {
        let deleted = self.simulator.world().delete(VM, ("team-a", name), &Deletion::default(), &By::seed());
        deleted.map(drop).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    }
}

pub(crate) fn vm(name: &str, status: &str) -> Value {
    json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": name, "namespace": "team-a",
            "labels": {"ops.example.com/owner": "E10432", "harvesterhci.io/os": "linux"}},
        "spec": {"runStrategy": if status == "Stopped" { "Halted" } else { "RerunOnFailure" }, "template": {
            "metadata": {"labels": {"harvesterhci.io/vmName": name}},
            "spec": {"domain": {"cpu": {"cores": 2, "sockets": 1, "threads": 1}, "machine": {"type": "q35"},
                "resources": {"limits": {"cpu": "2", "memory": "4Gi"}},
                "devices": {"disks": [], "interfaces": [{"name": "nic-1", "model": "virtio", "masquerade": {}}]}},
              "networks": [{"name": "nic-1", "pod": {}}], "volumes": []}}},
        "status": {"printableStatus": status}})
}

/// A clock that moves a millisecond with every look.
pub(crate) fn clock() -> Clock {
    let now = AtomicI64::new(1_800_000_000_000);
    Arc::new(move || UnixMs(now.fetch_add(1, Ordering::Relaxed)))
}

/// Waits for a level, at most a minute.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
