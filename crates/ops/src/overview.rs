//! The first page and the task drawer: what there is, what runs, what needs someone.

use crate::access::Permit;
use crate::{Context, Ops, Result, change};
use model::access::Verb;
use model::change::{OperationView, State};
use model::fleet::{ClusterView, Health};
use model::overview::{Need, Overview, Target};
use model::time::ago;
use model::vm::{Power, Tone, VmRow};
use model::{Lang, Say, UnixMs, say};
use store::Db;

/// Operations of the task drawer.
const DRAWER: u32 = 50;
/// Rows of "needs someone".
const MAX_NEEDS: usize = 12;

impl Ops {
    /// All that the overview shows.
    pub async fn overview(&self, ctx: &Context) -> Result<Overview> {
        Permit::ask(ctx, Verb::FleetRead, "overview")?;
        let mut clusters = self.fleet.views();
        clusters.sort_by_key(|c| (need_of(c), c.id.clone()));
        let power = Power::ALL
            .into_iter()
            .map(|p| (p, clusters.iter().flat_map(|c| &c.power).filter(|(q, _)| *q == p).map(|(_, n)| n).sum()));
        let operations = operations(&self.db, DRAWER).await?;
        let needs = self.needs(&clusters, &operations, ctx.now);
        let running = operations.into_iter().filter(|o| !o.state.is_final()).collect();
        Ok(Overview { power: power.collect(), running, needs, clusters, as_of: ctx.now })
    }

    /// Running and recent operations, the running ones first.
    pub async fn operations(&self, ctx: &Context) -> Result<Vec<OperationView>> {
        Permit::ask(ctx, Verb::OperationRead, "operation")?;
        operations(&self.db, DRAWER).await
    }

    fn needs(&self, clusters: &[ClusterView], operations: &[OperationView], now: UnixMs) -> Vec<Need> {
        let away = clusters
            .iter()
            .filter(|c| c.health.is_away() || c.health == Health::Degraded)
            .map(|c| cluster_need(c, now));
        let parked = operations.iter().filter(|o| o.state == State::Parked).map(|o| Need {
            tone: Tone::Error,
            title: o.title.clone(),
            note: o.now.clone().unwrap_or_else(|| State::Parked.say()),
            target: Target::Delivery(o.id.to_string()),
        });
        let mut needs: Vec<Need> = away.chain(parked).collect();
        for member in self.fleet.members() {
            let Ok(running) = member.running() else { continue };
            if member.view().quarantined > 0 {
                let (n, name) = (member.view().quarantined, &member.record.name);
                needs.push(Need {
                    tone: Tone::Warning,
                    title: say!("{name} 有 {n} 个对象读不懂", "{n} objects of {name} cannot be read"),
                    note: Say::fixed("已隔离，其余照常", "set aside, the rest goes on"),
                    target: Target::Cluster(member.record.id.to_string()),
                });
            }
            if let Some(expires) = running.expires.filter(|e| e.since(now) < WARN_MS) {
                needs.push(expiry_need(&member.record.name, member.record.id.as_str(), expires.since(now)));
            }
        }
        // VMs come last: there may be many, and what is above may be why.
        let room = MAX_NEEDS.saturating_sub(needs.len()).max(1);
        let (mut failed, mut count) = (Vec::new(), 0);
        for member in self.fleet.members() {
            let Ok(running) = member.running() else { continue };
            for row in running.cache.rows().iter().filter(|row| row.power == Power::Failed) {
                count += 1;
                if failed.len() < room {
                    failed.push(vm_need(row, &member.record.name));
                }
            }
        }
        if count > room {
            let more = count - (room - 1);
            failed.truncate(room - 1);
            failed.push(Need {
                tone: Tone::Error,
                title: say!("另有 {more} 台没有起来", "{more} more do not come up"),
                note: Say::fixed("在列表里逐台看", "the list has them all"),
                target: Target::Vms("status:failed".to_owned()),
            });
        }
        needs.extend(failed);
        needs
    }
}

