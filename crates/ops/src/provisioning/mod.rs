//! Having VMs made: the catalogue, previews, orders, deliveries.

mod cancel;
mod catalogue;
pub mod cloud_init;
mod data;
mod order;
mod preflight;
mod steps;
mod view;

pub use data::Delivery;
pub use steps::Deliveries;
pub(crate) use view::operation_view;

use crate::access::Permit;
use crate::audit::{self, Act, Audit};
use crate::fleet::Fleet;
use crate::idempotency::{self, Asked};
use crate::ipam::Ipam;
use crate::workflow::{Workflow, broken};
use crate::{Clock, Context, Error, Result};
use harvester::api::{Kind, ObjectRef};
use harvester::change::{Desired, What};
use harvester::make;
use model::access::Verb;
use model::change::{OperationView, State};
use model::id::{ChangeId, OperationId};
use model::provisioning::{Check, CheckVerdict, DeliveryView, Draft, Order, OrderOptions, Place, Preview};
use model::{Say, say};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::Db;
use store::journal::NewOperation;
use tokio::sync::watch;

/// Services that the form completes from.
const MAX_SERVICES: usize = 200;
/// Deliveries on the portal.
const RECENT: u32 = 20;

/// The service.
pub struct Provisioning {
    db: Db,
    fleet: Arc<Fleet>,
    ipam: Arc<Ipam>,
    audit: Audit,
    clock: Clock,
    orders: watch::Sender<u64>,
}

impl Provisioning {
    pub(crate) fn new(db: Db, fleet: Arc<Fleet>, ipam: Arc<Ipam>, audit: Audit, clock: Clock) -> Self {
        let (orders, _) = watch::channel(0);
        Self { db, fleet, ipam, audit, clock, orders }
    }

    /// Signals whenever an order was placed or an undo asked for.
    pub(crate) fn orders(&self) -> watch::Receiver<u64> {
        self.orders.subscribe()
    }

    /// The workflow that carries orders out.
    pub(crate) fn workflow(&self) -> Deliveries {
        Deliveries {
            db: self.db.clone(),
            fleet: self.fleet.clone(),
            ipam: self.ipam.clone(),
            audit: self.audit.clone(),
        }
    }

    /// What the form offers.
    pub async fn options(&self, ctx: &Context) -> Result<OrderOptions> {
        Permit::ask(ctx, Verb::VmRead, "provisioning")?;
        let templates = store::provisioning::list(&self.db).await?;
        let mut places = Vec::new();
        for subnet in self.ipam.all().await? {
            let view = self.ipam.view(subnet.clone()).await?;
            for serves in &subnet.serves {
                let Ok(member) = self.fleet.member(&serves.cluster) else { continue };
                places.push(Place {
                    cluster: serves.cluster.clone(),
                    cluster_name: member.record.name.clone(),
                    network: serves.network.clone(),
                    subnet: subnet.id.clone(),
                    subnet_name: subnet.name.clone(),
                    cidr: subnet.cidr.to_string(),
                    free: view.room.saturating_sub(view.held + view.quarantined),
                    refusal: member.writable().err().map(|error| error.say()),
                });
            }
        }
        let mut services = BTreeSet::new();
        let mut keys = Vec::new();
        for member in self.fleet.members() {
            let Ok(running) = member.running() else { continue };
            let rows = running.cache.rows();
            services.extend(
                rows.iter()
                    .filter_map(|r| r.service.as_deref())
                    .take(10_000)
                    .filter(|s| model::provisioning::service_word(s).is_ok())
                    .map(str::to_owned),
            );
            keys.extend(running.cache.keypairs().into_iter().map(|key| format!("{}/{key}", member.record.id)));
        }
        Ok(OrderOptions { templates, places, services: services.into_iter().take(MAX_SERVICES).collect(), keys })
    }

