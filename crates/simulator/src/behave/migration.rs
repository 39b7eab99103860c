//! virt-controller's migration controller and what Harvester notes about it.
//!
//! Invariant: phases go forward in upstream's order and end in `Succeeded` or `Failed`; the finalizer goes only then.
//! The handover itself is the nodes' work ([`super::handover`]); the two talk through `vmi.status.migrationState`.
//!
//! Source: K `pkg/virt-controller/watch/migration/migration.go`; H `pkg/controller/master/migration`;
//! `harvester-api.md` §3.

use super::evacuation::EVACUATION;
use super::object;
use super::resources::{POD, VMI, VMIM};
use super::vmi::{MIGRATION_JOB, active_pod, pods_of};
use super::{Behaviour, Effect, Key, Now, Outcome, Role, View, launcher};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The migration controller.
pub(crate) const MIGRATIONS: Behaviour =
    Behaviour { name: "migration", role: Role::VirtController, on: VMIM, wakes: &[(POD, job_of_pod)], step };
/// Harvester's annotations on the migrating instance.
pub(crate) const HARVESTER_MARKS: Behaviour =
    Behaviour { name: "migration-marks", role: Role::Harvester, on: VMIM, wakes: &[], step: mark };

/// Finalizer of a VMIM.
pub(crate) const FINALIZER: &str = "kubevirt.io/migrationJobFinalize";
/// Label of a VMIM: the name of its VMI.
pub(crate) const VMI_NAME: &str = "kubevirt.io/vmi-name";
const JOB_NAME: &str = "kubevirt.io/migrationJobName";
const SOURCE: &str = "virtualmachine-controller";
const POLL: Duration = Duration::from_secs(1);
/// A target pod may stay unschedulable for so long (`kubevirt.io/migrationUnschedulablePodTimeoutSeconds` overrides).
const UNSCHEDULABLE_LIMIT: Duration = Duration::from_secs(300);
/// The first wait of an evacuation whose predecessor failed.
const BACKOFF: Duration = Duration::from_secs(20);
/// Finished VMIMs that are kept for an instance.
const KEPT: usize = 5;
const MARK_UID: &str = "harvesterhci.io/migrationUID";
const MARK_STATE: &str = "harvesterhci.io/migrationState";
const MARK_TARGET: &str = "harvesterhci.io/migrationTargetNodeName";

fn job_of_pod(pod: &Value) -> Vec<Key> {
    let job = object::annotation(pod, JOB_NAME);
    job.map(|job| vec![(object::namespace(pod).to_owned(), job.to_owned())]).unwrap_or_default()
}

/// Whether a guest is on its way between two nodes right now.
///
/// Source: K `pkg/util/migrations/migrations.go` (`IsMigrating`).
pub(crate) fn is_migrating(vmi: &Value) -> bool {
    let state = vmi.pointer("/status/migrationState");
    state.is_some_and(|state| {
        !object::text(state, "/startTimestamp").is_empty() && object::text(state, "/endTimestamp").is_empty()
    })
}

/// Whether a migration has ended.
pub(crate) fn is_final(vmim: &Value) -> bool {
    matches!(object::text(vmim, "/status/phase"), "Succeeded" | "Failed")
}

fn step(vmim: &Value, view: &dyn View, now: Now) -> Outcome {
    let namespace = object::namespace(vmim);
    let vmi = view.get(VMI, namespace, object::text(vmim, "/spec/vmiName"));
    if is_final(vmim) {
        return finished(vmim, view);
    }
    let Some(vmi) = vmi else { return fail(vmim, None, "Migration failed because vmi does not exist.", now) };
    if super::vmi::is_final(&vmi) || object::is_deleting(&vmi) {
        return fail(vmim, Some(&vmi), "Migration failed vmi shutdown during migration.", now);
    }
    let phase = object::text(vmim, "/status/phase");
    let target = target_pods(vmim, &vmi, view).next();
    if object::is_deleting(vmim) && phase != "Running" {
        // A target that the nodes know of already exits by itself.
        let mut outcome = fail(vmim, Some(&vmi), "Migration failed due to being canceled", now);
        outcome.effects.extend(target.map(|pod| object::delete(POD, &pod)));
        return outcome;
    }
    if phase == "Pending"
        && target.is_none()
        && let Some(left) = backoff(vmim, view, now)
    {
        let message = format!("backoff migrating vmi {}/{}", object::namespace(&vmi), object::name(&vmi));
        return Outcome::of([object::event(&vmi, "Warning", "MigrationBackoff", message, SOURCE)]).again(left);
    }
    let is_down = target.as_deref().is_some_and(super::pod::has_ended);
    if is_down {
        return fail(vmim, Some(&vmi), "Migration failed because target pod shutdown during migration", now);
    }
    match (phase, target.as_deref()) {
        ("", _) => enter(vmim, "Pending", now),
        ("Pending", _) if is_limited(vmim, &vmi, view) => Outcome::rest().again(POLL),
        ("Pending", None) => {
            let create = Effect::Create { resource: POD, object: target_pod(vmim, &vmi, view) };
            let told = object::event(
                vmim,
                "Normal",
                "SuccessfulCreate",
                format!("Created migration target pod for {}", object::name(&vmi)),
                SOURCE,
            );
            let mut outcome = enter(vmim, "Scheduling", now);
            outcome.effects.splice(0..0, [create, told]);
            outcome
        }
        ("Pending", Some(_)) => enter(vmim, "Scheduling", now),
        (_, None) => fail(vmim, Some(&vmi), "Migration target pod was removed during active migration.", now),
        ("Scheduling", Some(pod)) => scheduling(vmim, &vmi, pod, now),
        ("Scheduled", Some(pod)) => hand_over(vmim, &vmi, pod, view, now),
        (_, Some(_)) => followed(vmim, &vmi, now),
    }
}

