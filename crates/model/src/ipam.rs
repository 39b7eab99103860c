//! Addresses: subnets, ranges, who holds what, and the arithmetic of CIDRs for both families.

mod cidr;
mod mac;

pub use cidr::{BadCidr, Cidr, sortable};
pub use mac::Mac;

use crate::Say;
use crate::id::{ClusterId, SubnetId};
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// What a range of a subnet is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RangeKind {
    /// Handed out by us.
    Static,
    /// Kept for something that is named; handed out only when asked for by address.
    Reserved,
    /// Never handed out.
    Forbidden,
    /// A DHCP server's.
    Dhcp,
}

impl RangeKind {
    /// All.
    pub const ALL: [Self; 4] = [Self::Static, Self::Reserved, Self::Forbidden, Self::Dhcp];

    /// The word in the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Reserved => "reserved",
            Self::Forbidden => "forbidden",
            Self::Dhcp => "dhcp",
        }
    }

    /// From the database.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.word() == word)
    }

    /// The word for it.
    pub fn say(self) -> Say {
        match self {
            Self::Static => Say::fixed("静态", "Static"),
            Self::Reserved => Say::fixed("保留", "Reserved"),
            Self::Forbidden => Say::fixed("禁用", "Forbidden"),
            Self::Dhcp => Say::fixed("DHCP", "DHCP"),
        }
    }
}

/// A range of a subnet, both ends in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// What it is for.
    pub kind: RangeKind,
    /// First address.
    pub from: IpAddr,
    /// Last address.
    pub to: IpAddr,
    /// What it is called.
    #[serde(default)]
    pub note: String,
}

/// A network of a cluster that a subnet serves.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Serves {
    /// Cluster.
    pub cluster: ClusterId,
    /// `namespace/name` of the network there.
    pub network: String,
}

/// What is typed to make or change a subnet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubnetDraft {
    /// What people call it.
    pub name: String,
    /// Network and prefix length.
    pub cidr: String,
    /// Default gateway; may be empty.
    #[serde(default)]
    pub gateway: String,
    /// VLAN, 0 for none.
    #[serde(default)]
    pub vlan: u16,
    /// Name servers, in order.
    #[serde(default)]
    pub dns: Vec<String>,
    /// Search domains, in order.
    #[serde(default)]
    pub search: Vec<String>,
    /// Ranges; none means the whole subnet is static.
    #[serde(default)]
    pub ranges: Vec<Range>,
    /// Networks that it serves.
    #[serde(default)]
    pub serves: Vec<Serves>,
}

/// A subnet of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subnet {
    /// Id.
    pub id: SubnetId,
    /// What people call it.
    pub name: String,
    /// Network.
    pub cidr: Cidr,
    /// Default gateway.
    pub gateway: Option<IpAddr>,
    /// VLAN.
    pub vlan: Option<u16>,
    /// Name servers.
    pub dns: Vec<IpAddr>,
    /// Search domains.
    pub search: Vec<String>,
    /// Ranges.
    pub ranges: Vec<Range>,
    /// Networks that it serves.
    pub serves: Vec<Serves>,
}

impl Subnet {
    /// The kind of range that an address lies in: the network, broadcast and gateway addresses are never handed out; a
    /// named range wins over the whole; where no static range is named, what is left is static.
    pub fn kind_of(&self, address: IpAddr) -> RangeKind {
        if !self.cidr.is_host(address) || self.gateway == Some(address) {
            return RangeKind::Forbidden;
        }
        let inside = |r: &&Range| r.from <= address && address <= r.to && r.from.is_ipv4() == address.is_ipv4();
        // The strictest of overlapping ranges counts.
        let strict = |kind| match kind {
            RangeKind::Forbidden => 3,
            RangeKind::Reserved => 2,
            RangeKind::Dhcp => 1,
            RangeKind::Static => 0,
        };
        let found = self.ranges.iter().filter(inside).map(|r| r.kind).max_by_key(|&k| strict(k));
        found.unwrap_or_else(|| {
            let names_static = self.ranges.iter().any(|r| r.kind == RangeKind::Static);
            if names_static { RangeKind::Forbidden } else { RangeKind::Static }
        })
    }
}

