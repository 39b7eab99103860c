//! A strip a cluster, the neediest first: state and age, room with overcommit, VMs by power.

use app_ui::{Badge, HeadCell, Icon, Section, Table, Tone};
use leptos::prelude::*;
use model::UnixMs;
use model::fleet::ClusterView;

use crate::fleet::{ClusterAge, Gauge, PowerBar, Share, trouble};
use crate::frame::{mark_of_health, tell, use_now};
use crate::locales::{grouped, use_words};
use crate::paths;

/// All clusters.
#[component]
pub(super) fn ClusterStrips(
    /// The neediest first.
    clusters: Memo<Vec<ClusterView>>,
) -> impl IntoView {
    let words = use_words().overview;
    let head = move || {
        view! {
            <HeadCell col="o-cluster" word=words.clusters/>
            <HeadCell col="o-cpu" word=words.cpu/>
            <HeadCell col="o-memory" word=words.memory/>
            <HeadCell col="o-storage" word=words.storage/>
            <HeadCell col="o-vms" word=words.vms num=true/>
        }
    };
    let rows = move || clusters.get().into_iter().map(|cluster| view! { <Strip cluster=cluster/> }).collect_view();
    view! {
        <Section title=words.clusters note=words.by_need actions=move || view! { <Legend/> }>
            <Table label=words.clusters inset=true two=true head=Box::new(move || head().into_any())>{rows}</Table>
        </Section>
    }
}

#[component]
fn Strip(cluster: ClusterView) -> impl IntoView {
    let words = use_words().overview;
    let now = UnixMs(use_now().get_untracked());
    let away = cluster.health.is_away();
    let room = cluster.capacity;
    let mark = mark_of_health(cluster.health);
    let title = trouble(&cluster, now);
    // Away, how old it is matters more than how large it is.
    let nodes = if away { String::new() } else { format!(" · {}", (words.nodes)(cluster.nodes.0)) };
    let state = format!("{}{nodes} · ", tell(&cluster.health.say()));
    view! {
        <tr data-away=away.then_some("")>
            <td title=title>
                <div class="cell">
                    <Icon glyph=mark.glyph() tone=mark.name()/>
                    <div class="grow">
                        <div class="cut" title=cluster.name.clone()>
                            <a class="name" data-strong="" href=paths::cluster(cluster.id.as_str())>{cluster.name.clone()}</a>
                            {cluster.observe_only.map(|why| view! { " "<Badge word=words.observe tone=Tone::Quiet title=tell(&why.say(&cluster.name))/> })}
                        </div>
                        <span class="under">
                            {state}
                            <ClusterAge cluster=cluster.clone()/>
                        </span>
                    </div>
                </div>
            </td>
            <td><Gauge name="CPU" share=Share::cpu(&room) away=away/></td>
            <td><Gauge name=words.memory share=Share::memory(&room) away=away/></td>
            <td><Gauge name=words.storage share=Share::storage(&room) away=away single=true/></td>
            <td>
                <div class="gauge">
                    <p><span></span><b>{grouped(cluster.vms())}</b></p>
                    <PowerBar power=cluster.power/>
                </div>
            </td>
        </tr>
    }
}

/// What the two colours of a bar mean.
#[component]
fn Legend() -> impl IntoView {
    let words = use_words().overview;
    let item = |fill: &'static str, word: &'static str| {
        view! {
            <li><svg class="stack" aria-hidden="true"><rect class=fill width="100%" height="100%"></rect></svg>{word}</li>
        }
    };
    view! {
        <ul class="legend">
            {item("c-1", words.legend_requests)}
            {item("c-asked", words.legend_limits)}
            {item("c-0", words.legend_room)}
        </ul>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_parts, cluster, html};
    use model::Lang;
    use model::access::Role;
    use model::fleet::Health;

    #[test]
    fn a_strip_shows_requests_overcommit_and_age() {
        let strips = html(Role::Viewer, Lang::En, || {
            view! { <ClusterStrips clusters=Memo::new(|_| vec![cluster("bj-1", "Beijing", Health::Reachable)])/> }
        });
        assert_parts(
            &strips,
            &[
                "#running",
                "href=\"/clusters/bj-1\"",
                "Beijing",
                "Reachable · 2 nodes",
                "1 s ago",
                "60%",
                "limits ×2.4",
                "70%",
                "limits 88%",
                "64%",
                ">44<",
            ],
        );
    }

    #[test]
    fn a_cluster_that_is_away_is_greyed_and_says_as_of_when() {
        let strips = html(Role::Viewer, Lang::Zh, || {
            view! { <ClusterStrips clusters=Memo::new(|_| vec![cluster("xa", "西安高新", Health::Unreachable)])/> }
        });
        assert_parts(&strips, &["data-away", "连接被拒绝 · 自 14:02:00 · 14:08:47 再试", "失联", "截至 14:02:00"]);
    }
}
