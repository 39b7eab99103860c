//! What a cluster can do, how we know, and what to do instead.

use app_ui::{EmptyState, Fact, Facts, Glyph, Mark, StateMark};
use leptos::prelude::*;
use model::fleet::{Capability, Probe, Verdict};

use crate::frame::{Moment, tell};
use crate::locales::use_words;

/// The matrix of the last probe.
#[component]
pub(super) fn Capabilities(probe: Option<Probe>) -> impl IntoView {
    let words = use_words().fleet;
    let Some(probe) = probe else {
        return view! { <EmptyState glyph=Glyph::Scan title=words.no_probe meaning=words.no_probe_more/> }.into_any();
    };
    let text = |version: &Option<String>| version.clone().unwrap_or_else(|| words.unknown.to_owned());
    view! {
        <Facts across=true>
            <Fact name=words.seen><Moment at=probe.at/></Fact>
            <Fact name="Harvester">{text(&probe.server_version)}</Fact>
            <Fact name=words.kubernetes>{text(&probe.kubernetes)}</Fact>
            <Fact name=words.kubevirt>{text(&probe.kubevirt)}</Fact>
        </Facts>
        <div class="scroll">
            <table class="matrix" aria-label=words.tab_capabilities>
                <thead>
                    <tr>
                        <th scope="col">{words.capability}</th>
                        <th scope="col">{words.here}</th>
                        <th scope="col">{words.since_version}</th>
                        <th scope="col">{words.evidence}</th>
                        <th scope="col">{words.instead}</th>
                    </tr>
                </thead>
                <tbody>{probe.capabilities.into_iter().map(|capability| view! { <Row capability=capability/> }).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn Row(capability: Capability) -> impl IntoView {
    let words = use_words().fleet;
    let (mark, word) = match capability.verdict {
        Verdict::Present => (Mark::Ok, words.present),
        Verdict::Absent => (Mark::Stopped, words.absent),
        Verdict::Unknown => (Mark::Unknown, words.unknown),
    };
    // A lack is a fact here, not an alarm: only what to do instead is worth reading.
    let instead = (capability.verdict != Verdict::Present).then(|| capability.instead.as_ref().map(tell)).flatten();
    view! {
        <tr>
            <th scope="row">{tell(&capability.name)}<small><code>{capability.key.clone()}</code></small></th>
            <td><StateMark mark=mark word=word/></td>
            <td>{capability.since.clone()}</td>
            <td class="soft" data-wrap="">{tell(&capability.evidence)}</td>
            <td data-wrap="">{instead}</td>
        </tr>
    }
}
