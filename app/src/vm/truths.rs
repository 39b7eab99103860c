//! The three truths of an address on one line: what the ledger says, what was injected, what is observed; the line
//! breaks where they differ.

use std::net::IpAddr;

use app_ui::{Glyph, Icon};
use leptos::prelude::*;
use model::ipam::Truth;

use super::place::like;
use crate::frame::tell;
use crate::locales::use_words;

/// What one of the three says, measured by the address that the line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Same,
    Other,
    Nothing,
}

impl Says {
    fn of(addresses: &[IpAddr], address: IpAddr) -> Self {
        match addresses {
            [] => Self::Nothing,
            all if all.contains(&address) => Self::Same,
            _ => Self::Other,
        }
    }
}

/// The address a line is about, the ledger's first, and what each of the three says.
fn line(truth: &Truth) -> Option<(IpAddr, [Says; 3])> {
    let first = truth.observed.iter().find(|ip| ip.is_ipv4()).or(truth.observed.first());
    let address = truth.ledger.or(truth.injected).or(first.copied())?;
    let one = |said: Option<IpAddr>| Says::of(said.as_slice(), address);
    Some((address, [one(truth.ledger), one(truth.injected), Says::of(&truth.observed, address)]))
}

/// The lines of a VM.
#[component]
pub(super) fn Truths(
    /// One an address or an interface.
    truths: Vec<Truth>,
) -> impl IntoView {
    let words = use_words().vm;
    let said = |says: Says, word: &'static str| {
        let (state, glyph) = match says {
            Says::Same => (None, Glyph::Check),
            Says::Other => (Some("off"), Glyph::Warning),
            Says::Nothing => (Some("none"), Glyph::Minus),
        };
        view! { <span data-state=state><Icon glyph=glyph/>{word}</span> }
    };
    let lines: Vec<_> = truths.iter().filter_map(|truth| line(truth).map(|line| (line, truth.drift.clone()))).collect();
    if lines.is_empty() {
        return view! { <p class="small faint">{words.no_truths}</p> }.into_any();
    }
    let row = move |((address, [ledger, injected, observed]), drift): ((IpAddr, [Says; 3]), Option<model::Say>)| {
        let text = address.to_string();
        view! {
            <code title=text.clone()><a class="name" href=like("ip", &text)>{text.clone()}</a></code>
            {said(ledger, words.ledger)}
            {said(injected, words.injected)}
            {said(observed, words.observed)}
            {drift.map(|drift| view! { <p class="truths-note">{tell(&drift)}</p> })}
        }
    };
    view! { <div class="truths">{lines.into_iter().map(row).collect_view()}</div> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};
    use model::access::Role;
    use model::{Lang, Say};

    fn truth(ledger: Option<&str>, injected: Option<&str>, observed: &[&str]) -> Truth {
        let ip = |text: &str| text.parse().unwrap();
        Truth {
            nic: None,
            ledger: ledger.map(ip),
            injected: injected.map(ip),
            observed: observed.iter().map(|text| ip(text)).collect(),
            as_of: None,
            drift: None,
        }
    }

    #[test]
    fn the_line_is_about_the_ledgers_address() {
        let says = |truth: Truth| line(&truth).map(|(ip, says)| (ip.to_string(), says));
        assert_eq!(
            says(truth(Some("10.88.4.47"), Some("10.88.4.47"), &["10.88.4.147"])),
            Some(("10.88.4.47".into(), [Says::Same, Says::Same, Says::Other]))
        );
        assert_eq!(
            says(truth(None, None, &["fd00::1", "10.0.0.9"])),
            Some(("10.0.0.9".into(), [Says::Nothing, Says::Nothing, Says::Same]))
        );
        assert_eq!(says(truth(None, None, &[])), None);
    }

    #[test]
    fn what_differs_says_so_in_words() {
        let lines = html(Role::Viewer, Lang::Zh, || {
            let drift = Some(Say::fixed("实测为 10.88.4.147", "observed 10.88.4.147"));
            view! { <Truths truths=vec![Truth { drift, ..truth(Some("10.88.4.47"), None, &["10.88.4.147"]) }]/> }
        });
        assert_parts(
            &lines,
            &[
                "10.88.4.47",
                "#check",
                "台账",
                "data-state=\"none\"",
                "注入",
                "data-state=\"off\"",
                "实测",
                "实测为 10.88.4.147",
            ],
        );
    }
}
