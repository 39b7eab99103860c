//! A hundred thousand VMs: a page, a write and a watch cost what they cost in a small world.

mod support;

use serde_json::json;
use simulator::world::{By, Part};
use std::time::{Duration, Instant};
use support::{VM, plain, router, world};

const VMS: usize = 100_000;
/// Generous, for a debug build on a busy machine: an O(n) step would take many times as long.
const LIMIT: Duration = Duration::from_secs(2);

#[tokio::test]
async fn one_write_and_one_page_do_not_depend_on_how_many_there_are() {
    let world = world();
    for n in 0..VMS {
        let vm = json!({ "metadata": { "name": format!("vm-{n:06}"), "labels": { "harvesterhci.io/vmName": format!("vm-{n:06}") } },
                         "spec": { "runStrategy": "Halted" }, "status": { "printableStatus": "Stopped" } });
        world.create(VM, "team-a", vm, &By::seed()).expect("seeded");
    }
    let started = Instant::now();
    for n in 0..1000 {
        let name = format!("vm-{:06}", n * 97);
        let patched = world.modify(VM, ("team-a", &name), Part::Status, &By::program("virt-controller"), |old| {
            let mut new = old.clone();
            new["status"]["printableStatus"] = "Running".into();
            Ok(new)
        });
        patched.expect("written");
    }
    assert!(started.elapsed() < LIMIT, "1000 writes took {:?}", started.elapsed());
    let router = router(&world);
    let started = Instant::now();
    let path = "GET /apis/kubevirt.io/v1/namespaces/team-a/virtualmachines";
    let page = plain(&router, &format!("{path}?limit=500"), json!(null)).await.json();
    assert_eq!(page["metadata"]["remainingItemCount"], VMS - 500);
    let token = page["metadata"]["continue"].as_str().expect("more").to_owned();
    assert_eq!(
        plain(&router, &format!("{path}?limit=500&continue={token}"), json!(null)).await.json()["items"]
            .as_array()
            .map(Vec::len),
        Some(500)
    );
    let one =
        plain(&router, &format!("{path}?labelSelector=harvesterhci.io%2FvmName%3Dvm-099999"), json!(null)).await.json();
    assert_eq!(one["items"].as_array().map(Vec::len), Some(1));
    assert!(started.elapsed() < LIMIT, "two pages took {:?}", started.elapsed());
}
