//! No file but one spells a link.

use super::rust::Kind;
use super::tree::Tree;
use super::{Breach, Exception, Rule, except};

pub(super) const RULE: Rule = Rule {
    name: "paths",
    why: "app/src/paths.rs spells every link, so that a page can move by one edit and its links are proved by one test",
    breaches,
};

/// Where links would be spelled.
const FOLDERS: [&str; 4] = ["app/src", "app/ui/src", "frontend/src", "server/src"];
/// Where they are.
const HOME: &str = "app/src/paths.rs";

const EXCEPTIONS: [Exception; 4] = [
    Exception {
        path: "server/src/http/health.rs",
        what: "\"/healthz\"",
        why: "for what watches the program; no page leads there",
    },
    Exception {
        path: "server/src/http/health.rs",
        what: "\"/readyz\"",
        why: "for what watches the program; no page leads there",
    },
    Exception {
        path: "server/src/http/assets.rs",
        what: "\"/pkg\"",
        why: "a folder that xtask/src/site.rs fills; pages take their names from its manifest",
    },
    Exception {
        path: "app/ui/src/icon.rs",
        what: "\"/icons.svg\"",
        why: "a default of a crate that knows no product; `app` gives another",
    },
];

/// Texts that begin like an absolute path, outside tests.
fn breaches(tree: &Tree<'_>) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.rust(&FOLDERS).filter(|file| file.path != HOME) {
        let links = file.source.product().filter(|(_, token)| token.kind == Kind::Text && is_link(token.text));
        breaches.extend(links.map(|(_, token)| Breach::new(file, token.line, format!("\"{}\"", token.text))));
    }
    except(tree, &EXCEPTIONS, breaches)
}

/// `/vms`, and `/{}` of a format; a slash alone is a separator.
fn is_link(text: &str) -> bool {
    let begins = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '{' || c == ':');
    text.strip_prefix('/').is_some_and(begins) && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::breaches;

    #[test]
    fn links_come_from_their_home() {
        let good = [
            ("app/src/paths.rs", "const A: &str = \"/pears\";"),
            ("app/src/a.rs", "link(paths::PEARS); text(\"one / two\", \"/\", \"a/b\"); // \"/pears\""),
            ("app/src/b.rs", "#[test] fn c() { assert(\"/pears\") }"),
            ("crates/d/src/e.rs", "call(\"/apis/v1\")"),
        ];
        assert!(breaches(&RULE, &good).is_empty());
        let bad =
            [("app/src/a.rs", "view! {\n<a href=\"/pears\"/> }"), ("server/src/b.rs", "format!(\"/pears/{id}\")")];
        assert_eq!(breaches(&RULE, &bad), ["app/src/a.rs:2: \"/pears\"", "server/src/b.rs:1: \"/pears/{id}\""]);
    }
}
