//! Who holds which address, and giving it back.

use super::key::{address, family, key, key_of, number, number_of};
use crate::db::{on, on_tx};
use crate::text::{clean, count as unsigned, known, read};
use crate::{Db, StoreError, Tx};
use model::UnixMs;
use model::id::{OperationId, SubnetId};
use model::ipam::Mac;
use std::net::IpAddr;

/// Most leases that one look at a stretch of addresses gives.
const MAX_LISTED: i64 = 4_096;

/// How an address stands in the ledger; a free one has no lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LeaseState {
    /// Somebody's.
    Held,
    /// Taken for an operation that has not confirmed it.
    Reserved,
    /// Given back lately; not handed out before its time.
    Quarantined,
}

impl LeaseState {
    /// The word in the database.
    pub fn word(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Reserved => "reserved",
            Self::Quarantined => "quarantined",
        }
    }

    /// From the database.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Held, Self::Reserved, Self::Quarantined].into_iter().find(|state| state.word() == word)
    }
}

/// An address that is not free.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The address.
    pub address: IpAddr,
    /// Its subnet.
    pub subnet: SubnetId,
    /// How it stands.
    pub state: LeaseState,
    /// Who holds it, or held it before its quarantine.
    pub holder: String,
    /// The operation that took it.
    pub operation: Option<OperationId>,
    /// MAC that it goes with; free again in quarantine.
    pub mac: Option<Mac>,
    /// Since when it stands so.
    pub at: UnixMs,
    /// Until when the reservation or the quarantine lasts.
    pub until: Option<UnixMs>,
}

/// Who gives an address back: it must be theirs.
#[derive(Debug, Clone, Copy)]
pub enum Owner<'a> {
    /// The operation that took it.
    Operation(&'a OperationId),
    /// Its holder.
    Holder(&'a str),
}

/// How full a subnet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// Held addresses.
    pub held: u64,
    /// Reserved ones.
    pub reserved: u64,
    /// Those in quarantine.
    pub quarantined: u64,
}

#[derive(sqlx::FromRow)]
pub(super) struct LeaseRow {
    family: i64,
    key: String,
    subnet: String,
    state: String,
    holder: String,
    operation: Option<String>,
    mac: Option<String>,
    at: i64,
    until: Option<i64>,
}

impl LeaseRow {
    pub(super) fn lease(self) -> Result<Lease, StoreError> {
        let operation = self.operation.map(|id| read(OperationId::parse(&id), "address.operation")).transpose()?;
        Ok(Lease {
            address: address(self.family, number_of(&self.key)?)?,
            subnet: read(SubnetId::parse(&self.subnet), "address.subnet")?,
            state: known(LeaseState::parse(&self.state), "address.state")?,
            holder: self.holder,
            operation,
            mac: self.mac.map(|mac| known(Mac::parse(&mac), "address.mac")).transpose()?,
            at: UnixMs(self.at),
            until: self.until.map(UnixMs),
        })
    }
}

fn leases(rows: Vec<LeaseRow>) -> Result<Vec<Lease>, StoreError> {
    rows.into_iter().map(LeaseRow::lease).collect()
}

/// Makes a reservation last: the operation's VM has the address. `false` when the operation has no such address.
pub async fn confirm(tx: &mut Tx, at: IpAddr, operation: &OperationId, now: UnixMs) -> Result<bool, StoreError> {
    let sql = "UPDATE address
               SET at = CASE WHEN state = 'held' THEN at ELSE $4 END, state = 'held', until = NULL
               WHERE family = $1 AND key = $2 AND operation = $3 AND state IN ('reserved', 'held')";
    let written = on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(family(at)).bind(key(at)).bind(operation.as_str()).bind(now.0);
        query.execute(c).await?.rows_affected()
    });
    Ok(written == 1)
}

