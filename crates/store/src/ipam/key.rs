//! Addresses as keys: 32 hex digits that sort as the addresses do.

use crate::StoreError;
use crate::text::read;
use model::ipam::sortable;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// 4 or 6, as the column has it.
pub(super) fn family(address: IpAddr) -> i64 {
    if address.is_ipv4() { 4 } else { 6 }
}

/// The key of an address.
pub(super) fn key(address: IpAddr) -> String {
    sortable(address)
}

/// The key of a number.
pub(super) fn key_of(number: u128) -> String {
    format!("{number:032x}")
}

/// An address as a number.
pub(super) fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => u128::from(u32::from(v4)),
        IpAddr::V6(v6) => u128::from(v6),
    }
}

/// The number in a key.
pub(super) fn number_of(key: &str) -> Result<u128, StoreError> {
    read(u128::from_str_radix(key, 16), "address.key")
}

/// The address of a number in a family.
pub(super) fn address(family: i64, number: u128) -> Result<IpAddr, StoreError> {
    if family == 6 {
        return Ok(IpAddr::V6(Ipv6Addr::from(number)));
    }
    Ok(IpAddr::V4(Ipv4Addr::from(read(u32::try_from(number), "address.key")?)))
}
