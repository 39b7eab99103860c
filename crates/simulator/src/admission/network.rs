//! Networks of VMs and of the cluster, load balancers and their pools.
//!
//! Source: N `pkg/webhook/`; LB `pkg/webhook/`; D `pkg/webhook/`; `harvester-api.md` §7, §10.3.

use super::{Refusal, Verdict, Write, deny_if};
use crate::behave::object;
use crate::behave::resources::{CLUSTERNETWORK, NAD, VLANCONFIG, VM, VM_NETWORK_CONFIG, VMI};
use serde_json::Value;
use std::collections::BTreeSet;
use std::net::Ipv4Addr;

const NETWORK: &str = "network-validator.network.harvesterhci.io";
const LB: &str = "validator.loadbalancer.harvesterhci.io";
const DHCP: &str = "validator.network.harvesterhci.io";

pub(super) fn nad(write: &Write<'_>) -> Verdict {
    let full = format!("{}/{}", write.namespace(), write.name());
    if write.deletes() {
        let users = users(write, VM, "/spec/template/spec/networks");
        return deny_if(!users.is_empty(), || {
            Refusal::bad_request(format!(
                "can't delete nad {full}, it's still used by VM(s) {}, which must remove the related networks and interfaces",
                users.join(", ")
            ))
            .by(NETWORK)
        });
    }
    let text = object::text(write.new, "/spec/config");
    let config: Value = serde_json::from_str(text).unwrap_or_default();
    deny_if(!config.is_object(), || Refusal::invalid("config is empty").by(NETWORK))?;
    let bridge = object::text(&config, "/bridge");
    let network = object::label(write.new, "network.harvesterhci.io/clusternetwork").unwrap_or_default();
    if object::text(&config, "/type") == "bridge" {
        deny_if(bridge.strip_suffix("-br").is_none_or(|stem| stem.is_empty()), || {
            Refusal::invalid(format!("bridge name {bridge} is invalid, it must be <cluster network>-br")).by(NETWORK)
        })?;
        deny_if(bridge.strip_suffix("-br") != Some(network), || {
            Refusal::invalid(format!("the cluster network label {network} does not match the bridge name {bridge}"))
                .by(NETWORK)
        })?;
        deny_if(write.view.get(CLUSTERNETWORK, "", network).is_none(), || {
            Refusal::invalid(format!("cluster network {network} does not exist")).by(NETWORK)
        })?;
        let vlan = config.get("vlan").and_then(Value::as_i64).unwrap_or(0);
        deny_if(!(0..=4094).contains(&vlan), || {
            Refusal::invalid(format!("VLAN ID {vlan} must be in the range 1-4094")).by(NETWORK)
        })?;
        mtu(write, &config, network)?;
    }
    let Some(old) = write.old else { return Ok(()) };
    let before: Value = serde_json::from_str(object::text(old, "/spec/config")).unwrap_or_default();
    let same = |field: &str| before.get(field) == config.get(field);
    deny_if(!same("type") || !same("bridge"), || {
        Refusal::invalid(format!("network type or bridge of nad {full} can't be changed")).by(NETWORK)
    })?;
    let users = users(write, VMI, "/spec/networks");
    deny_if(before != config && !users.is_empty(), || {
        Refusal::invalid(format!(
            "can't update nad {full}, it's still used by VM(s) {}, which must be stopped at first",
            users.join(", ")
        ))
        .by(NETWORK)
    })
}

fn mtu(write: &Write<'_>, config: &Value, network: &str) -> Verdict {
    let uplink = write.view.get(CLUSTERNETWORK, "", network);
    let uplink: Option<i64> =
        uplink.as_deref().and_then(|held| object::annotation(held, "network.harvesterhci.io/uplink-mtu")?.parse().ok());
    let stated = config.get("mtu").and_then(Value::as_i64).filter(|mtu| *mtu > 0);
    match (stated, uplink) {
        (Some(stated), Some(uplink)) if stated != uplink => {
            Err(Refusal::invalid(format!("MTU {stated} of the network differs from the uplink's MTU {uplink}"))
                .by(NETWORK))
        }
        _ => Ok(()),
    }
}

/// Names of the machines that are on this NAD.
fn users(write: &Write<'_>, kind: crate::behave::Resource, networks: &str) -> Vec<String> {
    let full = format!("{}/{}", write.namespace(), write.name());
    let on_it = |machine: &Value| {
        object::items(machine, networks).iter().any(|network| {
            let name = object::text(network, "/multus/networkName");
            name == full || (name == write.name() && object::namespace(machine) == write.namespace())
        })
    };
    let machines = write.view.list(kind, None);
    machines
        .iter()
        .filter(|machine| on_it(machine))
        .map(|machine| format!("{}/{}", object::namespace(machine), object::name(machine)))
        .collect()
}

