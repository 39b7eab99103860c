//! Rust sources as tokens: enough to tell code from text, texts from comments, and the product from its tests.
//!
//! It knows no grammar. Macros are tokens like all else, so that views are read as easily as functions.

mod lex;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// From `//` to the end of the line, or all of `/* … */`.
    Comment,
    /// A string of any kind, without prefix and quotes; escapes stay as they are written.
    Text,
    /// An identifier or keyword, without `r#`.
    Word,
    /// A number, a character or a lifetime.
    Atom,
    /// One character of punctuation.
    Mark,
}

/// One token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    /// Counted from 1.
    pub(super) line: usize,
    /// Whether white space or a comment stands before it.
    pub(super) is_spaced: bool,
    /// Whether only tests compile it.
    pub(super) is_test: bool,
}

impl Token<'_> {
    /// Whether it is this word or mark, and no text.
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Mark) && self.text == word
    }
}

/// A source as tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct Source<'a> {
    /// Without comments.
    pub(super) code: Vec<Token<'a>>,
    pub(super) comments: Vec<Token<'a>>,
    /// Modules with files of their own that only tests compile.
    pub(super) test_modules: Vec<&'a str>,
}

impl<'a> Source<'a> {
    /// Reads a source. What is no Rust gives tokens that mean nothing.
    pub(super) fn read(text: &'a str) -> Self {
        let (comments, code) = lex::tokens(text).into_iter().partition(|token| token.kind == Kind::Comment);
        let mut source = Self { code, comments, test_modules: Vec::new() };
        source.mark_tests();
        source
    }

    /// Says that all of it is compiled for tests only.
    pub(super) fn be_a_test(&mut self) {
        self.code.iter_mut().for_each(|token| token.is_test = true);
    }

    /// What the product is compiled from, with the place of each in [`Source::code`].
    pub(super) fn product(&self) -> impl Iterator<Item = (usize, &Token<'a>)> {
        self.code.iter().enumerate().filter(|(_, token)| !token.is_test)
    }

    /// Marks items under `#[test]`, `#[cfg(test)]` and their like, to the end of their block or to their semicolon.
    fn mark_tests(&mut self) {
        let mut at = 0;
        while at < self.code.len() {
            let is_whole = reads(&self.code[at..], &["#", "!", "["]);
            if !is_whole && !reads(&self.code[at..], &["#", "["]) {
                at += 1;
                continue;
            }
            let start = at;
            let open = at + 1 + usize::from(is_whole);
            at = open + group_len(&self.code[open..]);
            if !is_about_tests(&self.code[open..at]) {
                continue;
            }
            let item_len = if is_whole { self.code.len() - at } else { item_len(&self.code[at..]) };
            self.test_modules.extend(module_elsewhere(&self.code[at..at + item_len]));
            at += item_len;
            self.code[start..at].iter_mut().for_each(|token| token.is_test = true);
        }
    }
}

/// Whether the code begins with these words and marks.
pub(super) fn reads(code: &[Token<'_>], words: &[&str]) -> bool {
    code.len() >= words.len() && code.iter().zip(words).all(|(token, word)| token.is(word))
}

/// Tokens of the bracketed group that the code begins with, brackets included; all of it when no bracket closes.
pub(super) fn group_len(code: &[Token<'_>]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in code.iter().enumerate().filter(|(_, token)| token.kind == Kind::Mark) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// Tokens of the item that the code begins with: to its first block's end, its semicolon or the end of what it stands in;
/// further attributes are part of it.
fn item_len(code: &[Token<'_>]) -> usize {
    let mut at = 0;
    while let Some(token) = code.get(at) {
        match token.text {
            _ if token.kind != Kind::Mark => at += 1,
            ";" => return at + 1,
            "}" | ")" | "]" => return at,
            "{" => return at + group_len(&code[at..]),
            "(" | "[" => at += group_len(&code[at..]),
            _ => at += 1,
        }
    }
    code.len()
}

/// `[test]`, `[tokio::test(…)]`, `[cfg(test)]`, `[cfg(all(test, …))]`; what is compiled when it is `not` a test is none.
fn is_about_tests(attribute: &[Token<'_>]) -> bool {
    let has = |word| attribute.iter().any(|token| token.is(word));
    let path = attribute.iter().skip(1).take_while(|token| !token.is("(") && !token.is("]"));
    path.last().is_some_and(|last| last.is("test") || last.is("cfg") && has("test") && !has("not"))
}

/// The name in `mod name;`.
fn module_elsewhere<'a>(item: &[Token<'a>]) -> Option<&'a str> {
    let at = item.iter().position(|token| token.is("mod"))?;
    let name = item.get(at + 1)?;
    item.get(at + 2).filter(|token| token.is(";")).map(|_| name.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(text: &str) -> String {
        let source = Source::read(text);
        let words: Vec<_> = source.product().map(|(_, token)| token.text).collect();
        words.join(" ")
    }

    #[test]
    fn what_only_tests_compile_is_set_apart() {
        assert_eq!(
            product("fn a() {} #[cfg(test)] mod tests { fn b() { {} } } fn c() {}"),
            "fn a ( ) { } fn c ( ) { }"
        );
        assert_eq!(product("#[tokio::test(start_paused = true)]\nasync fn a() -> [u8; 2] {} b!();"), "b ! ( ) ;");
        assert_eq!(product("#[cfg(all(test, unix))] #[x] use a; d"), "d");
        assert_eq!(product("#![cfg(test)]\nfn a() {}"), "");
        assert_eq!(product("struct A { #[cfg(test)] b: u8 } fn c() {}"), "struct A { } fn c ( ) { }");
    }

    #[test]
    fn other_attributes_set_nothing_apart() {
        for text in ["#[cfg(not(test))] fn a() {}", "#[cfg(unix)] fn a() {}", "#[doc = \"test\"] fn a() {}"] {
            assert!(product(text).ends_with("fn a ( ) { }"), "{text}");
        }
    }

    #[test]
    fn a_test_module_with_its_own_file_is_named() {
        assert_eq!(Source::read("#[cfg(test)]\nmod tests;\nmod view;").test_modules, ["tests"]);
    }
}
