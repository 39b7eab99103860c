//! One VM in full, read when its page asks: the cluster's half of [`VmDetail`].
//!
//! The VM must be readable; everything else (claims, events, Longhorn, the Secret, the guest) fills in what it can, so that
//! a missing right costs a field and not the page.

use crate::act::guest;
use crate::api::core::{Claim, Event, List, Pod, Secret};
use crate::api::kubevirt::{Vm, Vmi};
use crate::api::{Kind, ObjectRef, longhorn};
use crate::call::segment;
use crate::view::clean::{self, MAX_LINE, MAX_NAME};
use crate::view::detail::{self, Backing};
use crate::view::netdata::{self, Injected};
use crate::view::{event, yaml};
use crate::{Cache, Cluster, ClusterError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures::future::{join, join_all};
use model::UnixMs;
use model::id::VmRef;
use model::ipam::Truth;
use model::vm::{EventLine, Nic, VmDetail};
use serde::Deserialize;
use serde_json::Value;

/// Claims of one VM that are read.
const MAX_CLAIMS: usize = 16;

/// Launcher pods whose events are read: two while migrating, some old ones.
const MAX_PODS: usize = 4;

/// Events of one object that are read.
const EVENTS: usize = 100;

/// Longhorn's namespace (`harvester-api.md` §8.3).
const LONGHORN: &str = "longhorn-system";

/// All that the page of a VM shows; `None` when there is none.
///
/// `truths` has what is injected and what is observed; `ledger`, `drift` and `operations` are left for `ops` to fill.
pub async fn vm_detail(
    cluster: &Cluster,
    cache: &Cache,
    vm: &VmRef,
    now: UnixMs,
) -> Result<Option<VmDetail>, ClusterError> {
    let (namespace, name) = (vm.namespace.as_str(), vm.name.as_str());
    let (vm_path, vmi_path) =
        (Kind::VirtualMachine.path(namespace, name), Kind::VirtualMachineInstance.path(namespace, name));
    let (vm_body, vmi_body) = join(cluster.get(&vm_path), cluster.get(&vmi_path)).await;
    let vm_body = match vm_body {
        Err(ClusterError::NotFound { .. }) => return Ok(None),
        other => other?,
    };
    let live: Vm<'_> = parse(&vm_body, &vm_path)?;
    let vmi: Option<Vmi<'_>> = vmi_body.as_ref().ok().and_then(|body| serde_json::from_slice(body).ok());

    let row = match cache.row(namespace, name) {
        Some(row) => (*row).clone(),
        // Read before the watch told of it.
        None => {
            return Err(ClusterError::NotFound {
                what: format!("{}/{} yet", clean::text(namespace, 63), clean::text(name, 63)),
            });
        }
    };
    let claims: Vec<&str> = volumes(&live).filter_map(|v| v.claim()).take(MAX_CLAIMS).collect();
    let ((backings, events), (injected, guest)) = join(
        join(backings(cluster, namespace, &claims), events(cluster, namespace, name, &claims)),
        join(injected(cluster, &live), guest(cluster, vm)),
    )
    .await;
    let guest = guest.ok().flatten();

    let nics = detail::nics(&live, vmi.as_ref(), &cache.networks());
    let conditions = detail::conditions(&live, vmi.as_ref());
    let spec = live.spec.as_ref();
    let domain = detail::template(&live).and_then(|t| t.domain.as_ref());
    let strategy =
        spec.and_then(|s| s.run_strategy.as_deref()).or_else(|| live.status.as_ref()?.run_strategy.as_deref());
    let strategy = strategy.or(spec.and_then(|s| s.running).map(|running| if running { "Always" } else { "Halted" }));
    let machine =
        vmi.as_ref().and_then(|v| v.status.as_ref()?.machine.as_ref()).or(domain.and_then(|d| d.machine.as_ref()));
    let kernel = vmi.as_ref().and_then(|v| v.status.as_ref()?.guest_os_info.as_ref()?.kernel_release.as_deref());
    Ok(Some(VmDetail {
        run_strategy: clean::text(strategy.unwrap_or_default(), 64),
        description: live
            .metadata
            .annotations
            .as_ref()
            .and_then(|a| a.description.as_deref())
            .map(|d| clean::text(d, 4 * MAX_LINE)),
        machine: machine.and_then(|m| m.kind.as_deref()).filter(|m| !m.is_empty()).map(|m| clean::text(m, 64)),
        topology: crate::view::amount::topology(domain.and_then(|d| d.cpu.as_ref())),
        disks: detail::disks(&live, &backings),
        truths: truths(&nics, &injected, now),
        not_migratable: detail::words_of(&conditions, "LiveMigratable", "False"),
        restart_required: detail::words_of(&conditions, "RestartRequired", "True"),
        running_since: detail::running_since(vmi.as_ref()),
        kernel: kernel.map(|k| clean::text(k, MAX_NAME)).or_else(|| guest.as_ref()?.kernel.clone()),
        hostname: guest.and_then(|g| g.hostname),
        migration_target: cache.migration_target(namespace, name).map(|t| t.to_string()),
        nics,
        conditions,
        events,
        operations: Vec::new(),
        as_of: now,
        row,
    }))
}

/// The VM as YAML, without `managedFields`; what looks like a secret in inline cloud-init data is masked.
pub async fn vm_yaml(cluster: &Cluster, vm: &VmRef) -> Result<String, ClusterError> {
    let target = ObjectRef::vm(vm.namespace.as_str(), vm.name.as_str());
    let object: Value = cluster.read(&target.path()).await?;
    yaml::of(object).ok_or_else(|| ClusterError::garbled(format!("{target} as YAML")))
}

fn parse<'a, T: Deserialize<'a>>(body: &'a Bytes, path: &str) -> Result<T, ClusterError> {
    serde_json::from_slice(body).map_err(|e| ClusterError::garbled(format!("{path}: {e}")))
}

fn volumes<'v, 'a>(vm: &'v Vm<'a>) -> impl Iterator<Item = &'v crate::api::kubevirt::Volume<'a>> {
    detail::template(vm).and_then(|t| t.volumes.as_deref()).unwrap_or_default().iter()
}

async fn backings(cluster: &Cluster, namespace: &str, claims: &[&str]) -> Vec<Backing> {
    let one = |claim: &str| {
        let path = Kind::PersistentVolumeClaim.path(namespace, claim);
        async move {
            let body = cluster.get(&path).await.ok()?;
            let claim: Claim<'_> = serde_json::from_slice(&body).ok()?;
            let mut backing = detail::backing(&claim);
            if let Some(volume) = &backing.volume {
                backing.robustness = robustness(cluster, volume).await;
            }
            Some(backing)
        }
    };
    join_all(claims.iter().map(|claim| one(claim))).await.into_iter().flatten().collect()
}

/// Longhorn's volume has the name of the persistent volume.
async fn robustness(cluster: &Cluster, volume: &str) -> Option<String> {
    let body = cluster.get(&Kind::LonghornVolume.path(LONGHORN, volume)).await.ok()?;
    let volume: longhorn::Volume<'_> = serde_json::from_slice(&body).ok()?;
    Some(clean::text(volume.status?.robustness.as_deref()?, 32))
}

/// Events of the VM and its instance (one name), of its pods, of its claims and the DataVolumes that fill them (one name).
async fn events(cluster: &Cluster, namespace: &str, name: &str, claims: &[&str]) -> Vec<EventLine> {
    let pods = pods(cluster, namespace, name).await;
    let about = std::iter::once(name).chain(claims.iter().copied()).chain(pods.iter().map(String::as_str));
    let one = |about: &str| {
        let path = format!(
            "{}?limit={EVENTS}&fieldSelector=involvedObject.name%3D{}",
            Kind::Event.collection(Some(namespace)),
            segment(about)
        );
        async move {
            let body = cluster.get(&path).await.ok()?;
            let list: List<Event<'_>> = serde_json::from_slice(&body).ok()?;
            Some(list.items.unwrap_or_default().iter().map(event::of).collect::<Vec<_>>())
        }
    };
    event::merged(join_all(about.map(one)).await.into_iter().flatten().flatten().collect())
}

async fn pods(cluster: &Cluster, namespace: &str, name: &str) -> Vec<String> {
    let path = format!(
        "{}?limit={MAX_PODS}&labelSelector=vm.kubevirt.io%2Fname%3D{}",
        Kind::Pod.collection(Some(namespace)),
        segment(name)
    );
    let Ok(body) = cluster.get(&path).await else { return Vec::new() };
    let list: Result<List<Pod<'_>>, _> = serde_json::from_slice(&body);
    let pods = list.ok().and_then(|l| l.items).unwrap_or_default();
    pods.iter().take(MAX_PODS).map(|pod| pod.metadata.name.to_string()).collect()
}

/// What cloud-init gives to which interface, as far as it may be read.
async fn injected(cluster: &Cluster, vm: &Vm<'_>) -> Vec<Injected> {
    let Some(cloud_init) = volumes(vm).find_map(|v| v.cloud_init()) else { return Vec::new() };
    if let Some(inline) = cloud_init.network_data.as_deref() {
        return netdata::read(inline);
    }
    if let Some(inline) = cloud_init.network_data_base64.as_deref() {
        return netdata::read(&decoded(inline));
    }
    let Some(secret) = cloud_init.network_data_secret_ref.as_ref().and_then(|s| s.name.as_deref()) else {
        return Vec::new();
    };
    let found: Result<Secret, _> = cluster.read(&Kind::Secret.path(vm.metadata.namespace(), secret)).await;
    let Some(data) = found.ok().and_then(|s| s.data) else { return Vec::new() };
    let text = data.get("networkdata").or_else(|| data.get("networkData"));
    text.map(|text| netdata::read(&decoded(text))).unwrap_or_default()
}

fn decoded(base64: &str) -> String {
    let bytes = STANDARD.decode(base64.trim()).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// Injected and observed, a line an interface. An entry without a MAC address is the interface's of its name, or of the only
/// one that there is.
fn truths(nics: &[Nic], injected: &[Injected], now: UnixMs) -> Vec<Truth> {
    let of = |nic: &Nic| {
        let by_mac = injected.iter().find(|i| i.mac.is_some() && i.mac == nic.mac);
        let by_name = || {
            injected
                .iter()
                .find(|i| i.mac.is_none() && (i.name == nic.name || (nics.len() == 1 && injected.len() == 1)))
        };
        by_mac.or_else(by_name).and_then(|i| i.address)
    };
    let line = |nic: &Nic| Truth {
        nic: Some(nic.name.clone()),
        ledger: None,
        injected: of(nic),
        observed: nic.addresses.clone(),
        as_of: (!nic.addresses.is_empty()).then_some(now),
        drift: None,
    };
    nics.iter().map(line).collect()
}

#[cfg(test)]
mod tests;
