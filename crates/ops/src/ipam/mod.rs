//! The address ledger: subnets, who holds what, and what clusters report beside it.
//!
//! That no address is handed out twice is a constraint of the database. What this adds: an address that is seen in a cluster
//! is not handed out either, although the ledger thinks it free.

mod map;
mod subnet;

use crate::access::Permit;
use crate::audit::{Act, Audit};
use crate::fleet::Fleet;
use crate::{Clock, Context, Error, Result};
use map::LeaseOnMap;
use model::access::Verb;
use model::id::{OperationId, SubnetId, VmRef};
use model::ipam::{AddressMap, Mac, QUARANTINE_MS, Standing, Subnet, SubnetDraft, SubnetView, Truth};
use model::vm::VmDetail;
use model::{Say, UnixMs, say};
use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use store::Db;
use store::ipam::{AllocateError, Ask, Lease, LeaseState, Owner, SubnetError};

/// How long a reservation lasts that no operation confirms, in milliseconds; a delivery extends its own.
pub const RESERVED_MS: i64 = 60 * 60 * 1000;
/// Longest note of a reservation by hand, in characters.
const MAX_NOTE: usize = 120;

/// The service.
pub struct Ipam {
    db: Db,
    fleet: Arc<Fleet>,
    audit: Audit,
    clock: Clock,
}

impl Ipam {
    pub(crate) fn new(db: Db, fleet: Arc<Fleet>, audit: Audit, clock: Clock) -> Self {
        Self { db, fleet, audit, clock }
    }

    /// All subnets and how full they are.
    pub async fn subnets(&self, ctx: &Context) -> Result<Vec<SubnetView>> {
        Permit::ask(ctx, Verb::IpamRead, "ipam")?;
        let mut views = Vec::new();
        for subnet in store::ipam::subnets(&self.db).await? {
            views.push(self.view(subnet).await?);
        }
        Ok(views)
    }

    pub(crate) async fn view(&self, subnet: Subnet) -> Result<SubnetView> {
        let count = store::ipam::count(&self.db, &subnet.id).await?;
        let room: u128 =
            store::ipam::static_spans(&subnet).iter().map(|(from, to)| (to - from).saturating_add(1)).sum();
        let room = room.min(1 << 32) as u64;
        Ok(SubnetView { subnet, room, held: count.held + count.reserved, quarantined: count.quarantined })
    }

    /// One block of a subnet's map.
    pub async fn map(&self, ctx: &Context, id: &SubnetId, block: u32) -> Result<AddressMap> {
        Permit::ask(ctx, Verb::IpamRead, "ipam")?;
        let subnet = self.subnet(id).await?;
        let blocks = map::blocks(&subnet);
        let block = block.min(blocks.saturating_sub(1));
        let first = subnet.cidr.at(u128::from(block) * u128::from(map::BLOCK)).ok_or(Error::NotFound)?;
        let last = subnet
            .cidr
            .at(u128::from(block) * u128::from(map::BLOCK) + u128::from(map::BLOCK - 1))
            .unwrap_or(subnet.cidr.last());
        let leases = store::ipam::leases_in(&self.db, id, first, last).await?;
        let leases = leases.into_iter().filter(|l| !is_over(l, ctx.now)).map(|l| (l.address, on_map(l))).collect();
        let squares = map::squares(&subnet, block, &leases, &self.seen_in(&subnet));
        Ok(AddressMap { view: self.view(subnet).await?, block, blocks, squares })
    }

    /// Adds a subnet.
    pub async fn create(&self, ctx: &Context, draft: SubnetDraft) -> Result<SubnetId> {
        let permit = Permit::ask(ctx, Verb::IpamWrite, format!("subnet {}", draft.cidr))?;
        let id = SubnetId::parse(&uuid::Uuid::now_v7().to_string())?;
        let act = Act { act: "create-subnet", ..Act::default() };
        self.audit
            .around(ctx, &permit, act, async || {
                let subnet = subnet::parse(id.clone(), &draft)?;
                store::transact!(self.db, |tx| store::ipam::insert_subnet(tx, &subnet, ctx.now).await)
                    .map_err(subnet_error)?;
                Ok((id.clone(), Some(json(&subnet)?)))
            })
            .await
    }