fn target_pods(vmim: &Value, vmi: &Value, view: &dyn View) -> impl Iterator<Item = Arc<Value>> {
    let job = object::uid(vmim).to_owned();
    pods_of(vmi, view).into_iter().filter(move |pod| object::label(pod, MIGRATION_JOB) == Some(job.as_str()))
}

/// Parallel limits, in the cluster and from one node: five and two, unless the setting says otherwise.
pub(crate) fn limits(view: &dyn View) -> (usize, usize) {
    let setting = super::effective_setting(view, "kubevirt-migration");
    let setting: Value = setting.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let limit = |field: &str, plain: u64| setting.get(field).and_then(Value::as_u64).unwrap_or(plain) as usize;
    (limit("parallelMigrationsPerCluster", 5), limit("parallelOutboundMigrationsPerNode", 2))
}

/// How long an evacuation must wait because those before it failed: 20 s after the last, twice as long each time.
///
/// Source: K `pkg/virt-controller/watch/migration/migration.go` (`handleMigrationBackoff`).
fn backoff(vmim: &Value, view: &dyn View, now: Now) -> Option<Duration> {
    object::annotation(vmim, EVACUATION)?;
    let mut jobs = view.labelled(VMIM, Some(object::namespace(vmim)), VMI_NAME, object::text(vmim, "/spec/vmiName"));
    jobs.retain(|job| object::annotation(job, EVACUATION).is_some() && object::uid(job) != object::uid(vmim));
    jobs.sort_by(|a, b| created(b).cmp(created(a)));
    let failed = jobs.iter().take_while(|job| object::text(job, "/status/phase") == "Failed").count();
    let doubled = u32::try_from(failed.checked_sub(1)?).unwrap_or(u32::MAX);
    let delay = BACKOFF.saturating_mul(2_u32.saturating_pow(doubled));
    let steps = object::items(jobs.first()?, "/status/phaseTransitionTimestamps");
    let ended = steps.iter().find(|step| step["phase"] == "Failed")?;
    now.until(object::text(ended, "/phaseTransitionTimestamp"), delay)
}

/// Whether it has to wait for others.
fn is_limited(vmim: &Value, vmi: &Value, view: &dyn View) -> bool {
    let node = object::text(vmi, "/status/nodeName");
    let (mut all, mut from_node) = (0, 0);
    for other in view.list(VMIM, None) {
        let active = !is_final(&other) && !matches!(object::text(&other, "/status/phase"), "" | "Pending");
        if !active || object::uid(&other) == object::uid(vmim) {
            continue;
        }
        all += 1;
        let other_vmi = view.get(VMI, object::namespace(&other), object::text(&other, "/spec/vmiName"));
        from_node += usize::from(other_vmi.is_some_and(|held| object::text(&held, "/status/nodeName") == node));
    }
    let (most, most_from_node) = limits(view);
    all >= most || from_node >= most_from_node
}

fn target_pod(vmim: &Value, vmi: &Value, view: &dyn View) -> Value {
    let mut pod = launcher::pod(vmi, view);
    pod["metadata"]["labels"][MIGRATION_JOB] = json!(object::uid(vmim));
    pod["metadata"]["annotations"][JOB_NAME] = json!(object::name(vmim));
    for (key, value) in object::map(vmim, "/spec/addedNodeSelector") {
        pod["spec"]["nodeSelector"][key] = json!(value);
    }
    if !pod["spec"]["affinity"].is_object() {
        pod["spec"]["affinity"] = json!({});
    }
    let away = json!({
        "labelSelector": {"matchLabels": {super::vmi::CREATED_BY: object::uid(vmi)}},
        "topologyKey": "kubernetes.io/hostname",
    });
    let rules = &mut pod["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    match rules.as_array_mut() {
        Some(rules) => rules.push(away),
        None => *rules = json!([away]),
    }
    pod
}

