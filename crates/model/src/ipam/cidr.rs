//! CIDR arithmetic for both families, on `u128`.

use crate::{Say, say};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A network and its prefix length; host bits are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cidr {
    network: IpAddr,
    prefix: u8,
}

/// Why a text is not a CIDR.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadCidr(pub Say);

impl From<BadCidr> for crate::Fault {
    fn from(bad: BadCidr) -> Self {
        Self::invalid(bad.0).at("cidr")
    }
}

impl Cidr {
    /// Parses `10.20.0.0/24`, `2001:db8::/64`; host bits must be zero, and the error names the network that was meant.
    pub fn parse(text: &str) -> Result<Self, BadCidr> {
        let bad =
            || BadCidr(Say::fixed("写成 10.20.0.0/24 或 2001:db8::/64", "write it as 10.20.0.0/24 or 2001:db8::/64"));
        let (address, prefix) = text.trim().split_once('/').ok_or_else(bad)?;
        let network: IpAddr = address.parse().map_err(|_| bad())?;
        let prefix: u8 = prefix.parse().map_err(|_| bad())?;
        let width = width(network);
        if prefix > width || prefix == 0 {
            return Err(BadCidr(say!("前缀长度应在 1 到 {width} 之间", "the prefix length is between 1 and {width}")));
        }
        let cidr = Self { network, prefix };
        let meant = address_at(network, number(network) & cidr.mask());
        if meant != network {
            return Err(BadCidr(say!(
                "主机位不为零；是不是 {meant}/{prefix}？",
                "host bits are set; did you mean {meant}/{prefix}?"
            )));
        }
        Ok(cidr)
    }

    /// The network address.
    pub fn network(self) -> IpAddr {
        self.network
    }

    /// The prefix length.
    pub fn prefix(self) -> u8 {
        self.prefix
    }

    /// Whether it is IPv4.
    pub fn is_ipv4(self) -> bool {
        self.network.is_ipv4()
    }

    /// The last address (broadcast in IPv4).
    pub fn last(self) -> IpAddr {
        address_at(self.network, number(self.network) | !self.mask() & full(self.network))
    }

    /// Whether the address lies in it.
    pub fn contains(self, address: IpAddr) -> bool {
        address.is_ipv4() == self.is_ipv4() && number(address) & self.mask() == number(self.network)
    }

    /// Whether the two share an address.
    pub fn overlaps(self, other: Self) -> bool {
        self.contains(other.network) || other.contains(self.network)
    }

    /// Whether a host may have the address: not the network's and (IPv4) not the broadcast's, /31 and /32 aside
    /// (RFC 3021); in IPv6 not the subnet-router anycast address (RFC 4291 §2.6.1).
    pub fn is_host(self, address: IpAddr) -> bool {
        if !self.contains(address) {
            return false;
        }
        let width = width(self.network);
        if self.prefix + 1 >= width {
            return true;
        }
        address != self.network && (!self.is_ipv4() || address != self.last())
    }

    /// How many addresses it has, network and broadcast included; saturates.
    pub fn size(self) -> u128 {
        let bits = u32::from(width(self.network) - self.prefix);
        1u128.checked_shl(bits).unwrap_or(u128::MAX)
    }

    /// The address at `offset` from the network's, while it is inside.
    pub fn at(self, offset: u128) -> Option<IpAddr> {
        (offset < self.size()).then(|| address_at(self.network, number(self.network) + offset))
    }

    /// How far an address is from the network's; `None` outside.
    pub fn offset(self, address: IpAddr) -> Option<u128> {
        self.contains(address).then(|| number(address) - number(self.network))
    }

    fn mask(self) -> u128 {
        let bits = u32::from(width(self.network) - self.prefix);
        full(self.network) & u128::MAX.checked_shl(bits).unwrap_or(0)
    }
}

/// An address as a fixed-width text whose order is the address's own: 32 hex digits, for databases.
pub fn sortable(address: IpAddr) -> String {
    format!("{:032x}", number(address))
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn full(address: IpAddr) -> u128 {
    if address.is_ipv4() { u128::from(u32::MAX) } else { u128::MAX }
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => u128::from(u32::from(v4)),
        IpAddr::V6(v6) => u128::from(v6),
    }
}

fn address_at(like: IpAddr, number: u128) -> IpAddr {
    match like {
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::from((number & u128::from(u32::MAX)) as u32)),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::from(number)),
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.network, self.prefix)
    }
}

impl TryFrom<String> for Cidr {
    type Error = BadCidr;
    fn try_from(text: String) -> Result<Self, BadCidr> {
        Self::parse(&text)
    }
}

impl From<Cidr> for String {
    fn from(cidr: Cidr) -> Self {
        cidr.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cidr(text: &str) -> Cidr {
        Cidr::parse(text).unwrap()
    }

    #[test]
    fn both_families_know_their_edges() {
        let v4 = cidr("10.20.0.0/22");
        assert_eq!((v4.size(), v4.last()), (1024, "10.20.3.255".parse().unwrap()));
        assert!(!v4.is_host("10.20.0.0".parse().unwrap()) && !v4.is_host(v4.last()));
        assert!(v4.is_host("10.20.1.0".parse().unwrap()));
        assert_eq!(v4.at(257), Some("10.20.1.1".parse().unwrap()));
        assert_eq!(v4.at(1024), None);
        let v6 = cidr("2001:db8:20::/64");
        assert_eq!(v6.offset("2001:db8:20::a".parse().unwrap()), Some(10));
        assert!(!v6.is_host("2001:db8:20::".parse().unwrap()) && v6.is_host("2001:db8:20:0:ffff::".parse().unwrap()));
        assert!(!v6.contains("10.20.0.1".parse().unwrap()));
        assert!(cidr("10.0.0.4/31").is_host("10.0.0.4".parse().unwrap()));
        assert_eq!(cidr("::1/128").size(), 1);
    }

    #[test]
    fn a_wrong_text_says_what_was_meant() {
        assert!(Cidr::parse("10.20.0.7/24").unwrap_err().0.en.contains("10.20.0.0/24"));
        for bad in ["", "10.20.0.0", "10.20.0.0/33", "10.20.0.0/0", "x/24", "2001:db8::/129"] {
            assert!(Cidr::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn overlap_is_mutual_and_families_do_not_meet() {
        assert!(cidr("10.0.0.0/8").overlaps(cidr("10.20.0.0/24")) && cidr("10.20.0.0/24").overlaps(cidr("10.0.0.0/8")));
        assert!(!cidr("10.0.0.0/24").overlaps(cidr("10.0.1.0/24")) && !cidr("10.0.0.0/8").overlaps(cidr("fd00::/8")));
    }

    #[test]
    fn sortable_texts_sort_as_addresses_do() {
        let texts: Vec<_> = ["9.9.9.9", "10.0.0.2", "10.0.0.10"].map(|a| sortable(a.parse().unwrap())).to_vec();
        assert!(texts.is_sorted());
    }
}
