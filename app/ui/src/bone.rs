//! Skeletons: placeholders in the shape of what will stand there, so that nothing jumps when it comes.

use leptos::prelude::*;

use crate::words;

/// Widths of bones in a table, so that a skeleton looks like text and is the same at each render.
const WIDTHS: [u8; 5] = [3, 2, 4, 2, 3];

/// One line of text that is not there yet: `width` from 1 (3 rem) to 4 (12 rem), 0 for full.
#[component]
pub fn Bone(
    /// 1 to 4; 0 is as wide as its place.
    width: u8,
    /// 1 a line of text, 2 a control, 4 a chart.
    #[prop(default = 1)]
    height: u8,
) -> impl IntoView {
    let width = if width == 0 { "full".to_owned() } else { width.to_string() };
    let height = if height == 1 { None } else { Some(height.to_string()) };
    view! { <span class="bone" data-w=width data-h=height></span> }
}

/// A table that is not there yet.
#[component]
pub fn SkeletonTable(
    /// How many rows.
    #[prop(default = 8)]
    rows: usize,
    /// How many columns.
    #[prop(default = 5)]
    columns: usize,
    /// As the table will stand in a section, without room at its sides.
    #[prop(optional)]
    inset: bool,
) -> impl IntoView {
    let cell = |row: usize, column: usize| {
        let width = if column == 0 { 2 } else { WIDTHS[(row + 2 * column) % WIDTHS.len()].min(3) };
        view! { <td><Bone width=width/></td> }
    };
    let row = move |row: usize| view! { <tr>{(0..columns).map(|column| cell(row, column)).collect_view()}</tr> };
    view! {
        <table class="table" data-fixed="" data-inset=inset.then_some("") aria-busy="true" aria-label=words().loading>
            <thead>
                <tr>{(0..columns).map(|_| view! { <th><Bone width=1/></th> }).collect_view()}</tr>
            </thead>
            <tbody>{(0..rows).map(row).collect_view()}</tbody>
        </table>
    }
}

/// A page's head that is not there yet.
#[component]
pub fn SkeletonHead() -> impl IntoView {
    view! { <div class="bones" data-of="head" role="status" aria-label=words().loading><Bone width=4 height=2/><Bone width=3/></div> }
}

/// A panel of facts that is not there yet.
#[component]
pub fn SkeletonPanel(
    /// How many lines.
    #[prop(default = 4)]
    lines: usize,
) -> impl IntoView {
    let line = |at: usize| view! { <span><Bone width=2/><Bone width={WIDTHS[at % WIDTHS.len()]}/></span> };
    view! {
        <div class="bones" data-of="panel" role="status" aria-label=words().loading>{(0..lines).map(line).collect_view()}</div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::html;

    #[test]
    fn a_skeleton_is_busy_and_has_the_shape_of_its_table() {
        let table = html(|| view! { <SkeletonTable rows=3 columns=4/> });
        assert!(table.contains("aria-busy=\"true\"") && table.contains("aria-label=\"载入中\""));
        assert_eq!(table.matches("<td>").count(), 12);
    }
}
