//! Who sits at which screen: KubeVirt shows one to one viewer, and whoever opens it cuts the one before off without a word.
//! Here both are told.
//!
//! Seats are of this program only; it must never know what goes over the line.

use model::console::Mode;
use model::id::{AccountId, VmRef};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// All seats that are taken.
#[derive(Clone, Default)]
pub(super) struct Seats(Arc<Mutex<Taken>>);

#[derive(Default)]
struct Taken {
    last: u64,
    held: HashMap<(VmRef, Mode), Held>,
}

struct Held {
    id: u64,
    account: AccountId,
    name: String,
    oust: oneshot::Sender<String>,
}

/// A seat, free again when it is dropped.
pub struct Seat {
    id: u64,
    at: (VmRef, Mode),
    seats: Seats,
    ousted: oneshot::Receiver<String>,
}

impl Seats {
    /// The name of who sits there, unless that is `account`.
    pub(super) fn other(&self, vm: &VmRef, mode: Mode, account: &AccountId) -> Option<String> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let held = taken.held.get(&(vm.clone(), mode))?;
        (held.account != *account).then(|| held.name.clone())
    }

    /// Sits down; whoever sat there learns from whom.
    pub(super) fn take(&self, vm: &VmRef, mode: Mode, account: AccountId, name: String) -> Seat {
        let at = (vm.clone(), mode);
        let (oust, ousted) = oneshot::channel();
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        taken.last += 1;
        let id = taken.last;
        let before = taken.held.insert(at.clone(), Held { id, account, name: name.clone(), oust });
        drop(taken);
        if let Some(before) = before {
            // Who has left meanwhile need not be told.
            let _ = before.oust.send(name);
        }
        Seat { id, at, seats: self.clone(), ousted }
    }
}

impl Seat {
    /// Resolves when somebody else sits down here, with their name.
    pub async fn ousted(&mut self) -> String {
        // The sender is kept by the map as long as this seat is, so that the channel closes only by a name.
        (&mut self.ousted).await.unwrap_or_default()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.0.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.held.get(&self.at).is_some_and(|held| held.id == self.id) {
            taken.held.remove(&self.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_second_ousts_the_first_and_leaving_frees_only_ones_own() {
        let seats = Seats::default();
        let vm = VmRef::parse("bj-1", "erp", "web-01").unwrap();
        let account = |id: &str| AccountId::parse(id).unwrap();
        let mut first = seats.take(&vm, Mode::Vnc, account("a"), "林若涵".into());
        assert_eq!(seats.other(&vm, Mode::Vnc, &account("a")), None, "one is not in one's own way");
        assert_eq!(seats.other(&vm, Mode::Serial, &account("b")), None, "the serial line is another seat");
        assert_eq!(seats.other(&vm, Mode::Vnc, &account("b")).as_deref(), Some("林若涵"));
        let second = seats.take(&vm, Mode::Vnc, account("b"), "周启明".into());
        assert_eq!(first.ousted().await, "周启明");
        drop(first);
        assert_eq!(seats.other(&vm, Mode::Vnc, &account("a")).as_deref(), Some("周启明"));
        drop(second);
        assert_eq!(seats.other(&vm, Mode::Vnc, &account("a")), None);
    }
}
