//! Secrets stay where they belong: after a day's work of the program, with its log as talkative as it gets, none of them is in
//! the log, in the data folder, in the trail or on a page. Row 66 of the reliability list.
#![expect(clippy::unwrap_used, reason = "a helper that fails here fails its test")]

mod common;

use common::program::{Program, answers};
use common::{Browser, CLUSTER, Lab, PASSWORD};
use serde_json::{Value, json};
use std::path::Path;

/// All bytes of all files under `folder`.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    all
}

fn holds(bytes: &[u8], secret: &str) -> bool {
    bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_written_anywhere_in_the_clear() {
    let lab = Lab::start(10, 30.0).await;
    let folder = tempfile::tempdir().unwrap();
    let program = Program::prepare(&folder, "[log]\nfilter = \"trace\"\n");
    program.add_admin();
    let child = program.start(&[]);
    answers(program.address).await;
    let admin = Browser::signed_in(program.address, "admin").await;

    // A good kubeconfig, one whose token is refused, one that is refused before anybody is asked.
    let token = lab.simulator.world().access().admin_token().to_owned();
    let wrong = "wrong-token-0123456789abcdef";
    let basic = "hunter2-in-a-kubeconfig";
    let register = |id: &str, kubeconfig: String| json!({ "register": { "id": id, "name": id, "kubeconfig": kubeconfig, "is_observe_only": false } });
    let path = "/api/app/fleet/api/register_cluster";
    let refused = admin.json(path, &register("lab-2", lab.served.kubeconfig(wrong))).await;
    assert!(refused.status >= 400, "{}", refused.text);
    let with_password =
        lab.served.admin_kubeconfig().replace("    token: ", &format!("    password: {basic}\n    token: "));
    let barred = admin.json(path, &register("lab-3", with_password)).await;
    assert!(barred.status >= 400, "{}", barred.text);
    let registered = admin.json(path, &register(CLUSTER, lab.served.admin_kubeconfig())).await;
    assert_eq!(registered.status, 200, "{}", registered.text);
    let _ = admin.form("/sign-in", "login=admin&password=a-mistyped-password").await;

    // Looking at everything that is about the cluster, and opening a screen.
    let vm = first_running(&admin).await;
    let name = vm["name"].as_str().unwrap();
    let namespace = vm["namespace"].as_str().unwrap();
    let open = json!({ "open": { "vm": { "cluster": CLUSTER, "namespace": namespace, "name": name }, "mode": "vnc", "reason": "look" } });
    let ticket: Value = serde_json::from_str(&admin.json("/api/app/console/api/ask_ticket", &open).await.text).unwrap();
    let ticket = ticket["given"]["secret"].as_str().unwrap().to_owned();
    assert_eq!(admin.console(&ticket).await, Ok("RFB".to_owned()));
    let mut pages = String::new();
    let tabs = ["", "?tab=capabilities", "?tab=rights", "?tab=watches"].map(|tab| format!("/clusters/{CLUSTER}{tab}"));
    let vm_pages = [format!("/vms/{CLUSTER}/{namespace}/{name}?tab=yaml"), "/audit".to_owned(), "/clusters".to_owned()];
    for path in tabs.iter().chain(&vm_pages) {
        let page = admin.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        pages += &page.text;
    }
    let trail = admin.get("/api/app/audit/api/search_audit").await.text;
    let answers_of_refusals = refused.text + &barred.text;
    drop(child);

    let session = admin.cookie.as_ref().unwrap().split_once('=').unwrap().1.to_owned();
    let secrets = [
        ("token of the cluster", token.as_str()),
        ("refused token", wrong),
        ("password in a kubeconfig", basic),
        ("password of an account", PASSWORD),
        ("mistyped password", "a-mistyped-password"),
        ("session", session.as_str()),
        ("console ticket", ticket.as_str()),
    ];
    let mut places = files(folder.path());
    let log = places.iter().find(|(path, _)| path.ends_with("log.txt")).map(|(_, bytes)| bytes.len()).unwrap();
    assert!(log > 10_000, "the log is as talkative as it gets: {log} bytes");
    places.push(("a page".into(), pages.into_bytes()));
    places.push(("the trail".into(), trail.into_bytes()));
    places.push(("the answer to a refused registration".into(), answers_of_refusals.into_bytes()));
    for (place, bytes) in &places {
        for (what, secret) in secrets {
            assert!(!holds(bytes, secret), "the {what} is in {place}");
        }
    }
    println!("{} places, {} bytes of log", places.len(), log);
}

async fn first_running(admin: &Browser) -> Value {
    for _ in 0..200 {
        let answer = admin.get("/api/app/vm/api/open_list?span[start]=0&span[len]=60").await;
        let listed: Value = serde_json::from_str(&answer.text).unwrap_or_default();
        let rows = listed["window"]["rows"].as_array().cloned().unwrap_or_default();
        let is_good = |row: &&Value| row["power"] == "running" && row["environment"] != "prod";
        if let Some(row) = rows.iter().find(is_good) {
            return row.clone();
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("no VM was seen to run");
}
