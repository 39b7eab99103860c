//! Measurements, run by hand: `cargo test -p harvester --release measure -- --ignored --nocapture`.

use super::*;
use crate::testing::{clock, id};
use bytes::Bytes;
use kube::client::Body;
use serde_json::json;
use std::time::Instant;

type Write = fn(usize) -> String;

const KINDS: [(&str, Write); 3] =
    [("virtualmachines", vm), ("virtualmachineinstances", vmi), ("persistentvolumeclaims", claim)];

/// One page of `n` objects.
fn page(n: usize, at: usize, write: Write) -> Bytes {
    let items: Vec<String> = (at * 500..n.min((at + 1) * 500)).map(write).collect();
    let next = if (at + 1) * 500 < n { format!("\"{}\"", at + 1) } else { "null".into() };
    format!("{{\"metadata\":{{\"resourceVersion\":\"9\",\"continue\":{next}}},\"items\":[{}]}}", items.join(",")).into()
}

/// A cluster that has `n` VMs with instances and claims, and watches in which nothing happens. Pages are written beforehand,
/// by a thread of their own: what is freed there is not taken by the cache, which would hide its size.
fn canned(n: usize) -> Cluster {
    let written = move |write| (0..n.div_ceil(500)).map(|at| page(n, at, write)).collect::<Vec<_>>();
    let kinds = std::thread::spawn(move || KINDS.map(|(kind, write)| (kind, written(write)))).join();
    let kinds = Arc::new(kinds.unwrap());
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let kinds = kinds.clone();
        async move {
            let (path, query) = (request.uri().path().to_owned(), request.uri().query().unwrap_or_default().to_owned());
            if query.contains("watch=true") {
                std::future::pending::<()>().await;
            }
            let at = query.split("continue=").nth(1).and_then(|p| p.parse::<usize>().ok()).unwrap_or_default();
            let kind = kinds.iter().find(|(kind, ..)| path.ends_with(&format!("/{kind}")));
            let body = match kind {
                Some((_, pages)) => pages[at].clone(),
                None => Bytes::from_static(b"{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}"),
            };
            Ok::<_, tower::BoxError>(http::Response::new(Body::from(body.to_vec())))
        }
    });
    Cluster::over(id(), kube::Client::new(service, "default"))
}

fn meta(n: usize, more: serde_json::Value) -> serde_json::Value {
    let mut meta = json!({"name": format!("prod-order-app-{n:06}"), "namespace": format!("team-{}", n % 50), "resourceVersion": "7",
        "uid": format!("5b1c7a10-7d6d-4b19-9d3b-{n:012}"), "creationTimestamp": "2026-03-02T08:11:45Z",
        "managedFields": [{"manager": "virt-controller", "fieldsV1": {"f:status": {"f:conditions": {"x": "y".repeat(1200)}}}}]});
    for (key, value) in more.as_object().unwrap() {
        meta[key] = value.clone();
    }
    meta
}

fn vm(n: usize) -> String {
    let claims = json!([{"metadata": {"name": format!("prod-order-app-{n:06}-rootdisk-k3x9q"), "annotations": {"harvesterhci.io/imageId": "team-a/image-7hq2d"}},
        "spec": {"accessModes": ["ReadWriteMany"], "volumeMode": "Block", "storageClassName": "longhorn-image-7hq2d", "resources": {"requests": {"storage": "20Gi"}}}}]);
    json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
        "metadata": meta(n, json!({"labels": {"ops.example.com/owner": format!("E{}", n % 300), "ops.example.com/env": "prod", "ops.example.com/service": "order-app", "ops.example.com/managed-by": "harvester-admin", "harvesterhci.io/os": "linux"},
            "annotations": {"harvesterhci.io/volumeClaimTemplates": claims.to_string(), "ops.example.com/owner-name": "张伟", "ops.example.com/change": format!("01{n:030}")}})),
        "spec": {"runStrategy": "RerunOnFailure", "template": {"spec": {"domain": {"cpu": {"cores": 4, "sockets": 1, "threads": 1}, "resources": {"limits": {"cpu": "4", "memory": "8Gi"}, "requests": {"cpu": "400m", "memory": "5461Mi"}},
            "devices": {"disks": [{"name": "rootdisk", "bootOrder": 1, "disk": {"bus": "virtio"}}], "interfaces": [{"name": "nic-1", "model": "virtio", "bridge": {}, "macAddress": format!("52:54:00:{:02x}:{:02x}:{:02x}", n >> 16 & 255, n >> 8 & 255, n & 255)}]}},
            "networks": [{"name": "nic-1", "multus": {"networkName": "team-a/vlan-120"}}],
            "volumes": [{"name": "rootdisk", "persistentVolumeClaim": {"claimName": format!("prod-order-app-{n:06}-rootdisk-k3x9q")}}]}}},
        "status": {"printableStatus": "Running", "conditions": [{"type": "Ready", "status": "True"}]}})
    .to_string()
}

