//! Placeholder.

use model::id::SubnetId;
use model::ipam::{Cidr, Subnet};

/// A subnet of that network without anything else.
pub(super) fn subnet_of(cidr: &str) -> Subnet {
    Subnet {
        id: SubnetId::parse("subnet-1").unwrap(),
        name: "office".into(),
        cidr: Cidr::parse(cidr).unwrap(),
        gateway: None,
        vlan: None,
        dns: vec![],
        search: vec![],
        ranges: vec![],
        serves: vec![],
    }
}
