//! A table of any length: 100,000 rows scroll like 100.
//!
//! Some fifty rows stand in the DOM, two gaps of set height stand for the rest; a buffer of 600 rows is in memory and is
//! asked for again before its edge is seen ([`crate::window`]). Where rows are missing the ground shows the hairlines of
//! rows. Geometry is set with `set_property` in effects, so the content policy holds and the server's HTML carries none.
//!
//! Keyboard: `j`/`k` or arrows move the cursor, PageUp/PageDown, Home/End; `x` or Space selects, Enter looks at a row, `o` opens it.
//! The focus stays on the table, the cursor is its `aria-activedescendant`: a row that scrolls away takes no focus along.

use std::{hash::Hash, ops::Range};

use leptos::{ev::KeyboardEvent, html, prelude::*};

use crate::window::{Buffer, Port, drawn, wanted};

/// A row's height before the browser has measured one.
const ROW_PX: f64 = 32.0;
/// The head's height: it hides as much of the rows.
const HEAD_PX: f64 = 28.0;
/// The height of the port before it is measured: what a desk shows, and what the server draws.
const PORT_PX: f64 = 960.0;

/// A row as the page's cells see it.
#[derive(Clone, Debug)]
pub struct Row<T> {
    /// Its index in the whole list.
    pub index: u32,
    /// What it shows.
    pub item: T,
}

