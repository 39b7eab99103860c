//! The palette: anything from anything — a VM by name, address, MAC or owner; a cluster; a subnet; an address.

use crate::access::Permit;
use crate::{Context, Ops, Result};
use model::access::Verb;
use model::live::Span;
use model::overview::Target;
use model::palette::{Hit, HitKind, MAX_HITS};
use model::vm::{Query, Sort};
use model::{Say, say};
use std::net::IpAddr;

/// VMs among the hits, so that clusters and subnets have room too.
const VMS: u32 = 12;

impl Ops {
    /// Finds what the text may mean, the likeliest first. A text that is no query finds nothing rather than failing.
    pub async fn find(&self, ctx: &Context, text: &str) -> Result<Vec<Hit>> {
        Permit::ask(ctx, Verb::VmRead, "palette")?;
        let text = text.trim();
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let mut hits = Vec::new();
        if let Ok(address) = text.parse::<IpAddr>() {
            hits.extend(self.find_address(ctx, address).await?);
        }
        let lower = text.to_lowercase();
        for cluster in self.fleet.views() {
            if cluster.id.as_str().contains(&lower) || cluster.name.to_lowercase().contains(&lower) {
                let vms = cluster.vms();
                hits.push(Hit {
                    kind: HitKind::Cluster,
                    tone: Some(cluster.health.tone()),
                    title: cluster.name.clone(),
                    note: say!("集群 · {vms} 台虚拟机", "cluster · {vms} VMs"),
                    target: Target::Cluster(cluster.id.to_string()),
                });
            }
        }
        let query = Query { text: text.to_owned(), sort: Sort::default() };
        if let Ok(window) = self.vms.window_permitted(&query, Span { start: 0, len: VMS }) {
            hits.extend(window.rows.iter().map(|row| {
                let address = row.main_address().map(|a| a.to_string()).unwrap_or_default();
                let parts = [
                    row.cluster.as_ref(),
                    row.namespace.as_ref(),
                    &address,
                    row.owner_name.as_deref().unwrap_or_default(),
                ];
                let note: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
                Hit {
                    kind: HitKind::Vm,
                    tone: Some(row.power.tone()),
                    title: row.name.to_string(),
                    note: Say::verbatim(note.join(" · ")),
                    target: Target::Vm(row.cluster.to_string(), row.namespace.to_string(), row.name.to_string()),
                }
            }));
        }
        if Permit::ask(ctx, Verb::IpamRead, "ipam").is_ok() {
            for view in self.ipam.subnets(ctx).await? {
                let (name, cidr) = (&view.subnet.name, view.subnet.cidr.to_string());
                if name.to_lowercase().contains(&lower) || cidr.starts_with(&lower) {
                    let (held, room) = (view.held, view.room);
                    hits.push(Hit {
                        kind: HitKind::Subnet,
                        tone: None,
                        title: name.clone(),
                        note: say!("{cidr} · 已用 {held} / {room}", "{cidr} · {held} of {room} held"),
                        target: Target::Subnet(view.subnet.id.to_string()),
                    });
                }
            }
        }
        hits.truncate(MAX_HITS);
        Ok(hits)
    }

    async fn find_address(&self, ctx: &Context, address: IpAddr) -> Result<Option<Hit>> {
        let Some((subnet, holder)) = self.ipam.whose(ctx, address).await? else { return Ok(None) };
        let note = match holder {
            Some(holder) => say!("台账：{holder}", "ledger: {holder}"),
            None => Say::fixed("台账：空闲", "ledger: free"),
        };
        Ok(Some(Hit {
            kind: HitKind::Address,
            tone: None,
            title: address.to_string(),
            note,
            target: Target::Subnet(subnet.to_string()),
        }))
    }
}