    /// Changes a subnet; its network only while nobody holds an address of it.
    pub async fn update(&self, ctx: &Context, id: &SubnetId, draft: SubnetDraft) -> Result<()> {
        let permit = Permit::ask(ctx, Verb::IpamWrite, format!("subnet {}", draft.cidr))?;
        let old = self.subnet(id).await?;
        let act = Act { act: "update-subnet", before: Some(json(&old)?), ..Act::default() };
        self.audit
            .around(ctx, &permit, act, async || {
                let subnet = subnet::parse(id.clone(), &draft)?;
                store::transact!(self.db, |tx| store::ipam::update_subnet(tx, &subnet).await).map_err(subnet_error)?;
                Ok(((), Some(json(&subnet)?)))
            })
            .await
    }

    /// Removes a subnet that nobody holds an address of.
    pub async fn remove(&self, ctx: &Context, id: &SubnetId, reason: &str) -> Result<()> {
        // Asked before it is looked up: whoever may not does not learn what there is.
        Permit::ask(ctx, Verb::IpamWrite, id.as_str())?;
        let old = self.subnet(id).await?;
        let permit = Permit::ask(ctx, Verb::IpamWrite, format!("subnet {}", old.cidr))?;
        let act = Act { act: "remove-subnet", reason, before: Some(json(&old)?) };
        self.audit
            .around(ctx, &permit, act, async || {
                store::transact!(self.db, |tx| store::ipam::remove_subnet(tx, id).await).map_err(subnet_error)?;
                Ok(((), None))
            })
            .await
    }

    /// Takes an address for something that is no VM of ours.
    pub async fn reserve(&self, ctx: &Context, id: &SubnetId, address: IpAddr, note: &str) -> Result<()> {
        let permit = Permit::ask(ctx, Verb::IpamWrite, address.to_string())?;
        let note = note.trim();
        if note.is_empty() || note.chars().count() > MAX_NOTE {
            return Err(Error::invalid(
                "note",
                say!("写明给谁用，1 到 {MAX_NOTE} 个字符", "say what it is for, 1 to {MAX_NOTE} characters"),
            ));
        }
        let act = Act { act: "reserve", reason: note, before: None };
        self.audit
            .around(ctx, &permit, act, async || {
                let subnet = self.subnet(id).await?;
                self.sees_all_of(&subnet)?;
                let avoid = self.seen_in(&subnet).into_keys().collect();
                let ask = Ask {
                    wanted: Some(address),
                    holder: note,
                    operation: None,
                    mac: None,
                    avoid: &avoid,
                    now: ctx.now,
                    until: ctx.now,
                };
                let lease = store::transact!(self.db, |tx| store::ipam::allocate(tx, &subnet, &ask).await);
                let lease = lease.map_err(|error| allocate_error(error, "address"))?;
                Ok(((), Some(serde_json::json!({ "address": lease.address, "holder": note }).to_string())))
            })
            .await
    }

    /// Gives an address back, into quarantine. One that is seen at a VM stays that VM's.
    pub async fn release(&self, ctx: &Context, id: &SubnetId, address: IpAddr, reason: &str) -> Result<()> {
        let permit = Permit::ask(ctx, Verb::IpamWrite, address.to_string())?;
        let subnet = self.subnet(id).await?;
        let lease =
            store::ipam::lease_of(&self.db, address).await?.filter(|l| &l.subnet == id).ok_or(Error::NotFound)?;
        let before = serde_json::json!({ "address": address, "holder": lease.holder, "state": lease.state.word() });
        let act = Act { act: "release", reason, before: Some(before.to_string()) };
        self.audit
            .around(ctx, &permit, act, async || {
                if let Some(at) = self.seen_in(&subnet).get(&address).and_then(|at| at.first()) {
                    return Err(Error::Refused(say!(
                        "{at} 正在用它，先改虚拟机",
                        "{at} is using it, change the VM first"
                    )));
                }
                let owner = Owner::Holder(&lease.holder);
                let released = store::transact!(self.db, |tx| crate::error::ok(
                    store::ipam::release(tx, address, owner, ctx.now, QUARANTINE_MS).await?
                ))?;
                if released {
                    Ok(((), None))
                } else {
                    Err(Error::Conflict(Say::fixed("它刚刚变了，重新看一下", "it changed just now, look again")))
                }
            })
            .await
    }

