//! Disks and network interfaces of a VM, as tables.

use app_ui::{EmptyState, Glyph, HeadCell, Icon, Mark, Section, StateMark, Table};
use leptos::prelude::*;
use model::quantity::Bytes;
use model::vm::{Disk, Nic, VmDetail};

use super::place::like;
use crate::locales::use_words;

/// The disks.
#[component]
pub(super) fn Disks(detail: Memo<VmDetail>) -> impl IntoView {
    let words = use_words().vm;
    let disks = Memo::new(move |_| detail.with(|detail| detail.disks.clone()));
    let note = Signal::derive(move || {
        disks.with(|disks| {
            let all: u64 = disks.iter().filter_map(|disk| disk.size).map(|size| size.0).sum();
            Some((words.disks_note)(disks.len(), &Bytes(all).human()))
        })
    });
    let head = move || {
        view! {
            <HeadCell col="d-name" word=words.name/>
            <HeadCell col="d-source" word=words.source/>
            <HeadCell col="d-class" word=words.class/>
            <HeadCell col="d-use" word=words.bus/>
            <HeadCell col="d-size" word=words.capacity num=true/>
            <HeadCell col="d-st" word=words.replicas/>
        }
    };
    let rows = move || disks.get().into_iter().map(|disk| view! { <DiskRow disk=disk/> }).collect_view();
    let table =
        move || view! { <Table label=words.disks inset=true head=Box::new(move || head().into_any())>{rows}</Table> };
    let has_any = Memo::new(move |_| disks.with(|disks| !disks.is_empty()));
    view! {
        <Section title=words.disks note=note>
            {move || if has_any.get() { table().into_any() } else { view! { <EmptyState glyph=Glyph::Disk title=words.no_disks/> }.into_any() }}
        </Section>
    }
}

/// How a disk is, by Longhorn's robustness, else by the phase of its claim.
fn health(disk: &Disk) -> Option<(Mark, String)> {
    let (mark, word) = match (disk.robustness.as_deref(), disk.phase.as_deref()) {
        (Some("healthy"), _) => (Mark::Ok, "healthy"),
        (Some("degraded"), _) => (Mark::Warning, "degraded"),
        (Some("faulted"), _) => (Mark::Error, "faulted"),
        (Some(other), _) => (Mark::Unknown, other),
        (None, Some("Bound")) => (Mark::Ok, "Bound"),
        (None, Some(phase)) => (Mark::Moving, phase),
        (None, None) => return None,
    };
    Some((mark, word.to_owned()))
}

#[component]
fn DiskRow(disk: Disk) -> impl IntoView {
    let health = health(&disk);
    let size = disk.size.map(Bytes::human);
    let source = disk.image.clone().map_or_else(|| disk.source.clone(), |image| format!("{} · {image}", disk.source));
    view! {
        <tr>
            <td title=disk.name.clone()><div class="cell"><Icon glyph=Glyph::Disk/><code class="cut">{disk.name.clone()}</code></div></td>
            <td title=source.clone()><code>{source.clone()}</code></td>
            <td>{disk.class.map(|class| view! { <code>{class}</code> })}</td>
            <td>{format!("{} {}", disk.bus, disk.kind)}</td>
            <td data-num="">{size}</td>
            <td>{health.map(|(mark, word)| view! { <StateMark mark=mark word=word/> })}</td>
        </tr>
    }
}

/// The interfaces.
#[component]
pub(super) fn Nics(detail: Memo<VmDetail>) -> impl IntoView {
    let words = use_words().vm;
    let nics = Memo::new(move |_| detail.with(|detail| detail.nics.clone()));
    let note = Signal::derive(move || Some((words.nics_note)(nics.with(Vec::len))));
    let head = move || {
        view! {
            <HeadCell col="n-name" word=words.name/>
            <HeadCell col="n-net" word=words.network/>
            <HeadCell col="n-mac" word="MAC"/>
            <HeadCell col="n-ip" word=words.address/>
            <HeadCell col="n-rate" word=words.model/>
            <HeadCell col="n-st" word=words.link/>
        }
    };
    let rows = move || nics.get().into_iter().map(|nic| view! { <NicRow nic=nic/> }).collect_view();
    let table = move || {
        view! { <Table label=words.nics inset=true two=true head=Box::new(move || head().into_any())>{rows}</Table> }
    };
    let has_any = Memo::new(move |_| nics.with(|nics| !nics.is_empty()));
    view! {
        <Section title=words.nics note=note ruled=true>
            {move || if has_any.get() { table().into_any() } else { view! { <EmptyState glyph=Glyph::Nic title=words.no_nics/> }.into_any() }}
        </Section>
    }
}

#[component]
fn NicRow(nic: Nic) -> impl IntoView {
    let words = use_words().vm;
    let link = nic.link.as_deref().map(|link| match link {
        "up" => (Mark::Ok, words.link_up.to_owned()),
        "down" => (Mark::No, words.link_down.to_owned()),
        other => (Mark::Unknown, other.to_owned()),
    });
    let mut addresses = nic.addresses.iter().map(ToString::to_string);
    let first = addresses.next();
    let rest: Vec<String> = addresses.collect();
    let vlan = nic.vlan.map(|vlan| view! { <span class="under">{(words.vlan)(vlan)}</span> });
    view! {
        <tr>
            <td><div class="cell"><Icon glyph=Glyph::Nic/><code class="cut">{nic.name}</code></div></td>
            <td title=nic.network.clone()><code>{nic.network.clone()}</code>{vlan}</td>
            <td>{nic.mac.map(|mac| view! { <a class="name" href=like("mac", &mac)><code>{mac.clone()}</code></a> })}</td>
            <td>
                {first.map(|ip| view! { <a class="name" href=like("ip", &ip)><code>{ip.clone()}</code></a> })}
                {(!rest.is_empty()).then(|| view! { <span class="under"><code>{rest.join(" ")}</code></span> })}
            </td>
            <td>{nic.model}<span class="under">{nic.binding}</span></td>
            <td>{link.map(|(mark, word)| view! { <StateMark mark=mark word=word/> })}</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_as_well_as_its_replicas() {
        let disk = |robustness: Option<&str>, phase: Option<&str>| Disk {
            name: "root".into(),
            source: "web-01-root".into(),
            bus: "virtio".into(),
            kind: "disk".into(),
            size: None,
            class: None,
            image: None,
            phase: phase.map(str::to_owned),
            robustness: robustness.map(str::to_owned),
        };
        let mark = |robustness, phase| health(&disk(robustness, phase)).map(|(mark, _)| mark);
        assert_eq!(mark(Some("degraded"), Some("Bound")), Some(Mark::Warning));
        assert_eq!(mark(None, Some("Pending")), Some(Mark::Moving));
        assert_eq!(mark(None, None), None);
    }
}
