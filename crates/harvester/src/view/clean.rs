//! The border for foreign text: whatever came from a cluster or a guest is cut and stripped here.
//!
//! Kept: printable text of any script. Taken out: control characters (a line break becomes a space), characters that
//! change the direction of text around them, and invisible ones that make two different names look alike.

/// Longest name, label or one-word value, in characters (Kubernetes' own limit is 253).
pub const MAX_NAME: usize = 253;

/// Longest sentence shown in a row.
pub const MAX_LINE: usize = 300;

/// A text of at most `max` characters without control, bidirectional-override and invisible characters.
pub fn text(foreign: &str, max: usize) -> String {
    let mut out = String::with_capacity(foreign.len().min(max * 4));
    let kept = foreign.chars().filter_map(|c| match c {
        '\n' | '\r' | '\t' => Some(' '),
        c if is_harmful(c) => None,
        c => Some(c),
    });
    for (n, c) in kept.enumerate() {
        if n == max {
            out.push('…');
            break;
        }
        out.push(c);
    }
    out
}

/// Whether `text` would come out of [`text`] unchanged; the common case, which then needs no copy.
pub fn is_clean(foreign: &str, max: usize) -> bool {
    foreign.len() <= max && foreign.bytes().all(|b| (0x20..0x7f).contains(&b))
}

fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{00ad}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_turn_the_line_around_or_move_the_cursor() {
        assert_eq!(text("a\u{202e}gnp.exe\u{1b}[2J\nb", 100), "agnp.exe[2J b");
        assert_eq!(text("zero\u{200b}width\u{feff}", 100), "zerowidth");
        assert_eq!(text("张伟 – ok", 100), "张伟 – ok");
    }

    #[test]
    fn it_is_cut_and_says_so() {
        assert_eq!(text("abcdef", 3), "abc…");
        assert_eq!(text("abc", 3), "abc");
        assert!(is_clean("web-01", 10) && !is_clean("web-01", 3) && !is_clean("é", 9));
    }
}
