//! VirtualMachine + instance + claims + networks → the parts of [`model::vm::VmDetail`] that a row does not have. Pure.

use super::amount::{self, Template};
use super::clean::{self, MAX_LINE, MAX_NAME};
use super::row;
use crate::api::Text;
use crate::api::core::Claim;
use crate::api::kubevirt::{InstanceSpec, Interface, Vm, Vmi, Volume};
use crate::api::meta::{self, time};
use model::UnixMs;
use model::network::NetworkView;
use model::quantity::Bytes;
use model::vm::{Condition, Disk, Nic};

/// Disks, interfaces or conditions that a page shows.
const MAX_PARTS: usize = 64;

fn text(text: Option<&Text<'_>>) -> String {
    clean::text(text.map_or("", |t| t), MAX_NAME)
}

fn some(value: Option<&Text<'_>>) -> Option<String> {
    value.filter(|t| !t.is_empty()).map(|t| clean::text(t, MAX_NAME))
}

/// The template's spec: what the VM is to be.
pub(crate) fn template<'v, 'a>(vm: &'v Vm<'a>) -> Option<&'v InstanceSpec<'a>> {
    vm.spec.as_ref()?.template.as_ref()?.spec.as_ref()
}

/// What is known of one claim: read from the cluster, and Longhorn's word about the volume behind it.
pub(crate) struct Backing {
    pub(crate) name: String,
    pub(crate) size: Option<Bytes>,
    pub(crate) class: Option<String>,
    pub(crate) phase: Option<String>,
    pub(crate) image: Option<String>,
    pub(crate) volume: Option<String>,
    pub(crate) robustness: Option<String>,
}

/// From the claim object.
pub(crate) fn backing(claim: &Claim<'_>) -> Backing {
    let (spec, status) = (claim.spec.as_ref(), claim.status.as_ref());
    let actual = status.and_then(|s| s.capacity.as_ref()?.storage.as_deref());
    let wanted = spec.and_then(|s| s.resources.as_ref()?.requests.as_ref()?.storage.as_deref());
    Backing {
        name: clean::text(&claim.metadata.name, MAX_NAME),
        size: actual.or(wanted).and_then(Bytes::parse),
        class: some(spec.and_then(|s| s.storage_class_name.as_ref())),
        phase: some(status.and_then(|s| s.phase.as_ref())),
        image: some(claim.metadata.annotations.as_ref().and_then(|a| a.image_id.as_ref())),
        volume: some(spec.and_then(|s| s.volume_name.as_ref())),
        robustness: None,
    }
}

/// Disks in boot order; those without one follow in the order of the spec.
pub(crate) fn disks(vm: &Vm<'_>, backings: &[Backing]) -> Vec<Disk> {
    let Some(spec) = template(vm) else { return Vec::new() };
    let templates = amount::templates(vm.metadata.annotations.as_ref());
    let volumes = spec.volumes.as_deref().unwrap_or_default();
    let disks = spec.domain.as_ref().and_then(|d| d.devices.as_ref()?.disks.as_deref()).unwrap_or_default();
    let mut ordered: Vec<_> = disks.iter().take(MAX_PARTS).collect();
    ordered.sort_by_key(|d| d.boot_order.unwrap_or(u32::MAX));
    let disk = |d: &crate::api::kubevirt::Disk<'_>| {
        let (kind, target) = match (&d.cdrom, &d.lun) {
            (Some(cdrom), _) => ("cdrom", Some(cdrom)),
            (_, Some(lun)) => ("lun", Some(lun)),
            _ => ("disk", d.disk.as_ref()),
        };
        let volume = volumes.iter().find(|v| v.name == d.name);
        let claim = volume.and_then(|v| v.claim());
        let backing = claim.and_then(|c| backings.iter().find(|b| b.name == c));
        let planned: Option<&Template> = claim.and_then(|c| templates.iter().find(|t| t.name == c));
        let planned_text = |text: Option<&String>| text.map(|t| clean::text(t, MAX_NAME));
        Disk {
            name: text(d.name.as_ref()),
            source: volume.map(source).unwrap_or_default(),
            bus: text(target.and_then(|t| t.bus.as_ref())),
            kind: kind.to_owned(),
            size: backing.and_then(|b| b.size).or(planned.map(|t| t.size)),
            class: backing.and_then(|b| b.class.clone()).or_else(|| planned_text(planned?.class.as_ref())),
            image: backing.and_then(|b| b.image.clone()).or_else(|| planned_text(planned?.image.as_ref())),
            phase: backing.and_then(|b| b.phase.clone()),
            robustness: backing.and_then(|b| b.robustness.clone()),
        }
    };
    ordered.into_iter().map(disk).collect()
}

fn source(volume: &Volume<'_>) -> String {
    if let Some(claim) = volume.claim() {
        return clean::text(claim, MAX_NAME);
    }
    if let Some(container) = &volume.container_disk {
        return text(container.image.as_ref());
    }
    match (volume.cloud_init(), &volume.sysprep) {
        (Some(_), _) => "cloud-init".into(),
        (_, Some(_)) => "sysprep".into(),
        _ => String::new(),
    }
}

