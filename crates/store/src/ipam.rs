//! The address ledger: subnets, and who holds which address.
//!
//! Invariant: an address has at most one row, whoever races: it is the primary key. Who allocates in a subnet does so
//! one after the other: the subnet's `cursor` is the lock. Must never know what is seen in clusters; who does passes in
//! what to avoid.
//!
//! Lock order: subnet before address.

mod allocate;
mod key;
mod lease;
mod spans;
mod subnet;
#[cfg(test)]
mod tests;

pub use allocate::{AllocateError, Ask, allocate};
pub use lease::{
    Count, Lease, LeaseState, Owner, confirm, count, extend, lease_of, leases_after, leases_in, leases_of_holder,
    leases_of_operation, purge_quarantine, release,
};
pub use spans::static_spans;
pub use subnet::{SubnetError, insert_subnet, overlapping, remove_subnet, serving, subnet, subnets, update_subnet};
