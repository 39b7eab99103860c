//! What the palette offers for a text: pages that match, what the server found, and what can be done with it. Pure.

use app_ui::Glyph;
use model::Lang;
use model::access::{Role, Verb};
use model::console::Mode;
use model::overview::Target;
use model::palette::{Hit, HitKind};
use model::vm::Tone;

use crate::locales::Words;
use crate::paths;

/// The word that opens a console: `console erp-db-01`.
const CONSOLE: &str = "console ";

/// One line of the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Under which head it stands.
    pub(crate) group: Group,
    pub(crate) glyph: Glyph,
    /// The state of what was found.
    pub(crate) tone: Option<Tone>,
    pub(crate) title: String,
    pub(crate) note: String,
    /// What it is.
    pub(crate) kind: &'static str,
    /// Where it leads.
    pub(crate) href: String,
}

/// The heads, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Do,
    Found,
    Go,
}

impl Group {
    /// Its head.
    pub(crate) fn word(self, words: &Words) -> &'static str {
        match self {
            Self::Do => words.frame.find_do,
            Self::Found => words.frame.find_found,
            Self::Go => words.frame.find_go,
        }
    }
}

/// What is really searched for: `console erp` searches `erp`.
pub(crate) fn sought(text: &str) -> &str {
    let text = text.trim_start();
    text.strip_prefix(CONSOLE).unwrap_or(text).trim()
}

/// The lines for `text`, the likeliest first.
pub(crate) fn choices(text: &str, hits: &[Hit], role: Role, words: &Words) -> Vec<Choice> {
    let wants_console = text.trim_start().starts_with(CONSOLE);
    let mut lines = Vec::new();
    let may_open = Verb::ConsoleOpen.refusal(role).is_none();
    let acts = || hits.iter().filter(|_| may_open).filter_map(|hit| console_of(hit, words));
    if wants_console {
        lines.extend(acts());
        return lines;
    }
    lines.extend(hits.iter().map(|hit| found(hit, words)));
    // What can be done is offered when it is clear with what.
    let vms = hits.iter().filter(|hit| hit.kind == HitKind::Vm).count();
    if vms == 1 {
        lines.extend(acts());
    }
    lines.extend(pages(sought(text), role, words));
    lines
}

fn found(hit: &Hit, words: &Words) -> Choice {
    let (glyph, kind) = match hit.kind {
        HitKind::Vm => (Glyph::Vm, words.frame.kind_vm),
        HitKind::Cluster => (Glyph::Cluster, words.frame.kind_cluster),
        HitKind::Subnet => (Glyph::Address, words.frame.kind_subnet),
        HitKind::Address => (Glyph::Address, words.frame.kind_address),
        HitKind::Delivery => (Glyph::Portal, words.frame.kind_delivery),
    };
    Choice {
        group: Group::Found,
        glyph,
        tone: hit.tone,
        title: hit.title.clone(),
        note: hit.note.text(words.lang).to_owned(),
        kind,
        href: paths::target(&hit.target),
    }
}

fn console_of(hit: &Hit, words: &Words) -> Option<Choice> {
    let Target::Vm(cluster, namespace, name) = &hit.target else { return None };
    Some(Choice {
        group: Group::Do,
        glyph: Glyph::Console,
        tone: None,
        title: (words.frame.open_console)(name),
        note: hit.note.text(words.lang).to_owned(),
        kind: words.frame.console,
        href: paths::console(cluster, namespace, name, Mode::Vnc),
    })
}

/// Pages whose word begins or contains the text; all of them when there is none.
fn pages(text: &str, role: Role, words: &Words) -> Vec<Choice> {
    let frame = words.frame;
    let all = [
        (None, Glyph::Overview, frame.overview, paths::OVERVIEW),
        (Some(Verb::VmCreate), Glyph::Portal, frame.portal, paths::PORTAL),
        (None, Glyph::Vm, frame.vms, paths::VMS),
        (None, Glyph::Address, frame.addresses, paths::SUBNETS),
        (None, Glyph::Cluster, frame.clusters, paths::CLUSTERS),
        (Some(Verb::FleetRegister), Glyph::Plus, words.fleet.register, paths::NEW_CLUSTER),
        (Some(Verb::AuditRead), Glyph::Audit, frame.audit, paths::AUDIT),
        (None, Glyph::User, frame.sessions, paths::ACCOUNT),
    ];
    let wanted = text.to_lowercase();
    let may = |verb: Option<Verb>| verb.is_none_or(|verb| verb.refusal(role).is_none());
    // A Chinese reader may type the English word, since it is in the address.
    let fits = |word: &str, href: &str| {
        wanted.is_empty() || word.to_lowercase().contains(&wanted) || (words.lang == Lang::Zh && href.contains(&wanted))
    };
    all.into_iter()
        .filter(|(verb, _, word, href)| may(*verb) && fits(word, href))
        .map(|(_, glyph, word, href)| Choice {
            group: Group::Go,
            glyph,
            tone: None,
            title: word.to_owned(),
            note: String::new(),
            kind: frame.kind_page,
            href: href.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locales::words_of;
    use model::Say;

    fn vm(name: &str) -> Hit {
        Hit {
            kind: HitKind::Vm,
            tone: Some(Tone::Running),
            title: name.into(),
            note: Say::verbatim("10.20.30.47"),
            target: Target::Vm("bj-1".into(), "erp".into(), name.into()),
        }
    }

    #[test]
    fn one_vm_offers_its_console_and_two_do_not() {
        let words = words_of(Lang::En);
        let one = choices("erp-db", &[vm("erp-db-1")], Role::Operator, words);
        assert_eq!(one[1].href, "/console/bj-1/erp/erp-db-1");
        let two = choices("erp-db", &[vm("erp-db-1"), vm("erp-db-2")], Role::Operator, words);
        assert!(two.iter().all(|choice| choice.group == Group::Found));
        let viewer = choices("erp-db", &[vm("erp-db-1")], Role::Viewer, words);
        assert_eq!(viewer.len(), 1);
    }

    #[test]
    fn a_verb_before_the_name_leads_straight_there() {
        assert_eq!(sought(" console erp-db "), "erp-db");
        let lines = choices("console erp", &[vm("erp-1"), vm("erp-2")], Role::Admin, words_of(Lang::Zh));
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|choice| choice.group == Group::Do));
    }

    #[test]
    fn pages_are_found_by_their_word_and_only_those_one_may_see() {
        let words = words_of(Lang::Zh);
        let hrefs = |text, role| choices(text, &[], role, words).into_iter().map(|c| c.href).collect::<Vec<_>>();
        assert_eq!(hrefs("审", Role::Operator), ["/audit"]);
        assert_eq!(hrefs("audit", Role::Operator), ["/audit"]);
        assert!(hrefs("审", Role::Viewer).is_empty());
        assert_eq!(hrefs("", Role::Admin).len(), 8);
    }
}