/// Interfaces in the order of the spec, with what the instance reports about each.
pub(crate) fn nics(vm: &Vm<'_>, vmi: Option<&Vmi<'_>>, networks: &[NetworkView]) -> Vec<Nic> {
    let Some(spec) = template(vm) else { return Vec::new() };
    let interfaces = spec.domain.as_ref().and_then(|d| d.devices.as_ref()?.interfaces.as_deref()).unwrap_or_default();
    let reported = vmi.and_then(|v| v.status.as_ref()?.interfaces.as_deref()).unwrap_or_default();
    let nic = |interface: &Interface<'_>| {
        let network = network_of(vm, spec, interface);
        let mac = interface.mac_address.as_deref().map(str::to_ascii_lowercase);
        // By MAC address, then by name: a guest's own bridges have no name.
        let by_mac =
            |mac: &str| reported.iter().find(|r| r.mac.as_deref().is_some_and(|m| m.eq_ignore_ascii_case(mac)));
        let by_name = || reported.iter().find(|r| r.name.is_some() && r.name == interface.name);
        let seen = mac.as_deref().and_then(by_mac).or_else(by_name);
        let mac = mac.or_else(|| seen.and_then(|s| s.mac.as_deref()).map(str::to_ascii_lowercase));
        Nic {
            name: text(interface.name.as_ref()),
            vlan: networks.iter().find(|n| n.reference() == network).and_then(|n| n.vlan),
            network,
            model: text(interface.model.as_ref()),
            binding: binding(interface),
            mac: mac.map(|m| clean::text(&m, 32)),
            addresses: seen.map(|s| row::addresses(std::slice::from_ref(s))).unwrap_or_default(),
            link: some(seen.and_then(|s| s.link_state.as_ref())),
        }
    };
    interfaces.iter().take(MAX_PARTS).map(nic).collect()
}

/// `namespace/name`; without a slash the VM's own namespace is meant (`harvester-api.md` §7.1).
fn network_of(vm: &Vm<'_>, spec: &InstanceSpec<'_>, interface: &Interface<'_>) -> String {
    let networks = spec.networks.as_deref().unwrap_or_default();
    let network = networks.iter().find(|n| n.name == interface.name);
    let multus = network.and_then(|n| n.multus.as_ref()).and_then(|m| m.network_name.as_deref());
    match multus {
        Some(name) if name.contains('/') => clean::text(name, 2 * MAX_NAME),
        Some(name) => clean::text(&format!("{}/{name}", vm.metadata.namespace()), 2 * MAX_NAME),
        None if network.is_some_and(|n| n.pod.is_some()) => "pod".into(),
        None => String::new(),
    }
}

fn binding(interface: &Interface<'_>) -> String {
    if let Some(binding) = &interface.binding {
        return text(binding.name.as_ref());
    }
    let fixed = [
        (interface.bridge.is_some(), "bridge"),
        (interface.masquerade.is_some(), "masquerade"),
        (interface.sriov.is_some(), "sriov"),
    ];
    fixed.into_iter().find(|(is, _)| *is).map(|(_, word)| word.to_owned()).unwrap_or_default()
}

/// Conditions of the VM, and those of its instance that the VM does not repeat.
pub(crate) fn conditions(vm: &Vm<'_>, vmi: Option<&Vmi<'_>>) -> Vec<Condition> {
    let of_vm = vm.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    let of_vmi = vmi.and_then(|v| v.status.as_ref()?.conditions.as_deref()).unwrap_or_default();
    let fresh = of_vmi.iter().filter(|c| !of_vm.iter().any(|o| o.kind == c.kind));
    let view = |c: &meta::Condition<'_>| Condition {
        kind: text(c.kind.as_ref()),
        status: text(c.status.as_ref()),
        reason: some(c.reason.as_ref()),
        message: c.message.as_deref().filter(|m| !m.is_empty()).map(|m| clean::text(m, 4 * MAX_LINE)),
        since: time(c.last_transition_time.as_ref()),
    };
    of_vm.iter().chain(fresh).take(MAX_PARTS).map(view).collect()
}

/// The words of a condition, if it has that status.
pub(crate) fn words_of(conditions: &[Condition], kind: &str, status: &str) -> Option<String> {
    let condition = conditions.iter().find(|c| c.kind == kind && c.status == status)?;
    Some(condition.message.clone().or_else(|| condition.reason.clone()).unwrap_or_else(|| kind.to_owned()))
}

/// Since when the instance runs.
pub(crate) fn running_since(vmi: Option<&Vmi<'_>>) -> Option<UnixMs> {
    let status = vmi?.status.as_ref().filter(|s| s.phase.as_deref() == Some("Running"))?;
    let times = status.phase_transition_timestamps.as_deref().unwrap_or_default();
    times
        .iter()
        .filter(|t| t.phase.as_deref() == Some("Running"))
        .find_map(|t| time(t.phase_transition_timestamp.as_ref()))
}
