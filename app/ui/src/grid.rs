//! A subnet as squares: state by fill and mark, one stop for Tab, arrows move within, drag marks a range.

use leptos::{ev::KeyboardEvent, html, prelude::*};

use crate::dom;

/// Squares in a row.
const COLUMNS: usize = 16;

/// One address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Square {
    /// `free`, `used`, `off`, `reserved`, `quarantine`, `dhcp`, `dhcp-used`, `forbidden`, `gateway`, `drift`, `conflict`,
    /// `stray`: each has its own fill and mark.
    pub state: &'static str,
    /// A letter in it: `G`, `≠`, `!`, `?`.
    pub mark: Option<char>,
    /// The address and its state in words.
    pub label: String,
}

/// 256 addresses, or however many there are.
#[component]
pub fn AddressGrid(
    /// Which subnet.
    #[prop(into)]
    label: Signal<String>,
    /// The addresses from the first on.
    #[prop(into)]
    squares: Signal<Vec<Square>>,
    /// The square under pointer or focus: the page shows what is to be known about it.
    #[prop(optional)]
    current: RwSignal<Option<usize>>,
    /// The marked squares, first and last.
    #[prop(optional)]
    range: RwSignal<Option<(usize, usize)>>,
    /// A square was opened.
    #[prop(optional, into)]
    on_open: Option<Callback<usize>>,
) -> impl IntoView {
    let grid = NodeRef::<html::Div>::new();
    let stop = RwSignal::new(0_usize);
    let drag = RwSignal::new(None::<usize>);
    let len = move || squares.with_untracked(Vec::len);
    let keys = move |event: KeyboardEvent| {
        let at = stop.get_untracked();
        let Some(to) = moved(at, &event.key(), len()) else { return };
        event.prevent_default();
        stop.set(to);
        if event.shift_key() {
            range.update(|range| *range = Some((range.map_or(at, |(first, _)| first), to)));
        } else {
            range.set(None);
        }
        focus(grid, to);
    };
    let square = move |(at, square): (usize, Square)| {
        let in_range = move || range.get().is_some_and(|(a, b)| (a.min(b)..=a.max(b)).contains(&at));
        let begin = move |_| {
            stop.set(at);
            drag.set(Some(at));
            range.set(None);
        };
        let enter = move |_| {
            current.set(Some(at));
            if let Some(first) = drag.get_untracked() {
                range.set(Some((first, at)));
            }
        };
        let row = at.is_multiple_of(COLUMNS).then(|| view! { <b>{format!(".{at}")}</b> });
        view! {
            {row}
            <button
                type="button"
                data-state=square.state
                data-current=move || (current.get() == Some(at)).then_some("")
                data-range=move || in_range().then_some("")
                aria-label=square.label
                tabindex=move || if stop.get() == at { "0" } else { "-1" }
                on:pointerdown=begin
                on:pointerenter=enter
                on:focus=move |_| current.set(Some(at))
                on:click=move |_| if let Some(on_open) = on_open { on_open.run(at) }
            >
                {square.mark}
            </button>
        }
    };
    let head = (0..COLUMNS).map(|column| view! { <b aria-hidden="true">{column}</b> }).collect_view();
    let numbered = move || squares.get().into_iter().enumerate().collect::<Vec<_>>();
    view! {
        <div
            class="map"
            role="group"
            aria-label=label
            node_ref=grid
            on:keydown=keys
            on:pointerup=move |_| drag.set(None)
            on:pointerleave=move |_| drag.set(None)
        >
            <b></b>
            {head}
            <For each=numbered key=|one| one.clone() children=square/>
        </div>
    }
}

/// Where a key leads from a square; `None` for keys that are not the grid's.
fn moved(at: usize, key: &str, len: usize) -> Option<usize> {
    let last = len.checked_sub(1)?;
    let to = match key {
        "ArrowRight" => at + 1,
        "ArrowLeft" => at.saturating_sub(1),
        "ArrowDown" if at + COLUMNS <= last => at + COLUMNS,
        "ArrowUp" if at >= COLUMNS => at - COLUMNS,
        "ArrowDown" | "ArrowUp" => at,
        "Home" => at - at % COLUMNS,
        "End" => at - at % COLUMNS + COLUMNS - 1,
        _ => return None,
    };
    Some(to.min(last))
}

fn focus(grid: NodeRef<html::Div>, at: usize) {
    let buttons = grid.get_untracked().and_then(|grid| grid.query_selector_all("button").ok());
    if let (Some(buttons), Ok(at)) = (buttons, u32::try_from(at)) {
        dom::focus_nth(&buttons, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn arrows_move_within_the_grid() {
        assert_eq!(moved(15, "ArrowRight", 256), Some(16));
        assert_eq!(moved(250, "ArrowDown", 256), Some(250));
        assert_eq!(moved(20, "ArrowUp", 256), Some(4));
        assert_eq!(moved(20, "End", 256), Some(31));
        assert_eq!(moved(20, "End", 25), Some(24));
        assert_eq!(moved(0, "a", 256), None);
    }

    #[test]
    fn a_grid_is_one_stop_and_every_square_has_words() {
        let grid = html(|| {
            let square = |at: usize| Square { state: "free", mark: None, label: format!("10.20.30.{at}，空闲") };
            view! { <AddressGrid label="10.20.30.0/24" squares={(0..32).map(square).collect::<Vec<_>>()}/> }
        });
        assert_eq!(grid.matches("tabindex=\"0\"").count(), 1);
        assert_parts(&grid, &["role=\"group\"", "<b>.0</b>", "aria-label=\"10.20.30.0，空闲\"", "<b>.16</b>"]);
    }
}
