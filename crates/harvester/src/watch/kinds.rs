//! The kinds that a cache follows: how each is read, and what a change of it touches.

use super::index::{Change, Ident, Index, Keys};
use super::intern::{Intern, own};
use super::state::{Class, State, Store, Vm};
use crate::api::cni::Nad;
use crate::api::core::{Claim, Node, Plain};
use crate::api::harvesterhci::Image;
use crate::api::meta::{Bare, Meta};
use crate::api::{Kind, kubevirt, longhorn};
use crate::view::row::VmiHalf;
use crate::view::{clean, image, network, node, row};
use model::UnixMs;
use model::image::ImageView;
use model::network::NetworkView;
use model::node::NodeView;
use model::quantity::Bytes;
use std::sync::{Arc, Mutex, PoisonError};

/// What reading needs beside the text.
pub(crate) struct Reader {
    pub(crate) keys: Keys,
    pub(crate) cluster: Arc<str>,
    pub(crate) intern: Mutex<Intern>,
}

impl Reader {
    fn ident(&self, meta: &Meta<'_>) -> Ident {
        self.ident_of(meta.namespace(), &meta.name, &meta.uid, &meta.resource_version)
    }

    fn ident_of(&self, namespace: &str, name: &str, uid: &str, version: &str) -> Ident {
        // A version that is no number (no API server writes one) counts as newest: then the last event wins.
        let version = version.parse().unwrap_or(u64::MAX);
        Ident { key: self.keys.key(namespace, name), uid: self.keys.uid(uid), version }
    }

    /// What a deletion needs.
    pub(crate) fn bare(&self, raw: &[u8]) -> Result<Ident, serde_json::Error> {
        let Bare { metadata: m } = serde_json::from_slice(raw)?;
        Ok(self.ident_of(m.namespace.as_deref().unwrap_or_default(), &m.name, &m.uid, &m.resource_version))
    }