/// A long list in its own scrolling pane.
#[component]
pub fn VirtualTable<T, K>(
    /// The table's id: unique in the page and the same at each render.
    #[prop(into)]
    id: String,
    /// What is listed.
    #[prop(into)]
    label: Signal<String>,
    /// How many rows the whole list has.
    #[prop(into)]
    total: Signal<u32>,
    /// The rows that are in memory; rows hold `ArcRwSignal`s for what changes, so that a change redraws one cell.
    #[prop(into)]
    buffer: Signal<Buffer<T>>,
    /// What makes a row the same row.
    key: fn(&T) -> K,
    /// The buffer should start here and hold [`crate::window::BUFFER`] rows.
    #[prop(into)]
    on_want: Callback<u32>,
    /// The head's cells: [`crate::HeadCell`]s.
    head: Children,
    /// A row's cells: `<td data-col="…">`, as many as the head has.
    #[prop(into)]
    cells: Callback<Row<T>, AnyView>,
    /// Where the keyboard is.
    #[prop(optional)]
    cursor: RwSignal<Option<u32>>,
    /// Which rows can be seen, once the browser has measured them.
    #[prop(optional, into)]
    on_seen: Option<Callback<Range<u32>>>,
    /// Whether a row is selected; read reactively.
    #[prop(optional, into)]
    is_selected: Option<Callback<T, bool>>,
    /// Whether who reports a row is away; read reactively.
    #[prop(optional, into)]
    is_away: Option<Callback<T, bool>>,
    /// A row was opened: `o`, a double click.
    #[prop(optional, into)]
    on_open: Option<Callback<Row<T>>>,
    /// A row is to be looked at: Enter. Opens it where nothing else is given.
    #[prop(optional, into)]
    on_look: Option<Callback<Row<T>>>,
    /// A row's selection was toggled: `x`, Space.
    #[prop(optional, into)]
    on_toggle: Option<Callback<Row<T>>>,
    /// A row was pointed at with a click, or the cursor came upon it: for a preview.
    #[prop(optional, into)]
    on_current: Option<Callback<Row<T>>>,
) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
    K: Eq + Hash + Clone + Send + Sync + 'static,
{
    let (pane, table) = (NodeRef::<html::Div>::new(), NodeRef::<html::Table>::new());
    let (above, below) = (NodeRef::<html::Tr>::new(), NodeRef::<html::Tr>::new());
    let port = RwSignal::new(Port { top_px: 0.0, height_px: PORT_PX, row_px: ROW_PX });
    let seen = Memo::new(move |_| port.get().seen(total.get()));
    let shown = Memo::new(move |_| drawn(&seen.get(), &buffer.with(Buffer::range), total.get()));
    let start = Memo::new(move |old: Option<&u32>| wanted(&seen.get(), old.copied(), total.get()));

    Effect::new(move |_| on_want.run(start.get()));
    if let Some(on_seen) = on_seen {
        Effect::new(move |_| on_seen.run(seen.get()));
    }
    Effect::new(move |_| {
        let (Range { start, end }, row_px) = (shown.get(), port.with(|port| port.row_px));
        set_height(above, f64::from(start) * row_px);
        set_height(below, f64::from(total.get().saturating_sub(end)) * row_px);
    });
    let measure = move || {
        if let Some(measured) = pane.get_untracked().and_then(|pane| measure(&pane, port.get_untracked())) {
            port.set(measured);
        }
    };
    follow_size(pane, table, measure);

    let at =
        move |index: u32| buffer.with_untracked(|buffer| buffer.get(index).cloned()).map(|item| Row { index, item });
    let go = move |index: u32| {
        cursor.set(Some(index));
        let top = port.get_untracked().reveal(index, HEAD_PX);
        if let (Some(pane), Some(top)) = (pane.get_untracked(), top) {
            pane.set_scroll_top(top as i32);
        }
        if let (Some(on_current), Some(row)) = (on_current, at(index)) {
            on_current.run(row);
        }
    };
    let keys = move |event: KeyboardEvent| {
        let Some(key) = Key::read(&event) else { return };
        let row = cursor.get_untracked().and_then(at);
        let page = seen.with_untracked(|seen| u32::try_from(seen.len()).unwrap_or(1)).saturating_sub(2).max(1);
        match (key, row) {
            (Key::Look, Some(row)) => on_look.or(on_open).into_iter().for_each(|look| look.run(row.clone())),
            (Key::Open, Some(row)) => on_open.into_iter().for_each(|open| open.run(row.clone())),
            (Key::Toggle, Some(row)) => on_toggle.into_iter().for_each(|toggle| toggle.run(row.clone())),
            (Key::Look | Key::Open | Key::Toggle, None) => return,
            // The first step comes upon the first row that is seen.
            (key, _) if cursor.get_untracked().is_none() && key.is_step() => go(seen.with_untracked(|seen| seen.start)),
            (key, _) => go(key.target(cursor.get_untracked().unwrap_or(0), page, total.get_untracked())),
        }
        event.prevent_default();
    };

    let row_id = {
        let id = id.clone();
        move |index: u32| format!("{id}-{index}")
    };
    let active = {
        let row_id = row_id.clone();
        move || cursor.get().map(&row_id)
    };
    // The buffer is read first: what is shown follows from it, and an effect that finds that unchanged does not look whether
    // the buffer itself has changed (reactive_graph 0.2.16; rows that only change places stayed where they were).
    let rows = move || {
        buffer.with(|buffer| {
            shown
                .get()
                .filter_map(|index| buffer.get(index).cloned().map(|item| Row { index, item }))
                .collect::<Vec<_>>()
        })
    };
    let row = move |row: Row<T>| {
        let index = row.index;
        let (for_selected, for_away, for_open) = (row.item.clone(), row.item.clone(), row.clone());
        view! {
            <tr
                id=row_id(index)
                aria-rowindex={index + 2}
                aria-selected=move || is_selected.map(|is| is.run(for_selected.clone()).to_string())
                data-current=move || (cursor.get() == Some(index)).then_some("")
                data-away=move || is_away.filter(|is| is.run(for_away.clone())).map(|_| "")
                on:click=move |_| go(index)
                on:dblclick=move |_| on_open.into_iter().for_each(|open| open.run(for_open.clone()))
            >
                {cells.run(row)}
            </tr>
        }
    };
    view! {
        <div class="scroll" data-virtual="" node_ref=pane on:scroll=move |_| measure()>
            <table
                class="table"
                id=id
                role="grid"
                tabindex="0"
                data-fixed=""
                aria-label=label
                aria-rowcount=move || total.get() + 1
                aria-multiselectable=on_toggle.is_some().then_some("true")
                aria-activedescendant=active
                node_ref=table
                on:keydown=keys
            >
                <thead>
                    <tr aria-rowindex="1">{head()}</tr>
                </thead>
                <tbody data-gap="" aria-hidden="true">
                    <tr node_ref=above><td></td></tr>
                </tbody>
                <tbody>
                    <For each=rows key=move |row| (row.index, key(&row.item)) children=row/>
                </tbody>
                <tbody data-gap="" aria-hidden="true">
                    <tr node_ref=below><td></td></tr>
                </tbody>
            </table>
        </div>
    }
}

/// What a key asks of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Down,
    Up,
    PageDown,
    PageUp,
    First,
    Last,
    Look,
    Open,
    Toggle,
}

