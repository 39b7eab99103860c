//! Which addresses a VM's cloud-init network data gives to which MAC address. Pure.
//!
//! Both versions of the format are read, with and without the `network:` key around them. Source: cloud-init
//! `doc/rtd/reference/network-config-format-v{1,2}.rst`; `harvester-api.md` §13.

use serde_json::Value;
use std::net::IpAddr;

/// Largest text that is read: Kubernetes limits a Secret to 1 MiB, a real one is 1 KiB.
const MAX_TEXT: usize = 64 << 10;

/// What is injected into one interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Injected {
    /// Name in the network data.
    pub(crate) name: String,
    /// MAC address that it is matched by, lower case.
    pub(crate) mac: Option<String>,
    /// First static address.
    pub(crate) address: Option<IpAddr>,
}

/// Interfaces with a static address; none for a text that cannot be read.
pub(crate) fn read(text: &str) -> Vec<Injected> {
    if text.len() > MAX_TEXT {
        return Vec::new();
    }
    let limits = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_aliases: 50, max_anchors: 50, max_depth: 24, max_nodes: 4_000, max_events: 16_000 },
        with_snippet: false,
    };
    let Ok(root) = serde_saphyr::from_str_with_options::<Value>(text, limits) else { return Vec::new() };
    let root = root.get("network").unwrap_or(&root);
    let version2 =
        root.get("ethernets").and_then(Value::as_object).into_iter().flatten().map(|(name, e)| of_version2(name, e));
    let version1 = root.get("config").and_then(Value::as_array).into_iter().flatten().filter_map(of_version1);
    version2.chain(version1).filter(|i| i.address.is_some()).take(64).collect()
}

fn of_version2(name: &str, ethernet: &Value) -> Injected {
    let addresses = ethernet.get("addresses").and_then(Value::as_array).into_iter().flatten();
    // An address may carry options: `{"10.0.0.5/24": {label: x}}`.
    let text = |a: &Value| a.as_str().map(str::to_owned).or_else(|| a.as_object()?.keys().next().cloned());
    let name = ethernet.get("set-name").and_then(Value::as_str).unwrap_or(name);
    Injected {
        name: name.to_owned(),
        mac: mac(ethernet.pointer("/match/macaddress")),
        address: addresses.filter_map(text).find_map(|a| address(&a)),
    }
}

fn of_version1(entry: &Value) -> Option<Injected> {
    let name = entry.get("name").and_then(Value::as_str)?;
    let subnets = entry.get("subnets").and_then(Value::as_array)?;
    let address = subnets.iter().filter_map(|s| s.get("address").and_then(Value::as_str)).find_map(address);
    Some(Injected { name: name.to_owned(), mac: mac(entry.get("mac_address")), address })
}

fn mac(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::to_ascii_lowercase)
}

fn address(text: &str) -> Option<IpAddr> {
    text.split('/').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, Option<&str>, &str)]) {
        let found = read(text);
        let found: Vec<_> =
            found.iter().map(|i| (i.name.as_str(), i.mac.as_deref(), i.address.unwrap().to_string())).collect();
        let expected: Vec<_> = expected.iter().map(|&(n, m, a)| (n, m, a.to_owned())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn both_versions_wrapped_or_not() {
        let two = "version: 2\nethernets:\n  nic-1:\n    match: {macaddress: \"52:54:00:AB:10:01\"}\n    set-name: eth0\n    addresses: [10.20.0.31/24]\n";
        check(two, &[("eth0", Some("52:54:00:ab:10:01"), "10.20.0.31")]);
        let wrapped = format!("network:\n{}", two.lines().map(|l| format!("  {l}\n")).collect::<String>());
        check(&wrapped, &[("eth0", Some("52:54:00:ab:10:01"), "10.20.0.31")]);
        let one = "version: 1\nconfig:\n- type: physical\n  name: eth0\n  subnets:\n  - {type: static, address: 10.0.0.5/24}\n- {type: nameserver, address: 10.0.0.1}\n";
        check(one, &[("eth0", None, "10.0.0.5")]);
        check("version: 2\nethernets:\n  a: {dhcp4: true}\n", &[]);
    }

    #[test]
    fn nonsense_gives_nothing() {
        for text in ["", "{", "ethernets: [1]", "config: {a: 1}", "- a", &"a".repeat(MAX_TEXT + 1)] {
            check(text, &[]);
        }
    }
}
