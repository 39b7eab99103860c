//! The nodes of a cluster: ready or not, how full, what is on them.

use app_ui::{EmptyState, Glyph, HeadCell, Mark, StateMark, Table};
use leptos::prelude::*;
use model::id::ClusterId;
use model::node::NodeView;
use model::quantity::percent;

use super::{Gauge, Share};
use crate::locales::{grouped, use_words};
use crate::paths;

/// All nodes.
#[component]
pub(super) fn Nodes(cluster: ClusterId, nodes: Vec<NodeView>) -> impl IntoView {
    let words = use_words().fleet;
    if nodes.is_empty() {
        return view! { <EmptyState glyph=Glyph::Host title=words.no_nodes meaning=words.no_nodes_more/> }.into_any();
    }
    let head = move || {
        view! {
            <HeadCell col="h-name" word=words.node/>
            <HeadCell col="h-state" word=words.state/>
            <HeadCell col="h-roles" word=words.roles/>
            <HeadCell col="h-cpu" word=words.cpu/>
            <HeadCell col="h-mem" word=words.mem/>
            <HeadCell col="h-vms" word=words.vms num=true/>
            <HeadCell col="h-address" word=words.address/>
            <HeadCell col="h-version" word=words.version/>
        }
    };
    let row = move |node: NodeView| {
        let (mark, word) = state(&node);
        let vms = paths::vms_like(&format!("cluster:{cluster} node:{}", node.name));
        let share = |asked: u64, all: u64| Share { requests: percent(asked, all), limits: percent(asked, all) };
        view! {
            <tr>
                <td><span class="name" data-strong=""><code>{node.name.clone()}</code></span></td>
                <td title=node.problem.clone()>
                    <StateMark mark=mark word=word/>
                    {node.problem.clone().map(|problem| view! { <span class="under">{problem}</span> })}
                </td>
                <td class="soft">{node.roles.join(", ")}</td>
                <td><Gauge name=words.cpu share=share(node.requested_cpu.0, node.allocatable_cpu.0) single=true/></td>
                <td><Gauge name=words.mem share=share(node.requested_memory.0, node.allocatable_memory.0) single=true/></td>
                <td data-num=""><a class="name" href=vms>{grouped(node.vms)}</a></td>
                <td><code>{node.address.clone()}</code></td>
                <td class="soft"><code>{node.version.clone()}</code></td>
            </tr>
        }
    };
    view! {
        <Table label=words.tab_nodes inset=true two=true head=Box::new(move || head().into_any())>
            {nodes.into_iter().map(row).collect_view()}
        </Table>
    }
    .into_any()
}

/// The worst that is to be said about a node.
fn state(node: &NodeView) -> (Mark, &'static str) {
    let words = use_words().fleet;
    if !node.is_ready {
        (Mark::Error, words.not_ready)
    } else if node.maintenance.is_some() {
        (Mark::Moving, words.maintenance)
    } else if node.is_cordoned {
        (Mark::Warning, words.cordoned)
    } else {
        (Mark::Running, words.ready)
    }
}