/// Has the reservations of an operation last until `until`; how many.
pub async fn extend(tx: &mut Tx, operation: &OperationId, until: UnixMs) -> Result<u64, StoreError> {
    let sql = "UPDATE address SET until = $2 WHERE operation = $1 AND state = 'reserved' AND until < $2";
    Ok(on_tx!(tx, |c| sqlx::query(sql).bind(operation.as_str()).bind(until.0).execute(c).await?.rows_affected()))
}

/// Gives an address back; it rests for `quarantine_ms`, its MAC does not. `false` when it is not the owner's (any
/// more), so that doing it twice changes nothing.
pub async fn release(
    tx: &mut Tx,
    at: IpAddr,
    owner: Owner<'_>,
    now: UnixMs,
    quarantine_ms: i64,
) -> Result<bool, StoreError> {
    let sql = "UPDATE address SET state = 'quarantined', at = $5, until = $6, mac = NULL
               WHERE family = $1 AND key = $2 AND state IN ('reserved', 'held')
                 AND (($3 IS NOT NULL AND operation = $3) OR ($4 IS NOT NULL AND holder = $4))";
    let (operation, holder) = match owner {
        Owner::Operation(id) => (Some(id.as_str()), None),
        Owner::Holder(holder) => (None, Some(clean(holder))),
    };
    let written = on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(family(at)).bind(key(at)).bind(operation).bind(holder.as_deref());
        let query = query.bind(now.0).bind(now.0.saturating_add(quarantine_ms.max(0)));
        query.execute(c).await?.rows_affected()
    });
    Ok(written == 1)
}

/// Removes rows whose quarantine is over, in every subnet; how many. Allocation does so in its own subnet anyway.
pub async fn purge_quarantine(tx: &mut Tx, now: UnixMs) -> Result<u64, StoreError> {
    let sql = "SELECT DISTINCT subnet FROM address WHERE state = 'quarantined' AND until <= $1 ORDER BY subnet";
    let subnets = on_tx!(tx, |c| sqlx::query_scalar::<_, String>(sql).bind(now.0).fetch_all(c).await?);
    let mut removed = 0;
    for subnet in subnets {
        let sql = "UPDATE subnet SET cursor = cursor + 1 WHERE id = $1";
        on_tx!(tx, |c| sqlx::query(sql).bind(&subnet).execute(c).await?.rows_affected());
        let sql = "DELETE FROM address WHERE subnet = $1 AND state = 'quarantined' AND until <= $2 RETURNING key";
        let keys = on_tx!(tx, |c| sqlx::query_scalar::<_, String>(sql).bind(&subnet).bind(now.0).fetch_all(c).await?);
        removed += keys.len() as u64;
        lower(tx, &subnet, &keys).await?;
    }
    Ok(removed)
}

/// Removes what a subnet can hand out again: quarantines that are over, and reservations past their time whose operation
/// is over (a parked one may have left a VM, so it keeps its own). The least number among them. Needs the subnet's lock.
pub(super) async fn delete_reusable(tx: &mut Tx, subnet: &str, now: UnixMs) -> Result<Option<u128>, StoreError> {
    let sql = "DELETE FROM address
               WHERE subnet = $1 AND until <= $2 AND (state = 'quarantined' OR NOT EXISTS (
                   SELECT 1 FROM operation o
                   WHERE o.id = address.operation AND o.state IN ('running', 'undoing', 'parked')))
               RETURNING key";
    let keys = on_tx!(tx, |c| sqlx::query_scalar::<_, String>(sql).bind(subnet).bind(now.0).fetch_all(c).await?);
    lower(tx, subnet, &keys).await?;
    keys.iter().min().map(|key| number_of(key)).transpose()
}

/// Has the next search begin no higher than the least of the keys that were just freed.
async fn lower(tx: &mut Tx, subnet: &str, freed: &[String]) -> Result<(), StoreError> {
    let Some(least) = freed.iter().min() else { return Ok(()) };
    let sql = "UPDATE subnet SET low_key = $2 WHERE id = $1 AND low_key > $2";
    on_tx!(tx, |c| sqlx::query(sql).bind(subnet).bind(least).execute(c).await?.rows_affected());
    Ok(())
}

