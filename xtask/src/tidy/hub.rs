//! What carries every noun knows none.

use super::nouns::nouns;
use super::rust::Kind;
use super::tree::Tree;
use super::{Breach, Rule};

pub(super) const RULE: Rule = Rule {
    name: "hub",
    why: "the hub carries topics between services and sockets; one that knows a noun has to change with each",
    breaches,
};

/// What must know none.
const HUB: &str = "server/src/live/hub.rs";

fn breaches(tree: &Tree<'_>) -> Vec<Breach> {
    let nouns = nouns(tree);
    let Some(hub) = tree.file(HUB) else { return Vec::new() };
    if nouns.is_empty() {
        return vec![Breach::new(hub, 1, "ARCHITECTURE.md has no paragraph that begins with `Nouns:`")];
    }
    let names = hub.source.product().filter(|(_, token)| matches!(token.kind, Kind::Word | Kind::Text));
    let knows = names.filter_map(|(_, token)| {
        let noun = words(token.text).into_iter().find(|word| nouns.contains(&word.as_str()))?;
        Some(Breach::new(hub, token.line, format!("`{}` names {noun}", token.text)))
    });
    knows.collect()
}

/// The words that a name or text is made of, in lower case: `VmRef`, `vm_ref` and `MAX_VMS` have `vm` in them.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in text.chars() {
        let is_next = !c.is_alphanumeric() || c.is_uppercase() && was_lower;
        was_lower = c.is_lowercase();
        if is_next {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    let plurals = words.clone().into_iter().filter_map(|word| word.strip_suffix('s').map(str::to_owned));
    words.extend(plurals.collect::<Vec<_>>());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::breaches;

    fn check(hub: &str) -> Vec<String> {
        breaches(&RULE, &[("ARCHITECTURE.md", "Nouns: `pear`, `vm`."), (HUB, hub)])
    }

    #[test]
    fn the_hub_names_no_noun() {
        assert!(check("//! No pear here.\nfn appear(topic: Topic) { \"spears\" }").is_empty());
        assert_eq!(check("use a::PearRef;"), [format!("{HUB}:1: `PearRef` names pear")]);
        for bad in ["ops.pear.eat()", "const MAX_VMS: u8", "fn vm_of()", "say(\"a pear\")"] {
            assert_eq!(check(bad).len(), 1, "{bad}");
        }
    }

    #[test]
    fn without_a_list_nothing_is_proved() {
        assert_eq!(breaches(&RULE, &[(HUB, "")]).len(), 1);
    }
}
