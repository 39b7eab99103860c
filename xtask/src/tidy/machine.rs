//! The repository stands on its own: it names nothing that only a developer's machine has.

use super::tree::{File, Tree};
use super::{Breach, Exception, Rule, except};

pub(super) const RULE: Rule = Rule {
    name: "machine",
    why: "whoever clones the repository has nothing beside it, so what points out of it points nowhere",
    breaches,
};

/// Folders and tools of the machines on which we work, in two pieces each so that this file keeps its own rule.
const NAMES: [&str; 3] = [concat!("/wo", "rk/"), concat!("farm-", "bench"), concat!(".lib", "rary")];
/// What lies beside our checkouts; a test may look there for more to check.
const BESIDE: &str = concat!("../sh", "ared");
/// Who else may look there.
const EXCEPTIONS: [Exception; 1] = [Exception {
    path: "xtask/src/witness/definitions.rs",
    what: BESIDE,
    why: "upstream's CRDs are not ours to copy, so they are taken where they lie; our own set stands in where they do not",
}];
/// What such a test says where nothing is there.
const SAID: &str = "nothing was tried";

fn breaches(tree: &Tree<'_>) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in &tree.files {
        let is_fine_beside = says_when_absent(file);
        for (number, line) in file.lines() {
            let name = NAMES.into_iter().find(|name| line.contains(name));
            let beside = || Some(BESIDE).filter(|name| !is_fine_beside && line.contains(name));
            breaches.extend(name.or_else(beside).map(|name| Breach::new(file, number, name)));
        }
    }
    except(tree, &EXCEPTIONS, breaches)
}

/// Whether it is a test that owns up to having had nothing to do.
fn says_when_absent(file: &File<'_>) -> bool {
    file.is_rust() && file.source.product().next().is_none() && file.text.contains(SAID)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::breaches;

    #[test]
    fn nothing_points_out_of_the_repository() {
        assert!(breaches(&RULE, &[("a.md", "A library at work, shared.")]).is_empty());
        for name in NAMES.into_iter().chain([BESIDE]) {
            let text = format!("one\nsee {name}b");
            assert_eq!(breaches(&RULE, &[("a.md", &text)]), [format!("a.md:2: {name}")]);
        }
    }

    #[test]
    fn a_test_that_says_when_it_had_nothing_to_do_may_look_beside() {
        let silent = format!("#[test] fn a() {{ read(\"{BESIDE}/b\") }}");
        let honest = format!("#[test] fn a() {{ read(\"{BESIDE}/b\"); eprintln!(\"{SAID}\") }}");
        let product = format!("fn a() {{ read(\"{BESIDE}/b\"); eprintln!(\"{SAID}\") }}");
        assert_eq!(breaches(&RULE, &[("a/tests/b.rs", &silent)]).len(), 1);
        assert!(breaches(&RULE, &[("a/tests/b.rs", &honest)]).is_empty());
        assert_eq!(breaches(&RULE, &[("a/src/b.rs", &product)]).len(), 1);
    }
}
