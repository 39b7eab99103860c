//! What Prometheus reads: each fault of a watch and of a cluster is counted, and nothing else of the clusters is told.
#![expect(clippy::unwrap_used, reason = "a helper that fails here fails its test")]

mod common;

use common::{CLUSTER, Lab, config, settle, until};
use model::fleet::Health;
use model::id::ClusterId;
use ops::{Clock, Context};
use server::wire::wire;
use simulator::world::fault::{Fault, Harm};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

async fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap()
}

async fn scrape(address: SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: m\r\nConnection: close\r\n\r\n").await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

/// The value of a series of our cluster; `labels` are what follows the cluster's.
fn value(text: &str, name: &str, labels: &str) -> Option<f64> {
    let rest = if labels.is_empty() { String::new() } else { format!(",{labels}") };
    let series = format!("harvester_admin_{name}{{cluster=\"{CLUSTER}\"{rest}}} ");
    text.lines().find_map(|line| line.strip_prefix(&series)).map(|value| value.parse().unwrap())
}

#[derive(serde::Deserialize)]
struct Rule {
    alert: String,
    expr: String,
}

/// Those of `deploy/alerts.yaml`.
fn rules() -> Vec<Rule> {
    #[derive(serde::Deserialize)]
    struct File {
        groups: Vec<Group>,
    }
    #[derive(serde::Deserialize)]
    struct Group {
        rules: Vec<Rule>,
    }
    let file: File = serde_saphyr::from_str(include_str!("../../deploy/alerts.yaml")).unwrap();
    let rules: Vec<Rule> = file.groups.into_iter().flat_map(|group| group.rules).collect();
    assert!(!rules.is_empty());
    rules
}

/// Our metrics that an expression asks for.
fn names(expr: &str) -> impl Iterator<Item = &str> {
    let words = expr.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("harvester_admin_"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fault_is_counted_and_nothing_else_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let metrics = free().await;
    let program = wire(server::config::Config { metrics: Some(metrics), ..config(&folder) }).await.unwrap();
    let ops = program.ops().clone();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let interface = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    #[expect(clippy::disallowed_methods, reason = "the server of a test ends with the test's runtime")]
    let served = tokio::spawn(program.serve(listener, async move {
        let _ = stopped.await;
    }));
    let lab = Lab::start(10, 30.0).await;
    let faults = lab.simulator.world().faults();
    faults.add(Fault::always("watch", "*", Harm::CloseWatch { after_ms: 500 }));
    settle(&ops, &lab).await;

    let text = scrape(metrics).await;
    assert!(text.starts_with("HTTP/1.1 200") && text.contains("application/openmetrics-text"), "{text}");
    assert!(text.trim_end().ends_with("# EOF"));
    assert_eq!(value(&text, "cluster_up", ""), Some(1.0), "{text}");
    assert!(value(&text, "cluster_requests_total", "outcome=\"ok\"").unwrap() >= 11.0);
    assert!(value(&text, "cluster_request_seconds_count", "").unwrap() >= 11.0);
    let vms = "resource=\"virtualmachines.kubevirt.io\"";
    assert_eq!(value(&text, "watch_objects", vms), Some(10.0));
    let member = ops.fleet.member(&ClusterId::parse(CLUSTER).unwrap()).unwrap();
    for row in member.running().unwrap().cache.rows().iter() {
        assert!(!text.contains(&*row.name), "the names of VMs are nobody's business: {}", row.name);
    }
    assert!(!scrape(interface).await.contains("harvester_admin_"), "the interface does not tell them");

    for rule in rules() {
        for name in names(&rule.expr) {
            let base = ["_total", "_bucket"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
            assert!(text.contains(&format!("# TYPE {base} ")), "{} asks for {name}, which is not told", rule.alert);
        }
    }

    // A fault, and the series that tells of it.
    let told = [
        (Fault::times(3, "watch", "virtualmachines", Harm::Gone), "watch_resyncs_total", vms),
        (Fault::times(3, "watch", "virtualmachines", Harm::Cut { after_bytes: 0 }), "watch_failures_total", vms),
        (
            Fault::times(3, "*", "*", Harm::TooMany { retry_after_secs: 1 }),
            "cluster_requests_total",
            "outcome=\"throttled\"",
        ),
        (Fault::times(60, "*", "*", Harm::Drop), "cluster_away_total", "reason=\"away\""),
        (Fault::always("*", "*", Harm::Drop), "cluster_away_because", "reason=\"away\""),
        (Fault::always("*", "*", Harm::Refuse { code: 401 }), "cluster_away_because", "reason=\"unauthorised\""),
    ];
    for (fault, name, labels) in told {
        let before = value(&scrape(metrics).await, name, labels).unwrap_or_default();
        faults.add(fault.clone());
        let mut now = before;
        for _ in 0..200 {
            now = value(&scrape(metrics).await, name, labels).unwrap_or_default();
            if now > before {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        assert!(now > before, "{fault:?} is not told by {name}");
        faults.clear();
        faults.add(Fault::always("watch", "*", Harm::CloseWatch { after_ms: 500 }));
        until("all is well again", || {
            member.running().unwrap().cache.refresh();
            member.view().health == Health::Reachable
        })
        .await;
    }

    let ctx = Context::system("test", Clock::machine().now());
    ops.fleet.remove(&ctx, &ClusterId::parse(CLUSTER).unwrap(), "").await.unwrap();
    let text = scrape(metrics).await;
    assert!(!text.contains(CLUSTER), "what is removed is not told of any more: {text}");
    stop.send(()).unwrap();
    served.await.unwrap().unwrap();
    assert!(TcpStream::connect(metrics).await.is_err(), "the port is closed with the program");
}
