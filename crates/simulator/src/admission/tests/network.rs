//! Networks, their uplinks, pools and load balancers.

use super::*;

const NETWORK: &str = "network-validator.network.harvesterhci.io";
const LOAD_BALANCER: &str = "validator.loadbalancer.harvesterhci.io";

fn nad(config: &str) -> Value {
    json!({"metadata": {"name": "n", "namespace": "t"}, "spec": {"config": config}})
}

#[test]
fn networks_pools_and_load_balancers_are_refused_in_upstreams_words() {
    refuses_new(&[
        ("nad empty", NAD, nad(""), NETWORK, 422, "config is empty"),
        ("nad bridge", NAD, nad("{\"type\":\"bridge\",\"bridge\":\"x\"}"), NETWORK, 422, "bridge name x is invalid"),
        (
            "nad network",
            NAD,
            nad("{\"type\":\"bridge\",\"bridge\":\"cn-none-br\"}"),
            NETWORK,
            422,
            "cluster network cn-none does not exist",
        ),
        (
            "nad vlan",
            NAD,
            nad("{\"type\":\"bridge\",\"bridge\":\"cn-data-br\",\"vlan\":5000}"),
            NETWORK,
            422,
            "range 1-4094",
        ),
        (
            "nad mtu",
            NAD,
            nad("{\"type\":\"bridge\",\"bridge\":\"cn-data-br\",\"vlan\":9,\"mtu\":1400}"),
            NETWORK,
            422,
            "differs from the uplink",
        ),
        ("cluster network", CLUSTERNETWORK, json!({"metadata": {"name": "far-too-long-a-name"}}), NETWORK, 422, "12"),
        ("vlan mgmt", VLANCONFIG, spec(json!({"clusterNetwork": "mgmt"})), NETWORK, 422, "can't be mgmt"),
        ("vlan overlap", VLANCONFIG, spec(json!({"clusterNetwork": "cn-data"})), NETWORK, 422, "overlaps"),
        ("lb pool", LB_POOL, spec(json!({"ranges": []})), LOAD_BALANCER, 422, "range can't be empty"),
        (
            "lb listener",
            LOADBALANCER,
            spec(json!({"workloadType": "vm", "listeners": []})),
            LOAD_BALANCER,
            422,
            "at least one listener",
        ),
        (
            "dhcp",
            DHCP_POOL,
            spec(json!({"networkName": "harvester-public/vlan-120", "ipv4Config": {"cidr": "10.53.1.0/24"}})),
            "validator.network.harvesterhci.io",
            422,
            "service cidr",
        ),
    ]);
}

#[test]
fn networks_in_use_stay() {
    refuses_deletion(&[
        ("nad in use", NAD, ("harvester-public", "vlan-120"), NETWORK, 400, "must remove the related networks"),
        ("mgmt", CLUSTERNETWORK, ("", "mgmt"), NETWORK, 403, "not allowed to be deleted"),
    ]);
}
