//! KubeVirt's validators of VMs and of instances: what is described must make sense as a machine.
//!
//! All faults are told at once, in upstream's order and words. What Harvester switches on of KubeVirt's features is
//! assumed; a feature that it does not switch on is refused here as there.
//!
//! Source: K `pkg/virt-api/webhooks/validating-webhook/admitters/{vms,vmi-create}-admitter.go`, `pkg/network/admitter/`,
//! `pkg/storage/admitters/`; `harvester-api.md` §10.2.

mod compute;
mod network;
mod place;
mod storage;

use super::cause::{Causes, plain};
use super::{Verdict, Write};
use crate::behave::{complete_template, object, run_strategy};
pub(crate) use compute::growth_fault;
use serde_json::Value;

const WEBHOOK: &str = "virtualmachine-validator.kubevirt.io";
const STRATEGIES: &[&str] = &["Halted", "Manual", "Always", "RerunOnFailure", "Once"];
/// Labels of an instance that only KubeVirt's own accounts may write.
pub(super) const RESERVED: &[&str] = &[
    "kubevirt.io/created-by",
    "kubevirt.io/migrationJobUID",
    "kubevirt.io/nodeName",
    "kubevirt.io/migrationTargetNodeName",
    "kubevirt.io/schedulable",
    "kubevirt.io/install-strategy",
];

/// A VM, created or changed.
pub(super) fn vm(write: &Write<'_>) -> Verdict {
    let template = "spec.template";
    let mut causes = Causes::default();
    let mut spec = object::part(write.new, "/spec/template/spec");
    complete_template(&mut spec);
    if write.creates() {
        network::on_creation(&spec, "spec", &mut causes);
        causes.verdict(WEBHOOK)?;
        causes = Causes::default();
    }
    let metadata = object::part(write.new, "/spec/template/metadata");
    metadata_of(&metadata, &format!("{template}.metadata"), write.caller.is_kubevirt, &mut causes);
    machine(&spec, &format!("{template}.spec"), &mut causes);
    storage::templates(write.new, &mut causes);
    strategy(write.new, &mut causes);
    compute::live_update(&spec, &mut causes);
    causes.verdict(WEBHOOK)?;
    in_flight(write)
}

/// An instance that somebody creates without a VM.
pub(super) fn instance(write: &Write<'_>, webhook: &'static str) -> Verdict {
    let mut causes = Causes::default();
    let spec = &write.new["spec"];
    network::on_creation(spec, "spec", &mut causes);
    machine(spec, "spec", &mut causes);
    storage::volumes_have_disks(spec, "spec", &mut causes);
    compute::has_memory(spec, "spec", &mut causes);
    metadata_of(&write.new["metadata"], "metadata", write.caller.is_kubevirt, &mut causes);
    causes.verdict(webhook)
}

/// KubeVirt's own snapshots and restores, which Harvester does not switch on: it has backups of its own.
///
/// Source: K `pkg/storage/admitters/{vmsnapshot,vmrestore}.go`.
pub(super) fn snapshot(write: &Write<'_>, plural: &str) -> Verdict {
    let (webhook, message) = match plural {
        "virtualmachinesnapshots" => {
            ("virtualmachinesnapshot-validator.snapshot.kubevirt.io", "snapshot feature gate not enabled")
        }
        "virtualmachinerestores" => {
            ("virtualmachinerestore-validator.snapshot.kubevirt.io", "Snapshot/Restore feature gate not enabled")
        }
        _ => return Ok(()),
    };
    if write.creates() { Err(plain(webhook, message)) } else { Ok(()) }
}

