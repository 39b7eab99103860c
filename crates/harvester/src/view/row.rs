//! VirtualMachine + VirtualMachineInstance → [`VmRow`].
//!
//! The two come by separate watches in any order, so each is read into a half, and the halves are laid together whenever
//! one of them changes. Source of the fields: `harvester-api.md` §1.1, §1.3, §1.7, §1.8.

use super::amount::{self, Room};
use super::clean::{MAX_LINE, MAX_NAME};
use crate::api::Text;
use crate::api::kubevirt::{InterfaceStatus, Vm, Vmi};
use crate::api::meta::{Condition, condition};
use crate::watch::index::Keys;
use crate::watch::intern::{Intern, own};
use model::quantity::Bytes;
use model::vm::{Power, VmRow};
use std::net::IpAddr;
use std::sync::Arc;

/// Addresses and MAC addresses of one VM that are kept: a guest full of containers reports hundreds.
const MAX_ADDRESSES: usize = 16;

/// What the VirtualMachine says beside what stands in the row anyway.
#[derive(Debug)]
pub(crate) struct VmHalf {
    power: Power,
    problem: Option<Arc<str>>,
    os: Option<Arc<str>>,
    has_macs: bool,
    /// Claims of the annotation together.
    claimed: Bytes,
    /// Keys of claims that the annotation does not name.
    pub(crate) claims: Box<[u64]>,
}

/// What the VirtualMachineInstance says.
#[derive(Debug)]
pub(crate) struct VmiHalf {
    /// It has not ended.
    pub(crate) is_alive: bool,
    pub(crate) node: Option<Arc<str>>,
    pub(crate) limits: Room,
    pub(crate) requests: Room,
    has_agent: bool,
    /// Until it is laid into a row: a hundred bytes that need not be kept twice for each of 100,000 VMs.
    seen: Option<Box<Seen>>,
    os: Option<Arc<str>>,
    problem: Option<Arc<str>>,
}

impl VmiHalf {
    /// What sums over VMs are made of.
    pub(crate) fn load(&self) -> (bool, Option<Arc<str>>, Room, Room) {
        (self.is_alive, self.node.clone(), self.limits, self.requests)
    }
}

/// What was observed of the interfaces.
#[derive(Debug, Default)]
struct Seen {
    addresses: Vec<IpAddr>,
    macs: Vec<Arc<str>>,
}

/// A row with what the VM says; [`lay`] adds the rest.
pub(crate) fn of_vm(vm: &Vm<'_>, cluster: &Arc<str>, keys: &Keys, intern: &mut Intern) -> (VmRow, VmHalf) {
    let meta = &vm.metadata;
    let (labels, annotations) = (meta.labels.as_ref(), meta.annotations.as_ref());
    let status = vm.status.as_ref();
    let template = vm.spec.as_ref().and_then(|s| s.template.as_ref()).and_then(|t| t.spec.as_ref());
    let domain = template.and_then(|t| t.domain.as_ref());
    let printable = status.and_then(|s| s.printable_status.as_deref()).unwrap_or("Unknown");
    let power = if meta.deletion_timestamp.is_some() { Power::Deleting } else { Power::from_printable(printable) };

    let interfaces = domain.and_then(|d| d.devices.as_ref()).and_then(|d| d.interfaces.as_deref()).unwrap_or_default();
    let macs: Vec<Arc<str>> = exact(interfaces.iter().filter_map(|i| i.mac_address.as_deref()).map(mac));
    let templates = amount::templates(annotations);
    let volumes = template.and_then(|t| t.volumes.as_deref()).unwrap_or_default();
    let named = |claim: &&str| !templates.iter().any(|t| t.name == *claim);
    let claims =
        volumes.iter().filter_map(|v| v.claim()).filter(named).map(|c| keys.key(meta.namespace(), c)).collect();
    let conditions = status.and_then(|s| s.conditions.as_deref());

    let mut share = |text: Option<&Text<'_>>| text.filter(|t| !t.is_empty()).map(|t| intern.share(t, MAX_NAME));
    let half = VmHalf {
        power,
        problem: problem(power, conditions, annotations.and_then(|a| a.no_quota.as_deref())),
        os: share(labels.and_then(|l| l.os.as_ref())),
        has_macs: !macs.is_empty(),
        claimed: Bytes(templates.iter().fold(0, |sum, t| sum.saturating_add(t.size.0))),
        claims,
    };
    let row = VmRow {
        cluster: cluster.clone(),
        namespace: share(meta.namespace.as_ref()).unwrap_or_default(),
        name: own(&meta.name, MAX_NAME),
        uid: own(&meta.uid, 64),
        power,
        problem: None,
        addresses: Vec::new(),
        macs,
        node: None,
        owner: share(labels.and_then(|l| l.owner.as_ref())),
        owner_name: share(annotations.and_then(|a| a.owner_name.as_ref())),
        service: share(labels.and_then(|l| l.service.as_ref())),
        environment: share(labels.and_then(|l| l.environment.as_ref())),
        display_name: share(annotations.and_then(|a| a.display_name.as_ref())),
        is_managed: labels.and_then(|l| l.managed_by.as_deref()) == Some(model::ownership::MANAGED_BY_US),
        has_agent: false,
        os: None,
        cpu: domain.map_or(0, amount::vcpus),
        memory: domain.map(amount::memory).unwrap_or_default(),
        disk: Bytes(0),
        created: meta.created(),
        changed: meta.created(),
        change: annotations.and_then(|a| a.change.as_deref()).map(|c| own(c, 64)),
        status: intern.share(printable, 64),
    };
    (row, half)
}

