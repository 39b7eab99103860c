//! The words of the interface: each is said somewhere, and in both languages.

use std::collections::BTreeSet;

use super::rust::{Kind, Token, group_len, reads};
use super::tree::{File, Tree};
use super::{Breach, Rule};

pub(super) const USED: Rule = Rule {
    name: "words-used",
    why: "a word that nobody says is translated, reviewed and carried to every browser for nothing",
    breaches: unused,
};

pub(super) const TRANSLATED: Rule = Rule {
    name: "words-translated",
    why: "a reader of one language must not meet the other, except in names that both languages have",
    breaches: untranslated,
};

/// A file a noun, each with one `words!`.
const LOCALES: &str = "app/src/locales";
/// Where words are said.
const PAGES: &str = "app/src";
/// What is called the same in Chinese and in English: names of products, of protocols and units, of files.
const NAMES: [&str; 11] = [
    "CPU",
    "MAC",
    "UID",
    "VLAN",
    "YAML",
    "vCPU",
    "KubeVirt",
    "Kubernetes",
    "kubeconfig",
    "network-config",
    "user-data",
];

/// One entry of `words!`.
struct Entry<'s, 'a> {
    name: &'s Token<'a>,
    zh: &'s [Token<'a>],
    en: &'s [Token<'a>],
}

/// A word of a noun is said where a page has that noun's words (`use_words().noun`) and asks them for it (`.word`). The
/// compiler sees more, but only of what it is asked to build.
fn unused(tree: &Tree<'_>) -> Vec<Breach> {
    let pages: Vec<_> = tree.rust(&[PAGES]).map(asked).collect();
    let mut breaches = Vec::new();
    for file in locales(tree) {
        let readers: Vec<_> = pages.iter().filter(|page| page.contains(file.stem())).collect();
        for Entry { name, .. } in entries(file) {
            if !readers.iter().any(|page| page.contains(name.text)) {
                breaches.push(Breach::new(file, name.line, format!("`{}` is never said", name.text)));
            }
        }
    }
    breaches
}

fn untranslated(tree: &Tree<'_>) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for file in locales(tree) {
        for entry in entries(file) {
            let name = entry.name.text;
            if entry.en.iter().any(|token| token.kind == Kind::Text && token.text.contains(is_han)) {
                breaches.push(Breach::new(file, entry.name.line, format!("`{name}` is Chinese in English")));
            }
            let (zh, en) = (said(entry.zh), said(entry.en));
            if zh == en && !is_of_names(&zh) {
                breaches.push(Breach::new(file, entry.name.line, format!("`{name}` says \"{zh}\" in both languages")));
            }
        }
    }
    breaches
}

fn locales<'t, 'a>(tree: &'t Tree<'a>) -> impl Iterator<Item = &'t File<'a>> {
    tree.files.iter().filter(|file| file.is_rust() && file.lies_in(LOCALES))
}

/// Every name that the code, tests apart, reads after a point.
fn asked<'a>(file: &File<'a>) -> BTreeSet<&'a str> {
    let points = file.source.product().filter(|(_, token)| token.is("."));
    points.filter_map(|(at, _)| file.source.code.get(at + 1)).map(|name| name.text).collect()
}

/// The entries of every `words! { Name { … } }` in a file; `macro_rules! words` is none.
fn entries<'s, 'a>(file: &'s File<'a>) -> Vec<Entry<'s, 'a>> {
    let code = file.source.code.as_slice();
    let mut entries = Vec::new();
    for (at, _) in file.source.product().filter(|&(at, _)| reads(&code[at..], &["words", "!", "{"])) {
        let all = &code[at + 2..at + 2 + group_len(&code[at + 2..])];
        // The struct's doc comments are no code, so its name and its brace come first.
        if let Some(inside) = all.get(3..all.len().saturating_sub(2)).filter(|_| all[2].is("{")) {
            entries.extend(parse(inside));
        }
    }
    entries
}

/// Reads `name: zh, en;` and `name(arguments): zh, en;` to the end.
fn parse<'s, 'a>(mut code: &'s [Token<'a>]) -> Vec<Entry<'s, 'a>> {
    let mut entries = Vec::new();
    while let Some((name, mut rest)) = code.split_first() {
        if rest.first().is_some_and(|token| token.is("(")) {
            rest = &rest[group_len(rest)..];
        }
        let rest = rest.get(1..).unwrap_or_default();
        let zh_len = expression_len(rest, ",");
        let after = rest.get(zh_len + 1..).unwrap_or_default();
        let en_len = expression_len(after, ";");
        entries.push(Entry { name, zh: &rest[..zh_len], en: &after[..en_len] });
        code = after.get(en_len + 1..).unwrap_or_default();
    }
    entries
}