/// A subnet and how full it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubnetView {
    /// The subnet.
    pub subnet: Subnet,
    /// Addresses that may be handed out (capped at 2^32).
    pub room: u64,
    /// Held ones.
    pub held: u64,
    /// In quarantine.
    pub quarantined: u64,
}

/// How an address stands in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Nobody's.
    Free,
    /// Held for an operation that has not finished.
    Reserved,
    /// A VM's.
    Held,
    /// Given back lately; not handed out before its time.
    Quarantined,
    /// The gateway.
    Gateway,
    /// Network, broadcast or a forbidden range.
    Forbidden,
    /// In a range kept for something.
    Kept,
    /// In a DHCP range.
    Dhcp,
    /// Not in the ledger, but seen in a cluster.
    Stray,
    /// In the ledger for one VM, seen at another, or seen twice.
    Conflict,
}

impl Standing {
    /// The word of `data-state`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Reserved => "reserved",
            Self::Held => "held",
            Self::Quarantined => "quarantined",
            Self::Gateway => "gateway",
            Self::Forbidden => "forbidden",
            Self::Kept => "kept",
            Self::Dhcp => "dhcp",
            Self::Stray => "stray",
            Self::Conflict => "conflict",
        }
    }

    /// The word for it.
    pub fn say(self) -> Say {
        match self {
            Self::Free => Say::fixed("空闲", "Free"),
            Self::Reserved => Say::fixed("已预留", "Reserved"),
            Self::Held => Say::fixed("已分配", "Held"),
            Self::Quarantined => Say::fixed("隔离期", "Quarantined"),
            Self::Gateway => Say::fixed("网关", "Gateway"),
            Self::Forbidden => Say::fixed("禁用", "Forbidden"),
            Self::Kept => Say::fixed("保留段", "Kept"),
            Self::Dhcp => Say::fixed("DHCP", "DHCP"),
            Self::Stray => Say::fixed("台账外", "Not in the ledger"),
            Self::Conflict => Say::fixed("冲突", "Conflict"),
        }
    }
}

/// One address of the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressView {
    /// Address.
    pub address: IpAddr,
    /// How it stands.
    pub standing: Standing,
    /// Who holds it: `cluster/namespace/name`, or a note.
    pub holder: Option<String>,
    /// MAC that it was given with.
    pub mac: Option<String>,
    /// VMs at which it is seen now, `cluster/namespace/name`.
    pub seen_at: Vec<String>,
    /// Until when the reservation or the quarantine lasts.
    pub until: Option<UnixMs>,
}

/// A part of a subnet as squares; IPv6 and large subnets come in blocks of 256.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressMap {
    /// The subnet and how full it is.
    pub view: SubnetView,
    /// Which block of 256 this is, from 0.
    pub block: u32,
    /// Blocks in all (capped: IPv6 shows those that hold something and the first).
    pub blocks: u32,
    /// Its addresses in order.
    pub squares: Vec<AddressView>,
}

/// Ledger, injected and observed, of one address or interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// Interface, if known.
    pub nic: Option<String>,
    /// In our ledger.
    pub ledger: Option<IpAddr>,
    /// Written into cloud-init.
    pub injected: Option<IpAddr>,
    /// Reported by the guest or the network.
    pub observed: Vec<IpAddr>,
    /// When it was observed last.
    pub as_of: Option<UnixMs>,
    /// What differs, if anything.
    pub drift: Option<Say>,
}

/// How long a released address is not handed out again, in milliseconds.
pub const QUARANTINE_MS: i64 = 24 * 60 * 60 * 1000;
