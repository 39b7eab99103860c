//! What a page follows: the newest value by itself, and nothing while nothing is new.
#![expect(clippy::unwrap_used, reason = "a helper that fails here fails its test")]

mod common;

use common::{CLUSTER, Lab, serve, settle};
use model::fleet::Inventory;
use model::id::ClusterId;
use model::live::{Span, Topic, Value};
use ops::live::{Follower, Payload};
use ops::{Clock, Context};
use simulator::behave::resources::NODE;
use simulator::world::{By, Part};
use std::time::Duration;
use tokio::sync::watch;

/// The first value that holds what is wanted.
async fn until(follower: &mut Follower, what: &str, holds: impl Fn(Option<&Inventory>) -> bool) {
    let look = async {
        loop {
            let payload = follower.next().await.unwrap().expect("somebody follows");
            let Payload::Value(Value::Cluster(inventory)) = payload else { panic!("{payload:?} is not of a cluster") };
            if holds(inventory.as_deref()) {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), look).await.unwrap_or_else(|_| panic!("within a minute: {what}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clusters_page_follows_its_hosts() {
    let (running, lab) = (serve().await, Lab::start(10, 30.0).await);
    settle(&running.ops, &lab).await;
    let ctx = Context::system("test", Clock::machine().now());
    let id = ClusterId::parse(CLUSTER).unwrap();
    let (_window, span) = watch::channel(Span::default());
    let mut follower = running.ops.follow(ctx.clone(), Topic::Cluster(id.clone()), span).unwrap();
    until(&mut follower, "three hosts", |held| held.is_some_and(|held| held.nodes.len() == 3)).await;
    let name = running.ops.fleet.inventory(&ctx, &id).unwrap().nodes[0].name.clone();
    let cordoned = lab.simulator.world().modify(NODE, ("", &name), Part::Main, &By::seed(), |node| {
        let mut node = node.clone();
        node["spec"]["unschedulable"] = true.into();
        Ok(node)
    });
    cordoned.map(drop).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    let is_cordoned = |held: &Inventory| held.nodes.iter().any(|node| node.name == name && node.is_cordoned);
    until(&mut follower, "it is cordoned", |held| held.is_some_and(is_cordoned)).await;
    running.ops.fleet.remove(&ctx, &id, "").await.unwrap();
    until(&mut follower, "it is not looked after any more", |held| held.is_none()).await;
}
