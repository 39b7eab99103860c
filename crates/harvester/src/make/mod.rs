//! Objects that the product writes, as pure constructors, one a kind.
//!
//! Fields that Harvester's webhooks and controllers own are left out (`harvester-api.md` §1.5). Nothing here may ask a
//! cluster, draw a random name or know the time: names, MAC addresses and suffixes come in.

mod cloud_init;
mod labels;
mod vm;

pub use cloud_init::{CloudInit, cloud_init_name, cloud_init_secret, owner_patch};
pub use vm::{VmSpec, root_claim_name, virtual_machine};