fn vmi(n: usize) -> String {
    json!({"metadata": meta(n, json!({})), "spec": {"domain": {"resources": {"limits": {"cpu": "4", "memory": "8Gi"}, "requests": {"cpu": "400m", "memory": "5461Mi"}}, "devices": {}}},
        "status": {"phase": "Running", "nodeName": format!("hv-{:03}", n % 200), "guestOSInfo": {"prettyName": "Ubuntu 24.04.1 LTS"}, "conditions": [{"type": "AgentConnected", "status": "True"}],
            "interfaces": [{"name": "nic-1", "mac": format!("52:54:00:{:02x}:{:02x}:{:02x}", n >> 16 & 255, n >> 8 & 255, n & 255), "ipAddress": format!("10.{}.{}.{}", n >> 16 & 255, n >> 8 & 255, n & 255), "ipAddresses": [format!("10.{}.{}.{}", n >> 16 & 255, n >> 8 & 255, n & 255), "fe80::1"]}]}})
    .to_string()
}

fn claim(n: usize) -> String {
    let mut meta = meta(n, json!({}));
    meta["name"] = format!("prod-order-app-{n:06}-rootdisk-k3x9q").into();
    json!({"metadata": meta, "spec": {"resources": {"requests": {"storage": "20Gi"}}}, "status": {"phase": "Bound"}})
        .to_string()
}

/// Resident memory of this process.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or_default() * 4096
}

/// What is held for each VM, as glibc's allocator rounds it: the row with its own texts, the two halves, the claim, the maps.
fn held(cache: &Cache) -> usize {
    let chunk = |bytes: usize| if bytes == 0 { 0 } else { (bytes + 8).next_multiple_of(16).max(32) };
    let text = |text: &Arc<str>| chunk(16 + text.len());
    let rows = cache.rows();
    let of_row = |row: &Arc<VmRow>| {
        let lists = chunk(row.addresses.capacity() * size_of::<std::net::IpAddr>())
            + chunk(row.macs.capacity() * size_of::<Arc<str>>());
        let own = text(&row.name) + text(&row.uid) + row.change.as_ref().map_or(0, text);
        chunk(16 + size_of::<VmRow>()) + lists + own + row.macs.iter().map(text).sum::<usize>()
    };
    let maps = cache.shared.read(|s| s.vms.bytes_of_map() + s.vmis.bytes_of_map() + s.claims.bytes_of_map());
    let slots = cache.shared.read(|s| {
        s.vms.len() * chunk(s.vms.bytes_of_slot())
            + s.vmis.len() * chunk(s.vmis.bytes_of_slot())
            + s.claims.len() * chunk(s.claims.bytes_of_slot())
    });
    let parts = [
        rows.iter().map(of_row).sum::<usize>() / rows.len(),
        slots / rows.len(),
        maps / rows.len(),
        size_of::<Arc<VmRow>>(),
    ];
    println!("  row {} + halves and claim {} + maps {} + snapshot {}", parts[0], parts[1], parts[2], parts[3]);
    parts.iter().sum()
}

#[tokio::test]
#[ignore = "a measurement"]
async fn measure_lists_and_memory() {
    for n in [10_000, 100_000] {
        let cluster = canned(n);
        let (tasks, before, began) = (TaskTracker::new(), resident(), Instant::now());
        let cache = Cache::start(cluster, &tasks, clock());
        while cache.rows().len() < n || cache.rows()[n - 1].node.is_none() {
            tokio::time::sleep(Duration::from_millis(2)).await;
            assert!(began.elapsed() < Duration::from_secs(120), "{}", cache.rows().len());
        }
        let took = began.elapsed();
        tokio::time::sleep(Duration::from_secs(2)).await;
        let resident = resident().saturating_sub(before) / n;
        println!("{n} VMs: rows, instances and claims in {took:?}; {resident} resident bytes a VM, held:");
        println!("  {} bytes a VM", held(&cache));
        let began = Instant::now();
        let status = cache.status();
        println!("  status in {:?}", began.elapsed());
        assert_eq!(status.power[0].1 as usize, n);
    }
}
