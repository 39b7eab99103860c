//! The figures that are read first; only numbers that we really have.

use app_ui::{Figure, Meter};
use leptos::prelude::*;
use model::fleet::{Capacity, ClusterView};
use model::quantity::{Bytes, Millicores, percent};
use model::vm::{Power, Tone};

use crate::fleet::{PowerBar, Share, count_of};
use crate::locales::{grouped, use_words};

/// Clusters, and VMs by power.
pub(super) type Counted = (Vec<ClusterView>, Vec<(Power, u32)>);

/// One row: VMs, CPU, memory, storage, clusters, nodes.
#[component]
pub(super) fn Figures(
    /// Clusters, and VMs by power.
    of: Memo<Counted>,
) -> impl IntoView {
    move || {
        let words = use_words().overview;
        let (clusters, power) = of.get();
        let room = clusters.iter().map(|cluster| cluster.capacity).fold(Capacity::default(), sum);
        let vms: u32 = power.iter().map(|(_, n)| n).sum();
        let by_power = (words.running_stopped)(count_of(&power, Tone::Running), count_of(&power, Tone::Stopped));
        let in_reach = clusters.iter().filter(|cluster| !cluster.health.is_away()).count() as u32;
        let (all, ready) = clusters.iter().map(|c| c.nodes).fold((0, 0), |(a, r), (all, ready)| (a + all, r + ready));
        let (cpu, memory) = (Share::cpu(&room), Share::memory(&room));
        let of_cpu = (words.limits_of_cores)(&cpu.overcommit(), &grouped(room.cpu.0 / 1000));
        let of_memory = (words.limits_of)(&memory.overcommit(), &room.memory.human());
        let of_storage = (words.of_bytes)(&room.storage_claimed.human(), &room.storage.human());
        view! {
            <div class="figures">
                <Figure name=words.vms value=grouped(vms) unit=words.vms_unit note=by_power><PowerBar power=power/></Figure>
                <Full name=words.cpu share=cpu note=of_cpu/>
                <Full name=words.memory share=memory note=of_memory/>
                <Full name=words.storage share=Share::storage(&room) note=of_storage single=true/>
                <Figure name=words.clusters value=in_reach.to_string() unit=format!("/ {}", clusters.len()) note=words.reachable>
                    <Meter used=f64::from(percent(in_reach.into(), clusters.len() as u64)) label=words.reachable tone=app_ui::Tone::Ok/>
                </Figure>
                <Figure name=words.nodes_title value=ready.to_string() unit=format!("/ {all}") note=words.ready>
                    <Meter used=f64::from(percent(ready.into(), all.into())) label=words.ready tone=app_ui::Tone::Ok/>
                </Figure>
            </div>
        }
    }
}

/// One resource: requests, and beside them how far limits go.
#[component]
fn Full(name: &'static str, share: Share, note: String, #[prop(optional)] single: bool) -> impl IntoView {
    let asked = (!single).then(|| f64::from(share.limits));
    view! {
        <Figure name=name value=share.requests.to_string() unit="%" note=note>
            <Meter used=f64::from(share.requests) asked=asked label=format!("{name} {}%", share.requests)/>
        </Figure>
    }
}

fn sum(a: Capacity, b: Capacity) -> Capacity {
    Capacity {
        cpu: Millicores(a.cpu.0 + b.cpu.0),
        cpu_used: Millicores(a.cpu_used.0 + b.cpu_used.0),
        cpu_requested: Millicores(a.cpu_requested.0 + b.cpu_requested.0),
        memory: Bytes(a.memory.0 + b.memory.0),
        memory_used: Bytes(a.memory_used.0 + b.memory_used.0),
        memory_requested: Bytes(a.memory_requested.0 + b.memory_requested.0),
        storage: Bytes(a.storage.0 + b.storage.0),
        storage_claimed: Bytes(a.storage_claimed.0 + b.storage_claimed.0),
    }
}
