//! What the pages of VMs show, rendered as the server does it.

use leptos::prelude::*;
use leptos_router::components::Router;
use leptos_router::location::RequestUrl;
use model::Lang;
use model::access::Role;
use model::fleet::{ClusterView, Health};
use model::vm::{Power, VmRow};

use super::blank::Nothing;
use super::bulk::Bulk;
use super::facts::VmFacts;
use super::foot::Foot;
use super::head::Head;
use super::list::List;
use super::overview::Overview;
use super::power::Switchboard;
use super::table::VmTable;
use super::testing::{detail, list, row};
use super::views::Views;
use crate::testing::{assert_parts, cluster, html};

/// The HTML of a part of the list page.
fn of_list<V: IntoView + 'static>(
    rows: Vec<VmRow>,
    clusters: Vec<ClusterView>,
    text: &'static str,
    part: fn(List) -> V,
) -> String {
    html(Role::Operator, Lang::Zh, move || {
        provide_context(RequestUrl::new("/vms"));
        view! { <Router>{part(list(rows, clusters, text))}</Router> }
    })
}

fn reachable() -> Vec<ClusterView> {
    vec![cluster("bj-1", "北京亦庄一", Health::Reachable)]
}

#[test]
fn the_first_rows_are_in_the_html_with_all_that_leads_on() {
    let rows = vec![row("erp-db-prod-07", Power::Running), row("erp-db-prod-08", Power::Failed)];
    let table = of_list(rows, reachable(), "", |list| view! { <VmTable list=list/> });
    assert_parts(
        &table,
        &[
            "aria-rowcount=\"3\"",
            "data-state=\"running\"",
            "/vms/bj-1/erp-prod/erp-db-prod-07",
            "北京亦庄一",
            "陈思远",
            "E10432",
            "10.20.30.47",
            "node%3Abj1-hv-03",
            "64 GiB",
            "2 TiB",
            "data-state=\"error\"",
            "故障",
        ],
    );
    assert!(!table.contains("style="));
    assert!(!table.contains("data-away"));
}

#[test]
fn rows_of_a_cluster_that_is_away_are_hatched_and_the_foot_says_since_when() {
    let away = || vec![cluster("bj-1", "北京亦庄一", Health::Unreachable)];
    let table = of_list(vec![row("a", Power::Running)], away(), "", |list| view! { <VmTable list=list/> });
    assert!(table.contains("data-away"));
    let foot = of_list(vec![row("a", Power::Running)], away(), "", |list| view! { <Foot list=list/> });
    assert_parts(&foot, &["共 1 台", "北京亦庄一：截至 "]);
}

#[test]
fn views_are_links_with_counts() {
    let views = of_list(vec![], reachable(), "status:running", |list| view! { <Views list=list/> });
    assert_parts(
        &views,
        &[
            "全部<em>44</em>",
            "/vms?q=status%3Arunning",
            "aria-current=\"page\"",
            "运行<em>40</em>",
            "停止<em>4</em>",
            "/vms?q=owner%3A",
            "无主",
        ],
    );
}

#[test]
fn an_empty_list_says_why_and_what_next() {
    let none = of_list(vec![], vec![], "", |list| view! { <Nothing list=list/> });
    assert_parts(&none, &["还没有集群"]);
    let nothing = of_list(vec![], reachable(), "env:prod web", |list| view! { <Nothing list=list/> });
    assert_parts(&nothing, &["没有符合条件的虚拟机", "去掉 env:prod", "去掉 web", "看全部"]);
}

#[test]
fn the_bulk_bar_says_whom_an_action_takes() {
    let rows = vec![row("a", Power::Running), row("b", Power::Stopped), row("c", Power::Stopped)];
    let bar = of_list(rows, reachable(), "", |list| {
        list.rows.cells.with_untracked(|cells| list.selection.choose(cells));
        view! { <Bulk list=list/> }
    });
    assert_parts(&bar, &["已选 3 台", "启动 2 台", "关机 1 台", "重启 1 台"]);
}

#[test]
fn the_page_of_a_vm_tells_its_truths() {
    let page = html(Role::Operator, Lang::En, || {
        let detail = Memo::new(|_| detail("erp-db-prod-07", Power::Running));
        view! { <Head detail=detail board=Switchboard::new() gone=Memo::new(|_| false)/><VmFacts detail=detail/><Overview detail=detail/> }
    });
    assert_parts(
        &page,
        &[
            "Running",
            "erp-db-prod-07",
            "up 41 days",
            "/console/bj-1/erp-prod/erp-db-prod-07",
            "Restart",
            "Ledger",
            "data-state=\"off\"",
            "observed differs from the ledger",
            "not possible",
            "1 × 16 × 1",
            "degraded",
            "VLAN 2030",
            "RerunOnFailure",
            "nothing to it yet",
        ],
    );
}

#[test]
fn what_a_guest_says_is_text() {
    let events = html(Role::Viewer, Lang::Zh, || {
        let detail = Memo::new(|_| detail("a", Power::Running));
        view! { <super::events::Events detail=detail/> }
    });
    assert_parts(&events, &["FailedMount", "&lt;b&gt;volume", "12 次"]);
}
