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

/// How far a search may walk before it is worth a write to remember where it came to: one statement fewer while the
/// lock is held, for a walk of a few index entries.
const LOW_STEP: u128 = 64;

/// Rows read at a time while looking for a gap.
const BATCH: usize = 512;

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
    let (low, is_some_reusable) = lock(tx, subnet, ask.now).await?.ok_or(AllocateError::NoSubnet)?;
    let known = known(tx, ask).await?;
    if let Some(lease) = known.iter().find(|lease| is_same(lease, subnet, ask)) {
        return Ok(lease.clone());
    }
    refuse_mac(&known, subnet, ask)?;
    if let Some(wanted) = ask.wanted {
        delete_reusable(tx, subnet.id.as_str(), ask.now).await?;
        refuse_wanted(tx, subnet, ask, wanted).await?;
        return take(tx, subnet, ask, number(wanted)).await;
    }
    let low = match is_some_reusable {
        true => delete_reusable(tx, subnet.id.as_str(), ask.now).await?.map_or(low, |least| least.min(low)),
        false => low,
    };
    let (found, next_low) = lowest(tx, subnet, low, ask.avoid).await?;
    if next_low.saturating_sub(low) > LOW_STEP {
        set_low(tx, subnet, next_low).await?;
    }
    take(tx, subnet, ask, found).await
}

/// Takes the subnet's lock and reads where a search begins, and whether rows there can be handed out again; `None` when
/// there is no such subnet. (PostgreSQL may look before it waits for the lock: what was given back meanwhile is found
/// by the next one.)
async fn lock(tx: &mut Tx, subnet: &Subnet, now: UnixMs) -> Result<Option<(u128, bool)>, StoreError> {
    let sql = "UPDATE subnet SET cursor = cursor + 1 WHERE id = $1
               RETURNING low_key, EXISTS (SELECT 1 FROM address WHERE address.subnet = $1 AND until <= $2)";
    let row = on_tx!(tx, |c| {
        let query = sqlx::query_as::<_, (String, bool)>(sql).bind(subnet.id.as_str()).bind(now.0);
        query.fetch_optional(c).await?
    });
    row.map(|(low, is_some)| Ok((number_of(&low)?, is_some))).transpose()
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
    let family = family(subnet.cidr.network());
    let is_avoided = |n| address(family, n).is_ok_and(|at| avoid.contains(&at));
    let mut avoided = None;
    for (first, last) in static_spans(subnet) {
        let mut at = first.max(low);
        while at <= last {
            let taken = taken(tx, family, at, last).await?;
            // A full batch says nothing about what comes after it.
            let end = taken.last().copied().filter(|_| taken.len() == BATCH).unwrap_or(last);
            let (free, passed) = walk(at, end, &taken, is_avoided);
            avoided = avoided.or(passed);
            if let Some(free) = free {
                return Ok((free, avoided.unwrap_or(free.saturating_add(1))));
            }
            let Some(next) = end.checked_add(1) else { break };
            at = next;
        }
    }
    Err(AllocateError::Exhausted { subnet: subnet.name.clone() })
}

/// The least number from `at` to `end` that is neither in `taken` (sorted, from `at` on) nor avoided; and the least that
/// was avoided before it.
fn walk(at: u128, end: u128, taken: &[u128], is_avoided: impl Fn(u128) -> bool) -> (Option<u128>, Option<u128>) {
    let mut taken = taken.iter().copied().peekable();
    let mut avoided = None;
    // Each turn uses a row or an avoided address up, or is the last: a /64 is no longer than what is taken of it.
    for n in at..=end {
        if taken.next_if_eq(&n).is_some() {
            continue;
        }
        if !is_avoided(n) {
            return (Some(n), avoided);
        }
        avoided.get_or_insert(n);
    }
    (None, avoided)
}

/// The numbers from `from` to `last` that have a row, in order; at most [`BATCH`]. A plain walk over the primary key:
/// to look for the gap in SQL takes an anti-join, which PostgreSQL plans quadratically on a table without statistics.
async fn taken(tx: &mut Tx, family: i64, from: u128, last: u128) -> Result<Vec<u128>, StoreError> {
    let sql = "SELECT key FROM address WHERE family = $1 AND key >= $2 AND key <= $3 ORDER BY key LIMIT $4";
    let keys = on_tx!(tx, |c| {
        let query = sqlx::query_scalar::<_, String>(sql).bind(family).bind(key_of(from)).bind(key_of(last));
        query.bind(BATCH as i64).fetch_all(c).await?
    });
    keys.iter().map(|key| number_of(key)).collect()
}

async fn take(tx: &mut Tx, subnet: &Subnet, ask: &Ask<'_>, found: u128) -> Result<Lease, AllocateError> {
    let family = family(subnet.cidr.network());
    let (state, until) = match ask.operation {
        Some(_) => (LeaseState::Reserved, Some(ask.until)),
        None => (LeaseState::Held, None),
    };
    let sql = "INSERT INTO address (family, key, subnet, state, holder, operation, mac, at, until)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let holder = clean(ask.holder);
    let written = on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(family).bind(key_of(found));
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

#[cfg(test)]
mod tests {
    use super::walk;

    #[test]
    fn a_walk_ends_at_the_first_gap_that_nothing_is_seen_in() {
        let seen = |n: u128| [12, 14].contains(&n);
        assert_eq!(walk(10, 20, &[], |_| false), (Some(10), None));
        assert_eq!(walk(10, 20, &[10, 11], |_| false), (Some(12), None));
        assert_eq!(walk(10, 20, &[10, 11, 13], seen), (Some(15), Some(12)));
        assert_eq!(walk(10, 12, &[10, 11], seen), (None, Some(12)));
        assert_eq!(walk(10, 11, &[10, 11], seen), (None, None));
        assert_eq!(walk(u128::MAX, u128::MAX, &[u128::MAX], seen), (None, None));
    }
}
