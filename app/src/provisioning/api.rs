//! Server functions of orders and deliveries. They check nothing: the services do.

use leptos::prelude::*;
use leptos::server_fn::codec::{GetUrl, Json};
use model::Fault;
use model::change::OperationView;
use model::id::OperationId;
use model::provisioning::{DeliveryView, Draft, Order, OrderOptions, Preview};

use crate::courier::Courier;

/// What the form offers.
#[server(input = GetUrl)]
pub(crate) async fn list_options() -> Result<OrderOptions, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.provisioning.options(&context).await.map_err(crate::backend::fault)
}

/// What the platform would fill in, and whether it would work. By POST: a draft is longer than a URL may be.
#[server(input = Json, client = Courier)]
pub(crate) async fn preview_order(draft: Draft) -> Result<Preview, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.provisioning.preview(&context, draft).await.map_err(crate::backend::fault)
}

/// Places an order: sent twice, done once.
#[server(input = Json, client = Courier)]
pub(crate) async fn place_order(order: Order) -> Result<OperationId, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.provisioning.order(&context, order).await.map_err(crate::backend::fault)
}

/// A delivery as its page shows it.
#[server(input = GetUrl)]
pub(crate) async fn read_delivery(id: OperationId) -> Result<DeliveryView, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.provisioning.delivery(&context, &id).await.map_err(crate::backend::fault)
}

/// The newest deliveries.
#[server(input = GetUrl)]
pub(crate) async fn recent_deliveries() -> Result<Vec<OperationView>, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.provisioning.recent(&context).await.map_err(crate::backend::fault)
}

/// Asks a running delivery to take back what it did.
#[server(input = Json, client = Courier)]
pub(crate) async fn undo_delivery(id: OperationId, reason: String) -> Result<(), Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.provisioning.undo(&context, &id, &reason).await.map_err(crate::backend::fault)
}