    /// The subnet of an address and who holds it.
    pub(crate) async fn whose(&self, ctx: &Context, address: IpAddr) -> Result<Option<(SubnetId, Option<String>)>> {
        Permit::ask(ctx, Verb::IpamRead, "ipam")?;
        let subnet = store::ipam::subnets(&self.db).await?.into_iter().find(|s| s.cidr.contains(address));
        let Some(subnet) = subnet else { return Ok(None) };
        let holder = store::ipam::lease_of(&self.db, address).await?.filter(|l| !is_over(l, ctx.now)).map(|l| l.holder);
        Ok(Some((subnet.id, holder)))
    }

    pub(crate) async fn subnet(&self, id: &SubnetId) -> Result<Subnet> {
        store::ipam::subnet(&self.db, id).await?.ok_or(Error::NotFound)
    }

    pub(crate) async fn all(&self) -> Result<Vec<Subnet>> {
        Ok(store::ipam::subnets(&self.db).await?)
    }

    /// Takes an address for a delivery; asked again by the same operation it gives the same one.
    pub(crate) async fn allocate(
        &self,
        subnet: &Subnet,
        wanted: Option<IpAddr>,
        holder: &VmRef,
        operation: &OperationId,
        mac: Mac,
    ) -> Result<Lease> {
        let now = self.clock.now();
        self.sees_all_of(subnet)?;
        let avoid: BTreeSet<IpAddr> = self.seen_in(subnet).into_keys().collect();
        let holder = holder.to_string();
        let until = UnixMs(now.0 + RESERVED_MS);
        let ask =
            Ask { wanted, holder: &holder, operation: Some(operation), mac: Some(mac), avoid: &avoid, now, until };
        let lease = store::transact!(self.db, |tx| store::ipam::allocate(tx, subnet, &ask).await);
        lease.map_err(|error| allocate_error(error, "address"))
    }

    /// The lowest address that an order would get now; not held.
    pub(crate) async fn next_free(&self, subnet: &Subnet) -> Result<Option<IpAddr>> {
        let taken: BTreeSet<IpAddr> = self.seen_in(subnet).into_keys().collect();
        let now = self.clock.now();
        let mut offset = 0;
        while let Some(first) = subnet.cidr.at(offset) {
            let last = subnet.cidr.at(offset + u128::from(map::BLOCK) - 1).unwrap_or(subnet.cidr.last());
            let leases = store::ipam::leases_in(&self.db, &subnet.id, first, last).await?;
            let held: BTreeSet<IpAddr> = leases.into_iter().filter(|l| !is_over(l, now)).map(|l| l.address).collect();
            let addresses = (0..u128::from(map::BLOCK)).map_while(|n| subnet.cidr.at(offset + n));
            let is_free = |a: &IpAddr| {
                subnet.kind_of(*a) == model::ipam::RangeKind::Static && !held.contains(a) && !taken.contains(a)
            };
            if let Some(free) = addresses.into_iter().find(is_free) {
                return Ok(Some(free));
            }
            offset += u128::from(map::BLOCK);
            // A preview looks at the first 65,536 addresses; the allocation itself looks at all.
            if offset >= 1 << 16 {
                break;
            }
        }
        Ok(None)
    }

    /// An address is given only when it is known which ones are used: the ledger does not have what others made.
    fn sees_all_of(&self, subnet: &Subnet) -> Result<()> {
        for serves in &subnet.serves {
            // One that is not of the fleet any more has no say.
            let Ok(member) = self.fleet.member(&serves.cluster) else { continue };
            if !member.has_picture() {
                let name = &member.record.name;
                return Err(Error::Away(say!(
                    "还没有看到 {name} 里的地址，现在分配可能冲突；等它连上，或不再让这个子网服务它",
                    "the addresses in {name} have not been seen yet, one given now could collide; wait until it is \
                     connected, or let this subnet serve it no more"
                )));
            }
        }
        Ok(())
    }

    /// Addresses that clusters report inside a subnet, and the VMs they are seen at.
    fn seen_in(&self, subnet: &Subnet) -> HashMap<IpAddr, Vec<String>> {
        let mut seen: HashMap<IpAddr, Vec<String>> = HashMap::new();
        for member in self.fleet.members() {
            let Ok(running) = member.running() else { continue };
            for row in running.cache.rows().iter() {
                for &address in row.addresses.iter().filter(|a| subnet.cidr.contains(**a)) {
                    seen.entry(address).or_default().push(format!("{}/{}/{}", row.cluster, row.namespace, row.name));
                }
            }
        }
        seen
    }

