//! What Prometheus reads: how each cluster and each of its watches fares, by the clusters' ids and nothing else of them.
//!
//! Nothing is kept here: a scrape reads the books that the caches keep anyway, so a cluster that is removed is gone from the
//! next answer. It listens apart from the interface ([`crate::config::Config::metrics`]), because whoever scrapes does not
//! sign in. What is counted stands in for the rows of the reliability list: see each help text.

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use harvester::Traffic;
use harvester::watch::Counts;
use http::header::CONTENT_TYPE;
use model::fleet::Health;
use ops::Ops;
use ops::fleet::Running;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;
use std::fmt;
use std::sync::Arc;

/// All names begin with it.
const PREFIX: &str = "harvester_admin";
/// Of the format's specification.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A counter of a watch: name, help, value.
type Counted = (&'static str, &'static str, fn(&Counts) -> u64);

const WATCH: [Counted; 10] = [
    ("watch_lists", "Lists that were begun to have a place to watch from; one in a healthy life", |c| c.lists),
    ("watch_resyncs", "Lists of those that were begun because the place was too old", |c| c.resyncs),
    ("watch_begun", "Watches that were begun", |c| c.watches),
    ("watch_failures", "Lists and watches that ended with an error or in silence", |c| c.failures),
    ("watch_events", "Events", |c| c.events),
    ("watch_bookmarks", "Bookmarks", |c| c.bookmarks),
    ("watch_stale_events", "Events that told nothing new: repeated, or older than what was known", |c| c.stale),
    ("watch_replaced", "Objects that another one of the same name took the place of", |c| c.replaced),
    ("watch_repairs", "Differences to the cluster that a comparison found: what the watch had lost", |c| c.repairs),
    ("watch_unreadable", "Objects that could not be read, as often as that was tried", |c| c.unreadable),
];

/// Everything that is answered at [`app::paths::METRICS`].
pub(crate) fn routes(ops: &Arc<Ops>) -> Router {
    let mut registry = Registry::with_prefix(PREFIX);
    registry.register_collector(Box::new(Fleet(ops.clone())));
    Router::new().route(app::paths::METRICS, get(answer)).with_state(Arc::new(registry))
}

async fn answer(State(registry): State<Arc<Registry>>) -> ([(http::HeaderName, &'static str); 1], String) {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = encode(&mut text, &registry);
    ([(CONTENT_TYPE, OPEN_METRICS)], text)
}

struct Fleet(Arc<Ops>);

impl fmt::Debug for Fleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fleet")
    }
}

impl Collector for Fleet {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let members = self.0.fleet.members();
        let running: Vec<_> =
            members.iter().filter_map(|m| Some((m.record.id.as_str(), m.running.as_ref().ok()?))).collect();
        let traffic: Vec<_> = running.iter().map(|(id, running)| (*id, running.cluster.traffic())).collect();
        let healths: Vec<_> = members.iter().map(|m| (m.record.id.as_str(), m.view())).collect();
        let is_up = |health: Health| u64::from(!health.is_away() && health != Health::Connecting);
        gauges(
            &mut encoder,
            "cluster_up",
            "The cluster answers",
            healths.iter().map(|(id, view)| (*id, is_up(view.health))),
        )?;
        let whole = |health: Health| u64::from(health == Health::Reachable);
        let help = "The cluster answers and nothing of it is missing";
        gauges(&mut encoder, "cluster_whole", help, healths.iter().map(|(id, view)| (*id, whole(view.health))))?;
        let help = "Objects of the cluster that cannot be read";
        let unreadable = healths.iter().map(|(id, view)| (*id, u64::from(view.quarantined)));
        gauges(&mut encoder, "cluster_objects_unreadable", help, unreadable)?;
        let help = "Until when what is shown of the cluster is known to be true, in seconds since 1970";
        let as_of = healths.iter().filter_map(|(id, view)| Some((*id, seconds(view.as_of?))));
        gauges(&mut encoder, "cluster_as_of_seconds", help, as_of)?;
        let help = "When the cluster's credential ends, in seconds since 1970; absent when it does not say";
        let ends = running.iter().filter_map(|(id, running)| Some((*id, seconds(running.expires?))));
        gauges(&mut encoder, "cluster_credential_ends_seconds", help, ends)?;
        let help = "Requests to the cluster that are being made; at most 24";
        let in_flight = traffic.iter().map(|(id, traffic)| (*id, traffic.in_flight as u64));
        gauges(&mut encoder, "cluster_requests_in_flight", help, in_flight)?;
        requests(&mut encoder, &traffic)?;
        away(&mut encoder, &running)?;
        watches(&mut encoder, &running)
    }
}

