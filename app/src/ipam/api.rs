//! Server functions of addresses. They check nothing: the services do.

use std::net::IpAddr;

use leptos::prelude::*;
use leptos::server_fn::codec::{GetUrl, Json};
use model::Fault;
use model::id::SubnetId;
use model::ipam::{AddressMap, Serves, SubnetDraft, SubnetView};
use serde::{Deserialize, Serialize};

use crate::courier::Courier;

/// A network that a subnet may serve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Network {
    /// Cluster and network.
    pub(crate) serves: Serves,
    /// As shown: cluster, network, VLAN.
    pub(crate) word: String,
}

/// All subnets.
#[server(input = GetUrl)]
pub(crate) async fn list_subnets() -> Result<Vec<SubnetView>, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.ipam.subnets(&context).await.map_err(crate::backend::fault)
}

/// A block of a subnet's map.
#[server(input = GetUrl)]
pub(crate) async fn read_map(id: SubnetId, block: u32) -> Result<AddressMap, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.ipam.map(&context, &id, block).await.map_err(crate::backend::fault)
}

/// VM networks of all clusters.
#[server(input = GetUrl)]
pub(crate) async fn list_networks() -> Result<Vec<Network>, Fault> {
    let (ops, context) = crate::backend::reach()?;
    let clusters = ops.fleet.list(&context).await.map_err(crate::backend::fault)?;
    let mut all = Vec::new();
    for cluster in clusters {
        let networks = ops.fleet.networks(&context, &cluster.id).await.map_err(crate::backend::fault)?;
        all.extend(networks.into_iter().map(|network| {
            let vlan = network.vlan.map(|vlan| format!(" · VLAN {vlan}")).unwrap_or_default();
            let word = format!("{} · {}{vlan}", cluster.name, network.reference());
            Network { serves: Serves { cluster: cluster.id.clone(), network: network.reference() }, word }
        }));
    }
    Ok(all)
}

/// Adds a subnet.
#[server(input = Json, client = Courier)]
pub(crate) async fn create_subnet(draft: SubnetDraft) -> Result<SubnetId, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.ipam.create(&context, draft).await.map_err(crate::backend::fault)
}

/// Changes a subnet.
#[server(input = Json, client = Courier)]
pub(crate) async fn update_subnet(id: SubnetId, draft: SubnetDraft) -> Result<(), Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.ipam.update(&context, &id, draft).await.map_err(crate::backend::fault)
}

/// Removes a subnet that nobody holds an address of.
#[server(input = Json, client = Courier)]
pub(crate) async fn remove_subnet(id: SubnetId, reason: String) -> Result<(), Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.ipam.remove(&context, &id, &reason).await.map_err(crate::backend::fault)
}

/// Takes an address for something that is no VM of ours.
#[server(input = Json, client = Courier)]
pub(crate) async fn reserve_address(id: SubnetId, address: IpAddr, note: String) -> Result<(), Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.ipam.reserve(&context, &id, address, &note).await.map_err(crate::backend::fault)
}

/// Gives an address back.
#[server(input = Json, client = Courier)]
pub(crate) async fn release_address(id: SubnetId, address: IpAddr, reason: String) -> Result<(), Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.ipam.release(&context, &id, address, &reason).await.map_err(crate::backend::fault)
}
