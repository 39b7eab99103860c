//! The addresses that a guest with this configuration would have, as its agent reports them.
//!
//! Static ones come from the network data, dynamic ones from the managed DHCP pool or the NAD's subnet, link-local ones
//! from the MAC. A device that the configuration does not name gets none.
//!
//! Source: K `pkg/network/setup/netstat.go`; `harvester-api.md` §1.8, §7.3, §13.

use super::netplan::{self, Device};
use super::system::System;
use crate::behave::View;
use crate::behave::object;
use crate::behave::resources::{NAD, VM_NETWORK_CONFIG};
use crate::scenario::fault::Fault;
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// `status.interfaces` with what the agent adds.
pub(crate) fn interfaces(vmi: &Value, system: &System, view: &dyn View) -> Vec<Value> {
    let configured = super::network_data(vmi, view);
    let devices = match &configured {
        Some(text) => netplan::devices(text).unwrap_or_default(),
        // Without network data cloud-init asks by DHCP on the first device.
        None => vec![Device { name: system.device_name(0), dhcp4: true, ..Device::default() }],
    };
    let held = object::items(vmi, "/status/interfaces").iter().filter(|held| held["name"].is_string());
    held.enumerate().map(|(at, held)| interface(vmi, at, held, &devices, system, view)).collect()
}

fn interface(vmi: &Value, at: usize, held: &Value, devices: &[Device], system: &System, view: &dyn View) -> Value {
    let mac = object::text(held, "/mac").to_ascii_lowercase();
    let native = system.device_name(at);
    let device = devices
        .iter()
        .find(|device| device.mac.as_deref() == Some(mac.as_str()))
        .or_else(|| devices.iter().find(|device| device.mac.is_none() && names(&device.name, &native)));
    let mut made = held.clone();
    made["interfaceName"] = json!(device.and_then(|device| device.rename.clone()).unwrap_or(native));
    let network = object::items(vmi, "/spec/networks").iter().find(|network| network["name"] == held["name"]);
    if network.is_some_and(|network| network.get("pod").is_some()) {
        // Behind masquerade the instance shows the pod's address, not the guest's 10.0.2.2.
        made["infoSource"] = json!("domain, guest-agent");
        return made;
    }
    made["infoSource"] = json!("domain, guest-agent, multus-status");
    let mut all: Vec<IpAddr> = Vec::new();
    if let Some(device) = device {
        all.extend(&device.addresses);
        if device.dhcp4 {
            let name = network.map(|network| object::text(network, "/multus/networkName")).unwrap_or_default();
            all.extend(leased(vmi, name, &mac, view).map(IpAddr::V4));
        }
    }
    if Fault::WrongAddress.is_in(object::name(vmi)) {
        all = all.into_iter().map(next_above).collect();
    }
    if made["linkState"] != "down" {
        all.extend(link_local(&mac).map(IpAddr::V6));
    }
    // IPv4 first, as the agent's poller sorts it to the front for `ipAddress`.
    all.sort_by_key(|address| !address.is_ipv4());
    let texts: Vec<String> = all.iter().map(ToString::to_string).collect();
    match texts.first() {
        Some(first) => {
            made["ipAddress"] = json!(first);
            made["ipAddresses"] = json!(texts);
        }
        None => {
            made["ipAddress"] = Value::Null;
            made["ipAddresses"] = Value::Null;
        }
    }
    if let Some(fields) = made.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    made
}

/// `enp1s0` by its own name or by a pattern such as `en*`.
fn names(pattern: &str, device: &str) -> bool {
    match pattern.split_once('*') {
        Some((head, tail)) => device.starts_with(head) && device.ends_with(tail),
        None => pattern == device,
    }
}

/// The address that DHCP gives: the add-on's allocation if there is one, else one of the subnet by the MAC.
fn leased(vmi: &Value, network: &str, mac: &str, view: &dyn View) -> Option<Ipv4Addr> {
    let allocation = view.get(VM_NETWORK_CONFIG, object::namespace(vmi), object::name(vmi));
    let allocated = allocation.as_deref().and_then(|held| {
        let ours = object::items(held, "/status/networkConfigs")
            .iter()
            .find(|config| object::text(config, "/macAddress").eq_ignore_ascii_case(mac))?;
        object::text(ours, "/allocatedIPAddress").parse().ok()
    });
    allocated.or_else(|| {
        let (namespace, name) = network.split_once('/').unwrap_or((object::namespace(vmi), network));
        let nad = view.get(NAD, namespace, name)?;
        let route: Value = serde_json::from_str(object::annotation(&nad, "network.harvesterhci.io/route")?).ok()?;
        in_subnet(object::text(&route, "/cidr"), mac)
    })
}

fn in_subnet(cidr: &str, mac: &str) -> Option<Ipv4Addr> {
    let (base, bits) = cidr.split_once('/')?;
    let base = u32::from(base.parse::<Ipv4Addr>().ok()?);
    let bits: u32 = bits.parse().ok().filter(|bits| (8..=29).contains(bits))?;
    let hosts = (1u32 << (32 - bits)) - 3;
    let hash = mac.bytes().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let mask = u32::MAX << (32 - bits);
    Some(Ipv4Addr::from((base & mask) + 2 + hash % hosts))
}

fn next_above(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(v4) => IpAddr::V4(Ipv4Addr::from(u32::from(v4).wrapping_add(1))),
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from(u128::from(v6).wrapping_add(1))),
    }
}

/// The `fe80::` address of a MAC (RFC 4291 appendix A, modified EUI-64).
pub(crate) fn link_local(mac: &str) -> Option<Ipv6Addr> {
    let octets: Vec<u8> = mac.split(':').map(|part| u8::from_str_radix(part, 16)).collect::<Result<_, _>>().ok()?;
    let &[a, b, c, d, e, f] = octets.as_slice() else { return None };
    let low = u64::from_be_bytes([a ^ 2, b, c, 0xff, 0xfe, d, e, f]);
    Some(Ipv6Addr::from((0xfe80_u128 << 112) | u128::from(low)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_local_address_follows_from_the_mac() {
        let address = link_local("52:54:00:ab:10:01").map(|address| address.to_string());
        assert_eq!(address.as_deref(), Some("fe80::5054:ff:feab:1001"));
        assert_eq!(link_local("not a mac"), None);
    }

    #[test]
    fn a_lease_lies_inside_the_subnet() {
        for mac in ["52:54:00:ab:10:01", "52:54:00:00:00:00", "52:54:00:ff:ff:ff"] {
            let address = u32::from(in_subnet("10.20.0.0/24", mac).unwrap());
            assert!(
                (u32::from(Ipv4Addr::new(10, 20, 0, 2))..=u32::from(Ipv4Addr::new(10, 20, 0, 254))).contains(&address)
            );
        }
    }
}