    /// Puts the ledger beside what was injected and observed.
    pub(crate) async fn add_ledger(&self, vm: &VmRef, detail: &mut VmDetail) -> Result<()> {
        for lease in store::ipam::leases_of_holder(&self.db, &vm.to_string()).await? {
            let address = lease.address;
            let matching =
                detail.truths.iter_mut().find(|t| t.injected == Some(address) || t.observed.contains(&address));
            match matching {
                Some(truth) => truth.ledger = Some(address),
                None => detail.truths.push(Truth {
                    nic: None,
                    ledger: Some(address),
                    injected: None,
                    observed: vec![],
                    as_of: None,
                    drift: None,
                }),
            }
        }
        for truth in &mut detail.truths {
            truth.drift = drift(truth, detail.row.has_agent);
        }
        Ok(())
    }
}

/// What differs between the three truths.
fn drift(truth: &Truth, has_agent: bool) -> Option<Say> {
    let expected = truth.ledger.or(truth.injected);
    match (expected, truth.ledger, truth.injected) {
        (_, Some(ledger), Some(injected)) if ledger != injected => {
            Some(say!("注入的是 {injected}，台账是 {ledger}", "{injected} was injected, the ledger has {ledger}"))
        }
        (Some(expected), ..) if !truth.observed.is_empty() && !truth.observed.contains(&expected) => {
            let seen: Vec<String> = truth.observed.iter().map(ToString::to_string).collect();
            let seen = seen.join(" ");
            Some(say!("实测为 {seen}，应为 {expected}", "observed {seen}, expected {expected}"))
        }
        (Some(_), ..) if truth.observed.is_empty() && has_agent => {
            Some(Say::fixed("客户机没有报告这个地址", "the guest does not report this address"))
        }
        (None, ..) if !truth.observed.is_empty() => None,
        _ => None,
    }
}

/// A quarantine or a reservation that has run out counts no more.
fn is_over(lease: &Lease, now: UnixMs) -> bool {
    lease.state == LeaseState::Quarantined && lease.until.is_some_and(|until| until <= now)
}

fn on_map(lease: Lease) -> LeaseOnMap {
    let standing = match lease.state {
        LeaseState::Held => Standing::Held,
        LeaseState::Reserved => Standing::Reserved,
        LeaseState::Quarantined => Standing::Quarantined,
    };
    LeaseOnMap { holder: lease.holder, mac: lease.mac.map(|m| m.to_string()), standing, until: lease.until }
}

fn json(subnet: &Subnet) -> Result<String> {
    serde_json::to_string(subnet).map_err(|e| Error::Broken(e.to_string()))
}

fn subnet_error(error: SubnetError) -> Error {
    match error {
        SubnetError::Overlaps { with, with_cidr, .. } => {
            Error::invalid("cidr", say!("与 {with}（{with_cidr}）重叠", "it overlaps with {with} ({with_cidr})"))
        }
        SubnetError::InUse { leases } => {
            Error::Refused(say!("还有 {leases} 个地址没有释放", "{leases} addresses of it are not free"))
        }
        SubnetError::NotFound => Error::NotFound,
        SubnetError::Store(error) => error.into(),
    }
}

fn allocate_error(error: AllocateError, field: &str) -> Error {
    match error {
        AllocateError::Exhausted { subnet } => {
            Error::Refused(say!("子网 {subnet} 没有空闲地址了", "the subnet {subnet} has no free address left"))
        }
        AllocateError::Held { address, by } => {
            Error::invalid(field, say!("{address} 已分配给 {by}", "{address} is held by {by}"))
        }
        AllocateError::Quarantined { address, .. } => {
            Error::invalid(field, say!("{address} 还在隔离期", "{address} rests in quarantine"))
        }
        AllocateError::Seen { address } => Error::invalid(
            field,
            say!(
                "{address} 在集群里有人用，台账里没有",
                "{address} is in use in a cluster although the ledger does not know"
            ),
        ),
        AllocateError::Forbidden { address } => Error::invalid(
            field,
            say!("{address} 不在可分配的范围里", "{address} is not in a range that is handed out"),
        ),
        AllocateError::MacTaken { mac, by } => Error::Conflict(say!("MAC {mac} 属于 {by}", "the MAC {mac} is {by}'s")),
        AllocateError::NoSubnet => Error::NotFound,
        AllocateError::Store(error) => error.into(),
    }
}
