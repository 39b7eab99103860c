//! The live table: 600 rows in memory, some fifty in the document, one signal a row.

use app_ui::window::Buffer;
use app_ui::{CheckMark, HeadCell, Order, Row, VirtualTable};
use leptos::ev::PointerEvent;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use model::vm::{Sort, SortKey, VmRow};

use super::cells::{Names, cells};
use super::list::List;
use super::place::Place;
use super::selection::MOST;
use crate::live::Cell;
use crate::locales::use_words;
use crate::paths;

/// Id of the table, so that keys find it.
pub(super) const TABLE: &str = "vms";

/// How the cursor came upon a row: the keyboard moves a preview that is open, a click on the row opens one, a click on
/// what is in it (a link, a box) does what that does and nothing else.
#[derive(Clone, Copy)]
enum By {
    Keys,
    Row,
    Control,
}

/// The table.
#[component]
pub(super) fn VmTable(list: List) -> impl IntoView {
    let words = use_words().vm;
    let buffer = {
        let (start, rows) = (list.rows.start.clone(), list.rows.cells.clone());
        Memo::new(move |_| Buffer { start: start.get(), rows: rows.get() })
    };
    let total = {
        let total = list.rows.total.clone();
        Signal::derive(move || total.get())
    };
    let (want, asked, answers) = (list.want, list.asked, list.rows.answers.clone());
    let busy = move || answers.with(|answers| asked.with(|asked| asked != answers)).then_some("true");
    let on_want = move |start: u32| want.set((asked.get_untracked(), start));
    let names = Names::of(list.fleet.clone());
    let row_names = names;
    let (for_cells, chosen, toggled) = (list.clone(), list.selection.clone(), list.selection.clone());
    let is_away = move |cell: Cell| cell.has_left.get() || cell.row.with(|row| names.is_away(&row.cluster));
    let navigate = use_navigate();
    let open = move |row: Row<Cell>| {
        let href = row.item.row.with_untracked(|row| paths::vm(&row.cluster, &row.namespace, &row.name));
        navigate(&href, NavigateOptions::default());
    };
    let by = StoredValue::new(By::Keys);
    let (place, go) = (list.place, list.go);
    let current = move |row: Row<Cell>| {
        let place = place.get_untracked();
        let vm = row.item.row.with_untracked(VmRow::reference).ok();
        let is_wanted = match by.get_value() {
            By::Keys => place.open.is_some(),
            By::Row => true,
            By::Control => false,
        };
        if is_wanted && vm.is_some() && place.open != vm {
            go.run(Place { open: vm, ..place });
        }
    };
    let look = move |row: Row<Cell>| {
        by.set_value(By::Row);
        current(row);
        by.set_value(By::Keys);
    };
    let pointed = move |event: PointerEvent| {
        let target = event_target::<web_sys::Element>(&event);
        let is_control = target.closest("a, button, input").ok().flatten().is_some();
        by.set_value(if is_control { By::Control } else { By::Row });
    };
    let heads = list.clone();
    let (held, left, gone) = (list.rows.clone(), list.rows.clone(), list.rows.clone());
    on_cleanup(move || gone.release());
    let seen = list.seen;
    view! {
        <div
            class="vms-pane"
            aria-busy=busy
            on:pointerenter=move |event: PointerEvent| if event.pointer_type() == "mouse" { held.hold() }
            on:pointerleave=move |_| left.release()
            on:pointerdown=pointed
            on:click=move |_| by.set_value(By::Keys)
        >
            <VirtualTable
                id=TABLE
                label=words.title
                total=total
                buffer=buffer
                key={|cell: &Cell| cell.id}
                on_want=on_want
                head=Box::new(move || view! { <Heads list=heads/> }.into_any())
                cells={move |row: Row<Cell>| cells(&for_cells, &row_names, &row.item)}
                cursor=list.cursor
                on_seen={move |rows| seen.set(Some(rows))}
                is_selected={move |cell: Cell| chosen.has(cell.id)}
                is_away=is_away
                on_open=open
                on_look=look
                on_toggle={move |row: Row<Cell>| toggled.toggle(&row.item)}
                on_current=current
            />
        </div>
    }
}

/// The heads; each but the first sorts.
#[component]
fn Heads(list: List) -> impl IntoView {
    let words = use_words().vm;
    let List { place, go, .. } = list;
    let head = move |col: &'static str, word: &'static str, key: SortKey, num: bool| {
        let order = Signal::derive(move || place.with(|place| order_of(place.sort, key)));
        let sort = move |order: Order| {
            let sort = Sort { key, descending: order == Order::Descending };
            go.run(Place { sort, ..place.get_untracked() });
        };
        view! { <HeadCell col=col word=word num=num order=order on_sort=sort/> }
    };
    view! {
        <ChooseAll list=list/>
        {head("state", words.state, SortKey::Power, false)}
        {head("name", words.name, SortKey::Name, false)}
        {head("cluster", words.cluster, SortKey::Cluster, false)}
        {head("service", words.service, SortKey::Service, false)}
        {head("owner", words.owner, SortKey::Owner, false)}
        {head("ip", words.address, SortKey::Address, false)}
        {head("host", words.host, SortKey::Node, false)}
        {head("cpu", words.cpu, SortKey::Cpu, true)}
        {head("mem", words.memory, SortKey::Memory, true)}
        {head("disk", words.disk, SortKey::Disk, true)}
        {head("changed", words.changed, SortKey::Changed, true)}
    }
}

fn order_of(sort: Sort, key: SortKey) -> Option<Order> {
    let order = if sort.descending { Order::Descending } else { Order::Ascending };
    (sort.key == key).then_some(order)
}

/// Chooses the first of those in memory, or none when some are chosen.
#[component]
fn ChooseAll(list: List) -> impl IntoView {
    let words = use_words().vm;
    let (some, all, cells, selection) =
        (list.selection.clone(), list.selection.clone(), list.rows.cells.clone(), list.selection);
    let count = {
        let cells = cells.clone();
        move || cells.with(Vec::len).min(MOST)
    };
    let is_all = Signal::derive(move || all.len() > 0 && all.len() >= count());
    let is_some = Signal::derive(move || some.len() > 0 && !is_all.get());
    let toggle = move |_: bool| {
        if selection.len() > 0 {
            selection.clear();
        } else {
            cells.with_untracked(|cells| selection.choose(cells));
        }
    };
    view! {
        <th data-col="sel" scope="col">
            <CheckMark checked=is_all mixed=is_some on_toggle=toggle label=(words.choose_all)(MOST as u32)/>
        </th>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_shows_the_order_of_its_own_column_only() {
        let sort = Sort { key: SortKey::Cpu, descending: true };
        assert_eq!(order_of(sort, SortKey::Cpu), Some(Order::Descending));
        assert_eq!(order_of(sort, SortKey::Name), None);
        assert_eq!(order_of(Sort::default(), SortKey::Name), Some(Order::Ascending));
    }
}