pub(super) fn cluster_network(write: &Write<'_>) -> Verdict {
    let name = write.name();
    deny_if(write.creates() && name.len() > 12, || {
        Refusal::invalid("the length of the cluster network name must not be more than 12").by(NETWORK)
    })?;
    if !write.deletes() {
        return Ok(());
    }
    deny_if(name == "mgmt", || Refusal::forbidden("cluster network mgmt is not allowed to be deleted").by(NETWORK))?;
    let configs = write.view.list(VLANCONFIG, None);
    let config = configs.iter().find(|config| object::text(config, "/spec/clusterNetwork") == name);
    if let Some(config) = config {
        return Err(Refusal::bad_request(format!(
            "can't delete cluster network {name}, vlanconfig {} still uses it",
            object::name(config)
        ))
        .by(NETWORK));
    }
    let nads = write.view.list(NAD, None);
    let used = nads.iter().find(|nad| object::label(nad, "network.harvesterhci.io/clusternetwork") == Some(name));
    match used {
        Some(nad) => Err(Refusal::bad_request(format!(
            "can't delete cluster network {name}, nad {} still uses it",
            object::name(nad)
        ))
        .by(NETWORK)),
        None => Ok(()),
    }
}

pub(super) fn vlan_config(write: &Write<'_>) -> Verdict {
    let network = object::text(write.new, "/spec/clusterNetwork");
    if write.deletes() {
        let nads = write.view.list(NAD, None);
        let ours: BTreeSet<String> = nads
            .iter()
            .filter(|nad| object::label(nad, "network.harvesterhci.io/clusternetwork") == Some(network))
            .map(|nad| format!("{}/{}", object::namespace(nad), object::name(nad)))
            .collect();
        let vmis = write.view.list(VMI, None);
        let user = vmis.iter().find(|vmi| {
            object::items(vmi, "/spec/networks")
                .iter()
                .any(|held| ours.contains(object::text(held, "/multus/networkName")))
        });
        return match user {
            Some(vmi) => Err(Refusal::bad_request(format!(
                "can't delete vlanconfig {}, VM {}/{} on it must be stopped at first",
                write.name(),
                object::namespace(vmi),
                object::name(vmi)
            ))
            .by(NETWORK)),
            None => Ok(()),
        };
    }
    deny_if(network == "mgmt", || Refusal::invalid("cluster network can't be mgmt").by(NETWORK))?;
    deny_if(write.updates() && write.changes("/spec/clusterNetwork"), || {
        Refusal::invalid("cluster network can't be changed").by(NETWORK)
    })?;
    deny_if(write.view.get(CLUSTERNETWORK, "", network).is_none(), || {
        Refusal::invalid(format!("cluster network {network} not found")).by(NETWORK)
    })?;
    let selector = |config: &Value| {
        object::map(config, "/spec/nodeSelector").map(|(k, v)| (k.to_owned(), v.to_owned())).collect::<BTreeSet<_>>()
    };
    let others = write.view.list(VLANCONFIG, None);
    let overlap = others.iter().find(|other| {
        object::name(other) != write.name()
            && object::text(other, "/spec/clusterNetwork") == network
            && (selector(other).is_subset(&selector(write.new)) || selector(write.new).is_subset(&selector(other)))
    });
    match overlap {
        Some(other) => Err(Refusal::invalid(format!(
            "it overlaps with other vlanconfigs matched to the same nodes: {}",
            object::name(other)
        ))
        .by(NETWORK)),
        None => Ok(()),
    }
}

fn span(range: &Value) -> Option<(u32, u32)> {
    let at = |field: &str| object::text(range, field).parse::<Ipv4Addr>().ok().map(u32::from);
    let net = object::text(range, "/subnet").split_once('/')?;
    let base = u32::from(net.0.parse::<Ipv4Addr>().ok()?);
    let bits: u32 = net.1.parse().ok().filter(|bits| (1..=30).contains(bits))?;
    let mask = u32::MAX << (32 - bits);
    let first = at("/rangeStart").unwrap_or((base & mask) + 1);
    let last = at("/rangeEnd").unwrap_or((base | !mask) - 1);
    (first <= last).then_some((first, last))
}

pub(super) fn load_balancer_pool(write: &Write<'_>) -> Verdict {
    if write.deletes() {
        let held =
            write.new.pointer("/status/allocated").and_then(Value::as_object).is_some_and(|held| !held.is_empty());
        return deny_if(held, || {
            Refusal::bad_request(format!("could not delete IPPool {} before all IPs are released", write.name())).by(LB)
        });
    }
    let ranges = object::items(write.new, "/spec/ranges");
    deny_if(ranges.is_empty(), || Refusal::invalid("range can't be empty").by(LB))?;
    let mut seen: Vec<(u32, u32)> = Vec::new();
    for range in ranges {
        let Some(span) = span(range) else { return Err(Refusal::invalid("invalid range").by(LB)) };
        deny_if(seen.iter().any(|held| held.0 <= span.1 && span.0 <= held.1), || {
            Refusal::invalid("ranges overlap each other").by(LB)
        })?;
        seen.push(span);
    }
    for other in write.view.list(crate::behave::resources::LB_POOL, None) {
        if object::name(&other) == write.name() {
            continue;
        }
        let theirs: Vec<(u32, u32)> = object::items(&other, "/spec/ranges").iter().filter_map(span).collect();
        let overlap = seen.iter().any(|ours| theirs.iter().any(|held| held.0 <= ours.1 && ours.0 <= held.1));
        deny_if(overlap, || Refusal::invalid(format!("range overlaps with pool {}", object::name(&other))).by(LB))?;
    }
    Ok(())
}

