//! Taking an address: the one that is wanted, or the lowest free one.

use super::key::{address, family, key, key_of, number, number_of};
use super::lease::{Lease, LeaseRow, LeaseState, delete_reusable};
use super::static_spans;
use crate::db::on_tx;
use crate::text::clean;
use crate::{StoreError, Tx};
use model::UnixMs;
use model::id::OperationId;
use model::ipam::{Mac, RangeKind, Subnet};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Most leases of one operation that are looked at.
const MAX_KNOWN: i64 = 256;

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// This very address; `None` takes the lowest free static one.
    pub wanted: Option<IpAddr>,
    /// Who will hold it: `cluster/namespace/name`, or a note.
    pub holder: &'a str,
    /// The operation that it is reserved for; asking again for the same operation, holder and MAC gives the same
    /// address. `None` takes it as held at once.
    pub operation: Option<&'a OperationId>,
    /// MAC that it goes with.
    pub mac: Option<Mac>,
    /// Addresses that are in use although the ledger does not know: never handed out.
    pub avoid: &'a BTreeSet<IpAddr>,
    /// When.
    pub now: UnixMs,
    /// Until when the reservation lasts unless it is confirmed.
    pub until: UnixMs,
}

/// Why no address was taken.
#[derive(Debug, thiserror::Error)]
pub enum AllocateError {
    /// No static address is free.
    #[error("subnet {subnet} has no free address left")]
    Exhausted {
        /// Its name.
        subnet: String,
    },
    /// Somebody has the wanted address.
    #[error("address {address} is held by {by}")]
    Held {
        /// The address.
        address: IpAddr,
        /// Who.
        by: String,
    },
    /// The wanted address was given back lately.
    #[error("address {address} rests until {until:?}")]
    Quarantined {
        /// The address.
        address: IpAddr,
        /// When it can be had.
        until: UnixMs,
    },
    /// The wanted address is in use in a cluster, and not in the ledger.
    #[error("address {address} is in use although the ledger does not know")]
    Seen {
        /// The address.
        address: IpAddr,
    },
    /// The wanted address is not one that may be handed out.
    #[error("address {address} is not handed out")]
    Forbidden {
        /// The address.
        address: IpAddr,
    },
    /// Somebody has the MAC.
    #[error("MAC {mac} is held by {by}")]
    MacTaken {
        /// The MAC.
        mac: Mac,
        /// Who.
        by: String,
    },
    /// There is no such subnet any more.
    #[error("there is no such subnet")]
    NoSubnet,
    /// The database did not do it.
    #[error("taking an address")]
    Store(#[from] StoreError),
}

/// Takes an address of `subnet`. Waits for whoever else allocates there; nothing is taken until the transaction commits.
pub async fn allocate(tx: &mut Tx, subnet: &Subnet, ask: &Ask<'_>) -> Result<Lease, AllocateError> {
    let Some(low) = lock(tx, subnet).await? else { return Err(AllocateError::NoSubnet) };
    let known = known(tx, ask).await?;
    if let Some(lease) = known.iter().find(|lease| is_same(lease, subnet, ask)) {
        return Ok(lease.clone());
    }
    refuse_mac(&known, subnet, ask)?;
    let low = low.min(delete_reusable(tx, subnet.id.as_str(), ask.now).await?.unwrap_or(u128::MAX));
    let (found, low) = match ask.wanted {
        Some(wanted) => {
            refuse_wanted(tx, subnet, ask, wanted).await?;
            (number(wanted), low)
        }
        None => lowest(tx, subnet, low, ask.avoid).await?,
    };
    let lease = take(tx, subnet, ask, found).await?;
    set_low(tx, subnet, low).await?;
    Ok(lease)
}

/// Takes the subnet's lock and reads where a search begins; `None` when there is no such subnet.
async fn lock(tx: &mut Tx, subnet: &Subnet) -> Result<Option<u128>, StoreError> {
    let sql = "UPDATE subnet SET cursor = cursor + 1 WHERE id = $1 RETURNING low_key";
    let low = on_tx!(tx, |c| sqlx::query_scalar::<_, String>(sql).bind(subnet.id.as_str()).fetch_optional(c).await?);
    low.map(|low| number_of(&low)).transpose()
}

async fn set_low(tx: &mut Tx, subnet: &Subnet, low: u128) -> Result<(), StoreError> {
    let sql = "UPDATE subnet SET low_key = $2 WHERE id = $1";
    on_tx!(tx, |c| sqlx::query(sql).bind(subnet.id.as_str()).bind(key_of(low)).execute(c).await?.rows_affected());
    Ok(())
}

/// What the same operation took before, and who has the MAC: one look for both.
async fn known(tx: &mut Tx, ask: &Ask<'_>) -> Result<Vec<Lease>, StoreError> {
    let sql = "SELECT family, key, subnet, state, holder, operation, mac, at, until FROM address
               WHERE state <> 'quarantined' AND (operation = $1 OR mac = $2) ORDER BY family, key LIMIT $3";
    let rows = on_tx!(tx, |c| {
        let query = sqlx::query_as::<_, LeaseRow>(sql).bind(ask.operation.map(|id| id.as_str()));
        query.bind(ask.mac.map(|mac| mac.to_string())).bind(MAX_KNOWN).fetch_all(c).await?
    });
    rows.into_iter().map(LeaseRow::lease).collect()
}

/// A step that is repeated must not take a second address.
fn is_same(lease: &Lease, subnet: &Subnet, ask: &Ask<'_>) -> bool {
    ask.operation.is_some()
        && lease.operation.as_ref() == ask.operation
        && lease.subnet == subnet.id
        && lease.holder == clean(ask.holder)
        && lease.mac == ask.mac
        && ask.wanted.is_none_or(|wanted| wanted == lease.address)
}

/// A MAC is one NIC's, with at most one address of each family: another holder's is refused.
fn refuse_mac(known: &[Lease], subnet: &Subnet, ask: &Ask<'_>) -> Result<(), AllocateError> {
    let Some(mac) = ask.mac else { return Ok(()) };
    let is_other = |lease: &&Lease| {
        let is_same_family = lease.address.is_ipv4() == subnet.cidr.is_ipv4();
        lease.mac == Some(mac) && (is_same_family || lease.holder != clean(ask.holder))
    };
    match known.iter().find(is_other) {
        Some(lease) => Err(AllocateError::MacTaken { mac, by: lease.holder.clone() }),
        None => Ok(()),
    }
}

async fn refuse_wanted(tx: &mut Tx, subnet: &Subnet, ask: &Ask<'_>, wanted: IpAddr) -> Result<(), AllocateError> {
    let kind = subnet.kind_of(wanted);
    if !matches!(kind, RangeKind::Static | RangeKind::Reserved) {
        return Err(AllocateError::Forbidden { address: wanted });
    }
    if ask.avoid.contains(&wanted) {
        return Err(AllocateError::Seen { address: wanted });
    }
    let sql = "SELECT family, key, subnet, state, holder, operation, mac, at, until FROM address
               WHERE family = $1 AND key = $2";
    let row = on_tx!(tx, |c| {
        let query = sqlx::query_as::<_, LeaseRow>(sql).bind(family(wanted)).bind(key(wanted));
        query.fetch_optional(c).await.map_err(StoreError::from)?
    });
    match row.map(LeaseRow::lease).transpose()? {
        None => Ok(()),
        Some(Lease { state: LeaseState::Quarantined, until: Some(until), .. }) => {
            Err(AllocateError::Quarantined { address: wanted, until })
        }
        Some(lease) => Err(AllocateError::Held { address: wanted, by: lease.holder }),
    }
}

/// The lowest free static address at or above `low`, and where the next search may begin: above it, unless an address
/// had to be avoided below.
async fn lowest(
    tx: &mut Tx,
    subnet: &Subnet,
    low: u128,
    avoid: &BTreeSet<IpAddr>,
) -> Result<(u128, u128), AllocateError> {
    let family = if subnet.cidr.is_ipv4() { 4 } else { 6 };
    let mut avoided = None;
    for (first, last) in static_spans(subnet) {
        let mut from = first.max(low);
        while from <= last {
            let Some(free) = gap(tx, family, from, last).await? else { break };
            if !avoid.contains(&address(family, free)?) {
                return Ok((free, avoided.unwrap_or(free.saturating_add(1))));
            }
            avoided.get_or_insert(free);
            // A run of avoided addresses costs no queries.
            from = free.saturating_add(1);
            while from <= last && avoid.contains(&address(family, from)?) {
                from = from.saturating_add(1);
            }
        }
    }
    Err(AllocateError::Exhausted { subnet: subnet.name.clone() })
}

/// The lowest number from `from` to `last` that has no row.
async fn gap(tx: &mut Tx, family: i64, from: u128, last: u128) -> Result<Option<u128>, StoreError> {
    let sql = "SELECT COUNT(*) FROM address WHERE family = $1 AND key = $2";
    let taken = on_tx!(tx, |c| sqlx::query_scalar::<_, i64>(sql).bind(family).bind(key_of(from)).fetch_one(c).await?);
    if taken == 0 {
        return Ok(Some(from));
    }
    // Each row knows the key after its own, so the engine walks its index until that one is missing.
    let sql = "SELECT a.next_key FROM address a
               WHERE a.family = $1 AND a.key >= $2 AND a.key < $3
                 AND NOT EXISTS (SELECT 1 FROM address b WHERE b.family = $1 AND b.key = a.next_key)
               ORDER BY a.key LIMIT 1";
    let found = on_tx!(tx, |c| {
        let query = sqlx::query_scalar::<_, String>(sql).bind(family).bind(key_of(from));
        query.bind(key_of(last)).fetch_optional(c).await?
    });
    found.map(|key| number_of(&key)).transpose()
}

async fn take(tx: &mut Tx, subnet: &Subnet, ask: &Ask<'_>, found: u128) -> Result<Lease, AllocateError> {
    let family = if subnet.cidr.is_ipv4() { 4 } else { 6 };
    let (state, until) = match ask.operation {
        Some(_) => (LeaseState::Reserved, Some(ask.until)),
        None => (LeaseState::Held, None),
    };
    let sql = "INSERT INTO address (family, key, next_key, subnet, state, holder, operation, mac, at, until)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let holder = clean(ask.holder);
    let written = on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(family).bind(key_of(found)).bind(key_of(found.wrapping_add(1)));
        let query = query.bind(subnet.id.as_str()).bind(state.word()).bind(&*holder);
        let query = query.bind(ask.operation.map(|id| id.as_str())).bind(ask.mac.map(|mac| mac.to_string()));
        query.bind(ask.now.0).bind(until.map(|t| t.0)).execute(c).await.map(drop)
    });
    match written.map_err(StoreError::from) {
        Ok(()) => {}
        // The MAC, or the address by way of an overlapping subnet, in the same instant: another try sees who.
        Err(StoreError::Unique { source }) => return Err(StoreError::Conflict { source: Some(source) }.into()),
        Err(error) => return Err(error.into()),
    }
    Ok(Lease {
        address: address(family, found)?,
        subnet: subnet.id.clone(),
        state,
        holder: holder.into_owned(),
        operation: ask.operation.cloned(),
        mac: ask.mac,
        at: ask.now,
        until,
    })
}
