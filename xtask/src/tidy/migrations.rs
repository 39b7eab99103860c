//! Migrations are in one order, and each belongs to a noun.

use std::collections::BTreeMap;

use super::nouns::nouns;
use super::tree::{File, Tree};
use super::{Breach, Rule};

pub(super) const RULE: Rule = Rule {
    name: "migrations",
    why: "databases remember migrations by number: two of one number, or one that was lost, cannot be brought up to date",
    breaches,
};

/// Where they lie; both engines read the same.
const FOLDER: &str = "migrations";
/// Gaps that stay, since databases know the numbers beside them already.
const GAPS: [(u32, u32); 1] = [(8, 90)];

fn breaches(tree: &Tree<'_>) -> Vec<Breach> {
    let nouns = nouns(tree);
    let mut breaches = Vec::new();
    let mut by_number: BTreeMap<u32, &str> = BTreeMap::new();
    let mut last = 0;
    for file in tree.files.iter().filter(|file| file.lies_in(FOLDER)) {
        let Some((number, noun)) = parts(file) else {
            breaches.push(Breach::new(file, 1, "the name is not `NNNN_noun_what.sql`"));
            continue;
        };
        if !nouns.contains(&noun) {
            breaches.push(Breach::new(file, 1, format!("`{noun}` is no noun of ARCHITECTURE.md")));
        }
        if let Some(other) = by_number.insert(number, file.path) {
            breaches.push(Breach::new(file, 1, format!("{other} has that number too")));
        } else if number != last + 1 && !GAPS.contains(&(last, number)) {
            breaches.push(Breach::new(file, 1, format!("{:04} is missing before it", last + 1)));
        }
        last = number;
    }
    breaches
}

/// Number and noun of a migration's name.
fn parts<'a>(file: &File<'a>) -> Option<(u32, &'a str)> {
    let name = file.path.strip_prefix("migrations/")?.strip_suffix(".sql")?;
    let (number, rest) = name.split_once('_').filter(|(number, _)| number.len() == 4)?;
    let (noun, what) = rest.split_once('_')?;
    let is_plain = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    if is_plain(noun) && is_plain(what) { number.parse().ok().map(|number| (number, noun)) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::breaches;

    fn check(names: &[&str]) -> Vec<String> {
        let paths: Vec<_> = names.iter().map(|name| format!("migrations/{name}")).collect();
        let mut files = vec![("ARCHITECTURE.md", "Nouns: `pear`, `plum`.")];
        files.extend(paths.iter().map(|path| (path.as_str(), "")));
        breaches(&RULE, &files).iter().map(|breach| breach.replace("migrations/", "")).collect()
    }

    #[test]
    fn numbers_are_in_a_row_and_names_begin_with_a_noun() {
        assert!(check(&["0001_pear_trees.sql", "0002_plum_kernels.sql"]).is_empty());
        assert_eq!(check(&["0001_fig_leaves.sql"]), ["0001_fig_leaves.sql:1: `fig` is no noun of ARCHITECTURE.md"]);
        let twice = ["0001_pear_a.sql", "0001_plum_b.sql"];
        assert_eq!(check(&twice), ["0001_plum_b.sql:1: 0001_pear_a.sql has that number too"]);
        assert_eq!(check(&["0001_pear_a.sql", "0003_plum_b.sql"]), ["0003_plum_b.sql:1: 0002 is missing before it"]);
    }

    #[test]
    fn other_names_are_no_migrations() {
        for name in ["pear.sql", "1_pear_a.sql", "0001_pear.sql", "0001-pear-a.sql", "sqlite/0001_pear_a.sql", "a.md"] {
            assert_eq!(check(&[name]), [format!("{name}:1: the name is not `NNNN_noun_what.sql`")]);
        }
    }
}