pub(super) fn load_balancer(write: &Write<'_>) -> Verdict {
    if write.deletes() {
        return Ok(());
    }
    for field in ["ipam", "workloadType"] {
        let changed = write.updates() && write.changes(&format!("/spec/{field}"));
        deny_if(changed, || Refusal::invalid(format!("{field} can't be changed")).by(LB))?;
    }
    let is_vm = object::text(write.new, "/spec/workloadType") != "cluster";
    let listeners = object::items(write.new, "/spec/listeners");
    deny_if(is_vm && listeners.is_empty(), || {
        Refusal::invalid("the loadbalancer needs to have at least one listener").by(LB)
    })?;
    for field in ["name", "port", "backendPort"] {
        let mut seen = BTreeSet::new();
        let twice = listeners.iter().any(|listener| !seen.insert(listener[field].to_string()));
        deny_if(twice, || Refusal::invalid(format!("the loadbalancer has duplicate listener {field}")).by(LB))?;
    }
    let check = object::number(write.new, "/spec/healthCheck/port").unwrap_or(0);
    let known = check == 0 || listeners.iter().any(|listener| object::number(listener, "/backendPort") == Some(check));
    deny_if(!known, || {
        Refusal::invalid(format!("healthcheck port {check} is not in the listeners' backend ports")).by(LB)
    })
}

pub(super) fn dhcp_pool(write: &Write<'_>) -> Verdict {
    let network = object::text(write.new, "/spec/networkName");
    if write.deletes() {
        let configs = write.view.list(VM_NETWORK_CONFIG, None);
        let used = configs.iter().find(|config| {
            object::items(config, "/spec/networkConfigs").iter().any(|held| held["networkName"] == network)
        });
        return match used {
            Some(config) => Err(Refusal::bad_request(format!(
                "cannot delete IPPool {}, it's still used by VirtualMachineNetworkConfig(s) {}",
                write.name(),
                object::name(config)
            ))
            .by(DHCP)),
            None => Ok(()),
        };
    }
    let (space, name) = network.split_once('/').unwrap_or((write.namespace(), network));
    deny_if(write.view.get(NAD, space, name).is_none(), || {
        Refusal::invalid(format!("nad {network} not found")).by(DHCP)
    })?;
    let config = &write.new["spec"]["ipv4Config"];
    let cidr = object::text(config, "/cidr");
    let Some((net, last)) = subnet(cidr) else { return Err(Refusal::invalid(format!("invalid CIDR {cidr}")).by(DHCP)) };
    let service = subnet("10.53.0.0/16");
    deny_if(service.is_some_and(|service| net <= service.1 && service.0 <= last), || {
        Refusal::invalid(format!("cidr {cidr} overlaps cluster service cidr 10.53.0.0/16")).by(DHCP)
    })?;
    for (pointer, word) in
        [("/pool/start", "start ip"), ("/pool/end", "end ip"), ("/serverIP", "server ip"), ("/router", "router ip")]
    {
        let text = object::text(config, pointer);
        if text.is_empty() {
            continue;
        }
        let address = text.parse::<Ipv4Addr>().ok().map(u32::from);
        let inside = address.is_some_and(|address| (net..=last).contains(&address));
        deny_if(!inside, || Refusal::invalid(format!("{word} {text} is not within subnet")).by(DHCP))?;
        deny_if(address == Some(net), || {
            Refusal::invalid(format!("{word} {text} is the same as network ip")).by(DHCP)
        })?;
        deny_if(address == Some(last), || {
            Refusal::invalid(format!("{word} {text} is the same as broadcast ip")).by(DHCP)
        })?;
    }
    let (server, router) = (object::text(config, "/serverIP"), object::text(config, "/router"));
    deny_if(!server.is_empty() && server == router, || {
        Refusal::invalid(format!("server ip {server} is the same as router ip")).by(DHCP)
    })
}

fn subnet(cidr: &str) -> Option<(u32, u32)> {
    let (base, bits) = cidr.split_once('/')?;
    let bits: u32 = bits.parse().ok().filter(|bits| (1..=32).contains(bits))?;
    let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
    let base = u32::from(base.parse::<Ipv4Addr>().ok()?) & mask;
    Some((base, base | !mask))
}
