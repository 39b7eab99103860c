//! Server functions of the console. They check nothing: the services do.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use model::Fault;
use model::console::{OpenConsole, Opening};

use crate::courier::Courier;

/// A ticket for one session, good once and for seconds, or who is at that screen. By POST: the answer is a secret.
#[server(input = Json, client = Courier)]
pub(crate) async fn ask_ticket(open: OpenConsole) -> Result<Opening, Fault> {
    let (ops, context) = crate::backend::reach()?;
    ops.consoles.open(&context, open).await.map_err(crate::backend::fault)
}