fn vm_need(row: &VmRow, cluster: &str) -> Need {
    let name = &row.name;
    let why = row.problem.as_deref().unwrap_or(&row.status);
    Need {
        tone: Tone::Error,
        title: say!("{name} 没有起来", "{name} does not come up"),
        note: Say::verbatim(format!("{cluster} · {why}")),
        target: Target::Vm(row.cluster.to_string(), row.namespace.to_string(), name.to_string()),
    }
}

/// Credentials are warned of 30 days ahead (CLU.4).
const WARN_MS: i64 = 30 * 86_400_000;

fn expiry_need(name: &str, id: &str, left_ms: i64) -> Need {
    let (days, hours) = (left_ms.max(0) / 86_400_000, left_ms.max(0) / 3_600_000);
    let title = match (days, hours) {
        (0, 0) => say!("{name} 的凭据不到一小时就到期", "the credential of {name} ends within the hour"),
        (0, _) => say!("{name} 的凭据 {hours} 小时后到期", "the credential of {name} ends in {hours} h"),
        _ => say!("{name} 的凭据 {days} 天后到期", "the credential of {name} ends in {days} days"),
    };
    Need {
        tone: if days <= 7 { Tone::Error } else { Tone::Warning },
        title,
        note: Say::fixed("到期后只能看到旧数据", "after that only old data is shown"),
        target: Target::Cluster(id.to_owned()),
    }
}

fn cluster_need(c: &ClusterView, now: UnixMs) -> Need {
    let (name, health) = (&c.name, c.health.say());
    let (zh, en) = (health.zh, health.en.to_lowercase());
    let (since_zh, since_en) = (ago(now.since(c.since), Lang::Zh), ago(now.since(c.since), Lang::En));
    let problem = c.problem.clone().unwrap_or(Say::fixed("", ""));
    let (p_zh, p_en) = (problem.zh, problem.en);
    let sep = if p_zh.is_empty() { "" } else { " · " };
    Need {
        tone: c.health.tone(),
        title: say!("{name} {zh}", "{name} is {en}"),
        note: say!("{since_zh}{sep}{p_zh}", "{since_en}{sep}{p_en}"),
        target: Target::Cluster(c.id.to_string()),
    }
}

/// The neediest first.
fn need_of(c: &ClusterView) -> u8 {
    match c.health {
        Health::Unauthorised | Health::Unreachable => 0,
        Health::Degraded => 1,
        Health::Connecting => 2,
        Health::Reachable => 3,
    }
}

/// Changes and deliveries together, the running ones first, then the newest.
pub(crate) async fn operations(db: &Db, limit: u32) -> Result<Vec<OperationView>> {
    let changes = store::change::recent(db, limit).await?;
    let deliveries = store::journal::recent(db, limit).await?;
    merged(db, changes, deliveries, limit).await
}

/// The same of one object.
pub(crate) async fn operations_of(db: &Db, object: &str, limit: u32) -> Result<Vec<OperationView>> {
    let changes = store::change::of_object(db, object, limit).await?;
    let deliveries = store::journal::of_object(db, object, limit).await?;
    merged(db, changes, deliveries, limit).await
}

async fn merged(
    db: &Db,
    changes: Vec<store::change::ChangeRecord>,
    deliveries: Vec<store::journal::OperationRecord>,
    limit: u32,
) -> Result<Vec<OperationView>> {
    let mut views = changes.iter().map(change::view).collect::<Result<Vec<_>>>()?;
    for record in &deliveries {
        views.push(crate::provisioning::operation_view(db, record).await?);
    }
    views.sort_by_key(|o| (o.state.is_final(), std::cmp::Reverse(o.began)));
    views.truncate(limit as usize);
    Ok(views)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_that_ends_soon_is_told_in_hours() {
        let said = |left_ms: i64| expiry_need("bj-1", "bj-1", left_ms).title.en.into_owned();
        const HOUR_MS: i64 = 3_600_000;
        assert_eq!(said(20 * 24 * HOUR_MS), "the credential of bj-1 ends in 20 days");
        assert_eq!(said(23 * HOUR_MS), "the credential of bj-1 ends in 23 h");
        assert_eq!(said(HOUR_MS / 2), "the credential of bj-1 ends within the hour");
        assert_eq!(said(-1), "the credential of bj-1 ends within the hour");
    }
}
