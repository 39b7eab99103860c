//! Every module says what it is for.

use super::tree::Tree;
use super::{Breach, Rule};

pub(super) const RULE: Rule = Rule {
    name: "headers",
    why: "a reader with ten minutes must learn from the first line what a module is for, tests included",
    breaches,
};

fn breaches(tree: &Tree<'_>) -> Vec<Breach> {
    let lacks_one = tree.files.iter().filter(|file| file.is_rust() && !says_something(file.text));
    lacks_one.map(|file| Breach::new(file, 1, "the first line is no `//!`")).collect()
}

fn says_something(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("//!").is_some_and(|rest| rest.contains(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::breaches;

    #[test]
    fn a_module_opens_with_what_it_is_for() {
        assert!(breaches(&RULE, &[("a.rs", "//! What a pear is.\n\nfn a() {}"), ("b.md", "no Rust")]).is_empty());
        for bad in ["fn a() {}", "", "\n//! Late.", "//!\n//! Nothing in the first line.", "// Not a doc comment."] {
            assert_eq!(breaches(&RULE, &[("a.rs", bad)]), ["a.rs:1: the first line is no `//!`"], "{bad}");
        }
    }
}
