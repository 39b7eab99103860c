//! What the content security policy would refuse in the reader's browser is refused here.

use super::rust::{Kind, Token};
use super::tree::Tree;
use super::{Breach, Rule};

pub(super) const RULE: Rule = Rule {
    name: "csp",
    why: "the policy allows no inline styles, and markup from a text is how a hostile guest would get a script in",
    breaches,
};

/// Where views are.
const FOLDERS: [&str; 4] = ["app/src", "app/ui/src", "frontend/src", "server/src"];

/// `style=`, `style:width=` and `inner_html=` of views; their builders `.style(…)` with arguments and `.inner_html(…)`;
/// and the same in markup that is made as text. The DOM's own `style()` sets properties, which the policy allows.
fn breaches(tree: &Tree<'_>) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in tree.rust(&FOLDERS) {
        let code = &file.source.code;
        let found = file.source.product().filter_map(|(at, token)| {
            let before = at.checked_sub(1).and_then(|before| code.get(before));
            breach(before, token, &code[at + 1..]).map(|what| Breach::new(file, token.line, what))
        });
        breaches.extend(found);
    }
    breaches
}

fn breach(before: Option<&Token<'_>>, token: &Token<'_>, after: &[Token<'_>]) -> Option<&'static str> {
    if token.kind == Kind::Text {
        return [" style=", " inner_html="].into_iter().find(|what| token.text.contains(what)).map(str::trim_start);
    }
    let is_attribute = |of: &[&str]| {
        let begins = |n: usize| after.get(n).is_some_and(|next| of.contains(&next.text) && !next.is_spaced);
        // `let style = …` and fields of structs have their spaces: everything here is formatted.
        begins(0) && (after[0].text != ":" || after.get(1).is_some_and(|next| !next.is_spaced && !next.is(":")))
    };
    let is_called = before.is_some_and(|before| before.is(".")) && after.first().is_some_and(|next| next.is("("));
    if token.is("style") && (is_attribute(&["=", ":"]) || is_called && !after.get(1).is_some_and(|next| next.is(")"))) {
        return Some("style=");
    }
    if token.is("inner_html") && (is_attribute(&["="]) || is_called) {
        return Some("inner_html=");
    }
    ["set_inner_html", "insert_adjacent_html", "set_outer_html"].into_iter().find(|name| token.is(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::breaches;

    fn check(text: &str) -> Vec<String> {
        breaches(&RULE, &[("app/src/a.rs", text)])
    }

    #[test]
    fn views_have_no_inline_styles_and_no_markup_from_texts() {
        for good in [
            "let style = 3; paint(Brush { style: 4 });",
            "element.style().set_property(a, b)",
            "view! { <p class=\"style\">{words.style}</p> }",
            "href=assets.style.clone()",
            "use a::style::Sheet;",
            "#[test] fn a() { assert!(!html.contains(\" style=\")) }",
        ] {
            assert!(check(good).is_empty(), "{good}");
        }
        for (bad, what) in [
            ("view! { <p style=\"width: 3px\"/> }", "style="),
            ("view! { <p style=move || wide()/> }", "style="),
            ("view! { <p style:width=wide/> }", "style="),
            ("p().style((\"width\", wide))", "style="),
            ("format!(\"<p style={a}>\")", "style="),
            ("view! { <p inner_html=text/> }", "inner_html="),
            ("p().inner_html(text)", "inner_html="),
            ("element.set_inner_html(&text)", "set_inner_html"),
        ] {
            assert_eq!(check(bad), [format!("app/src/a.rs:1: {what}")], "{bad}");
        }
    }
}