fn scheduling(vmim: &Value, vmi: &Value, pod: &Value, now: Now) -> Outcome {
    if super::vmi::runs(pod) {
        return enter(vmim, "Scheduled", now);
    }
    let unschedulable = object::condition(pod, "PodScheduled").filter(|held| held["status"] == "False");
    let Some(held) = unschedulable else { return Outcome::rest().again(POLL) };
    let limit = object::annotation(vmim, "kubevirt.io/migrationUnschedulablePodTimeoutSeconds")
        .and_then(|text| text.parse().ok())
        .map_or(UNSCHEDULABLE_LIMIT, Duration::from_secs);
    if now.until(object::text(held, "/lastTransitionTime"), limit).is_none() {
        let message = format!("Deleted unschedulable pod {} because timeout period exceeded", object::name(pod));
        let mut outcome = fail(vmim, Some(vmi), "Migration failed because target pod shutdown during migration", now);
        outcome.effects.insert(0, object::event(vmim, "Warning", "SuccessfulDelete", message, SOURCE));
        outcome.effects.push(object::delete(POD, pod));
        return outcome;
    }
    let message = format!(
        "Migration target pod for VMI [{}/{}] is currently unschedulable.",
        object::namespace(vmi),
        object::name(vmi)
    );
    let first = now.until(object::text(held, "/lastTransitionTime"), POLL).is_some();
    let told = first.then(|| object::event(vmim, "Warning", "migrationTargetPodUnschedulable", message, SOURCE));
    Outcome::of(told).again(POLL * 5)
}

/// Tells the two nodes: from here on the state is the instance's.
fn hand_over(vmim: &Value, vmi: &Value, target: &Value, view: &dyn View, now: Now) -> Outcome {
    let pods = pods_of(vmi, view);
    let source = active_pod(vmi, &pods);
    let node = object::text(target, "/spec/nodeName");
    let state = json!({
        "migrationUid": object::uid(vmim), "mode": "PreCopy",
        "sourceNode": vmi["status"]["nodeName"], "targetNode": node,
        "sourcePod": source.map(|pod| object::name(pod)), "targetPod": object::name(target),
        "migrationPolicyName": null, "migrationNetworkType": null,
        "migrationConfiguration": {
            "allowAutoConverge": false, "allowPostCopy": false, "allowWorkloadDisruption": false,
            "bandwidthPerMigration": "0", "completionTimeoutPerGiB": 150, "progressTimeout": 150,
            "parallelMigrationsPerCluster": 5, "parallelOutboundMigrationsPerNode": 2, "unsafeMigrationOverride": false,
            "nodeDrainTaintKey": super::evacuation::DRAIN_TAINT,
        },
        // A merge patch keeps what it does not name; the last migration must not shine through.
        "startTimestamp": null, "endTimestamp": null, "targetNodeAddress": null, "targetNodeDomainDetected": null,
        "targetNodeDomainReadyTimestamp": null, "targetDirectMigrationNodePorts": null, "completed": null,
        "failed": null, "failureReason": null, "abortRequested": null, "abortStatus": null,
    });
    let patch = json!({
        "metadata": {"labels": {"kubevirt.io/migrationTargetNodeName": node}},
        "status": {"migrationState": state},
    });
    let mut outcome = enter(vmim, "PreparingTarget", now);
    outcome.effects.extend(object::merge(VMI, vmi, patch));
    outcome
}

fn followed(vmim: &Value, vmi: &Value, now: Now) -> Outcome {
    let state = object::part(vmi, "/status/migrationState");
    if object::text(&state, "/migrationUid") != object::uid(vmim) {
        return fail(
            vmim,
            Some(vmi),
            "VMI's migration state was taken over by another migration job during active migration.",
            now,
        );
    }
    let phase = object::text(vmim, "/status/phase");
    let started = !object::text(&state, "/startTimestamp").is_empty();
    if object::flag(&state, "/failed") {
        return fail(vmim, Some(vmi), "source node reported migration failed", now);
    }
    if phase == "Running" && object::flag(&state, "/completed") {
        let message = "Source node reported migration succeeded";
        let mut outcome = enter(vmim, "Succeeded", now);
        if let Some(Effect::Merge { patch, .. }) = outcome.effects.first_mut() {
            patch["status"]["migrationState"] = state;
        }
        outcome.effects.push(object::event(vmim, "Normal", "SuccessfulMigration", message, SOURCE));
        return outcome;
    }
    match phase {
        "PreparingTarget" if !object::text(&state, "/targetNodeAddress").is_empty() => enter(vmim, "TargetReady", now),
        "TargetReady" if started => enter(vmim, "Running", now),
        "Running" if object::is_deleting(vmim) && !object::flag(&state, "/abortRequested") => {
            let patch = json!({"status": {"migrationState": {"abortRequested": true, "abortStatus": "Aborting"}}});
            Outcome::of(object::merge(VMI, vmi, patch)).again(POLL)
        }
        _ => Outcome::rest().again(POLL),
    }
}

