//! Server functions of VMs. They check nothing: the services do.

use leptos::prelude::*;
use leptos::server_fn::codec::{GetUrl, Json};
use model::Fault;
use model::change::OperationView;
use model::fleet::ClusterView;
use model::id::VmRef;
use model::live::{Span, Window};
use model::vm::{PowerCommand, Query, VmDetail};
use serde::{Deserialize, Serialize};

use crate::courier::Courier;

/// What the list needs for its first paint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Listed {
    /// The first rows.
    pub(crate) window: Window,
    /// All clusters: their names, and who is away.
    pub(crate) clusters: Vec<ClusterView>,
}

/// A window of the list, and the clusters it is about.
#[server(input = GetUrl)]
pub(crate) async fn open_list(#[server(default)] query: Query, span: Span) -> Result<Listed, Fault> {
    let (ops, context) = crate::backend::reach()?;
    let clusters = ops.fleet.list(&context).await.map_err(crate::backend::fault)?;
    let window = ops.vms.window(&context, &query, span).await.map_err(crate::backend::fault)?;
    Ok(Listed { window, clusters })
}

/// One VM's page.
#[server(input = GetUrl)]
pub(crate) async fn read_vm(vm: VmRef) -> Result<VmDetail, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.vms.detail(&context, &vm).await.map_err(crate::backend::fault)
}

/// One VM's object, to read.
#[server(input = GetUrl)]
pub(crate) async fn read_yaml(vm: VmRef) -> Result<String, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.vms.yaml(&context, &vm).await.map_err(crate::backend::fault)
}

/// Changes the power of one VM; the same key changes it once.
#[server(input = Json, client = Courier)]
pub(crate) async fn change_power(command: PowerCommand) -> Result<OperationView, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.vms.power(&context, command).await.map_err(crate::backend::fault)
}
