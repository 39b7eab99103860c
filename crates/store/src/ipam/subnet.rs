//! Subnets: their plan, their ranges, and the networks that they serve.

use super::key::{family, key};
use crate::db::{on, on_tx};
use crate::text::{clean, from_json, known, read, to_json};
use crate::{Db, StoreError, Tx};
use model::UnixMs;
use model::id::{ClusterId, SubnetId};
use model::ipam::{Cidr, Range, RangeKind, Serves, Subnet};
use std::collections::HashMap;

/// Most subnets that are read.
const MAX_LISTED: i64 = 5_000;

/// Why a subnet was not written.
#[derive(Debug, thiserror::Error)]
pub enum SubnetError {
    /// It shares addresses with another.
    #[error("{cidr} overlaps with {with} ({with_cidr})")]
    Overlaps {
        /// What was asked for.
        cidr: Cidr,
        /// Name of the other.
        with: String,
        /// Network of the other.
        with_cidr: Cidr,
    },
    /// Addresses of it are held, reserved or in quarantine.
    #[error("{leases} addresses of the subnet are not free")]
    InUse {
        /// How many.
        leases: i64,
    },
    /// There is no such subnet.
    #[error("there is no such subnet")]
    NotFound,
    /// The database did not do it.
    #[error("writing subnet")]
    Store(#[from] StoreError),
}

#[derive(sqlx::FromRow)]
struct SubnetRow {
    id: String,
    name: String,
    cidr: String,
    gateway: Option<String>,
    vlan: Option<i64>,
    dns: String,
    search: String,
}

#[derive(sqlx::FromRow)]
struct RangeRow {
    subnet: String,
    kind: String,
    from_address: String,
    to_address: String,
    note: String,
}

#[derive(sqlx::FromRow)]
struct ServesRow {
    subnet: String,
    cluster: String,
    network: String,
}

impl SubnetRow {
    fn subnet(self, ranges: Vec<Range>, serves: Vec<Serves>) -> Result<Subnet, StoreError> {
        Ok(Subnet {
            id: read(SubnetId::parse(&self.id), "subnet.id")?,
            name: self.name,
            cidr: read(Cidr::parse(&self.cidr), "subnet.cidr")?,
            gateway: self.gateway.map(|text| read(text.parse(), "subnet.gateway")).transpose()?,
            vlan: self.vlan.map(|vlan| read(u16::try_from(vlan), "subnet.vlan")).transpose()?,
            dns: from_json(&self.dns, "subnet.dns")?,
            search: from_json(&self.search, "subnet.search")?,
            ranges,
            serves,
        })
    }
}

impl RangeRow {
    fn range(self) -> Result<Range, StoreError> {
        Ok(Range {
            kind: known(RangeKind::parse(&self.kind), "subnet_range.kind")?,
            from: read(self.from_address.parse(), "subnet_range.from_address")?,
            to: read(self.to_address.parse(), "subnet_range.to_address")?,
            note: self.note,
        })
    }
}

impl ServesRow {
    fn serves(self) -> Result<Serves, StoreError> {
        let cluster = read(ClusterId::parse(&self.cluster), "subnet_serves.cluster")?;
        Ok(Serves { cluster, network: self.network })
    }
}

/// Subnets that share an address with `cidr`, `but` aside, as name and network. The plan is locked until the transaction
/// ends, so that the answer stays true while the caller writes.
pub async fn overlapping(tx: &mut Tx, cidr: Cidr, but: Option<&SubnetId>) -> Result<Vec<(String, Cidr)>, StoreError> {
    let sql = "UPDATE subnet_plan SET revision = revision + 1 WHERE id = 1";
    on_tx!(tx, |c| sqlx::query(sql).execute(c).await?.rows_affected());
    let sql = "SELECT name, cidr FROM subnet
               WHERE family = $1 AND first_key <= $2 AND last_key >= $3 AND id <> $4 ORDER BY first_key LIMIT $5";
    let rows = on_tx!(tx, |c| {
        let query = sqlx::query_as::<_, (String, String)>(sql).bind(family(cidr.network()));
        let query = query.bind(key(cidr.last())).bind(key(cidr.network()));
        query.bind(but.map_or("", |id| id.as_str())).bind(MAX_LISTED).fetch_all(c).await?
    });
    rows.into_iter().map(|(name, cidr)| Ok((name, read(Cidr::parse(&cidr), "subnet.cidr")?))).collect()
}

/// Adds a subnet to the plan.
pub async fn insert_subnet(tx: &mut Tx, subnet: &Subnet, now: UnixMs) -> Result<(), SubnetError> {
    refuse_overlap(tx, subnet).await?;
    let sql = "INSERT INTO subnet (id, name, cidr, family, first_key, last_key, gateway, vlan, dns, search, low_key,
                                   created)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $5, $11)";
    let (dns, search) = (to_json(&subnet.dns, "subnet.dns")?, to_json(&subnet.search, "subnet.search")?);
    on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(subnet.id.as_str()).bind(clean(&subnet.name)).bind(subnet.cidr.to_string());
        let query = query.bind(family(subnet.cidr.network())).bind(key(subnet.cidr.network()));
        let query = query.bind(key(subnet.cidr.last())).bind(subnet.gateway.map(|g| g.to_string()));
        let query = query.bind(subnet.vlan.map(i64::from)).bind(&dns).bind(&search).bind(now.0);
        query.execute(c).await.map(drop)
    })
    .map_err(StoreError::from)?;
    write_parts(tx, subnet).await?;
    Ok(())
}

