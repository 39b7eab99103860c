//! VMs over all clusters: the list, the page, power.

mod power;
pub(crate) mod search;

use crate::access::Permit;
use crate::audit::Audit;
use crate::change::Changes;
use crate::fleet::Fleet;
use crate::ipam::Ipam;
use crate::{Context, Error, Result};
use model::access::Verb;
use model::id::VmRef;
use model::live::{MAX_WINDOW, Span, Window};
use model::vm::{Query, VmDetail};
use std::sync::Arc;
use store::Db;

/// Operations that a VM's page shows.
const OPERATIONS: u32 = 20;

/// The service.
pub struct Vms {
    db: Db,
    fleet: Arc<Fleet>,
    changes: Arc<Changes>,
    ipam: Arc<Ipam>,
    audit: Audit,
}

impl Vms {
    pub(crate) fn new(db: Db, fleet: Arc<Fleet>, changes: Arc<Changes>, ipam: Arc<Ipam>, audit: Audit) -> Self {
        Self { db, fleet, changes, ipam, audit }
    }

    /// A window of the list.
    pub async fn window(&self, ctx: &Context, query: &Query, span: Span) -> Result<Window> {
        Permit::ask(ctx, Verb::VmRead, "vm")?;
        self.window_permitted(query, span)
    }

    pub(crate) fn window_permitted(&self, query: &Query, span: Span) -> Result<Window> {
        let verdict = query.parse().map_err(|say| Error::invalid("query", say))?;
        let span = Span { start: span.start, len: span.len.min(MAX_WINDOW) };
        let lists: Vec<_> =
            self.fleet.members().iter().filter_map(|m| m.running().ok().map(|r| r.cache.rows())).collect();
        let began = std::time::Instant::now();
        let mut window = search::window(&lists, &verdict, query.sort, span);
        window.took_us = began.elapsed().as_micros().min(u128::from(u32::MAX)) as u32;
        Ok(window)
    }

    /// The page of a VM.
    pub async fn detail(&self, ctx: &Context, vm: &VmRef) -> Result<VmDetail> {
        Permit::ask(ctx, Verb::VmRead, vm.to_string())?;
        self.detail_permitted(vm, ctx.now).await?.ok_or(Error::NotFound)
    }

    pub(crate) async fn detail_permitted(&self, vm: &VmRef, now: model::UnixMs) -> Result<Option<VmDetail>> {
        let member = self.fleet.member(&vm.cluster)?;
        let running = member.running()?;
        let Some(mut detail) = harvester::vm_detail(&running.cluster, &running.cache, vm, now).await? else {
            return Ok(None);
        };
        self.ipam.add_ledger(vm, &mut detail).await?;
        detail.operations = crate::overview::operations_of(&self.db, &vm.to_string(), OPERATIONS).await?;
        Ok(Some(detail))
    }

    /// The object as YAML, to read.
    pub async fn yaml(&self, ctx: &Context, vm: &VmRef) -> Result<String> {
        Permit::ask(ctx, Verb::VmRead, vm.to_string())?;
        let member = self.fleet.member(&vm.cluster)?;
        Ok(harvester::vm_yaml(&member.running()?.cluster, vm).await?)
    }
}
