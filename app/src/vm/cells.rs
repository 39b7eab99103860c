//! The cells of a row: each follows its part of the row's signal; what changed is marked for a second.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use app_ui::{CheckMark, Person, StateMark};
use leptos::html;
use leptos::prelude::*;
use model::UnixMs;
use model::fleet::ClusterView;
use model::vm::VmRow;

use super::list::List;
use super::place::like;
use crate::frame::{mark_of, use_lang, use_session, use_zone};
use crate::live::Cell;
use crate::locales::use_words;
use crate::paths;

/// How long a changed cell stays marked.
const MARKED: Duration = Duration::from_secs(1);

/// What rows need to know of their clusters: the name, and whether it is away.
#[derive(Clone, Copy)]
pub(super) struct Names(Memo<BTreeMap<String, (String, bool)>>);

impl Names {
    /// From all clusters; follows them.
    pub(super) fn of(fleet: ArcRwSignal<Vec<ClusterView>>) -> Self {
        let entry = |cluster: &ClusterView| (cluster.id.to_string(), (cluster.name.clone(), cluster.health.is_away()));
        Self(Memo::new(move |_| fleet.with(|all| all.iter().map(entry).collect())))
    }

    /// Whether what is shown of this cluster is old; read reactively.
    pub(super) fn is_away(&self, cluster: &str) -> bool {
        self.0.with(|names| names.get(cluster).is_some_and(|(_, is_away)| *is_away))
    }

    /// What people call it; read reactively.
    pub(super) fn name(&self, cluster: &str) -> String {
        self.0.with(|names| names.get(cluster).map_or_else(|| cluster.to_owned(), |(name, _)| name.clone()))
    }
}

/// A part of the row that changes by itself.
fn part<T: Clone + PartialEq + Send + Sync + 'static>(
    cell: &Cell,
    part: impl Fn(&VmRow) -> T + Send + Sync + 'static,
) -> Memo<T> {
    let row = cell.row.clone();
    Memo::new(move |_| row.with(&part))
}

/// The cells of a row, as many as the head has.
pub(super) fn cells(list: &List, names: &Names, cell: &Cell) -> AnyView {
    let words = use_words().vm;
    let (zone, now, names) = (use_zone(), use_session().now, *names);
    let first = NodeRef::<html::Td>::new();
    mark_changes(cell, first);
    let text = |value: Memo<Option<Arc<str>>>, field: &'static str| {
        move || value.get().map(|text| view! { <a class="name" href=like(field, &text)>{text.to_string()}</a> })
    };
    let address = part(cell, |row| row.main_address());
    let node = part(cell, |row| row.node.clone());
    let owner = part(cell, |row| (row.owner.clone(), row.owner_name.clone()));
    let changed = part(cell, |row| row.changed);
    let cluster = cell.row.with_untracked(|row| row.cluster.clone());
    let cluster_href = paths::cluster(&cluster);
    view! {
        <Choose list=list.clone() cell=cell.clone() node_ref=first/>
        <State list=list.clone() cell=cell.clone()/>
        <Name cell=cell.clone()/>
        <td data-col="cluster"><a class="name" href=cluster_href>{move || names.name(&cluster)}</a></td>
        <td data-col="service">{text(part(cell, |row| row.service.clone()), "service")}</td>
        <td data-col="owner">
            {move || match owner.get() {
                (None, None) => view! { <span class="faint">{words.no_owner}</span> }.into_any(),
                (number, name) => person(number, name),
            }}
        </td>
        <td data-col="ip">
            {move || address.get().map(|ip| view! { <a class="name" href=like("ip", &ip.to_string())><code>{ip.to_string()}</code></a> })}
        </td>
        <td data-col="host">
            {move || match node.get() {
                Some(node) => view! { <a class="name" href=like("node", &node)><code>{node.to_string()}</code></a> }.into_any(),
                None => view! { <span class="faint">{words.not_running}</span> }.into_any(),
            }}
        </td>
        <td data-col="cpu" data-num="">{part(cell, |row| row.cpu)}</td>
        <td data-col="mem" data-num="">{part(cell, |row| row.memory.human())}</td>
        <td data-col="disk" data-num="">{part(cell, |row| row.disk.human())}</td>
        <td data-col="changed" data-num="" class="soft">
            {move || { let at: UnixMs = changed.get(); view! { <time title=zone.full(at)>{zone.near(at, now)}</time> } }}
        </td>
    }
    .into_any()
}

