//! YAML with line numbers: enough colour to find one's way, no library.

use leptos::prelude::*;

/// A piece of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    Key(&'a str),
    Number(&'a str),
    Comment(&'a str),
}

/// YAML, one line a line; it scrolls within itself.
#[component]
pub fn CodeView(
    /// What it is, for screen readers.
    #[prop(into)]
    label: Signal<String>,
    /// The text.
    #[prop(into)]
    text: Signal<String>,
    /// Numbers of lines that are marked, from 1.
    #[prop(optional, into)]
    hits: Signal<Vec<usize>>,
) -> impl IntoView {
    let line = |line: &str, is_hit: bool| {
        let pieces = pieces(line).into_iter().map(|piece| match piece {
            Piece::Text(text) => text.to_owned().into_any(),
            Piece::Key(text) => view! { <b>{text.to_owned()}</b> }.into_any(),
            Piece::Number(text) => view! { <i>{text.to_owned()}</i> }.into_any(),
            Piece::Comment(text) => view! { <u>{text.to_owned()}</u> }.into_any(),
        });
        view! { <span data-hit=is_hit.then_some("")>{pieces.collect_view()}</span> }
    };
    let lines = move || {
        let hits = hits.get();
        text.with(|text| text.lines().enumerate().map(|(at, text)| line(text, hits.contains(&(at + 1)))).collect_view())
    };
    view! { <code class="yaml" tabindex="0" role="region" aria-label=label>{lines}</code> }
}

/// Cuts a line of YAML into key, value and comment. Not a parser: what it does not know stays text.
fn pieces(line: &str) -> Vec<Piece<'_>> {
    let (code, comment) = match line.find('#').filter(|&at| at == 0 || line[..at].ends_with([' ', '\t'])) {
        Some(at) => line.split_at(at),
        None => (line, ""),
    };
    let mut pieces = Vec::new();
    let body = code.trim_start_matches([' ', '-']);
    pieces.push(Piece::Text(&code[..code.len() - body.len()]));
    let colon = body.find(": ").or_else(|| body.trim_end().strip_suffix(':').map(str::len));
    let value = match colon.filter(|&at| !body[..at].contains(['{', '"', '[', ' '])) {
        Some(at) => {
            pieces.push(Piece::Key(&body[..at]));
            &body[at..]
        }
        None => body,
    };
    let plain = value.trim_start_matches([':', ' ']);
    pieces.push(Piece::Text(&value[..value.len() - plain.len()]));
    let is_number = plain.trim_end().parse::<f64>().is_ok() || matches!(plain.trim_end(), "true" | "false" | "null");
    pieces.push(if is_number { Piece::Number(plain) } else { Piece::Text(plain) });
    pieces.push(Piece::Comment(comment));
    pieces.retain(|piece| !matches!(piece, Piece::Text("") | Piece::Number("") | Piece::Comment("")));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn keys_numbers_and_comments_are_told_apart() {
        assert_eq!(
            pieces("  - cores: 16"),
            [Piece::Text("  - "), Piece::Key("cores"), Piece::Text(": "), Piece::Number("16")]
        );
        assert_eq!(pieces("spec:"), [Piece::Key("spec"), Piece::Text(":")]);
        assert_eq!(pieces("a: b # c"), [Piece::Key("a"), Piece::Text(": "), Piece::Text("b "), Piece::Comment("# c")]);
        assert_eq!(pieces("url: \"http://x#y\"")[2], Piece::Text("\"http://x#y\""));
        assert_eq!(pieces(""), []);
    }

    #[test]
    fn no_sign_of_the_text_is_lost() {
        for line in ["  - a: b: c # d", "\t", "---", "中: 文 # 注", "{ a: 1 }", "# only"] {
            let whole: String = pieces(line)
                .into_iter()
                .map(|piece| match piece {
                    Piece::Text(text) | Piece::Key(text) | Piece::Number(text) | Piece::Comment(text) => text,
                })
                .collect();
            assert_eq!(whole, line);
        }
    }

    #[test]
    fn lines_stand_one_by_one_and_hits_are_marked() {
        let code = html(|| view! { <CodeView label="YAML" text="kind: VirtualMachine\nspec:" hits=vec![2]/> });
        assert_parts(
            &code,
            &["tabindex=\"0\"", "<span><b>kind</b>: VirtualMachine</span>", "<span data-hit=\"\"><b>spec</b>:</span>"],
        );
    }
}
