//! From characters to tokens.

use super::{Kind, Token};

/// All tokens of a text, comments among them.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut rest, mut line, mut is_spaced) = (text, 1, false);
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            line += usize::from(first == '\n');
            is_spaced = true;
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (kind, len, inside) = token(rest, first);
        tokens.push(Token { kind, text: inside, line, is_spaced, is_test: false });
        let (whole, after) = rest.split_at(len);
        line += whole.matches('\n').count();
        is_spaced = kind == Kind::Comment;
        rest = after;
    }
    tokens
}

/// What a text begins with: kind, length with all that belongs to it, and what is inside.
fn token(rest: &str, first: char) -> (Kind, usize, &str) {
    if rest.starts_with("//") {
        let len = rest.find('\n').unwrap_or(rest.len());
        return (Kind::Comment, len, &rest[..len]);
    }
    if rest.starts_with("/*") {
        let len = block_comment_len(rest);
        return (Kind::Comment, len, &rest[..len]);
    }
    if matches!(first, '"' | 'b' | 'c' | 'r')
        && let Some((start, end, len)) = string(rest)
    {
        return (Kind::Text, len, &rest[start..end]);
    }
    if first == '\'' {
        let len = char_or_lifetime_len(rest);
        return (Kind::Atom, len, &rest[..len]);
    }
    if first.is_ascii_digit() {
        // `0..9` is two numbers: a point belongs to this one when a digit follows.
        let is_part = |(at, c): (usize, char)| {
            is_of_word(c) || c == '.' && rest[at + 1..].starts_with(|next: char| next.is_ascii_digit())
        };
        let len = rest.char_indices().find(|&pair| !is_part(pair)).map_or(rest.len(), |(at, _)| at);
        return (Kind::Atom, len, &rest[..len]);
    }
    if is_of_word(first) {
        let raw = if rest.starts_with("r#") { 2 } else { 0 };
        let len = raw + rest[raw..].find(|c| !is_of_word(c)).unwrap_or(rest.len() - raw);
        return (Kind::Word, len, &rest[raw..len]);
    }
    (Kind::Mark, first.len_utf8(), &rest[..first.len_utf8()])
}

fn is_of_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// They nest.
fn block_comment_len(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(found) = rest[at..].find(['/', '*']) {
        at += found;
        if rest[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// Start and end of what is inside, and the length with prefix and quotes, when the text begins with a string.
fn string(rest: &str) -> Option<(usize, usize, usize)> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|prefix| {
        let after = rest.strip_prefix(*prefix).unwrap_or_default().trim_start_matches('#');
        let is_hashed = rest.get(prefix.len()..).is_some_and(|rest| rest.starts_with('#'));
        after.starts_with('"') && (!is_hashed || prefix.ends_with('r'))
    })?;
    let hashes = rest[prefix.len()..].bytes().take_while(|&byte| byte == b'#').count();
    let start = prefix.len() + hashes + 1;
    if prefix.ends_with('r') {
        let close = format!("\"{}", "#".repeat(hashes));
        let end = rest[start..].find(&close).map_or(rest.len(), |found| start + found);
        return Some((start, end, (end + close.len()).min(rest.len())));
    }
    let mut is_escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(start) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some((start, at, at + 1)),
            _ => {}
        }
    }
    Some((start, rest.len(), rest.len()))
}

/// `'a'` and `'\''` are characters, `'a` is a lifetime.
fn char_or_lifetime_len(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    let (Some((_, first)), second) = (chars.next(), chars.next()) else { return rest.len() };
    if first == '\\' {
        // The character after the backslash may be a quote.
        let after = second.map_or(rest.len(), |(at, c)| at + c.len_utf8());
        return rest[after..].find('\'').map_or(rest.len(), |found| after + found + 1);
    }
    if let Some((at, '\'')) = second {
        return at + 1;
    }
    rest[1..].find(|c| !is_of_word(c)).map_or(rest.len(), |found| found + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(Kind, &str, usize)]) {
        let found: Vec<_> = tokens(text).iter().map(|token| (token.kind, token.text, token.line)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn texts_comments_and_code_are_told_apart() {
        use Kind::{Atom, Comment, Mark, Text, Word};
        check("a // b \"c\"\n\"d // e\"", &[(Word, "a", 1), (Comment, "// b \"c\"", 1), (Text, "d // e", 2)]);
        check("/* a /* b */ \n */c", &[(Comment, "/* a /* b */ \n */", 1), (Word, "c", 2)]);
        check(r##"r#"a"b"# b"c\"d" r#as"##, &[(Text, "a\"b", 1), (Text, "c\\\"d", 1), (Word, "as", 1)]);
        check("'a' '\\'' 'b '\"'", &[(Atom, "'a'", 1), (Atom, "'\\''", 1), (Atom, "'b", 1), (Atom, "'\"'", 1)]);
        check("1.5 0..9", &[(Atom, "1.5", 1), (Atom, "0", 1), (Mark, ".", 1), (Mark, ".", 1), (Atom, "9", 1)]);
        check("\"a\nb\" 中", &[(Text, "a\nb", 1), (Word, "中", 2)]);
    }

    #[test]
    fn what_never_ends_ends_with_the_file() {
        for text in ["\"a", "r#\"a\"", "/* a", "'", "'\\", "b'", "r#", "1."] {
            assert!(!tokens(text).is_empty(), "{text}");
        }
    }
}