    fn intern<T>(&self, work: impl FnOnce(&mut Intern) -> T) -> T {
        work(&mut self.intern.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A kind that a cache follows.
pub(crate) trait Followed: Send + Sync + 'static {
    const KIND: Kind;
    type Part: Send + 'static;

    /// Reads one object.
    fn read(raw: &[u8], reader: &Reader) -> Result<(Ident, Self::Part), serde_json::Error>;

    /// Where its objects are kept.
    fn index(state: &mut State) -> &mut Index<Self::Part>;

    /// Keeps one object, and brings up to date what hangs on it.
    fn apply(state: &mut State, id: Ident, part: Self::Part, _now: UnixMs) -> Change {
        let change = Self::index(state).apply(id, part);
        state.is_status_dirty |= change != Change::None;
        change
    }

    /// Takes out one object likewise; `true` when it was there.
    fn delete(state: &mut State, id: Ident, _now: UnixMs) -> bool {
        let was_there = Self::index(state).delete(id);
        state.is_status_dirty |= was_there;
        was_there
    }

    /// A list has ended: takes out what it did not show, and says how much that was.
    fn end(state: &mut State, version: u64, _now: UnixMs) -> usize {
        let gone = Self::index(state).end(version).len();
        state.is_status_dirty |= gone > 0;
        gone
    }
}

pub(crate) struct Vms;

impl Followed for Vms {
    const KIND: Kind = Kind::VirtualMachine;
    type Part = Vm;

    fn read(raw: &[u8], reader: &Reader) -> Result<(Ident, Vm), serde_json::Error> {
        let vm: kubevirt::Vm<'_> = serde_json::from_slice(raw)?;
        let (row, half) = reader.intern(|intern| row::of_vm(&vm, &reader.cluster, &reader.keys, intern));
        Ok((reader.ident(&vm.metadata), Vm { row: Arc::new(row), half }))
    }

    fn index(state: &mut State) -> &mut Index<Vm> {
        &mut state.vms
    }

    fn apply(state: &mut State, id: Ident, vm: Vm, now: UnixMs) -> Change {
        state.apply_vm(id, vm, now)
    }

    fn delete(state: &mut State, id: Ident, _now: UnixMs) -> bool {
        let row = state.row(id.key).cloned();
        let was_there = state.vms.delete(id);
        if let Some(row) = row.filter(|_| was_there) {
            state.gone(id.key, &row);
        }
        was_there
    }

    fn end(state: &mut State, version: u64, _now: UnixMs) -> usize {
        let names: Vec<_> = state.vms.missing(version).map(|(key, vm)| (key, vm.row.clone())).collect();
        let gone = state.vms.end(version).len();
        names.iter().for_each(|(key, row)| state.gone(*key, row));
        state.has_vms = true;
        gone
    }
}

pub(crate) struct Vmis;

impl Followed for Vmis {
    const KIND: Kind = Kind::VirtualMachineInstance;
    type Part = VmiHalf;

    fn read(raw: &[u8], reader: &Reader) -> Result<(Ident, VmiHalf), serde_json::Error> {
        let vmi: kubevirt::Vmi<'_> = serde_json::from_slice(raw)?;
        Ok((reader.ident(&vmi.metadata), reader.intern(|intern| row::of_vmi(&vmi, intern))))
    }

    fn index(state: &mut State) -> &mut Index<VmiHalf> {
        &mut state.vmis
    }

    fn apply(state: &mut State, id: Ident, vmi: VmiHalf, now: UnixMs) -> Change {
        let load = |state: &State| state.vmis.get(id.key).map(VmiHalf::load);
        let before = load(state);
        let change = state.vmis.apply(id, vmi);
        if change != Change::None {
            state.is_status_dirty |= before != load(state);
            state.refold(id.key, now);
        }
        change
    }

    fn delete(state: &mut State, id: Ident, now: UnixMs) -> bool {
        let was_there = state.vmis.delete(id);
        if was_there {
            state.is_status_dirty = true;
            state.refold(id.key, now);
        }
        was_there
    }

    fn end(state: &mut State, version: u64, now: UnixMs) -> usize {
        let gone = state.vmis.end(version);
        gone.iter().for_each(|&key| state.refold(key, now));
        state.has_vmis = true;
        gone.len()
    }
}

/// A live migration.
#[derive(Debug)]
pub(crate) struct Moving {
    /// Key of the instance.
    pub(crate) vmi: u64,
    pub(crate) is_active: bool,
    pub(crate) target: Option<Arc<str>>,
}

pub(crate) struct Vmims;

impl Followed for Vmims {
    const KIND: Kind = Kind::VirtualMachineInstanceMigration;
    type Part = Moving;

    fn read(raw: &[u8], reader: &Reader) -> Result<(Ident, Moving), serde_json::Error> {
        let vmim: kubevirt::Vmim<'_> = serde_json::from_slice(raw)?;
        let status = vmim.status.as_ref();
        let name = vmim.spec.as_ref().and_then(|s| s.vmi_name.as_deref()).unwrap_or_default();
        let phase = status.and_then(|s| s.phase.as_deref()).unwrap_or_default();
        let target = status.and_then(|s| s.migration_state.as_ref()).and_then(|m| m.target_node.as_deref());
        let moving = Moving {
            vmi: reader.keys.key(vmim.metadata.namespace(), name),
            // A migration that waits for its turn does not move the VM yet.
            is_active: !matches!(phase, "" | "Pending" | "Succeeded" | "Failed"),
            target: target.filter(|t| !t.is_empty()).map(|t| own(t, clean::MAX_NAME)),
        };
        Ok((reader.ident(&vmim.metadata), moving))
    }

    fn index(state: &mut State) -> &mut Index<Moving> {
        &mut state.vmims
    }

    fn apply(state: &mut State, id: Ident, moving: Moving, now: UnixMs) -> Change {
        let (vmi, going) = (moving.vmi, moving.is_active.then(|| moving.target.clone()));
        let change = state.vmims.apply(id, moving);
        if change != Change::None {
            state.note_moving(id.key, vmi, going, now);
        }
        change
    }

    fn delete(state: &mut State, id: Ident, now: UnixMs) -> bool {
        let vmi = state.vmims.get(id.key).map(|m| m.vmi);
        let was_there = state.vmims.delete(id);
        if let Some(vmi) = vmi.filter(|_| was_there) {
            state.note_moving(id.key, vmi, None, now);
        }
        was_there
    }

    fn end(state: &mut State, version: u64, now: UnixMs) -> usize {
        let ended: Vec<_> = state.vmims.missing(version).map(|(key, m)| (key, m.vmi)).collect();
        let gone = state.vmims.end(version).len();
        ended.into_iter().for_each(|(key, vmi)| state.note_moving(key, vmi, None, now));
        gone
    }
}

pub(crate) struct Claims;

impl Followed for Claims {
    const KIND: Kind = Kind::PersistentVolumeClaim;
    type Part = Bytes;

    fn read(raw: &[u8], reader: &Reader) -> Result<(Ident, Bytes), serde_json::Error> {
        let claim: Claim<'_> = serde_json::from_slice(raw)?;
        let wanted = claim.spec.as_ref().and_then(|s| s.resources.as_ref()?.requests.as_ref()?.storage.as_deref());
        Ok((reader.ident(&claim.metadata), wanted.and_then(Bytes::parse).unwrap_or_default()))
    }

    fn index(state: &mut State) -> &mut Index<Bytes> {
        &mut state.claims
    }
}

pub(crate) struct Nodes;

impl Followed for Nodes {
    const KIND: Kind = Kind::Node;
    type Part = NodeView;

    fn read(raw: &[u8], reader: &Reader) -> Result<(Ident, NodeView), serde_json::Error> {
        let found: Node<'_> = serde_json::from_slice(raw)?;
        Ok((reader.ident(&found.metadata), node::of(&found)))
    }

    fn index(state: &mut State) -> &mut Index<NodeView> {
        &mut state.nodes
    }

    fn apply(state: &mut State, id: Ident, view: NodeView, _now: UnixMs) -> Change {
        // A kubelet writes its node every few seconds; mostly nothing that is shown differs.
        let is_news = state.nodes.get(id.key) != Some(&view);
        let change = state.nodes.apply(id, view);
        state.is_status_dirty |= is_news && change != Change::None;
        change
    }
}

pub(crate) struct Networks;

impl Followed for Networks {
    const KIND: Kind = Kind::NetworkAttachmentDefinition;
    type Part = Option<NetworkView>;

    fn read(raw: &[u8], reader: &Reader) -> Result<(Ident, Option<NetworkView>), serde_json::Error> {
        let nad: Nad<'_> = serde_json::from_slice(raw)?;
        Ok((reader.ident(&nad.metadata), network::of(&nad)))
    }

    fn index(state: &mut State) -> &mut Index<Option<NetworkView>> {
        &mut state.networks
    }
}

pub(crate) struct Images;

impl Followed for Images {
    const KIND: Kind = Kind::VirtualMachineImage;
    type Part = Option<ImageView>;

    fn read(raw: &[u8], reader: &Reader) -> Result<(Ident, Option<ImageView>), serde_json::Error> {
        let found: Image<'_> = serde_json::from_slice(raw)?;
        Ok((reader.ident(&found.metadata), image::of(&found)))
    }

    fn index(state: &mut State) -> &mut Index<Option<ImageView>> {
        &mut state.images
    }
}

pub(crate) struct KeyPairs;

impl Followed for KeyPairs {
    const KIND: Kind = Kind::KeyPair;
    type Part = String;

    fn read(raw: &[u8], reader: &Reader) -> Result<(Ident, String), serde_json::Error> {
        let Plain { metadata } = serde_json::from_slice(raw)?;
        let name = format!("{}/{}", metadata.namespace(), &*metadata.name);
        Ok((reader.ident(&metadata), clean::text(&name, 2 * clean::MAX_NAME)))
    }

    fn index(state: &mut State) -> &mut Index<String> {
        &mut state.keypairs
    }
}

pub(crate) struct Namespaces;

impl Followed for Namespaces {
    const KIND: Kind = Kind::Namespace;
    type Part = String;

    fn read(raw: &[u8], reader: &Reader) -> Result<(Ident, String), serde_json::Error> {
        let Plain { metadata } = serde_json::from_slice(raw)?;
        Ok((reader.ident(&metadata), clean::text(&metadata.name, clean::MAX_NAME)))
    }

    fn index(state: &mut State) -> &mut Index<String> {
        &mut state.namespaces
    }
}

pub(crate) struct Stores;

impl Followed for Stores {
    const KIND: Kind = Kind::LonghornNode;
    type Part = Store;

    fn read(raw: &[u8], reader: &Reader) -> Result<(Ident, Store), serde_json::Error> {
        let found: longhorn::Node<'_> = serde_json::from_slice(raw)?;
        Ok((reader.ident(&found.metadata), Store { schedulable: schedulable(&found) }))
    }

    fn index(state: &mut State) -> &mut Index<Store> {
        &mut state.stores
    }

    fn apply(state: &mut State, id: Ident, store: Store, _now: UnixMs) -> Change {
        let is_news = state.stores.get(id.key).map(|s| s.schedulable) != Some(store.schedulable);
        let change = state.stores.apply(id, store);
        state.is_status_dirty |= is_news && change != Change::None;
        change
    }
}

/// Σ(maximum − reserved) of the disks that may be scheduled (`harvester-api.md` §8.4).
fn schedulable(node: &longhorn::Node<'_>) -> Bytes {
    let Some(spec) = node.spec.as_ref().filter(|s| s.allow_scheduling != Some(false)) else { return Bytes(0) };
    let status = node.status.as_ref().and_then(|s| s.disk_status.as_ref());
    let disks = spec.disks.iter().flatten().filter(|(_, disk)| disk.allow_scheduling != Some(false));
    let room = |(name, disk): (&String, &longhorn::DiskSpec)| {
        let most = status?.get(name)?.storage_maximum?;
        u64::try_from(most.saturating_sub(disk.storage_reserved.unwrap_or_default())).ok()
    };
    Bytes(disks.filter_map(room).fold(0, u64::saturating_add))
}

pub(crate) struct Classes;

impl Followed for Classes {
    const KIND: Kind = Kind::StorageClass;
    type Part = Class;

    fn read(raw: &[u8], reader: &Reader) -> Result<(Ident, Class), serde_json::Error> {
        let Plain { metadata } = serde_json::from_slice(raw)?;
        let default = metadata.annotations.as_ref().and_then(|a| a.default_class.as_deref());
        let class = Class { name: clean::text(&metadata.name, clean::MAX_NAME), is_default: default == Some("true") };
        Ok((reader.ident(&metadata), class))
    }

    fn index(state: &mut State) -> &mut Index<Class> {
        &mut state.classes
    }
}