    /// What the platform would fill in, and whether it would work: all checks, then a rehearsal with the cluster.
    pub async fn preview(&self, ctx: &Context, draft: Draft) -> Result<Preview> {
        Permit::ask(ctx, Verb::VmCreate, "provisioning")?;
        let read = self.read(ctx, &draft).await?;
        let mut checks = read.checks();
        let mut texts = None;
        if let Ok(mut delivery) =
            read.delivery(fresh_operation()?, fresh_change()?, &draft.reason, 0x0000_0001_0000_0000)
        {
            delivery.address = read.wanted.or(read.next);
            if let (Some(address), Some(subnet)) = (delivery.address, &read.subnet) {
                let rendered = cloud_init::render(
                    &delivery.template,
                    delivery.vm.name.as_str(),
                    &delivery.keys,
                    subnet,
                    address,
                    delivery.mac,
                );
                texts = Some(rendered.map_err(Error::Broken)?);
                checks.push(self.rehearse(&delivery).await);
            }
        }
        Ok(read.preview(checks, texts))
    }

    /// Asks the cluster what it would say of all that a delivery makes there. The Secret of a rehearsed VM is not there yet;
    /// admission does not look for it. Its texts are not known before the address is: rights and quota do not depend on them.
    async fn rehearse(&self, delivery: &Delivery) -> Check {
        let (namespace, name) = (delivery.vm.namespace.to_string(), &delivery.vm.name);
        let spec = delivery.spec();
        let vm = ObjectRef::vm(&namespace, name.as_str());
        let secret = ObjectRef { kind: Kind::Secret, namespace, name: make::cloud_init_name(name) };
        let texts = make::CloudInit { user_data: "#cloud-config\n".to_owned(), network_data: String::new() };
        let objects = [(vm, make::virtual_machine(&spec)), (secret, make::cloud_init_secret(&spec, &texts))];
        let began = std::time::Instant::now();
        let rehearsed = async {
            let member = self.fleet.member(&delivery.vm.cluster)?;
            let cluster = &member.writable()?.cluster;
            for (target, object) in objects {
                let what = What::Create(object);
                Desired { id: delivery.change.clone(), operation: None, target, what }.check(cluster).await?;
            }
            crate::error::ok(())
        };
        let rehearsed = rehearsed.await;
        let ms = began.elapsed().as_millis();
        let check = |verdict, say, remedy| Check { key: "rehearsal".into(), verdict, say, remedy };
        match rehearsed {
            Ok(_) => {
                check(CheckVerdict::Fine, say!("集群预演通过，{ms} 毫秒", "the cluster would take it, {ms} ms"), None)
            }
            Err(Error::Cluster(error)) if !error.is_unsure() => {
                let words = error.detail().unwrap_or_default().to_owned();
                let (zh, en) = (error.say().zh, error.say().en);
                check(
                    CheckVerdict::Refused,
                    say!("{zh}：{words}", "{en}: {words}"),
                    Some(Say::fixed("按集群的话改订单", "change the order as the cluster says")),
                )
            }
            Err(error) => check(CheckVerdict::Unknown, error.say(), Some(Say::fixed("稍后再试", "try again later"))),
        }
    }

    /// Places an order: sent twice, done once. The delivery goes on by itself from here.
    pub async fn order(&self, ctx: &Context, order: Order) -> Result<OperationId> {
        let asked = format!("{}/{}", order.draft.cluster, order.draft.service);
        let permit = Permit::ask(ctx, Verb::VmCreate, asked)?;
        let body = serde_json::to_string(&order.draft).map_err(broken)?;
        match idempotency::ask(&self.db, ctx, &order.key, Verb::VmCreate, &body).await? {
            Asked::Before(answer) => Ok(answer),
            Asked::First(claim) => claim.settle(self.order_once(ctx, permit, &order).await).await,
        }
    }

