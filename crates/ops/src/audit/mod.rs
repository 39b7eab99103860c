//! The audit trail: a line is opened before an act and closed after it; what cannot be opened is not done.
//!
//! This service writes and reads lines; the chain itself is `store::audit`. It must never know what an act means.

mod flood;

use crate::access::Permit;
use crate::{Clock, Context, Error, Result};
use model::access::Verb;
use model::audit::{AuditLine, AuditQuery, ChainReport, Outcome};
use model::page::Page;
use std::sync::{Arc, Mutex, PoisonError};
use store::audit::{Closing, NewAudit, Opened};
use store::{Db, Tx};

/// Lines on a page of the trail.
const PAGE: u32 = 50;

/// What is about to be done.
#[derive(Debug, Clone, Default)]
pub struct Act<'a> {
    /// What exactly, for example `restart`.
    pub act: &'a str,
    /// Why, as typed.
    pub reason: &'a str,
    /// Before, as JSON of what the act is about.
    pub before: Option<String>,
}

/// The service.
#[derive(Debug, Clone)]
pub struct Audit {
    db: Db,
    clock: Clock,
    denied: Arc<Mutex<flood::Flood>>,
}

/// Opens a line in the caller's transaction.
pub async fn open(tx: &mut Tx, ctx: &Context, permit: &Permit, act: &Act<'_>) -> Result<Opened> {
    open_by(tx, ctx, ctx.actor.login(), permit.verb().word(), permit.object(), act).await
}

/// Opens a line about something that has no permit, such as signing in, by somebody whom the context may not know yet.
pub(crate) async fn open_by(
    tx: &mut Tx,
    ctx: &Context,
    actor: &str,
    verb: &str,
    object: &str,
    act: &Act<'_>,
) -> Result<Opened> {
    let new = NewAudit {
        at: ctx.now,
        actor,
        from: &ctx.from,
        verb,
        act: act.act,
        object,
        reason: act.reason,
        request: &ctx.request,
        before: act.before.as_deref(),
    };
    Ok(store::audit::open(tx, &new).await?)
}

/// How an error closes a line.
pub fn outcome_of(error: &Error) -> Outcome {
    match error {
        Error::Store(_) | Error::Broken(_) => Outcome::Failed,
        Error::Cluster(error) if error.code() != model::Code::Refused && error.code() != model::Code::Conflict => {
            Outcome::Failed
        }
        _ => Outcome::Refused,
    }
}

impl Audit {
    pub(crate) fn new(db: Db, clock: Clock) -> Self {
        Self { db, clock, denied: Arc::default() }
    }

    /// Writes what a request asked for and its role did not permit: [`crate::context::Denials::take`], once it is answered.
    /// A script that is refused all the time does not drown the trail: what is left out is counted, and the next line says so.
    pub async fn denied(&self, ctx: &Context, denials: &[(Verb, String)]) -> Result<()> {
        if denials.is_empty() {
            return Ok(());
        }
        let login = ctx.actor.login();
        let left_out = {
            let mut denied = self.denied.lock().unwrap_or_else(PoisonError::into_inner);
            match denied.admit(login, ctx.now) {
                flood::Admitted::Yes { left_out } => left_out,
                flood::Admitted::No => return Ok(()),
            }
        };
        let detail = match left_out {
            0 => "forbidden".to_owned(),
            n => format!("forbidden; {n} more requests of {login} were refused since the line before and left no line"),
        };
        let closing =
            Closing { at: ctx.now, outcome: Outcome::Refused, before: None, after: None, detail: Some(&detail) };
        store::transact!(self.db, |tx| {
            for (verb, object) in denials {
                let line = open_by(tx, ctx, ctx.actor.login(), verb.word(), object, &Act::default()).await?;
                store::audit::close(tx, line.seq, &closing).await?;
            }
            crate::error::ok(())
        })
    }

    /// The moment, for those who close lines in a transaction of their own.
    pub(crate) fn now(&self) -> model::UnixMs {
        self.clock.now()
    }

    /// Does `work` between an opened and a closed line. Its JSON result is the line's "after".
    pub async fn around<T>(
        &self,
        ctx: &Context,
        permit: &Permit,
        act: Act<'_>,
        work: impl AsyncFnOnce() -> Result<(T, Option<String>)>,
    ) -> Result<T> {
        let opened = store::transact!(self.db, |tx| open(tx, ctx, permit, &act).await)?;
        let done = work().await;
        let (outcome, after, detail) = match &done {
            Ok((_, after)) => (Outcome::Done, after.clone(), None),
            Err(error) => (outcome_of(error), None, Some(error.say().en.into_owned())),
        };
        // The act has happened or not whatever becomes of this: a line that cannot be closed stays open, for all to see.
        if let Err(error) = self.close(opened.seq, outcome, after.as_deref(), detail.as_deref()).await {
            tracing::error!(%error, seq = opened.seq, "closing an audit line");
        }
        done.map(|(value, _)| value)
    }

    /// Closes a line.
    pub async fn close(&self, seq: i64, outcome: Outcome, after: Option<&str>, detail: Option<&str>) -> Result<()> {
        let at = self.clock.now();
        let closing = Closing { at, outcome, before: None, after, detail };
        store::transact!(self.db, |tx| crate::error::ok(store::audit::close(tx, seq, &closing).await?))?;
        Ok(())
    }

    /// A page of the trail, the newest first.
    pub async fn search(&self, ctx: &Context, query: AuditQuery) -> Result<Page<AuditLine>> {
        Permit::ask(ctx, Verb::AuditRead, "audit")?;
        Ok(store::audit::search(&self.db, &query, PAGE).await?)
    }

    /// Verifies the whole chain.
    pub async fn verify(&self, ctx: &Context) -> Result<ChainReport> {
        Permit::ask(ctx, Verb::AuditRead, "audit")?;
        Ok(store::audit::verify(&self.db, None, ctx.now, |_| ()).await?)
    }
}