fn seconds(at: model::UnixMs) -> u64 {
    u64::try_from(at.0 / 1_000).unwrap_or_default()
}

fn gauges<'a>(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    values: impl Iterator<Item = (&'a str, u64)>,
) -> fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
    for (cluster, value) in values {
        family.encode_family(&[("cluster", cluster)])?.encode_gauge(&value)?;
    }
    Ok(())
}

fn count(family: &mut MetricEncoder<'_>, labels: [(&str, &str); 2], value: u64) -> fmt::Result {
    family.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(&value, None)
}

fn requests(encoder: &mut DescriptorEncoder<'_>, traffic: &[(&str, Traffic)]) -> fmt::Result {
    let help =
        "Requests to the cluster by how they ended: ok, given_up when no answer came in time, or the kind of error";
    let mut family = encoder.encode_descriptor("cluster_requests", help, None, MetricType::Counter)?;
    for (cluster, traffic) in traffic {
        for (outcome, value) in &traffic.outcomes {
            count(&mut family, [("cluster", cluster), ("outcome", outcome)], *value)?;
        }
    }
    let help = "How long requests to the cluster took to the head of their answer, in seconds";
    let mut family = encoder.encode_descriptor("cluster_request_seconds", help, None, MetricType::Histogram)?;
    for (cluster, traffic) in traffic {
        let total = traffic.buckets.iter().map(|(_, count)| count).sum();
        let labels = [("cluster", *cluster)];
        let mut one = family.encode_family(&labels)?;
        one.encode_histogram::<NoLabelSet>(traffic.seconds, total, &traffic.buckets, None)?;
    }
    Ok(())
}

fn away(encoder: &mut DescriptorEncoder<'_>, running: &[(&str, &Running)]) -> fmt::Result {
    let help = "How often the cluster was found to be away, by the error that told so";
    let mut family = encoder.encode_descriptor("cluster_away", help, None, MetricType::Counter)?;
    for (cluster, running) in running {
        for (reason, value) in running.cache.closings() {
            count(&mut family, [("cluster", cluster), ("reason", reason)], value)?;
        }
    }
    let help = "The cluster is away, by the error that was heard last; absent while it answers";
    let mut family = encoder.encode_descriptor("cluster_away_because", help, None, MetricType::Gauge)?;
    for (cluster, running) in running {
        let Some(reason) = running.cache.away_because() else { continue };
        family.encode_family(&[("cluster", *cluster), ("reason", reason)])?.encode_gauge(&1_u64)?;
    }
    Ok(())
}

fn watches(encoder: &mut DescriptorEncoder<'_>, running: &[(&str, &Running)]) -> fmt::Result {
    let books: Vec<_> = running.iter().map(|(id, running)| (*id, running.cache.counts())).collect();
    let all = || books.iter().flat_map(|(id, books)| books.iter().map(move |book| (*id, book)));
    for (name, help, value) in WATCH {
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
        for (cluster, book) in all() {
            count(&mut family, [("cluster", cluster), ("resource", &book.resource)], value(&book.counts))?;
        }
    }
    type Shown = (&'static str, &'static str, fn(&harvester::WatchCounts) -> Option<u64>);
    let gauges: [Shown; 4] = [
        ("watch_objects", "Objects that are held", |book| Some(u64::from(book.objects))),
        ("watch_news_seconds", "When the last event, bookmark or list came, in seconds since 1970", |book| {
            book.fresh.map(seconds)
        }),
        ("watch_failing", "The last try failed", |book| Some(u64::from(book.is_failing))),
        ("watch_absent", "The cluster does not have the kind", |book| Some(u64::from(book.is_absent))),
    ];
    for (name, help, value) in gauges {
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (cluster, book) in all() {
            let Some(value) = value(book) else { continue };
            let labels = [("cluster", cluster), ("resource", book.resource.as_str())];
            family.encode_family(&labels)?.encode_gauge(&value)?;
        }
    }
    Ok(())
}