    async fn order_once(&self, ctx: &Context, permit: Permit, order: &Order) -> Result<OperationId> {
        let read = self.read(ctx, &order.draft).await?;
        let operation = fresh_operation()?;
        let act = Act { act: "order", reason: &order.draft.reason, before: None };
        let delivery = match read.delivery(operation.clone(), fresh_change()?, &order.draft.reason, rand::random()) {
            Ok(delivery) => delivery,
            Err(error) => return self.audit.around(ctx, &permit, act, async || Err(error)).await,
        };
        let account = ctx.actor.account().cloned().ok_or(Error::Unauthenticated)?;
        let permit = Permit::ask(ctx, Verb::VmCreate, delivery.vm.to_string())?;
        let data = serde_json::to_string(&delivery).map_err(broken)?;
        let name = delivery.vm.name.as_str();
        let title = say!("交付 {name}", "Deliver {name}");
        store::transact!(self.db, |tx| {
            let opened = audit::open(tx, ctx, &permit, &act).await?;
            let new = NewOperation {
                id: &operation,
                kind: Deliveries::KIND,
                version: Deliveries::VERSION,
                object: &delivery.vm.to_string(),
                title: &title,
                actor: permit.actor(),
                account: &account,
                data_json: &data,
                at: ctx.now,
                audit_seq: opened.seq,
                key: Some(&order.key),
            };
            crate::error::ok(store::journal::insert(tx, &new).await?)
        })?;
        self.signal();
        Ok(operation)
    }

    fn signal(&self) {
        self.orders.send_modify(|n| *n = n.wrapping_add(1));
    }

    /// A delivery as its page shows it.
    pub async fn delivery(&self, ctx: &Context, id: &OperationId) -> Result<DeliveryView> {
        Permit::ask(ctx, Verb::OperationRead, id.as_str())?;
        let record =
            store::journal::get(&self.db, id).await?.filter(|r| r.kind == Deliveries::KIND).ok_or(Error::NotFound)?;
        view::delivery_view(&self.db, &record, ctx.now).await
    }

    /// The newest deliveries.
    pub async fn recent(&self, ctx: &Context) -> Result<Vec<OperationView>> {
        Permit::ask(ctx, Verb::OperationRead, "operation")?;
        let mut views = Vec::new();
        for record in store::journal::recent(&self.db, RECENT).await? {
            views.push(operation_view(&self.db, &record).await?);
        }
        Ok(views)
    }

    /// Asks a running delivery to take back what it did.
    pub async fn undo(&self, ctx: &Context, id: &OperationId, reason: &str) -> Result<()> {
        Permit::ask(ctx, Verb::VmCreate, id.as_str())?;
        let record = store::journal::get(&self.db, id).await?.ok_or(Error::NotFound)?;
        let permit = Permit::ask(ctx, Verb::VmCreate, record.object.clone())?;
        let act = Act { act: "undo-order", reason, before: None };
        self.audit
            .around(ctx, &permit, act, async || {
                if record.state != State::Running {
                    return Err(Error::Refused(Say::fixed(
                        "只有进行中的交付可以撤销",
                        "only a running delivery can be undone",
                    )));
                }
                store::transact!(self.db, |tx| cancel::ask(tx, id, ctx.now).await)?;
                Ok(((), None))
            })
            .await?;
        self.signal();
        Ok(())
    }

    /// Puts the built-in templates into an empty catalogue.
    pub(crate) async fn seed(&self) -> Result<()> {
        if !store::provisioning::list(&self.db).await?.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        for template in catalogue::built_in()? {
            store::transact!(self.db, |tx| crate::error::ok(store::provisioning::upsert(tx, &template, now).await?))?;
        }
        Ok(())
    }
}

fn fresh_operation() -> Result<OperationId> {
    Ok(OperationId::parse(&uuid::Uuid::now_v7().to_string())?)
}

fn fresh_change() -> Result<ChangeId> {
    Ok(ChangeId::parse(&uuid::Uuid::now_v7().simple().to_string())?)
}