/// An owner as a link to what is theirs.
pub(super) fn person(number: Option<Arc<str>>, name: Option<Arc<str>>) -> AnyView {
    let key = number.clone().or(name.clone()).unwrap_or_else(|| "".into());
    let shown = name.clone().or(number.clone()).unwrap_or_else(|| "".into());
    let behind = number.filter(|_| name.is_some()).map(|number| number.to_string());
    let href = like("owner", &key);
    match behind {
        Some(number) => view! { <Person name=shown.to_string() number=number href=href/> }.into_any(),
        None => view! { <Person name=shown.to_string() href=href/> }.into_any(),
    }
}

#[component]
fn Choose(list: List, cell: Cell, node_ref: NodeRef<html::Td>) -> impl IntoView {
    let words = use_words().vm;
    let label = cell.row.with_untracked(|row| (words.choose)(&row.name));
    let (is, selection, id) = (list.selection.clone(), list.selection, cell.id);
    view! {
        // Choosing is not pointing: the preview stays as it is.
        <td
            data-col="sel"
            node_ref=node_ref
            on:click=|event| event.stop_propagation()
            on:dblclick=|event| event.stop_propagation()
        >
            <CheckMark checked=Signal::derive(move || is.has(id)) on_toggle=move |_| selection.toggle(&cell) label=label/>
        </td>
    }
}

#[component]
fn State(list: List, cell: Cell) -> impl IntoView {
    let lang = use_lang();
    let (row, board) = (cell.row.clone(), list.board);
    let power = Memo::new(move |_| row.with(|row| board.power(row)));
    let problem = part(&cell, |row| row.problem.as_deref().map(str::to_owned));
    view! {
        <td data-col="state" title=move || problem.get()>
            <StateMark
                mark=Signal::derive(move || mark_of(power.get().tone()))
                word=Signal::derive(move || power.get().say().text(lang).to_owned())
            />
        </td>
    }
}

/// The name, and on narrow screens address and owner under it.
#[component]
fn Name(cell: Cell) -> impl IntoView {
    let (name, href) =
        cell.row.with_untracked(|row| (row.name.to_string(), paths::vm(&row.cluster, &row.namespace, &row.name)));
    let title = part(&cell, |row| match &row.display_name {
        Some(shown) => format!("{} · {shown}", row.name),
        None => row.name.to_string(),
    });
    let address = part(&cell, |row| row.main_address().map(|ip| ip.to_string()));
    let owner = part(&cell, |row| row.owner_name.clone().or_else(|| row.owner.clone()).map(|owner| owner.to_string()));
    let join = move || (address.with(Option::is_some) && owner.with(Option::is_some)).then_some(" · ");
    view! {
        <td data-col="name">
            <a class="name" data-strong="" href=href title=title>{name}</a>
            <span class="under"><code>{address}</code>{join}{owner}</span>
        </td>
    }
}

/// Columns in which two states of a row differ.
fn changes(old: &VmRow, new: &VmRow) -> impl Iterator<Item = &'static str> {
    [
        ("state", old.power != new.power),
        ("ip", old.main_address() != new.main_address()),
        ("host", old.node != new.node),
        ("owner", old.owner != new.owner || old.owner_name != new.owner_name),
        ("service", old.service != new.service),
        ("cpu", old.cpu != new.cpu),
        ("mem", old.memory != new.memory),
        ("disk", old.disk != new.disk),
    ]
    .into_iter()
    .filter_map(|(column, is_changed)| is_changed.then_some(column))
}

/// Marks what changes in the row from now on, in the document alone.
fn mark_changes(cell: &Cell, first: NodeRef<html::Td>) {
    let row = cell.row.clone();
    Effect::new(move |old: Option<VmRow>| {
        let new = row.get();
        let line = first.get_untracked().and_then(|cell| cell.parent_element());
        if let (Some(old), Some(line)) = (old, line) {
            changes(&old, &new).for_each(|column| mark(&line, column));
        }
        new
    });
}

fn mark(line: &web_sys::Element, column: &str) {
    let Some(cell) = line.query_selector(&format!("td[data-col={column}]")).ok().flatten() else { return };
    // A mark that cannot be set is missed, which is no harm.
    let _ = cell.set_attribute("data-changed", "");
    set_timeout(
        move || {
            let _ = cell.remove_attribute("data-changed");
        },
        MARKED,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::testing::row;
    use model::vm::Power;

    #[test]
    fn only_what_differs_is_marked() {
        let old = row("web-01", Power::Running);
        let new = VmRow { power: Power::Migrating, node: Some("bj1-hv-07".into()), changed: UnixMs(0), ..old.clone() };
        assert_eq!(changes(&old, &new).collect::<Vec<_>>(), ["state", "host"]);
        assert_eq!(changes(&old, &old).count(), 0);
    }
}
