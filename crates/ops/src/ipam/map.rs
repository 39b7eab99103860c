//! The address map, pure: from a subnet, its leases and what clusters report to 256 squares.

use model::UnixMs;
use model::ipam::{AddressView, RangeKind, Standing, Subnet};
use std::collections::HashMap;
use std::net::IpAddr;

/// Squares of one block.
pub(super) const BLOCK: u32 = 256;

/// A lease as the map needs it.
#[derive(Debug, Clone)]
pub(super) struct LeaseOnMap {
    /// `cluster/namespace/name`, or a note.
    pub(super) holder: String,
    /// MAC.
    pub(super) mac: Option<String>,
    /// How the ledger has it: held, reserved, quarantined.
    pub(super) standing: Standing,
    /// Until when.
    pub(super) until: Option<UnixMs>,
}

/// How many blocks a subnet is shown in; IPv6 and anything beyond a /16 shows the first 256 blocks.
pub(super) fn blocks(subnet: &Subnet) -> u32 {
    let blocks = subnet.cidr.size().div_ceil(u128::from(BLOCK));
    blocks.min(256) as u32
}

/// The squares of a block.
pub(super) fn squares(
    subnet: &Subnet,
    block: u32,
    leases: &HashMap<IpAddr, LeaseOnMap>,
    seen: &HashMap<IpAddr, Vec<String>>,
) -> Vec<AddressView> {
    let first = u128::from(block) * u128::from(BLOCK);
    let addresses = (0..u128::from(BLOCK)).map_while(|n| subnet.cidr.at(first + n));
    addresses.map(|address| square(subnet, address, leases.get(&address), seen.get(&address))).collect()
}

fn square(subnet: &Subnet, address: IpAddr, lease: Option<&LeaseOnMap>, seen: Option<&Vec<String>>) -> AddressView {
    let seen_at = seen.cloned().unwrap_or_default();
    let held_by = lease.filter(|l| l.standing != Standing::Quarantined).map(|l| l.holder.as_str());
    let elsewhere = seen_at.iter().any(|vm| held_by.is_some_and(|holder| holder != vm));
    let standing = if seen_at.len() > 1 || elsewhere {
        Standing::Conflict
    } else if let Some(lease) = lease {
        // An address in quarantine that is seen again is somebody's who did not ask.
        if lease.standing == Standing::Quarantined && !seen_at.is_empty() { Standing::Stray } else { lease.standing }
    } else if !seen_at.is_empty() {
        Standing::Stray
    } else if subnet.gateway == Some(address) {
        Standing::Gateway
    } else {
        match subnet.kind_of(address) {
            RangeKind::Static => Standing::Free,
            RangeKind::Reserved => Standing::Kept,
            RangeKind::Forbidden => Standing::Forbidden,
            RangeKind::Dhcp => Standing::Dhcp,
        }
    };
    AddressView {
        address,
        standing,
        holder: lease.map(|l| l.holder.clone()),
        mac: lease.and_then(|l| l.mac.clone()),
        seen_at,
        until: lease.and_then(|l| l.until),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::id::SubnetId;
    use model::ipam::{Cidr, Range};

    fn subnet() -> Subnet {
        let range = |kind, from: &str, to: &str| Range {
            kind,
            from: from.parse().unwrap(),
            to: to.parse().unwrap(),
            note: String::new(),
        };
        Subnet {
            id: SubnetId::parse("s").unwrap(),
            name: "s".into(),
            cidr: Cidr::parse("10.0.0.0/24").unwrap(),
            gateway: Some("10.0.0.1".parse().unwrap()),
            vlan: None,
            dns: vec![],
            search: vec![],
            ranges: vec![
                range(RangeKind::Static, "10.0.0.10", "10.0.0.99"),
                range(RangeKind::Dhcp, "10.0.0.100", "10.0.0.199"),
                range(RangeKind::Reserved, "10.0.0.10", "10.0.0.11"),
            ],
            serves: vec![],
        }
    }

    #[test]
    fn every_square_has_one_standing() {
        let lease = |holder: &str, standing| LeaseOnMap { holder: holder.into(), mac: None, standing, until: None };
        let leases: HashMap<IpAddr, LeaseOnMap> = [
            ("10.0.0.20", lease("c/n/a", Standing::Held)),
            ("10.0.0.21", lease("c/n/b", Standing::Held)),
            ("10.0.0.22", lease("c/n/c", Standing::Quarantined)),
            ("10.0.0.23", lease("c/n/d", Standing::Quarantined)),
        ]
        .into_iter()
        .map(|(a, l)| (a.parse().unwrap(), l))
        .collect();
        let seen: HashMap<IpAddr, Vec<String>> = [
            ("10.0.0.20", vec!["c/n/a"]),
            ("10.0.0.21", vec!["c/n/x"]),
            ("10.0.0.23", vec!["c/n/d"]),
            ("10.0.0.30", vec!["c/n/s"]),
            ("10.0.0.31", vec!["c/n/s", "c/n/t"]),
        ]
        .into_iter()
        .map(|(a, v)| (a.parse().unwrap(), v.into_iter().map(str::to_owned).collect()))
        .collect();
        let squares = squares(&subnet(), 0, &leases, &seen);
        assert_eq!(squares.len(), 256);
        for (at, standing) in [
            (0, Standing::Forbidden),
            (1, Standing::Gateway),
            (5, Standing::Forbidden),
            (10, Standing::Kept),
            (12, Standing::Free),
            (20, Standing::Held),
            (21, Standing::Conflict),
            (22, Standing::Quarantined),
            (23, Standing::Stray),
            (30, Standing::Stray),
            (31, Standing::Conflict),
            (150, Standing::Dhcp),
            (255, Standing::Forbidden),
        ] {
            assert_eq!(squares[at].standing, standing, "{}", squares[at].address);
        }
    }
}
