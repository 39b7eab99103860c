//! `cargo xtask tidy`: the rules of the architecture and of style that a machine can keep.
//!
//! Each rule is a file: it says why it is there, looks at the [`Tree`] and names every place that breaks it. A rule has no
//! switch; where an exception is right it is an [`Exception`] beside the rule, with its reason, and one that is no longer
//! needed is a breach itself. No noun is spelled here: which there are is read from `ARCHITECTURE.md`.

mod courier;
mod csp;
mod headers;
mod hub;
mod layers;
mod leftovers;
mod machine;
mod migrations;
mod nouns;
mod paths;
mod readme;
mod rust;
#[cfg(test)]
mod testing;
mod tree;
mod words;

use std::fmt;

use anyhow::{Result, bail};

use crate::steps::Tally;
use crate::workspace::Workspace;
use tree::{File, Tree};

/// A rule.
struct Rule {
    name: &'static str,
    /// Why it is there, as a sentence that goes on after the name.
    why: &'static str,
    breaches: fn(&Tree<'_>) -> Vec<Breach>,
}

/// In the order in which they are reported.
const RULES: [Rule; 12] = [
    layers::RULE,
    headers::RULE,
    paths::RULE,
    hub::RULE,
    migrations::RULE,
    csp::RULE,
    courier::RULE,
    words::USED,
    words::TRANSLATED,
    leftovers::RULE,
    machine::RULE,
    readme::RULE,
];

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Breach {
    path: String,
    /// Counted from 1.
    line: usize,
    /// What stands there, and where that does not say it, what is wrong with it.
    what: String,
}

impl Breach {
    fn new(file: &File<'_>, line: usize, what: impl Into<String>) -> Self {
        Self { path: file.path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// A place that a rule lets be.
struct Exception {
    path: &'static str,
    /// The breach's `what`.
    what: &'static str,
    why: &'static str,
}

/// The breaches that are no exceptions, and the exceptions that no breach needs.
fn except(tree: &Tree<'_>, exceptions: &[Exception], mut breaches: Vec<Breach>) -> Vec<Breach> {
    for exception in exceptions {
        let before = breaches.len();
        breaches.retain(|breach| breach.path != exception.path || breach.what != exception.what);
        if before == breaches.len()
            && let Some(file) = tree.file(exception.path)
        {
            let text = format!("the exception `{}` ({}) is no longer needed", exception.what, exception.why);
            breaches.push(Breach::new(file, 1, text));
        }
    }
    breaches
}

/// Reports every breach of every rule; fails when there is one.
pub(crate) fn tidy(workspace: &Workspace) -> Result<Tally> {
    let texts = tree::texts(workspace)?;
    let tree = Tree::of(&texts, tree::packages(workspace)?);
    let mut broken = 0;
    for rule in &RULES {
        let breaches = (rule.breaches)(&tree);
        if !breaches.is_empty() {
            broken += 1;
            println!("{}: {}", rule.name, rule.why);
            breaches.iter().for_each(|breach| println!("  {breach}"));
        }
    }
    if broken > 0 {
        bail!("{broken} of {} rules are broken", RULES.len());
    }
    println!("{} files keep {} rules", tree.files.len(), RULES.len());
    Ok(Tally { passed: RULES.len() as u64, ..Tally::default() })
}

#[cfg(test)]
mod tests {
    use super::testing::tree;
    use super::*;

    const FOR_A_REASON: [Exception; 1] = [Exception { path: "a.rs", what: "b", why: "c" }];

    #[test]
    fn an_exception_holds_for_one_thing_in_one_file() {
        tree(&[("a.rs", ""), ("d.rs", "")], |tree| {
            let breach = |path: &str, what: &str| Breach { path: path.into(), line: 3, what: what.into() };
            let breaches = vec![breach("a.rs", "b"), breach("a.rs", "e"), breach("d.rs", "b")];
            assert_eq!(except(tree, &FOR_A_REASON, breaches), [breach("a.rs", "e"), breach("d.rs", "b")]);
        });
    }

    #[test]
    fn an_exception_that_nothing_needs_is_a_breach() {
        tree(&[("a.rs", "")], |tree| {
            let left = except(tree, &FOR_A_REASON, Vec::new());
            assert_eq!(left[0].to_string(), "a.rs:1: the exception `b` (c) is no longer needed");
        });
    }

    #[test]
    fn rules_have_names_and_reasons_of_their_own() {
        for (at, rule) in RULES.iter().enumerate() {
            assert!(RULES[..at].iter().all(|other| other.name != rule.name), "{}", rule.name);
            assert!(rule.why.len() > 20 && !rule.why.ends_with('.'), "{}", rule.name);
        }
    }
}
