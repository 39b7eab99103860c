//! Small repositories for the tests of rules.

use super::Rule;
use super::tree::Tree;

/// Reads files given by path and text.
pub(super) fn tree(files: &[(&str, &str)], look: impl FnOnce(&Tree<'_>)) {
    let texts: Vec<_> = files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect();
    look(&Tree::of(&texts, Vec::new()));
}

/// Where a rule is broken, as it is reported.
pub(super) fn breaches(rule: &Rule, files: &[(&str, &str)]) -> Vec<String> {
    let mut lines = Vec::new();
    tree(files, |tree| lines = (rule.breaches)(tree).iter().map(ToString::to_string).collect());
    lines
}
