//! Having a VM made: the catalogue, the form, what will be filled in, and the delivery that one follows like a parcel.

mod delivery;
mod name;
mod order;

pub use delivery::{DeliveryView, Step, StepState, StepView};
pub use name::{Bad, MAX_SERVICE, service_word, vm_name, vm_name_prefix};
pub use order::{Check, CheckVerdict, Draft, Flavour, Order, OrderOptions, Place, Preview, Template};

/// Promise: the cluster has the VM, in milliseconds.
pub const HANDED_OVER_MS: i64 = 5 * 60 * 1000;
/// Promise: the VM is usable, in milliseconds.
pub const USABLE_MS: i64 = 15 * 60 * 1000;
