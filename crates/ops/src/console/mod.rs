//! Consoles: a one-time ticket for a person, then a line to the cluster.

mod seat;

pub use seat::Seat;

use crate::access::{Permit, random_token};
use crate::audit::{Act, Audit};
use crate::fleet::Fleet;
use crate::{Context, Error, Result};
use harvester::Cluster;
use model::access::Verb;
use model::console::{Mode, OpenConsole, Opening, TICKET_MS, Ticket};
use model::id::VmRef;
use model::{Say, UnixMs};
use std::sync::Arc;
use store::Db;
use store::access::TokenHash;
use store::console::NewTicket;

/// A redeemed ticket: go and open the line.
pub struct Admission {
    /// The VM.
    pub vm: VmRef,
    /// Screen or serial line.
    pub mode: Mode,
    /// Its cluster.
    pub cluster: Cluster,
    /// Where the viewer sits, until somebody else does.
    pub seat: Seat,
}

/// The service.
pub struct Consoles {
    db: Db,
    fleet: Arc<Fleet>,
    audit: Audit,
    seats: seat::Seats,
}

impl Consoles {
    pub(crate) fn new(db: Db, fleet: Arc<Fleet>, audit: Audit) -> Self {
        Self { db, fleet, audit, seats: seat::Seats::default() }
    }

    /// Gives a ticket for a running VM, or says who is at its screen. Production asks for a reason.
    pub async fn open(&self, ctx: &Context, command: OpenConsole) -> Result<Opening> {
        let permit = Permit::ask(ctx, Verb::ConsoleOpen, command.vm.to_string())?;
        let account = ctx.actor.account().cloned().ok_or(Error::Unauthenticated)?;
        let row = self.fleet.row(&command.vm)?;
        // Looking who is there opens nothing, so it leaves no line.
        if !command.takes_over
            && let Some(name) = self.seats.other(&command.vm, command.mode, &account)
        {
            return Ok(Opening::Held(name));
        }
        let act = Act { act: command.mode.subresource(), reason: &command.reason, before: None };
        self.audit
            .around(ctx, &permit, act, async || {
                if row.environment.as_deref() == Some("prod") && command.reason.trim().is_empty() {
                    return Err(Error::invalid(
                        "reason",
                        Say::fixed("生产环境要填打开的原因", "production asks for a reason"),
                    ));
                }
                if let Some(dark) = row.power.screen_refusal() {
                    return Err(Error::Refused(dark));
                }
                let secret = random_token();
                let hash = TokenHash::of(&secret);
                let expires = UnixMs(ctx.now.0 + TICKET_MS);
                let new = NewTicket { hash: &hash, account: &account, vm: &command.vm, mode: command.mode, expires };
                store::transact!(self.db, |tx| crate::error::ok(store::console::insert(tx, &new).await?))?;
                Ok((Opening::Given(Ticket { secret, good_for_ms: TICKET_MS }), None))
            })
            .await
    }

    /// Redeems a ticket: once, in time, by the account that it was given to. All else is one and the same "no".
    pub async fn redeem(&self, ctx: &Context, secret: &str) -> Result<Admission> {
        let hash = TokenHash::of(secret);
        let admitted =
            store::transact!(self.db, |tx| crate::error::ok(store::console::redeem(tx, &hash, ctx.now).await?))?;
        let admitted = admitted.filter(|a| ctx.actor.account() == Some(&a.account)).ok_or(Error::NotFound)?;
        // The role may have gone since the ticket was given.
        Permit::ask(ctx, Verb::ConsoleOpen, admitted.vm.to_string())?;
        let cluster = self.fleet.member(&admitted.vm.cluster)?.running()?.cluster.clone();
        let name = ctx.actor.name().to_owned();
        let seat = self.seats.take(&admitted.vm, admitted.mode, admitted.account, name);
        Ok(Admission { vm: admitted.vm, mode: admitted.mode, cluster, seat })
    }

    /// Notes that a session ended: how long it was, how much went over it.
    pub async fn ended(
        &self,
        ctx: &Context,
        vm: &VmRef,
        mode: Mode,
        length_ms: i64,
        bytes: (u64, u64),
        how: &str,
    ) -> Result<()> {
        let permit = Permit::ask(ctx, Verb::ConsoleOpen, vm.to_string())?;
        let act = Act { act: "session", reason: how, before: None };
        let after = serde_json::json!({ "console": mode.subresource(), "length_ms": length_ms, "received_bytes": bytes.1, "sent_bytes": bytes.0 });
        self.audit.around(ctx, &permit, act, async || Ok(((), Some(after.to_string())))).await
    }
}