/// The lease of an address; `None` when it is free.
pub async fn lease_of(db: &Db, at: IpAddr) -> Result<Option<Lease>, StoreError> {
    let sql = "SELECT family, key, subnet, state, holder, operation, mac, at, until FROM address
               WHERE family = $1 AND key = $2";
    let row = on!(db, |pool| {
        sqlx::query_as::<_, LeaseRow>(sql).bind(family(at)).bind(key(at)).fetch_optional(pool).await?
    });
    row.map(LeaseRow::lease).transpose()
}

/// Leases of a subnet from one address to another, both in it, in order; at most 4,096.
pub async fn leases_in(db: &Db, subnet: &SubnetId, from: IpAddr, to: IpAddr) -> Result<Vec<Lease>, StoreError> {
    let sql = "SELECT family, key, subnet, state, holder, operation, mac, at, until FROM address
               WHERE subnet = $1 AND key >= $2 AND key <= $3 ORDER BY key LIMIT $4";
    leases(on!(db, |pool| {
        let query = sqlx::query_as::<_, LeaseRow>(sql).bind(subnet.as_str()).bind(key(from)).bind(key(to));
        query.bind(MAX_LISTED).fetch_all(pool).await?
    }))
}

/// Leases of any subnet after an address of the same family, in order: for whoever compares the ledger with clusters.
pub async fn leases_after(db: &Db, after: Option<IpAddr>, is_ipv4: bool) -> Result<Vec<Lease>, StoreError> {
    let sql = "SELECT family, key, subnet, state, holder, operation, mac, at, until FROM address
               WHERE family = $1 AND key > $2 ORDER BY key LIMIT $3";
    let family: i64 = if is_ipv4 { 4 } else { 6 };
    let after = after.map(|at| key_of(number(at))).unwrap_or_default();
    leases(on!(db, |pool| {
        sqlx::query_as::<_, LeaseRow>(sql).bind(family).bind(&after).bind(MAX_LISTED).fetch_all(pool).await?
    }))
}

/// What an operation took and has not given back.
pub async fn leases_of_operation(db: &Db, operation: &OperationId) -> Result<Vec<Lease>, StoreError> {
    let sql = "SELECT family, key, subnet, state, holder, operation, mac, at, until FROM address
               WHERE operation = $1 AND state <> 'quarantined' ORDER BY family, key LIMIT $2";
    leases(on!(db, |pool| {
        sqlx::query_as::<_, LeaseRow>(sql).bind(operation.as_str()).bind(MAX_LISTED).fetch_all(pool).await?
    }))
}

/// What somebody holds.
pub async fn leases_of_holder(db: &Db, holder: &str) -> Result<Vec<Lease>, StoreError> {
    let sql = "SELECT family, key, subnet, state, holder, operation, mac, at, until FROM address
               WHERE holder = $1 AND state <> 'quarantined' ORDER BY family, key LIMIT $2";
    leases(on!(db, |pool| {
        sqlx::query_as::<_, LeaseRow>(sql).bind(clean(holder)).bind(MAX_LISTED).fetch_all(pool).await?
    }))
}

/// How full a subnet is.
pub async fn count(db: &Db, subnet: &SubnetId) -> Result<Count, StoreError> {
    let sql = "SELECT state, COUNT(*) FROM address WHERE subnet = $1 GROUP BY state";
    let rows = on!(db, |pool| sqlx::query_as::<_, (String, i64)>(sql).bind(subnet.as_str()).fetch_all(pool).await?);
    let mut count = Count::default();
    for (state, n) in rows {
        match known(LeaseState::parse(&state), "address.state")? {
            LeaseState::Held => count.held = unsigned(n),
            LeaseState::Reserved => count.reserved = unsigned(n),
            LeaseState::Quarantined => count.quarantined = unsigned(n),
        }
    }
    Ok(count)
}
