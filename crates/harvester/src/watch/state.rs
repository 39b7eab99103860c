//! What the watches of one cluster have put together: rows of VMs, and the small things around them.
//!
//! Every change to a VM, its instance, its migration or its claims ends in [`State::fold`], which lays the row anew and
//! notes it as changed only if a reader would see a difference. Pure: times come in.

use super::index::{Change, Ident, Index};
use super::kinds::Moving;
use crate::view::amount::Room;
use crate::view::row::{VmHalf, VmiHalf, lay};
use model::UnixMs;
use model::image::ImageView;
use model::network::NetworkView;
use model::node::NodeView;
use model::quantity::Bytes;
use model::vm::VmRow;
use std::collections::HashMap;
use std::sync::Arc;

/// A VM: its row as readers see it, and the half that the row was laid from.
#[derive(Debug)]
pub(crate) struct Vm {
    pub(crate) row: Arc<VmRow>,
    pub(crate) half: VmHalf,
}

/// A Longhorn node's room for replicas.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Store {
    pub(crate) schedulable: Bytes,
}

/// A storage class.
#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) is_default: bool,
}

/// Everything.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) vms: Index<Vm>,
    pub(crate) vmis: Index<VmiHalf>,
    pub(crate) vmims: Index<Moving>,
    /// Sizes of claims.
    pub(crate) claims: Index<Bytes>,
    pub(crate) nodes: Index<NodeView>,
    pub(crate) networks: Index<Option<NetworkView>>,
    pub(crate) images: Index<Option<ImageView>>,
    pub(crate) keypairs: Index<String>,
    pub(crate) namespaces: Index<String>,
    pub(crate) stores: Index<Store>,
    pub(crate) classes: Index<Class>,
    /// Instances that are being moved: instance key → the migration's key, and the target node once it is known.
    moving: HashMap<u64, (u64, Option<Arc<str>>)>,
    /// VMs whose row changed or went since the last snapshot: key → (name, namespace).
    pub(crate) dirty: HashMap<u64, (Arc<str>, Arc<str>)>,
    /// Something else that readers see changed.
    pub(crate) is_status_dirty: bool,
    /// The first list of VMs has ended.
    pub(crate) has_vms: bool,
    /// The first list of instances has ended. Before both have, a row is not news but what was there all along.
    pub(crate) has_vmis: bool,
    /// Harvester's `server-version`.
    pub(crate) version: Option<String>,
}

impl State {
    pub(crate) fn row(&self, key: u64) -> Option<&Arc<VmRow>> {
        self.vms.get(key).map(|vm| &vm.row)
    }

    /// Where the instance of a VM is being moved to, once that is decided.
    pub(crate) fn target(&self, key: u64) -> Option<Arc<str>> {
        self.moving.get(&key)?.1.clone()
    }

    pub(crate) fn apply_vm(&mut self, id: Ident, vm: Vm, now: UnixMs) -> Change {
        let before = self.row(id.key).cloned();
        let change = self.vms.apply(id, vm);
        match change {
            Change::None => {}
            Change::Set => self.fold(id.key, before.as_ref(), now),
            // Nothing of the first VM may show on the second: not the time it changed, nor anything else.
            Change::Replaced => self.fold(id.key, None, now),
        }
        change
    }

    /// The VM of that key is gone.
    pub(crate) fn gone(&mut self, key: u64, row: &VmRow) {
        self.dirty.insert(key, (row.name.clone(), row.namespace.clone()));
    }

    /// Something that a row is laid from has changed.
    pub(crate) fn refold(&mut self, key: u64, now: UnixMs) {
        if let Some(before) = self.row(key).cloned() {
            self.fold(key, Some(&before), now);
        }
    }

    /// A migration of that instance goes on, with this target, or has ended (`None`).
    pub(crate) fn note_moving(&mut self, migration: u64, vmi: u64, going: Option<Option<Arc<str>>>, now: UnixMs) {
        match going {
            Some(target) => drop(self.moving.insert(vmi, (migration, target))),
            // The end of an old migration says nothing about the one that goes on.
            None if self.moving.get(&vmi).is_some_and(|(key, _)| *key == migration) => drop(self.moving.remove(&vmi)),
            None => return,
        }
        self.refold(vmi, now);
    }

    fn fold(&mut self, key: u64, before: Option<&Arc<VmRow>>, now: UnixMs) {
        let Some(vm) = self.vms.get_mut(key) else { return };
        let more = vm
            .half
            .claims
            .iter()
            .filter_map(|&claim| self.claims.get(claim))
            .fold(0_u64, |sum, b| sum.saturating_add(b.0));
        let mut row = VmRow::clone(&vm.row);
        lay(
            &mut row,
            before.map(Arc::as_ref),
            &vm.half,
            self.vmis.get_mut(key),
            self.moving.contains_key(&key),
            Bytes(more),
        );
        if let Some(before) = before {
            row.changed = before.changed;
            if row == **before {
                vm.row = before.clone();
                return;
            }
        }
        if self.has_vms && self.has_vmis {
            row.changed = now;
        }
        self.dirty.insert(key, (row.name.clone(), row.namespace.clone()));
        vm.row = Arc::new(row);
    }

    /// What running VMs may use and ask for, on each node and together.
    pub(crate) fn load(&self) -> Load {
        let mut load = Load::default();
        for vmi in self.vmis.values().filter(|vmi| vmi.is_alive) {
            load.limits.add(vmi.limits);
            load.requests.add(vmi.requests);
            if let Some(node) = &vmi.node {
                let (vms, room) = load.nodes.entry(node.clone()).or_default();
                *vms += 1;
                room.add(vmi.requests);
            }
        }
        load
    }
}

/// Sums over running VMs.
#[derive(Debug, Default)]
pub(crate) struct Load {
    pub(crate) limits: Room,
    pub(crate) requests: Room,
    pub(crate) nodes: HashMap<Arc<str>, (u32, Room)>,
}
