//! Pre-checks: what was checked, what came out, what to do about it. What is fine is one line; what is not is said in full.

use app_ui::{Mark, Verdict};
use leptos::prelude::*;
use model::provisioning::{Check, CheckVerdict, Draft};

use super::form::Seen;
use crate::frame::tell;
use crate::locales::use_words;

/// The list.
#[component]
pub(super) fn Checks(preview: Action<Draft, Seen>, draft: Memo<Draft>) -> impl IntoView {
    let words = use_words().provisioning;
    let checks =
        move || preview.value().get().and_then(|(_, result)| result.ok()).map(|p| p.checks).unwrap_or_default();
    let is_asking =
        move || preview.pending().get() || preview.value().get().is_some_and(|(about, _)| draft.with(|d| *d != about));
    let line = |check: Check| {
        let mark = match check.verdict {
            CheckVerdict::Fine => Mark::Ok,
            CheckVerdict::Warning => Mark::Warning,
            CheckVerdict::Refused => Mark::No,
            CheckVerdict::Unknown => Mark::Unknown,
        };
        let remedy = check.remedy.as_ref().map(tell);
        view! { <Verdict mark=mark word=tell(&check.say)>{remedy}</Verdict> }
    };
    let content = move || {
        let waiting = is_asking().then(|| view! { <Verdict mark=Mark::Wait word=words.checking/> });
        view! { {checks().into_iter().map(line).collect_view()}{waiting} }
    };
    view! { <ul class="verdicts" aria-live="polite" aria-label=words.checks>{content}</ul> }
}
