//! Parts that the overview and the cluster pages share: how a cluster stands, and how full it is.

use app_ui::{Meter, Part, StackedBar, Tone as Loudness};
use leptos::prelude::*;
use model::UnixMs;
use model::fleet::{Capacity, ClusterView};
use model::quantity::percent;
use model::vm::{Power, Tone};

use crate::frame::{Since, fill_of, tell, use_zone};
use crate::locales::{grouped, use_words};

/// What is promised and how far it is overcommitted, of one resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share {
    /// Requests of running VMs, in percent of what there is.
    pub(crate) requests: u32,
    /// Their limits likewise; more than a hundred is overcommitted.
    pub(crate) limits: u32,
}

impl Share {
    /// Of CPU.
    pub(crate) fn cpu(room: &Capacity) -> Self {
        Self { requests: percent(room.cpu_requested.0, room.cpu.0), limits: percent(room.cpu_used.0, room.cpu.0) }
    }

    /// Of memory.
    pub(crate) fn memory(room: &Capacity) -> Self {
        Self {
            requests: percent(room.memory_requested.0, room.memory.0),
            limits: percent(room.memory_used.0, room.memory.0),
        }
    }

    /// Of storage: claims, which are thin, so that they are limits.
    pub(crate) fn storage(room: &Capacity) -> Self {
        let claimed = percent(room.storage_claimed.0, room.storage.0);
        Self { requests: claimed, limits: claimed }
    }

    /// `×1.4` when more is promised than there is, else `88%`.
    pub(crate) fn overcommit(self) -> String {
        if self.limits > 100 { format!("×{:.1}", f64::from(self.limits) / 100.0) } else { format!("{}%", self.limits) }
    }
}

/// `61%   上限 ×1.4` over a bar: requests and limits of one resource.
#[component]
pub(crate) fn Gauge(
    /// What is measured.
    #[prop(into)]
    name: String,
    /// How full.
    share: Share,
    /// The cluster is away: no colour.
    #[prop(optional)]
    away: bool,
    /// Claims only: there is no second figure.
    #[prop(optional)]
    single: bool,
) -> impl IntoView {
    let words = use_words().overview;
    let label = format!("{name} {}%", share.requests);
    let limits = (!single).then(|| (words.limits)(&share.overcommit()));
    let over = single.then(|| (share.limits > 100).then(|| share.overcommit())).flatten();
    let asked = (!single).then(|| f64::from(share.limits));
    let tone = if away { Loudness::Quiet } else { Loudness::Plain };
    view! {
        <div class="gauge">
            <p><b>{format!("{}%", share.requests)}</b><span>{limits.or(over)}</span></p>
            <Meter used=f64::from(share.requests) asked=asked label=label tone=tone/>
        </div>
    }
}

/// The powers of VMs as a bar, read out as a sentence.
#[component]
pub(crate) fn PowerBar(
    /// VMs by power.
    power: Vec<(Power, u32)>,
) -> impl IntoView {
    let all: u32 = power.iter().map(|(_, n)| n).sum();
    let said: Vec<String> = power
        .iter()
        .filter(|(_, n)| *n > 0)
        .map(|(power, n)| format!("{} {}", tell(&power.say()), grouped(*n)))
        .collect();
    let part =
        |&(power, n): &(Power, u32)| Part { fill: fill_of(power), share: f64::from(n) * 100.0 / f64::from(all.max(1)) };
    let parts: Vec<Part> = power.iter().filter(|(_, n)| *n > 0).map(part).collect();
    view! { <StackedBar parts=parts label=said.join(", ")/> }
}

/// VMs of one tone.
pub(crate) fn count_of(power: &[(Power, u32)], tone: Tone) -> u32 {
    power.iter().filter(|(power, _)| power.tone() == tone).map(|(_, n)| n).sum()
}

/// How old a cluster's data is, or as of when it is while it is away.
#[component]
pub(crate) fn ClusterAge(
    /// The cluster.
    cluster: ClusterView,
) -> impl IntoView {
    let words = use_words().fleet;
    let old = cluster.health.is_away();
    match cluster.as_of {
        Some(at) => view! { <Since at=at old=old/> }.into_any(),
        None => view! { <span class="faint">{words.never}</span> }.into_any(),
    }
}

/// What is to be known about a cluster's state besides its word: why, since when, when it is tried again.
pub(crate) fn trouble(cluster: &ClusterView, now: UnixMs) -> Option<String> {
    if !cluster.health.is_away() && cluster.problem.is_none() {
        return None;
    }
    let (words, zone) = (use_words().fleet, use_zone());
    let mut parts: Vec<String> = cluster.problem.iter().map(tell).collect();
    parts.push((words.since)(&zone.near(cluster.since, now)));
    parts.extend(cluster.retry_at.map(|at| (words.retry_in)(&zone.clock(at))));
    Some(parts.join(" · "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::quantity::{Bytes, Millicores};

    #[test]
    fn overcommit_is_said_as_a_factor() {
        let room = Capacity {
            cpu: Millicores(100_000),
            cpu_used: Millicores(240_000),
            cpu_requested: Millicores(60_000),
            memory: Bytes(100),
            memory_used: Bytes(88),
            memory_requested: Bytes(70),
            ..Capacity::default()
        };
        assert_eq!(Share::cpu(&room), Share { requests: 60, limits: 240 });
        assert_eq!((Share::cpu(&room).overcommit(), Share::memory(&room).overcommit()), ("×2.4".into(), "88%".into()));
        assert_eq!(Share::storage(&room).requests, 0);
    }
}