impl Key {
    fn read(event: &KeyboardEvent) -> Option<Self> {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || is_in_control(event) {
            return None;
        }
        Some(match event.key().as_str() {
            "j" | "ArrowDown" => Self::Down,
            "k" | "ArrowUp" => Self::Up,
            "PageDown" => Self::PageDown,
            "PageUp" => Self::PageUp,
            "Home" => Self::First,
            "End" => Self::Last,
            "Enter" => Self::Look,
            "o" => Self::Open,
            "x" | " " => Self::Toggle,
            _ => return None,
        })
    }

    fn is_step(self) -> bool {
        !matches!(self, Self::First | Self::Last)
    }

    /// The row to go to.
    fn target(self, from: u32, page: u32, total: u32) -> u32 {
        let to = match self {
            Self::Down => from.saturating_add(1),
            Self::Up => from.saturating_sub(1),
            Self::PageDown => from.saturating_add(page),
            Self::PageUp => from.saturating_sub(page),
            Self::First => 0,
            Self::Last => u32::MAX,
            Self::Look | Self::Open | Self::Toggle => from,
        };
        to.min(total.saturating_sub(1))
    }
}

/// Whether a key was meant for a link, a box or a field within a cell.
fn is_in_control(event: &KeyboardEvent) -> bool {
    let tag = event_target::<web_sys::Element>(event).tag_name();
    matches!(tag.as_str(), "A" | "BUTTON" | "SELECT" | "TEXTAREA") && matches!(event.key().as_str(), "Enter" | " ")
        || tag == "TEXTAREA"
        || tag == "INPUT" && event.key() == " "
}

fn set_height(row: NodeRef<html::Tr>, px: f64) {
    if let Some(row) = row.get() {
        // Refused only for a malformed value, and this is a number.
        let _ = web_sys::HtmlElement::style(&row).set_property("height", &format!("{px}px"));
    }
}

/// Reads the port from the browser; `None` when nothing changed.
fn measure(pane: &web_sys::HtmlElement, old: Port) -> Option<Port> {
    let first = pane.query_selector("tbody:not([data-gap]) > tr").ok().flatten();
    let row_px = first.map(|row| row.get_bounding_client_rect().height()).filter(|&px| px > 0.0);
    let new = Port {
        top_px: f64::from(pane.scroll_top()),
        height_px: f64::from(pane.client_height()),
        row_px: row_px.unwrap_or(old.row_px),
    };
    (new != old).then_some(new)
}

/// Calls `measure` when the pane or the table changes its size: a resized window, another density.
fn follow_size(pane: NodeRef<html::Div>, table: NodeRef<html::Table>, measure: impl Fn() + Copy + 'static) {
    use wasm_bindgen::{JsCast, closure::Closure};
    Effect::new(move |_| {
        let (Some(pane), Some(table)) = (pane.get(), table.get()) else { return };
        let callback = Closure::<dyn FnMut()>::new(measure);
        let Ok(observer) = web_sys::ResizeObserver::new(callback.as_ref().unchecked_ref()) else { return };
        observer.observe(&pane);
        observer.observe(&table);
        let held = StoredValue::new_local((observer, callback));
        on_cleanup(move || {
            // Already dropped, it observes nothing either.
            let _ = held.try_with_value(|(observer, _)| observer.disconnect());
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, html};

    #[test]
    fn the_first_rows_are_in_the_servers_html_without_geometry() {
        let table = html(|| {
            let buffer = Buffer::first((0_u32..600).collect());
            view! {
                <VirtualTable
                    id="vms"
                    label="虚拟机"
                    total=100_000_u32
                    buffer=buffer
                    key={|row: &u32| *row}
                    on_want=|_| ()
                    head={Box::new(|| view! { <th>"名称"</th> }.into_any())}
                    cells={|row: Row<u32>| view! { <td>{row.item}</td> }.into_any()}
                    is_selected={|row: u32| row == 1}
                />
            }
        });
        assert!(!table.contains("style="));
        assert_eq!(table.matches("aria-rowindex").count(), 1 + 38);
        assert_parts(
            &table,
            &[
                "role=\"grid\"",
                "tabindex=\"0\"",
                "aria-rowcount=\"100001\"",
                "id=\"vms-0\"",
                "aria-selected=\"true\"",
                "<td>1</td>",
            ],
        );
    }

    #[test]
    fn keys_stay_within_the_list() {
        assert_eq!(Key::Down.target(9, 20, 10), 9);
        assert_eq!(Key::Up.target(0, 20, 10), 0);
        assert_eq!(Key::Last.target(0, 20, 100_000), 99_999);
        assert_eq!(Key::PageDown.target(5, 20, 100), 25);
        assert_eq!(Key::Down.target(0, 20, 0), 0);
    }
}
