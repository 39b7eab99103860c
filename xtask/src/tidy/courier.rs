//! A server function that changes something leaves the browser by the courier, who carries the session's secret.

use super::tree::Tree;
use super::{Breach, Rule};

pub(super) const RULE: Rule = Rule {
    name: "courier",
    why: "the server refuses changes that do not bring the session's secret, and only that client brings it",
    breaches,
};

fn breaches(tree: &Tree<'_>) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.rust(&["app/src"]) {
        let code = &file.source.code;
        let begins = file.source.product().filter(|(at, token)| {
            let before = |n: usize| at.checked_sub(n).and_then(|at| code.get(at));
            token.is("server") && before(1).is_some_and(|t| t.is("[")) && before(2).is_some_and(|t| t.is("#"))
        });
        for (at, token) in begins {
            let attribute: Vec<_> = code[at..].iter().take_while(|token| !token.is("]")).collect();
            let names = |word: &str| attribute.iter().any(|token| token.is(word));
            // `#[server(default)]` is about a parameter.
            if !names("GetUrl") && !names("Courier") && !names("default") {
                breaches.push(Breach::new(file, token.line, "#[server] without `client = Courier`"));
            }
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::breaches;

    #[test]
    fn what_changes_something_goes_by_the_courier() {
        let check = |text: &str| breaches(&RULE, &[("app/src/a.rs", text)]);
        assert!(check("#[server(input = GetUrl)]\nasync fn a() {}").is_empty());
        assert!(check("#[server(input = Json, client = Courier)]\nasync fn a() {}").is_empty());
        assert_eq!(check("#[server(input = Json)]\nasync fn a() {}").len(), 1);
        assert_eq!(check("#[server]\nasync fn a() {}").len(), 1);
    }
}