/// Tokens up to `end`; what is in brackets and between the bars of a closure's arguments is passed over.
fn expression_len(code: &[Token<'_>], end: &str) -> usize {
    let is_closure = code.first().is_some_and(|token| token.is("|"));
    let arguments =
        if is_closure { code.iter().skip(1).position(|token| token.is("|")).map_or(0, |at| at + 2) } else { 0 };
    let mut at = arguments;
    while let Some(token) = code.get(at) {
        if token.is(end) {
            return at;
        }
        let is_open = ["(", "[", "{"].iter().any(|open| token.is(open));
        at += if is_open { group_len(&code[at..]) } else { 1 };
    }
    code.len()
}

/// The texts of an expression without `{placeholders}`.
fn said(code: &[Token<'_>]) -> String {
    let mut said = String::new();
    for text in code.iter().filter(|token| token.kind == Kind::Text).map(|token| token.text) {
        let mut depth = 0_u32;
        for c in text.chars() {
            depth += u32::from(c == '{');
            if depth == 0 {
                said.push(c);
            }
            depth = depth.saturating_sub(u32::from(c == '}'));
        }
    }
    said
}

/// Whether there is no word in it but [`NAMES`].
fn is_of_names(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
    words.filter(|word| word.contains(char::is_alphabetic)).all(|word| NAMES.contains(&word))
}

/// Chinese characters of the basic block; all that the interface has are in it.
fn is_han(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::breaches;

    /// A locale of the noun `pear` with these entries, and a page.
    fn check(rule: &Rule, entries: &str, page: &str) -> Vec<String> {
        let locale = format!("super::words! {{ /// Doc.\n Pear {{\n{entries}\n}} }}");
        let files = [("app/src/locales/pear.rs", locale.as_str()), ("app/src/pear/list.rs", page)];
        let found = breaches(rule, &files);
        found.iter().map(|breach| breach.replace("app/src/locales/pear.rs:", "")).collect()
    }

    #[test]
    fn every_word_is_said_where_its_noun_is() {
        let entries = "ripe: \"熟\", \"ripe\";\neaten(u32, &str): |n, by| format!(\"{n}, {by}\"), |n, _| f(n, 2);\nraw: \"生\", \"raw\";";
        let page = "let words = use_words().pear; words.ripe; (words.eaten)(3)";
        assert_eq!(check(&USED, entries, page), ["5: `raw` is never said"]);
        assert_eq!(check(&USED, entries, "let words = use_words().plum; words.ripe").len(), 3, "another noun's words");
        assert_eq!(check(&USED, entries, "#[test] fn a() { use_words().pear.ripe }").len(), 3, "a test is no reader");
    }

    #[test]
    fn the_macro_itself_has_no_entries() {
        let text = "macro_rules! words { ($a:ident) => { struct $a; }; } use words;";
        assert!(breaches(&USED, &[("app/src/locales/mod.rs", text)]).is_empty());
    }

    #[test]
    fn languages_differ_except_in_names() {
        for good in [
            "a: \"梨\", \"Pear\";",
            "a: \"CPU\", \"CPU\";",
            "a(u16): |id| format!(\"VLAN {id}\"), |id| format!(\"VLAN {id}\");",
            "a(&str): |of| zh(of).to_owned(), |of| en(of).to_owned();",
            "a(u32, u32): |a, b| format!(\"{a} · {b}\"), |a, b| format!(\"{a} · {b}\");",
            "a(u32): |n| format!(\"{n} 个\"), |n| if n == 1 { \"1 pear\".to_owned() } else { format!(\"{n} pears\") };",
        ] {
            assert!(check(&TRANSLATED, good, "").is_empty(), "{good}");
        }
        assert_eq!(check(&TRANSLATED, "a: \"Pear\", \"Pear\";", ""), ["3: `a` says \"Pear\" in both languages"]);
        assert_eq!(check(&TRANSLATED, "a: \"梨\", \"A 梨\";", ""), ["3: `a` is Chinese in English"]);
    }
}
