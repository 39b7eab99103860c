//! Networks and interfaces belong together by name, both ways, each name once.
//!
//! Source: K `pkg/network/admitter/{admit,binding,netiface,netsource}.go`, `pkg/network/link/mac.go`.

use super::super::cause::Causes;
use crate::behave::object;
use serde_json::Value;

const MODELS: &[&str] = &["e1000", "e1000e", "igb", "ne2k_pci", "pcnet", "rtl8139", "virtio"];
const METHODS: &[&str] = &["bridge", "slirp", "masquerade", "sriov", "macvtap", "passt"];
const STATES: &[&str] = &["", "absent", "up", "down"];
/// MAC address of the bridge inside a launcher pod.
const IN_POD_BRIDGE: &str = "02:00:00:00:00:00";

fn has(held: &Value, key: &str) -> bool {
    held.get(key).is_some_and(|value| !value.is_null())
}

/// What is refused of new objects only.
pub(super) fn on_creation(spec: &Value, at: &str, causes: &mut Causes) {
    for (index, interface) in object::items(spec, "/domain/devices/interfaces").iter().enumerate() {
        if has(interface, "slirp") {
            let message = "Slirp interface support has been discontinued since v1.3";
            causes.invalid(format!("{at}.domain.devices.interfaces[{index}].slirp"), message);
        }
    }
}

pub(super) fn all(spec: &Value, at: &str, causes: &mut Causes) {
    let networks = object::items(spec, "/networks");
    let interfaces = object::items(spec, "/domain/devices/interfaces");
    let of = |interface: &Value| networks.iter().find(|network| network["name"] == interface["name"]);
    sources(networks, at, causes);
    for (index, interface) in interfaces.iter().enumerate() {
        state(interface, networks, &format!("{at}.domain.devices.interfaces[{index}]"), causes);
    }
    for (index, interface) in interfaces.iter().enumerate() {
        binding(interface, of(interface), &format!("{at}.domain.devices.interfaces[{index}]"), causes);
    }
    for (index, network) in networks.iter().enumerate() {
        if networks[..index].iter().any(|other| other["name"] == network["name"]) {
            let name = object::text(network, "/name");
            let message = format!("Network with name \"{name}\" already exists, every network must have a unique name");
            causes.duplicate(format!("{at}.networks[{index}].name"), message);
        }
    }
    for (index, network) in networks.iter().enumerate() {
        if !interfaces.iter().any(|interface| interface["name"] == network["name"]) {
            let field = format!("{at}.networks[{index}].name");
            causes.required(&field, format!("{field} '{}' not found.", object::text(network, "/name")));
        }
    }
    for (index, interface) in interfaces.iter().enumerate() {
        if interfaces[..index].iter().any(|other| other["name"] == interface["name"]) {
            let message = "Only one interface can be connected to one specific network";
            causes.duplicate(format!("{at}.domain.devices.interfaces[{index}].name"), message);
        }
    }
    for (index, interface) in interfaces.iter().enumerate() {
        if of(interface).is_none() {
            let field = format!("{at}.domain.devices.interfaces[{index}].name");
            causes.invalid(&field, format!("{field} '{}' not found.", object::text(interface, "/name")));
        }
    }
    for (index, interface) in interfaces.iter().enumerate() {
        fields(interface, of(interface), at, &format!("{at}.domain.devices.interfaces[{index}]"), causes);
    }
}

fn sources(networks: &[Value], at: &str, causes: &mut Causes) {
    let pods = networks.iter().filter(|network| has(network, "pod")).count();
    if pods > 1 {
        let message = format!("more than one interface is connected to a pod network in {at}.interfaces");
        causes.duplicate(format!("{at}.interfaces"), message);
    }
    let defaults = networks.iter().filter(|network| object::flag(network, "/multus/default")).count();
    if defaults > 1 {
        causes.invalid(format!("{at}.networks"), "Multus CNI should only have one default network");
    }
    if pods > 0 && defaults > 0 {
        let message = "Pod network cannot be defined when Multus default network is defined";
        causes.invalid(format!("{at}.networks"), message);
    }
    for (index, network) in networks.iter().enumerate() {
        match (has(network, "pod"), has(network, "multus")) {
            (false, false) => causes.required(format!("{at}.networks[{index}]"), "should have a network type"),
            (true, true) => causes.required(format!("{at}.networks[{index}]"), "should have only one network type"),
            _ => {}
        }
    }
    let nameless = networks
        .iter()
        .position(|network| has(network, "multus") && object::text(network, "/multus/networkName").is_empty());
    if let Some(index) = nameless {
        causes.required(format!("{at}.networks[{index}]"), "CNI delegating plugin must have a networkName");
    }
}

fn state(interface: &Value, networks: &[Value], at: &str, causes: &mut Causes) {
    let (name, state) = (object::text(interface, "/name"), object::text(interface, "/state"));
    let field = format!("{at}.state");
    if !STATES.contains(&state) {
        causes.invalid(&field, format!("logical {name} interface state value is unsupported: {state}"));
    }
    if has(interface, "sriov") && matches!(state, "up" | "down") {
        let message = format!("\"{name}\" interface's state \"{state}\" is not supported for SR-IOV NICs");
        causes.invalid(&field, message);
    }
    if state != "absent" {
        return;
    }
    if !has(interface, "bridge") {
        let message = format!("\"{name}\" interface's state \"absent\" is supported only for bridge binding");
        causes.invalid(&field, message);
    }
    let is_default = |network: &&Value| has(network, "pod") || object::flag(network, "/multus/default");
    if networks.iter().find(is_default).is_some_and(|network| network["name"] == name) {
        causes.invalid(field, format!("\"{name}\" interface's state \"absent\" is not supported on default networks"));
    }
}