/// Source: `ValidateVirtualMachineInstanceSpec`.
fn machine(spec: &Value, at: &str, causes: &mut Causes) {
    place::names(spec, at, causes);
    compute::memory(spec, at, causes);
    compute::machine_type(spec, at, causes);
    compute::acpi_tables(spec, at, causes);
    compute::cpu(spec, at, causes);
    place::start_strategy(spec, at, causes);
    compute::realtime(spec, at, causes);
    place::architecture(spec, at, causes);
    network::all(spec, at, causes);
    storage::boot_order(spec, at, causes);
    compute::inputs(spec, at, causes);
    compute::io_threads(spec, at, causes);
    place::probes(spec, at, causes);
    storage::disks(spec, &format!("{at}.domain.devices.disks"), causes);
    compute::firmware(spec, at, causes);
    storage::volumes(spec, &format!("{at}.volumes"), causes);
    place::credentials(spec, &format!("{at}.accessCredentials"), causes);
    place::dns(spec, at, causes);
    place::eviction(spec, at, causes);
    compute::sound(spec, at, causes);
    compute::gated(spec, at, causes);
}

fn metadata_of(metadata: &Value, at: &str, is_kubevirt: bool, causes: &mut Causes) {
    let labels = metadata.get("labels").and_then(Value::as_object);
    if !is_kubevirt && labels.is_some_and(|labels| RESERVED.iter().any(|key| labels.contains_key(*key))) {
        let message = "creation of the following reserved kubevirt.io/ labels on a VMI object is prohibited";
        causes.unsupported(format!("{at}.labels"), message);
    }
    let noted = |key: &str| {
        object::annotation(&serde_json::json!({"metadata": metadata}), key).is_some_and(|text| !text.is_empty())
    };
    if noted("kubevirt.io/ignitiondata") {
        let message = format!(
            "ExperimentalIgnitionSupport feature gate is not enabled in kubevirt-config, invalid entry {at}.annotations.kubevirt.io/ignitiondata"
        );
        causes.invalid(format!("{at}.annotations"), message);
    }
    if noted("hooks.kubevirt.io/hookSidecars") {
        let message = format!(
            "sidecar feature gate is not enabled in kubevirt-config, invalid entry {at}.annotations.hooks.kubevirt.io/hookSidecars"
        );
        causes.invalid(format!("{at}.annotations"), message);
    }
}

fn strategy(vm: &Value, causes: &mut Causes) {
    let running = vm.pointer("/spec/running").is_some_and(|running| !running.is_null());
    let strategy = object::text(vm, "/spec/runStrategy");
    if running && !strategy.is_empty() {
        let message = "Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead";
        causes.invalid("spec.running", message);
    }
    if !running && vm.pointer("/spec/runStrategy").is_none_or(Value::is_null) {
        causes.invalid("spec.running", "RunStrategy must be specified");
        return;
    }
    if strategy == "WaitAsReceiver" {
        let message = "Invalid RunStrategy (WaitAsReceiver), DecentralizedLiveMigration feature gate is not enabled in kubevirt resource";
        causes.invalid("spec.runStrategy", message);
    } else if vm.pointer("/spec/runStrategy").is_some_and(Value::is_string) && !STRATEGIES.contains(&strategy) {
        causes.invalid("spec.runStrategy", format!("Invalid RunStrategy ({strategy})"));
    }
}

/// What a snapshot or a restore that is under way forbids.
///
/// Source: K `pkg/storage/admitters/vm-storage-status.go`.
fn in_flight(write: &Write<'_>) -> Verdict {
    let Some(old) = write.old else { return Ok(()) };
    let mut causes = Causes::default();
    let snapshot = object::text(write.new, "/status/snapshotInProgress");
    if !snapshot.is_empty() {
        if write.changes("/spec/template/spec/volumes") {
            let message = format!("Cannot update vm disks or volumes until snapshot \"{snapshot}\" completes");
            causes.unsupported("spec", message);
        } else if ["/spec/running", "/spec/runStrategy"].iter().any(|pointer| write.changes(pointer)) {
            let message = format!("Cannot update vm running state until snapshot \"{snapshot}\" completes");
            causes.unsupported("spec", message);
        }
    }
    let restore = object::text(write.new, "/status/restoreInProgress");
    if causes.is_empty() && !restore.is_empty() && run_strategy(old) != run_strategy(write.new) {
        causes.unsupported("spec", format!("Cannot update VM runStrategy until restore \"{restore}\" completes"));
    }
    causes.verdict(WEBHOOK)
}