/// Changes everything about a subnet but its id and, while addresses of it are taken, its network.
pub async fn update_subnet(tx: &mut Tx, subnet: &Subnet) -> Result<(), SubnetError> {
    refuse_overlap(tx, subnet).await?;
    let sql = "SELECT cidr FROM subnet WHERE id = $1";
    let old = on_tx!(tx, |c| {
        let query = sqlx::query_scalar::<_, String>(sql).bind(subnet.id.as_str());
        query.fetch_optional(c).await.map_err(StoreError::from)?
    });
    if old.ok_or(SubnetError::NotFound)? != subnet.cidr.to_string() {
        refuse_in_use(tx, &subnet.id).await?;
    }
    // Other ranges may make an address below `low_key` static, so the search begins at the start again.
    let sql = "UPDATE subnet
               SET name = $2, cidr = $3, family = $4, first_key = $5, last_key = $6, gateway = $7, vlan = $8, dns = $9,
                   search = $10, low_key = $5, cursor = cursor + 1
               WHERE id = $1";
    let (dns, search) = (to_json(&subnet.dns, "subnet.dns")?, to_json(&subnet.search, "subnet.search")?);
    on_tx!(tx, |c| {
        let query = sqlx::query(sql).bind(subnet.id.as_str()).bind(clean(&subnet.name)).bind(subnet.cidr.to_string());
        let query = query.bind(family(subnet.cidr.network())).bind(key(subnet.cidr.network()));
        let query = query.bind(key(subnet.cidr.last())).bind(subnet.gateway.map(|g| g.to_string()));
        let query = query.bind(subnet.vlan.map(i64::from)).bind(&dns).bind(&search);
        query.execute(c).await.map(drop)
    })
    .map_err(StoreError::from)?;
    write_parts(tx, subnet).await?;
    Ok(())
}

/// Takes a subnet out of the plan, if all its addresses are free.
pub async fn remove_subnet(tx: &mut Tx, id: &SubnetId) -> Result<(), SubnetError> {
    refuse_in_use(tx, id).await?;
    let sql = "DELETE FROM subnet WHERE id = $1";
    let removed = on_tx!(tx, |c| {
        let done = sqlx::query(sql).bind(id.as_str()).execute(c).await.map_err(StoreError::from)?;
        done.rows_affected()
    });
    if removed == 1 { Ok(()) } else { Err(SubnetError::NotFound) }
}

/// The subnet with that id.
pub async fn subnet(db: &Db, id: &SubnetId) -> Result<Option<Subnet>, StoreError> {
    Ok(select(db, Some(id)).await?.pop())
}

/// Subnets, IPv4 first, by address.
pub async fn subnets(db: &Db) -> Result<Vec<Subnet>, StoreError> {
    select(db, None).await
}

/// Subnets that serve a network of a cluster.
pub async fn serving(db: &Db, cluster: &ClusterId, network: &str) -> Result<Vec<Subnet>, StoreError> {
    let all = select(db, None).await?;
    let is_it = |serves: &Serves| serves.cluster == *cluster && serves.network == network;
    Ok(all.into_iter().filter(|subnet| subnet.serves.iter().any(is_it)).collect())
}