fn enter(vmim: &Value, phase: &str, now: Now) -> Outcome {
    let mut steps = object::items(vmim, "/status/phaseTransitionTimestamps").to_vec();
    steps.push(json!({"phase": phase, "phaseTransitionTimestamp": now.stamp()}));
    let status = json!({"phase": phase, "phaseTransitionTimestamps": steps});
    Outcome::of(object::merge_status(VMIM, vmim, status)).again(POLL)
}

fn fail(vmim: &Value, vmi: Option<&Value>, message: &str, now: Now) -> Outcome {
    let mut outcome = enter(vmim, "Failed", now);
    let state = vmi.map(|vmi| object::part(vmi, "/status/migrationState"));
    let state = state.filter(|state| object::text(state, "/migrationUid") == object::uid(vmim));
    if let (Some(Effect::Merge { patch, .. }), Some(state)) = (outcome.effects.first_mut(), state) {
        patch["status"]["migrationState"] = state;
    }
    outcome.effects.push(object::event(vmim, "Warning", "FailedMigration", message, SOURCE));
    outcome.effects.extend(vmi.and_then(|vmi| closed(vmim, vmi, now)));
    outcome.again_after = None;
    outcome
}

/// What virt-controller writes into the instance when the nodes had been told and had not begun.
///
/// Source: K `pkg/virt-controller/watch/migration/migration.go` (`handleMarkMigrationFailedOnVMI`).
fn closed(vmim: &Value, vmi: &Value, now: Now) -> Option<Effect> {
    let state = object::part(vmi, "/status/migrationState");
    let is_ours = object::text(&state, "/migrationUid") == object::uid(vmim);
    if !is_ours || !object::text(&state, "/startTimestamp").is_empty() {
        return None;
    }
    object::merge(
        VMI,
        vmi,
        json!({"status": {"migrationState": {
            "startTimestamp": now.stamp(), "endTimestamp": now.stamp(), "failed": true, "completed": true,
            "failureReason": "Target pod is down",
        }}}),
    )
}

fn finished(vmim: &Value, view: &dyn View) -> Outcome {
    let mut effects = Vec::new();
    let mut done = view.labelled(VMIM, Some(object::namespace(vmim)), VMI_NAME, object::text(vmim, "/spec/vmiName"));
    done.retain(|other| is_final(other) && !object::is_deleting(other));
    done.sort_by(|a, b| created(a).cmp(created(b)).then_with(|| object::name(a).cmp(object::name(b))));
    let surplus = done.len().saturating_sub(KEPT);
    effects.extend(done.iter().take(surplus).map(|old| object::delete(VMIM, old)));
    if object::has_finalizer(vmim, FINALIZER) {
        effects.extend(object::merge(VMIM, vmim, object::without_finalizer(vmim, FINALIZER)));
    }
    Outcome::of(effects)
}

fn created(vmim: &Value) -> &str {
    object::text(vmim, "/metadata/creationTimestamp")
}

fn mark(vmim: &Value, view: &dyn View, _now: Now) -> Outcome {
    let Some(vmi) = view.get(VMI, object::namespace(vmim), object::text(vmim, "/spec/vmiName")) else {
        return Outcome::rest();
    };
    let ours = object::annotation(&vmi, MARK_UID).is_none_or(|held| held == object::uid(vmim));
    if !ours {
        return Outcome::rest();
    }
    let notes = if is_final(vmim) {
        json!({MARK_UID: null, MARK_STATE: null, MARK_TARGET: null})
    } else {
        let state = match object::text(vmim, "/status/phase") {
            _ if object::is_deleting(vmim) => "Aborting migration",
            "" | "Pending" | "Scheduling" => "Pending migration",
            _ => "Migrating",
        };
        let target = vmim.pointer("/spec/addedNodeSelector/kubernetes.io~1hostname");
        json!({MARK_UID: object::uid(vmim), MARK_STATE: state, MARK_TARGET: target})
    };
    Outcome::of(object::merge(VMI, &vmi, json!({"metadata": {"annotations": notes}})))
}
