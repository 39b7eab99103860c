//! What will change: before and after, line by line.

use std::ops::Range;

use leptos::prelude::*;

use crate::words;

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// Beyond so many pairs of lines the middle is shown as replaced whole, instead of making the reader wait.
const MOST_PAIRS: usize = 4_000_000;

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// It stays.
    Same,
    /// It comes.
    Add,
    /// It goes.
    Del,
    /// Not a line: where in the text the next ones are, or what the text is.
    At,
}

/// A line of a difference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DiffLine {
    /// What became of it.
    pub op: Op,
    /// Its number, in the old text where it goes, else in the new one.
    pub number: Option<usize>,
    /// The line.
    pub text: String,
    /// The bytes of it that differ from the line it replaces, on the bounds of characters.
    pub mark: Option<Range<usize>>,
}

/// Two texts as the lines that differ, with some around them.
pub fn diff(before: &str, after: &str) -> Vec<DiffLine> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let line =
        |op, number: usize, text: &str| DiffLine { op, number: Some(number + 1), text: text.to_owned(), mark: None };

    let mut lines: Vec<DiffLine> = (0..head).map(|at| line(Op::Same, at, new[at])).collect();
    let (old_mid, new_mid) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    for (op, at) in changes(old_mid, new_mid) {
        let text = if op == Op::Del { old_mid[at] } else { new_mid[at] };
        lines.push(line(op, head + at, text));
    }
    lines.extend((new.len() - tail..new.len()).map(|at| line(Op::Same, at, new[at])));
    mark_pairs(&mut lines);
    with_context(lines)
}

/// The shortest way from `old` to `new` by a table of common lengths: (what, index in `old` for `Del`, else in `new`).
fn changes(old: &[&str], new: &[&str]) -> Vec<(Op, usize)> {
    let (rows, columns) = (old.len(), new.len());
    if rows * columns > MOST_PAIRS {
        return (0..rows).map(|at| (Op::Del, at)).chain((0..columns).map(|at| (Op::Add, at))).collect();
    }
    let mut common = vec![vec![0_u32; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            common[row][column] = if old[row] == new[column] {
                common[row + 1][column + 1] + 1
            } else {
                common[row + 1][column].max(common[row][column + 1])
            };
        }
    }
    let (mut row, mut column, mut way) = (0, 0, Vec::with_capacity(rows + columns));
    while row < rows || column < columns {
        if row < rows && column < columns && old[row] == new[column] {
            way.push((Op::Same, column));
            (row, column) = (row + 1, column + 1);
        } else if row < rows && (column == columns || common[row + 1][column] >= common[row][column + 1]) {
            way.push((Op::Del, row));
            row += 1;
        } else {
            way.push((Op::Add, column));
            column += 1;
        }
    }
    way
}

/// Marks what differs where one line goes and one comes in its place.
fn mark_pairs(lines: &mut [DiffLine]) {
    for at in 1..lines.len() {
        let alone = |at: Option<usize>, op| at.and_then(|at| lines.get(at)).is_none_or(|line: &DiffLine| line.op != op);
        let is_pair = lines[at - 1].op == Op::Del && lines[at].op == Op::Add;
        if is_pair && alone(at.checked_sub(2), Op::Del) && alone(Some(at + 1), Op::Add) {
            let (old, new) = differing(&lines[at - 1].text, &lines[at].text);
            lines[at - 1].mark = Some(old).filter(|mark| !mark.is_empty());
            lines[at].mark = Some(new).filter(|mark| !mark.is_empty());
        }
    }
}

/// The bytes of two lines between what they begin and end with alike.
fn differing(old: &str, new: &str) -> (Range<usize>, Range<usize>) {
    let same = |(old, new): &(char, char)| old == new;
    let head: usize = old.chars().zip(new.chars()).take_while(same).map(|(sign, _)| sign.len_utf8()).sum();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail: usize =
        old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(same).map(|(sign, _)| sign.len_utf8()).sum();
    (head..old.len() - tail, head..new.len() - tail)
}

/// Drops what is far from any change.
fn with_context(lines: Vec<DiffLine>) -> Vec<DiffLine> {
    let near = |at: usize| {
        let (from, to) = (at.saturating_sub(CONTEXT), (at + CONTEXT + 1).min(lines.len()));
        lines[from..to].iter().any(|line| line.op != Op::Same)
    };
    let mut kept = Vec::new();
    let mut skipped = false;
    for (at, line) in lines.iter().enumerate() {
        if near(at) {
            if skipped && !kept.is_empty() {
                kept.push(DiffLine { op: Op::At, number: None, text: "⋯".to_owned(), mark: None });
            }
            kept.push(line.clone());
            skipped = false;
        } else {
            skipped = true;
        }
    }
    kept
}

/// A difference as a table; colour, sign and, for screen readers, a word say what became of each line.
#[component]
pub fn DiffView(
    /// What changes.
    #[prop(into)]
    label: Signal<String>,
    /// The lines, from [`diff`] or the server.
    #[prop(into)]
    lines: Signal<Vec<DiffLine>>,
) -> impl IntoView {
    let words = words();
    let row = move |line: DiffLine| {
        let (name, sign, said) = match line.op {
            Op::Same => (None, "", ""),
            Op::Add => (Some("add"), "+", words.added),
            Op::Del => (Some("del"), "−", words.removed),
            Op::At => (Some("at"), "", ""),
        };
        let text = match line.mark {
            Some(Range { start, end }) => {
                let (before, mark, after) = (&line.text[..start], &line.text[start..end], &line.text[end..]);
                view! { {before.to_owned()}<mark>{mark.to_owned()}</mark>{after.to_owned()} }.into_any()
            }
            None => line.text.into_any(),
        };
        view! {
            <tr data-op=name>
                <th scope="row">{line.number}</th>
                <td>{sign}<span class="unseen">{said}</span></td>
                <td>{text}</td>
            </tr>
        }
    };
    view! {
        <table class="diff" aria-label=label>
            <tbody>{move || lines.get().into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    fn written(before: &str, after: &str) -> Vec<String> {
        let sign = |op| match op {
            Op::Same => ' ',
            Op::Add => '+',
            Op::Del => '-',
            Op::At => '@',
        };
        diff(before, after).iter().map(|line| format!("{}{}", sign(line.op), line.text)).collect()
    }

    #[test]
    fn only_what_differs_is_shown_with_some_around_it() {
        assert_eq!(written("a\nb\nc\nd\ne\nf", "a\nb\nc\nd\nE\nf"), [" b", " c", " d", "-e", "+E", " f"]);
        assert_eq!(written("a\nb", "a\nb"), Vec::<String>::new());
        assert_eq!(written("", "a"), ["+a"]);
        assert_eq!(written("a\nb\nc", "a\nc"), [" a", "-b", " c"]);
    }

    #[test]
    fn the_differing_part_of_a_line_is_marked_between_characters() {
        let lines = diff("内存: 48Gi", "内存: 64Gi");
        assert_eq!(lines[0].mark.clone().map(|mark| lines[0].text[mark].to_owned()).as_deref(), Some("48"));
        assert_eq!(differing("中文", "中国"), (3..6, 3..6));
    }

    #[test]
    fn what_comes_and_goes_is_said() {
        let view = html(|| view! { <DiffView label="内存" lines=diff("a: 48Gi", "a: 64Gi")/> });
        assert_parts(
            &view,
            &["data-op=\"del\"", "删去", "<mark>48</mark>", "data-op=\"add\"", "增加", "<mark>64</mark>"],
        );
    }
}
