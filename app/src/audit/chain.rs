//! How the chain stands: intact or broken, how long it is, when that was last computed.

use app_ui::{Button, Figure, Glyph, Mark, StateMark, Tone};
use leptos::prelude::*;
use model::Fault;
use model::audit::ChainReport;

use crate::frame::{FaultNote, tell, use_zone};
use crate::locales::{grouped, use_words};

/// A verification, as an action whose value is the last report.
pub(super) type Verification = Action<(), Result<ChainReport, Fault>>;

/// The button that verifies now.
#[component]
pub(super) fn VerifyButton(verification: Verification) -> impl IntoView {
    let words = use_words().audit;
    let word =
        Signal::derive(move || if verification.pending().get() { words.verifying } else { words.verify }.to_owned());
    view! { <Button word=word glyph=Glyph::Chain busy=verification.pending() on_press=move |()| { verification.dispatch(()); }/> }
}

/// The line above the list.
#[component]
pub(super) fn ChainState(verification: Verification) -> impl IntoView {
    let words = use_words().audit;
    let zone = use_zone();
    let fault = Signal::derive(move || verification.value().get().and_then(Result::err));
    let shown = move || match verification.value().get() {
        Some(Ok(report)) => {
            let (mark, word, note, tone) = match &report.broken {
                None => (Mark::Ok, words.chain_whole, (words.verified)(&zone.clock(report.at)), Tone::Plain),
                Some((seq, why)) => (Mark::No, words.chain_broken, (words.broken_at)(*seq, &tell(why)), Tone::Error),
            };
            let records = grouped(report.records.unsigned_abs());
            view! {
                <div class="row" data-gap="4">
                    <StateMark mark=mark word=word tint=true/>
                    <Figure name=words.records value=records unit=words.records_unit note=note tone=tone/>
                </div>
                <div></div>
                <div class="figure"><span>{words.head}</span><code>{report.head.chars().take(24).collect::<String>()}</code></div>
            }
            .into_any()
        }
        _ => view! {
            <div class="row" data-gap="4" data-wrap="">
                <StateMark mark=Mark::Unknown word=words.chain_unknown tint=true/>
                <span class="faint">{words.chain_unknown_more}</span>
            </div>
        }
        .into_any(),
    };
    view! { <FaultNote fault=fault/><div class="audit-chain" aria-live="polite">{shown}</div> }
}