async fn refuse_overlap(tx: &mut Tx, subnet: &Subnet) -> Result<(), SubnetError> {
    match overlapping(tx, subnet.cidr, Some(&subnet.id)).await?.into_iter().next() {
        Some((with, with_cidr)) => Err(SubnetError::Overlaps { cidr: subnet.cidr, with, with_cidr }),
        None => Ok(()),
    }
}

/// Takes the subnet's lock first, so that nobody allocates while we look.
async fn refuse_in_use(tx: &mut Tx, id: &SubnetId) -> Result<(), SubnetError> {
    let sql = "UPDATE subnet SET cursor = cursor + 1 WHERE id = $1";
    on_tx!(tx, |c| sqlx::query(sql).bind(id.as_str()).execute(c).await.map(drop)).map_err(StoreError::from)?;
    let sql = "SELECT COUNT(*) FROM address WHERE subnet = $1";
    let leases = on_tx!(tx, |c| {
        sqlx::query_scalar::<_, i64>(sql).bind(id.as_str()).fetch_one(c).await.map_err(StoreError::from)?
    });
    if leases == 0 { Ok(()) } else { Err(SubnetError::InUse { leases }) }
}

async fn write_parts(tx: &mut Tx, subnet: &Subnet) -> Result<(), StoreError> {
    for sql in ["DELETE FROM subnet_range WHERE subnet = $1", "DELETE FROM subnet_serves WHERE subnet = $1"] {
        on_tx!(tx, |c| sqlx::query(sql).bind(subnet.id.as_str()).execute(c).await.map(drop))?;
    }
    let sql = "INSERT INTO subnet_range (subnet, place, kind, from_address, to_address, note)
               VALUES ($1, $2, $3, $4, $5, $6)";
    for (place, range) in (0i64..).zip(&subnet.ranges) {
        on_tx!(tx, |c| {
            let query = sqlx::query(sql).bind(subnet.id.as_str()).bind(place).bind(range.kind.word());
            let query = query.bind(range.from.to_string()).bind(range.to.to_string()).bind(clean(&range.note));
            query.execute(c).await.map(drop)
        })?;
    }
    let sql = "INSERT INTO subnet_serves (subnet, place, cluster, network) VALUES ($1, $2, $3, $4)
               ON CONFLICT (subnet, cluster, network) DO NOTHING";
    for (place, serves) in (0i64..).zip(&subnet.serves) {
        on_tx!(tx, |c| {
            let query = sqlx::query(sql).bind(subnet.id.as_str()).bind(place).bind(serves.cluster.as_str());
            query.bind(clean(&serves.network)).execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

async fn select(db: &Db, id: Option<&SubnetId>) -> Result<Vec<Subnet>, StoreError> {
    let id = id.map(|id| id.as_str());
    let sql = "SELECT id, name, cidr, gateway, vlan, dns, search FROM subnet
               WHERE $1 IS NULL OR id = $1 ORDER BY family, first_key LIMIT $2";
    let rows = on!(db, |pool| sqlx::query_as::<_, SubnetRow>(sql).bind(id).bind(MAX_LISTED).fetch_all(pool).await?);
    let sql = "SELECT subnet, kind, from_address, to_address, note FROM subnet_range
               WHERE $1 IS NULL OR subnet = $1 ORDER BY subnet, place";
    let range_rows = on!(db, |pool| sqlx::query_as::<_, RangeRow>(sql).bind(id).fetch_all(pool).await?);
    let sql = "SELECT subnet, cluster, network FROM subnet_serves
               WHERE $1 IS NULL OR subnet = $1 ORDER BY subnet, place";
    let serves_rows = on!(db, |pool| sqlx::query_as::<_, ServesRow>(sql).bind(id).fetch_all(pool).await?);

    let mut ranges: HashMap<String, Vec<Range>> = HashMap::new();
    for row in range_rows {
        ranges.entry(row.subnet.clone()).or_default().push(row.range()?);
    }
    let mut serves: HashMap<String, Vec<Serves>> = HashMap::new();
    for row in serves_rows {
        serves.entry(row.subnet.clone()).or_default().push(row.serves()?);
    }
    let parts = |row: SubnetRow| {
        let (ranges, serves) = (ranges.remove(&row.id), serves.remove(&row.id));
        row.subnet(ranges.unwrap_or_default(), serves.unwrap_or_default())
    };
    rows.into_iter().map(parts).collect()
}
