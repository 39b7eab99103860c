//! SIGKILL after every line of a delivery's journal: the restarted program goes on, and there is one VM and one address.
#![expect(clippy::unwrap_used, reason = "a helper that fails here fails its test")]

mod common;

use common::program::{Program, answers};
use common::{Browser, CLUSTER, Lab, NETWORK};
use serde_json::{Value, json};
use std::time::Duration;

/// Steps whose journal lines the program is killed after, one after another.
const STEPS: [&str; 10] =
    ["reserve", "cloud-init", "rehearse", "create", "disk", "schedule", "boot", "agent", "address", "record"];

async fn call(browser: &Browser, path: &str, body: Value) -> Value {
    let answer = browser.json(path, &body).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    serde_json::from_str(&answer.text).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delivery_survives_a_kill_after_every_line() {
    let lab = Lab::start(0, 30.0).await;
    let folder = tempfile::tempdir().unwrap();
    let program = Program::prepare(&folder, "");
    program.add_admin();
    let address = program.address;
    let crash = program.folder().join("crash");

    let mut vms = Vec::new();
    for (n, at) in STEPS.iter().flat_map(|step| [format!("{step}:began"), format!("{step}:done")]).enumerate() {
        let _ = std::fs::remove_file(&crash);
        let began = std::time::Instant::now();
        let file = crash.to_str().unwrap();
        let doomed = program.start(&[("HARVESTER_ADMIN_CRASH_AT", &at), ("HARVESTER_ADMIN_CRASH_FILE", file)]);
        answers(address).await;
        let admin = Browser::signed_in(address, "admin").await;
        if n == 0 {
            let register = json!({ "id": CLUSTER, "name": "实验室", "kubeconfig": lab.served.admin_kubeconfig(), "is_observe_only": false });
            call(&admin, "/api/app/fleet/api/register_cluster", json!({ "register": register })).await;
            let subnet = json!({ "name": "实验", "cidr": "10.20.240.0/24", "gateway": "10.20.240.1", "serves": [{ "cluster": CLUSTER, "network": NETWORK }] });
            call(&admin, "/api/app/ipam/api/create_subnet", json!({ "draft": subnet })).await;
        }
        let id = order(&admin, n).await;
        for _ in 0..600 {
            if crash.exists() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert!(crash.exists(), "{at} was not reached");
        drop(doomed);

        let _going_on = program.start(&[]);
        answers(address).await;
        let admin = Browser::signed_in(address, "admin").await;
        let view = ended(&admin, &id).await;
        assert_eq!(view["state"], "succeeded", "killed after {at}: {view:#}");
        println!("killed after {at}, ended after {:.1} s", began.elapsed().as_secs_f64());
        vms.push((view["vm"][2].as_str().unwrap().to_owned(), view["address"].as_str().unwrap().to_owned()));
    }
    let count = vms.len();
    vms.sort();
    vms.dedup_by_key(|(name, _)| name.clone());
    assert_eq!(vms.len(), count, "every order has a VM of its own");
    vms.sort_by_key(|(_, address)| address.clone());
    vms.dedup_by_key(|(_, address)| address.clone());
    assert_eq!(vms.len(), count, "and an address of its own");
}

/// Orders once the cluster's cache is there; a fresh process needs a moment for that.
async fn order(admin: &Browser, n: usize) -> String {
    let mut said = String::new();
    for _ in 0..100 {
        let options = admin.get("/api/app/provisioning/api/list_options").await;
        let options: Value = serde_json::from_str(&options.text).unwrap();
        let (template, place) = (&options["templates"][0], &options["places"][0]);
        let flavour = &template["flavours"][0];
        let gib = |v: &Value| v.as_u64().unwrap() >> 30;
        let draft = json!({
            "template": template["id"], "service": "order", "environment": "test", "cluster": CLUSTER, "network": NETWORK,
            "flavour": format!("{}c{}g{}", flavour["cpu"], gib(&flavour["memory"]), gib(&flavour["disk"])), "subnet": place["subnet"],
        });
        let answer = admin
            .json(
                "/api/app/provisioning/api/place_order",
                &json!({ "order": { "draft": draft, "key": format!("key-{n}") } }),
            )
            .await;
        if answer.status == 200 {
            return serde_json::from_str::<String>(&answer.text).unwrap();
        }
        said = answer.text;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("no order was taken: {said}");
}

async fn ended(admin: &Browser, id: &str) -> Value {
    let mut view = Value::Null;
    for _ in 0..900 {
        let answer = admin.get(&format!("/api/app/provisioning/api/read_delivery?id={id}")).await;
        view = serde_json::from_str(&answer.text).unwrap_or_else(|_| panic!("{}", answer.text));
        if ["succeeded", "undone", "parked"].contains(&view["state"].as_str().unwrap_or_default()) {
            return view;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("not ended in 90 s: {view:#}");
}
