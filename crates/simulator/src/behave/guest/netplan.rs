//! Network configurations of cloud-init: netplan version 2 and version 1.
//!
//! Pure: from the text to what each device is told. A device is told apart by MAC, then by name, as cloud-init does.
//!
//! Source: cloud-init `cloudinit/net/network_state.py`; `harvester-api.md` §0.4, §13.

use serde_json::Value;
use std::net::IpAddr;

/// What one device is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Device {
    /// Lower-case MAC to match, when given.
    pub(crate) mac: Option<String>,
    /// Name to match when no MAC is given.
    pub(crate) name: String,
    /// Name after `set-name`.
    pub(crate) rename: Option<String>,
    /// Static addresses, in order.
    pub(crate) addresses: Vec<IpAddr>,
    /// Ask for IPv4 by DHCP.
    pub(crate) dhcp4: bool,
    /// Ask for IPv6 by DHCP.
    pub(crate) dhcp6: bool,
}

/// Reads a configuration; `None` when it is neither YAML nor one of the two versions.
pub(crate) fn devices(text: &str) -> Option<Vec<Device>> {
    let parsed: Value = serde_saphyr::from_str(text).ok()?;
    // Newer guests drop a top-level `network` key (GH harvester#9944).
    let config = parsed.get("network").unwrap_or(&parsed);
    match config.get("version").and_then(Value::as_i64)? {
        1 => Some(version_1(config)),
        2 => Some(version_2(config)),
        _ => None,
    }
}

fn version_2(config: &Value) -> Vec<Device> {
    let ethernets = config.get("ethernets").and_then(Value::as_object);
    let read = |(name, told): (&String, &Value)| {
        let matched = told.get("match");
        let by_name = matched.and_then(|rule| rule.get("name")).and_then(Value::as_str);
        Device {
            mac: matched.and_then(|rule| rule.get("macaddress")).and_then(Value::as_str).map(str::to_ascii_lowercase),
            name: by_name.unwrap_or(name).to_owned(),
            rename: told.get("set-name").and_then(Value::as_str).map(str::to_owned),
            addresses: list(told.get("addresses")).iter().filter_map(address).collect(),
            dhcp4: truth(told.get("dhcp4")),
            dhcp6: truth(told.get("dhcp6")),
        }
    };
    ethernets.into_iter().flatten().map(read).collect()
}

fn version_1(config: &Value) -> Vec<Device> {
    let physical = |entry: &&Value| entry.get("type").and_then(Value::as_str) == Some("physical");
    let read = |entry: &Value| {
        let mut device = Device {
            mac: entry.get("mac_address").and_then(Value::as_str).map(str::to_ascii_lowercase),
            name: entry.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
            ..Device::default()
        };
        // Version 1 names the device as it matches it.
        device.rename = device.mac.is_some().then(|| device.name.clone()).filter(|name| !name.is_empty());
        for subnet in list(entry.get("subnets")) {
            match subnet.get("type").and_then(Value::as_str) {
                Some("static" | "static6") => device.addresses.extend(subnet.get("address").and_then(address)),
                Some("dhcp" | "dhcp4") => device.dhcp4 = true,
                Some("dhcp6" | "ipv6_dhcpv6-stateful") => device.dhcp6 = true,
                _ => {}
            }
        }
        device
    };
    list(config.get("config")).iter().filter(physical).map(read).collect()
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// `10.0.0.5/24`, or netplan's mapping form `{10.0.0.5/24: {label: …}}`.
fn address(value: &Value) -> Option<IpAddr> {
    let text = match value {
        Value::Object(form) => form.keys().next()?.as_str(),
        plain => plain.as_str()?,
    };
    text.split('/').next()?.trim().parse().ok()
}

fn truth(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Bool(truth)) => *truth,
        Some(Value::String(text)) => matches!(text.as_str(), "true" | "yes" | "on"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, Option<&str>, &[&str], bool)]) {
        let made = devices(text).unwrap_or_default();
        let seen: Vec<_> = made
            .iter()
            .map(|device| {
                let addresses: Vec<String> = device.addresses.iter().map(ToString::to_string).collect();
                (device.name.as_str(), device.mac.as_deref(), addresses, device.dhcp4)
            })
            .collect();
        let wanted: Vec<_> = expected
            .iter()
            .map(|(name, mac, addresses, dhcp)| {
                (*name, *mac, addresses.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>(), *dhcp)
            })
            .collect();
        assert_eq!(seen, wanted, "{text}");
    }

    #[test]
    fn both_versions_and_the_wrapped_form_are_read() {
        check(
            "version: 2\nethernets:\n  nic-1:\n    match: {macaddress: \"52:54:00:AB:10:01\"}\n    set-name: nic-1\n    dhcp4: false\n    addresses: [10.20.0.31/24, \"fd00::31/64\"]\n    routes: [{to: default, via: 10.20.0.1}]\n",
            &[("nic-1", Some("52:54:00:ab:10:01"), &["10.20.0.31", "fd00::31"], false)],
        );
        check(
            "version: 1\nconfig:\n- type: physical\n  name: eth0\n  mac_address: 52:54:00:ab:10:01\n  subnets:\n  - type: static\n    address: 10.0.0.5/24\n    gateway: 10.0.0.1\n- type: nameserver\n  address: 10.0.0.2\n",
            &[("eth0", Some("52:54:00:ab:10:01"), &["10.0.0.5"], false)],
        );
        check("network:\n  version: 2\n  ethernets:\n    enp1s0:\n      dhcp4: true\n", &[("enp1s0", None, &[], true)]);
        check("just text", &[]);
    }
}