fn binding(interface: &Value, network: Option<&Value>, at: &str, causes: &mut Causes) {
    let is_on = |kind: &str| network.is_some_and(|network| has(network, kind));
    let field = format!("{at}.name");
    if has(interface, "binding") && METHODS.iter().any(|method| has(interface, method)) {
        let name = object::text(interface, "/name");
        let message = format!("logical {name} interface cannot have both binding plugin and interface binding method");
        causes.invalid(format!("{at}.binding"), message);
    }
    if has(interface, "masquerade") {
        if !is_on("pod") {
            causes.invalid(&field, "Masquerade interface only implemented with pod network");
        }
        if object::text(interface, "/macAddress").eq_ignore_ascii_case(IN_POD_BRIDGE) {
            let message = "The requested MAC address is reserved for the in-pod bridge. Please choose another one.";
            causes.invalid(format!("{at}.macAddress"), message);
        }
    }
    if has(interface, "macvtap") {
        causes.invalid(&field, "Macvtap feature gate is not enabled");
        if !is_on("multus") {
            causes.invalid(&field, "Macvtap interface only implemented with Multus network");
        }
    }
    if has(interface, "passt") {
        causes.invalid(&field, "Passt feature gate is not enabled");
        if !is_on("pod") {
            causes.invalid(&field, "Passt interface only implemented with pod network");
        }
    }
}

fn fields(interface: &Value, network: Option<&Value>, spec_at: &str, at: &str, causes: &mut Causes) {
    let name = object::text(interface, "/name");
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
        let message =
            "Network interface name can only contain alphabetical characters, numbers, dashes (-) or underscores (_)";
        causes.invalid(format!("{at}.name"), message);
    }
    let model = object::text(interface, "/model");
    if !model.is_empty() && !MODELS.contains(&model) {
        let message = format!("interface {at}.name uses model {model} that is not supported.");
        causes.unsupported(format!("{at}.model"), message);
    }
    let mac = object::text(interface, "/macAddress");
    if let Some(fault) = mac_fault(mac) {
        causes.invalid(format!("{at}.macAddress"), format!("interface {at}.name has {fault} MAC address ({mac})."));
    }
    if network.is_some_and(|network| has(network, "pod")) {
        ports(object::items(interface, "/ports"), at, causes);
    }
    dhcp(interface, spec_at, at, causes);
}

/// `malformed` or `too long`, or `None` for a good one. Source: Go's `net.ParseMAC`, which takes 6, 8 and 20 octets.
fn mac_fault(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return None;
    }
    let split = |mark: char, digits: usize| -> Option<usize> {
        let parts: Vec<&str> = text.split(mark).collect();
        let is_hex = |part: &&str| part.len() == digits && part.chars().all(|c| c.is_ascii_hexdigit());
        (parts.len() > 1 && parts.iter().all(|part| is_hex(&part))).then_some(parts.len() * digits / 2)
    };
    match split(':', 2).or_else(|| split('-', 2)).or_else(|| split('.', 4)) {
        Some(6) => None,
        Some(8 | 20) => Some("too long"),
        _ => Some("malformed"),
    }
}

fn ports(ports: &[Value], at: &str, causes: &mut Causes) {
    for (index, port) in ports.iter().enumerate() {
        let name = object::text(port, "/name");
        if !name.is_empty() && ports[..index].iter().any(|other| other["name"] == name) {
            causes.duplicate(format!("{at}.ports[{index}].name"), format!("Duplicate name of the port: {name}"));
        }
    }
    for (index, port) in ports.iter().enumerate() {
        let number = object::number(port, "/port").unwrap_or(0);
        if number == 0 {
            causes.required(format!("{at}.ports[{index}]"), "Port field is mandatory.");
        }
        if !(0..=65536).contains(&number) {
            causes.invalid(format!("{at}.ports[{index}]"), "Port field must be in range 0 < x < 65536.");
        }
        if !matches!(object::text(port, "/protocol"), "" | "TCP" | "UDP") {
            let message = "Unknown protocol, only TCP or UDP allowed";
            causes.invalid(format!("{at}.ports[{index}].protocol"), message);
        }
    }
}

fn dhcp(interface: &Value, spec_at: &str, at: &str, causes: &mut Causes) {
    let options = object::items(interface, "/dhcpOptions/privateOptions");
    let number = |option: &Value| object::number(option, "/option").unwrap_or(0);
    if options
        .iter()
        .enumerate()
        .any(|(index, option)| options[..index].iter().any(|other| number(other) == number(option)))
    {
        causes.invalid(spec_at, "Found Duplicates: you have provided duplicate DHCPPrivateOptions");
    }
    for _ in options.iter().filter(|option| !(224..=254).contains(&number(option))) {
        causes.invalid(spec_at, "provided DHCPPrivateOptions are out of range, must be in range 224 to 254");
    }
    for (index, server) in object::items(interface, "/dhcpOptions/ntpServers").iter().enumerate() {
        if server.as_str().is_none_or(|server| server.parse::<std::net::Ipv4Addr>().is_err()) {
            let message = "NTP servers must be a list of valid IPv4 addresses.";
            causes.invalid(format!("{at}.dhcpOptions.ntpServers[{index}]"), message);
        }
    }
}