/// The other half.
pub(crate) fn of_vmi(vmi: &Vmi<'_>, intern: &mut Intern) -> VmiHalf {
    let status = vmi.status.as_ref();
    let domain = vmi.spec.as_ref().and_then(|s| s.domain.as_ref());
    let conditions = status.and_then(|s| s.conditions.as_deref());
    let interfaces = status.and_then(|s| s.interfaces.as_deref()).unwrap_or_default();
    let guest = status.and_then(|s| s.guest_os_info.as_ref());
    let os = guest.and_then(|g| g.pretty_name.as_ref().or(g.name.as_ref())).filter(|os| !os.is_empty());
    VmiHalf {
        is_alive: !matches!(status.and_then(|s| s.phase.as_deref()), Some("Succeeded" | "Failed")),
        node: status.and_then(|s| s.node_name.as_deref()).filter(|n| !n.is_empty()).map(|n| intern.share(n, MAX_NAME)),
        limits: domain.map(amount::limits).unwrap_or_default(),
        requests: domain.map(amount::requests).unwrap_or_default(),
        has_agent: condition(conditions, "AgentConnected").is_some_and(|c| c.status.as_deref() == Some("True")),
        seen: Some(Box::new(Seen {
            addresses: addresses(interfaces),
            macs: exact(interfaces.iter().filter_map(|i| i.mac.as_deref()).map(mac)),
        })),
        os: os.map(|os| intern.share(os, MAX_NAME)),
        problem: problem(Power::Starting, conditions, None),
    }
}

/// Lays the halves together: `row` has what the VM says, and `before` (the same VM) what its instance said last time.
/// `more` is the size of the claims in [`VmHalf::claims`].
pub(crate) fn lay(
    row: &mut VmRow,
    before: Option<&VmRow>,
    vm: &VmHalf,
    vmi: Option<&mut VmiHalf>,
    is_moving: bool,
    more: Bytes,
) {
    let mut vmi = vmi.filter(|vmi| vmi.is_alive);
    let seen = match vmi.as_mut().map(|vmi| vmi.seen.take()) {
        Some(Some(fresh)) => *fresh,
        Some(None) => before.map(|b| Seen { addresses: b.addresses.clone(), macs: b.macs.clone() }).unwrap_or_default(),
        None => Seen::default(),
    };
    row.addresses = seen.addresses;
    if !vm.has_macs {
        row.macs = seen.macs;
    }
    row.power = if is_moving && vm.power == Power::Running { Power::Migrating } else { vm.power };
    row.node = vmi.as_ref().and_then(|vmi| vmi.node.clone());
    row.has_agent = vmi.as_ref().is_some_and(|vmi| vmi.has_agent);
    row.os = vmi.as_ref().and_then(|vmi| vmi.os.clone()).or_else(|| vm.os.clone());
    row.disk = Bytes(vm.claimed.0.saturating_add(more.0));
    let is_unwell = matches!(vm.power, Power::Failed | Power::Starting);
    row.problem = vm.problem.clone().or_else(|| vmi.filter(|_| is_unwell)?.problem.clone());
}

/// Observed addresses in interface order, without doubles and without those of the link or the guest's loopback.
pub(crate) fn addresses(interfaces: &[InterfaceStatus<'_>]) -> Vec<IpAddr> {
    let mut found: Vec<IpAddr> = Vec::new();
    for interface in interfaces {
        let all = interface.ip_address.iter().chain(interface.ip_addresses.iter().flatten());
        // Interfaces without a name exist inside the guest only: bridges, docker0.
        for address in all.filter(|_| interface.name.is_some()).filter_map(|a| address(a)) {
            if found.len() < MAX_ADDRESSES && !found.contains(&address) {
                found.push(address);
            }
        }
    }
    found.shrink_to_fit();
    found
}

/// An address worth showing, with or without a prefix length behind it.
fn address(text: &str) -> Option<IpAddr> {
    let address: IpAddr = text.split('/').next()?.trim().parse().ok()?;
    let is_local = match address {
        IpAddr::V4(a) => a.is_link_local() || a.is_loopback() || a.is_unspecified(),
        IpAddr::V6(a) => a.segments()[0] & 0xffc0 == 0xfe80 || a.is_loopback() || a.is_unspecified(),
    };
    (!is_local).then_some(address)
}

fn mac(text: &str) -> Arc<str> {
    own(&text.to_ascii_lowercase(), 32)
}

/// Conditions that say why a VM does not come up, the most telling first, with the status that is bad news.
const TELLING: [(&str, &str); 5] = [
    ("Failure", "True"),
    ("PodScheduled", "False"),
    ("Synchronized", "False"),
    ("DataVolumesReady", "False"),
    ("Ready", "False"),
];

fn problem(power: Power, conditions: Option<&[Condition<'_>]>, no_quota: Option<&str>) -> Option<Arc<str>> {
    if let Some(quota) = no_quota.filter(|q| !q.is_empty()) {
        return Some(own(quota, MAX_LINE));
    }
    if !matches!(power, Power::Failed | Power::Starting) {
        return None;
    }
    let said = |&(kind, bad): &(&str, &str)| {
        let condition = condition(conditions, kind).filter(|c| c.is(kind, bad))?;
        // While it starts, not being ready is no news.
        if kind == "Ready" && (power == Power::Starting || condition.reason.as_deref() == Some("VMINotExists")) {
            return None;
        }
        condition.message.as_deref().or(condition.reason.as_deref()).filter(|m| !m.is_empty())
    };
    TELLING.iter().find_map(said).map(|message| own(message, MAX_LINE))
}

fn exact<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.take(MAX_ADDRESSES).collect();
    items.shrink_to_fit();
    items
}

#[cfg(test)]
mod tests;
